// SPDX-License-Identifier: Apache-2.0
#include "harness/harness.hpp"

#include "harness/peer.hpp"
#include "support/side_by_side.hpp"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace bench {
namespace {

constexpr const char* compiler =
#if defined(__clang__)
    "clang++ " __clang_version__;
#else
    "g++ " __VERSION__;
#endif

template <class Number>
std::optional<Number> number(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value == 0) {
        return std::nullopt;
    }
    return value;
}

int usage(const char* program, const workload& measured, const std::string& complaint) {
    std::fprintf(stderr, "%s: %s\nusage: %s [--variant", program, complaint.c_str(), program);
    for (const std::string& variant : measured.variants) {
        std::fprintf(stderr, " %s", variant.c_str());
    }
    std::fprintf(stderr, "] [--workers N] [--repeat N] [--size N]%s\n",
                 measured.unit_of_copies != nullptr ? " [--copies N]" : "");
    return 2;
}

/// Returns what is wrong with the command line, or nothing.
std::optional<std::string> parse(int argc, char** argv, const workload& measured, settings& into) {
    for (int i = 1; i < argc; i += 2) {
        const std::string_view option = argv[i];
        if (i + 1 == argc) {
            return std::string(option) + " needs a value";
        }
        const std::string_view value = argv[i + 1];
        bool good = true;
        if (option == "--variant") {
            into.variant = value;
            good = std::ranges::find(measured.variants, into.variant) != measured.variants.end();
        } else if (option == "--workers") {
            good = number<unsigned>(value).has_value();
            into.workers = number<unsigned>(value).value_or(1);
        } else if (option == "--repeat") {
            good = number<unsigned>(value).has_value();
            into.repetitions = number<unsigned>(value).value_or(1);
        } else if (option == "--size") {
            good = number<std::uint64_t>(value).has_value();
            into.size = number<std::uint64_t>(value).value_or(1);
        } else if (option == "--copies" && measured.unit_of_copies != nullptr) {
            good = number<unsigned>(value).has_value();
            into.copies = number<unsigned>(value).value_or(1);
        } else {
            return "there is no option '" + std::string(option) + "'";
        }
        if (!good) {
            return "bad value '" + std::string(value) + "' of " + std::string(option);
        }
    }
    return std::nullopt;
}

double median(std::vector<double> samples) {
    std::ranges::sort(samples);
    const std::size_t middle = samples.size() / 2;
    return samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
}

void print(const workload& measured, const settings& how, const result& got, double processors) {
    std::printf(R"({"workload": "%s", "variant": "%s", "peer": "%s", "version": "%s", "compiler": "%s", )",
                measured.name, how.variant.c_str(), peer::name, peer::version().c_str(), compiler);
    std::printf(R"("workers": %u, "copies": %u, "size": %llu, "unit": "%s", "value": %.9g, "samples": [)", how.workers,
                how.copies, static_cast<unsigned long long>(how.size), got.unit.c_str(), median(got.samples));
    for (std::size_t i = 0; i < got.samples.size(); ++i) {
        std::printf("%s%.9g", i == 0 ? "" : ", ", got.samples[i]);
    }
    std::printf(R"(], "cpu": %.3f, "check": "%s"})"
                "\n",
                processors, got.wrong.empty() ? "ok" : got.wrong.c_str());
}

result alone(const workload& measured, const settings& how) {
    peer::start(how.workers);
    return measured.measure(how);
}

result side_by_side(const workload& measured, const settings& how) {
    apps::side_by_side copies(how.copies, [&] {
        return [&](const apps::side_by_side::meeting& meet) {
            settings own = how;
            own.meet = meet;
            result got = alone(measured, own);
            if (!got.wrong.empty()) {
                throw std::runtime_error(got.wrong);
            }
            return std::move(got.samples);
        };
    });
    result all{measured.unit_of_copies, std::vector<double>(how.repetitions), {}};
    try {
        for (const std::vector<double>& samples : copies.round()) {
            std::ranges::transform(samples, all.samples, all.samples.begin(),
                                   [](double a, double b) { return std::max(a, b); });
        }
    } catch (const std::exception& e) {
        all.wrong = e.what();
    }
    return all;
}

} // namespace

int run(int argc, char** argv, const workload& measured) {
    settings how;
    how.variant = measured.variants.front();
    how.size = measured.default_size;
    if (const auto complaint = parse(argc, argv, measured, how)) {
        return usage(argv[0], measured, *complaint);
    }
    const seconds used_before = processor_time();
    result got;
    const seconds passed = time([&] { got = (how.copies > 1 ? side_by_side : alone)(measured, how); });
    print(measured, how, got, (processor_time() - used_before) / passed);
    return got.wrong.empty() ? 0 : 1;
}

void spin_for(seconds duration) {
    const auto end = std::chrono::steady_clock::now() + duration;
    while (std::chrono::steady_clock::now() < end) {
    }
}

seconds processor_time_of_threads() {
    seconds all{};
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        // As pthread_getcpuclockid() makes it, for threads of which only the number is known.
        constexpr clockid_t of_a_thread = 6;
        const auto number = static_cast<unsigned>(std::stoi(thread.path().filename()));
        timespec used{};
        if (::clock_gettime(static_cast<clockid_t>(~number << 3U) | of_a_thread, &used) != 0) {
            throw std::system_error(errno, std::generic_category(), "the processor time of a thread cannot be read");
        }
        all += std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
    }
    return all;
}

seconds processor_time() {
    const auto length = [](const timeval& t) {
        return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
    };
    seconds all{};
    for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage use{};
        ::getrusage(whose, &use);
        all += length(use.ru_utime) + length(use.ru_stime);
    }
    return all;
}

} // namespace bench
