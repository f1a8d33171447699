// SPDX-License-Identifier: Apache-2.0
#include "support/side_by_side.hpp"

#include "support/pin.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

namespace apps {

namespace {

// Bytes that a pipe takes at once and whole.
constexpr std::size_t most_bytes = 4096;
constexpr unsigned spins_before_yielding = 10'000;

[[noreturn]] void fail_as_errno_says() {
    throw std::system_error(errno, std::generic_category(), "serial copies side by side");
}

std::array<int, 2> new_pipe() {
    std::array<int, 2> made{};
    if (::pipe(made.data()) != 0) {
        fail_as_errno_says();
    }
    return made;
}

// Spins, so that all leave within the time that a line takes from one processor to another; gives way to a copy that
// has no processor. It ends although another copy may have: whoever reads their answers then ends all of them.
void meet(std::atomic<unsigned>& arrived, unsigned& meetings, unsigned copies) {
    const unsigned all = ++meetings * copies;
    arrived.fetch_add(1, std::memory_order_acq_rel);
    for (unsigned spins = 0; static_cast<int>(arrived.load(std::memory_order_acquire) - all) < 0; ++spins) {
        if (spins > spins_before_yielding) {
            ::sched_yield();
        }
    }
}

// A copy's whole life: a byte begins a round, the end of the pipe ends it.
int serve(int begin, int answers, const std::function<side_by_side::work()>& prepare,
          const side_by_side::meeting& together) {
    try {
        const side_by_side::work once = prepare();
        char byte{};
        while (::read(begin, &byte, 1) == 1) {
            together(); // none is so early that it takes another's byte, too
            const std::vector<double> answer = once(together);
            const std::size_t size = answer.size() * sizeof(double);
            if (size == 0 || size > most_bytes || ::write(answers, answer.data(), size) != static_cast<ssize_t>(size)) {
                return 1;
            }
        }
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "a serial copy: %s\n", e.what());
        return 1;
    }
}

} // namespace

side_by_side::side_by_side(unsigned copies, const std::function<work()>& prepare) {
    void* const shared =
        ::mmap(nullptr, sizeof(std::atomic<unsigned>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) { // NOLINT(performance-no-int-to-ptr): the C library's macro
        fail_as_errno_says();
    }
    arrived_ = new (shared) std::atomic<unsigned>(0);
    try {
        begin_ = new_pipe();
        for (unsigned rank = 0; rank < copies; ++rank) {
            add(rank, copies, prepare);
        }
    } catch (...) {
        end();
        throw;
    }
}

side_by_side::~side_by_side() { end(); }

void side_by_side::add(unsigned rank, unsigned copies, const std::function<work()>& prepare) {
    const auto [read_end, write_end] = new_pipe();
    const pid_t parent = ::getpid();
    const pid_t process = ::fork();
    if (process == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) {
            ::_exit(1);
        }
        ::close(begin_[1]); // else no copy would see its end
        ::close(read_end);
        pin(rank);
        unsigned meetings = 0;
        const int status = serve(begin_[0], write_end, prepare, [&] { meet(*arrived_, meetings, copies); });
        ::_exit(status); // nothing here is the copy's to destroy
    }
    ::close(write_end); // so that the copy's death is the end of the pipe
    if (process < 0) {
        ::close(read_end);
        fail_as_errno_says();
    }
    copies_.push_back({process, read_end});
}

std::vector<std::vector<double>> side_by_side::round() {
    const std::vector<char> bytes(copies_.size());
    if (::write(begin_[1], bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
        fail_as_errno_says();
    }
    std::vector<pollfd> waited;
    waited.reserve(copies_.size());
    for (const copy& c : copies_) {
        waited.push_back({c.answers, POLLIN, 0});
    }
    // All are watched at once: if one dies, the others wait for it at a meeting.
    std::vector<std::vector<double>> answers(copies_.size());
    for (std::size_t missing = copies_.size(); missing != 0;) {
        if (::poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR) {
            fail_as_errno_says();
        }
        for (std::size_t i = 0; i < waited.size(); ++i) {
            if (waited[i].revents == 0) {
                continue;
            }
            answers[i].resize(most_bytes / sizeof(double));
            const ssize_t size = ::read(waited[i].fd, answers[i].data(), most_bytes);
            if (size <= 0) {
                throw std::runtime_error("a serial copy has ended before its time");
            }
            answers[i].resize(static_cast<std::size_t>(size) / sizeof(double));
            waited[i].fd = -1; // poll() passes over it
            --missing;
        }
    }
    return answers;
}

double side_by_side::slowest() {
    double greatest = 0;
    for (const std::vector<double>& answer : round()) {
        greatest = std::max(greatest, answer.front());
    }
    return greatest;
}

void side_by_side::end() noexcept {
    for (const int descriptor : begin_) {
        ::close(descriptor);
    }
    for (const copy& c : copies_) {
        ::kill(c.process, SIGKILL); // it may be at a meeting that nobody else will come to
        ::close(c.answers);
        while (::waitpid(c.process, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    ::munmap(arrived_, sizeof *arrived_);
}

} // namespace apps
