// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the watchdog says of programs that hang: each hangs for ever in a child, which ends when the report is there.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <source_location>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <poll.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skerry/runtime.hpp>

#include "../base/child.hpp"

namespace skerry_test {

// In the child: whether there has been a report.
inline std::atomic<bool> reported{false};

// Runs `program`, which hangs with a runtime of these options, until a report has all of `wanted` in it, and returns
// that report; after ten seconds the last one, which fails the test. The watchdog looks every 50 ms.
inline std::string report_of_runtime(unsigned workers, const std::function<void(const skerry::options&)>& program,
                                     const std::vector<std::string>& wanted, unsigned blocking_threads = 4) {
    const child_result child = run_in_child([&] {
        int ends[2];
        if (pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0) {
            return 1;
        }
        std::thread reader([&] {
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
            std::string report;
            bool complete = false;
            char text[4096];
            pollfd readable{.fd = ends[0], .events = POLLIN, .revents = 0};
            while (!complete) {
                const auto left = end - std::chrono::steady_clock::now();
                const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
                if (ms <= 0 || poll(&readable, 1, static_cast<int>(ms)) <= 0) {
                    break;
                }
                report.append(text, static_cast<std::size_t>(read(ends[0], text, sizeof text)));
                report.erase(0, report.rfind("skerry watchdog")); // the newest
                reported = report.ends_with('\n');
                complete = report.ends_with('\n') && std::ranges::all_of(wanted, [&report](const std::string& w) {
                               return report.find(w) != std::string::npos;
                           });
            }
            static_cast<void>(write(STDOUT_FILENO, report.data(), report.size()));
            _exit(complete ? 0 : 3);
        });
        skerry::options o;
        o.workers = workers;
        o.watchdog_seconds = 0.05;
        o.blocking_threads = blocking_threads;
        program(o);
        _exit(2);
    });
    EXPECT_TRUE(child.exited && child.code == 0) << child.code << ": " << child.output;
    return child.output;
}

// The same of what hangs inside the runtime.
inline std::string report_of(unsigned workers, const std::function<void()>& hang,
                             const std::vector<std::string>& wanted, unsigned blocking_threads = 4) {
    const auto inside = [&hang](const skerry::options& o) {
        skerry::runtime rt(o);
        rt.run(hang);
    };
    return report_of_runtime(workers, inside, wanted, blocking_threads);
}

inline void wait_until(const std::atomic<bool>& flag) {
    while (!flag) {
        std::this_thread::yield();
    }
}

// Prints the line of the caller's file that the next report is to name; every child prints at least one.
inline void expect_line(unsigned line, const std::source_location& here = std::source_location::current()) {
    const std::string_view path = here.file_name();
    const std::string file(path.substr(path.rfind('/') + 1));
    dprintf(STDOUT_FILENO, "expected %s:%u (\n", file.c_str(), line);
}

inline void expect_lines_in(const std::string& output) {
    constexpr std::string_view begin = "expected ";
    std::istringstream lines(output);
    int expected = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(begin)) {
            ++expected;
            EXPECT_THAT(output, testing::HasSubstr("/" + line.substr(begin.size())));
        }
    }
    EXPECT_GT(expected, 0);
}

[[noreturn]] inline void sleep_for_ever() {
    for (;;) {
        pause();
    }
}

} // namespace skerry_test
