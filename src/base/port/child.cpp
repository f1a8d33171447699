// SPDX-License-Identifier: Apache-2.0
#include "base/port/child.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <system_error>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/port/clock.hpp"

namespace skerry::inline SKERRY_ABI::port {

namespace {

static_assert(signal_terminate == SIGTERM && signal_kill == SIGKILL);

sigset_t watched() noexcept {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGCHLD);
    ::sigaddset(&set, SIGINT);
    ::sigaddset(&set, SIGTERM);
    return set;
}

// `NAME=value` of this process's environment without those that `more` replaces, and `more`.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& more) {
    std::vector<std::string> result;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view old = *entry;
        bool replaced = false;
        for (const auto& [name, value] : more) {
            replaced = replaced || (old.size() > name.size() && old.starts_with(name) && old[name.size()] == '=');
        }
        if (!replaced) {
            result.emplace_back(old);
        }
    }
    for (const auto& [name, value] : more) {
        result.push_back(name);
        result.back() += '=';
        result.back() += value;
    }
    return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    result.reserve(strings.size() + 1);
    for (std::string& s : strings) {
        result.push_back(s.data());
    }
    result.push_back(nullptr);
    return result;
}

} // namespace

child_watch::child_watch() noexcept {
    static_assert(sizeof(sigset_t) <= sizeof old_mask_ && sizeof(struct sigaction) <= sizeof old_action_);
    // If the process ignores SIGCHLD, the kernel throws the exit status of its children away.
    struct sigaction standard{};
    standard.sa_handler = SIG_DFL;
    struct sigaction old{};
    ::sigaction(SIGCHLD, &standard, &old);
    std::memcpy(old_action_, &old, sizeof old);
    const sigset_t set = watched();
    sigset_t mask;
    ::pthread_sigmask(SIG_BLOCK, &set, &mask);
    std::memcpy(old_mask_, &mask, sizeof mask);
}

child_watch::~child_watch() {
    sigset_t mask;
    std::memcpy(&mask, old_mask_, sizeof mask);
    struct sigaction old{};
    std::memcpy(&old, old_action_, sizeof old);
    ::sigaction(SIGCHLD, &old, nullptr);
    ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

int child_watch::start(const std::vector<std::string>& command,
                       const std::vector<std::pair<std::string, std::string>>& environment) {
    std::vector<std::string> words = command;
    std::vector<std::string> variables = environment_with(environment);
    const std::vector<char*> arguments = pointers(words);
    const std::vector<char*> block = pointers(variables);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        throw std::system_error(errno, std::generic_category());
    }
    const int parent = ::getpid();
    const int pid = ::fork();
    if (pid == 0) { // only what is async-signal-safe: another thread of the parent may have held any lock
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) {
            ::_exit(127); // the parent ended before the line above
        }
        struct sigaction old{};
        std::memcpy(&old, old_action_, sizeof old);
        ::sigaction(SIGCHLD, &old, nullptr);
        sigset_t mask;
        std::memcpy(&mask, old_mask_, sizeof mask);
        ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
        ::execvpe(arguments[0], arguments.data(), block.data());
        const int why = errno;
        const ssize_t unused = ::write(ends[1], &why, sizeof why);
        static_cast<void>(unused);
        ::_exit(127);
    }
    int why = pid < 0 ? errno : 0;
    ::close(ends[1]);
    if (pid > 0) {
        while (::read(ends[0], &why, sizeof why) < 0 && errno == EINTR) {
        }
        if (why != 0) {
            while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
            }
        }
    }
    ::close(ends[0]);
    if (why != 0) {
        throw std::system_error(why, std::generic_category());
    }
    return pid;
}

child_watch::event child_watch::next(const std::vector<int>& children, std::uint64_t timeout_ns) noexcept {
    // Another thread of the process may be given SIGCHLD instead, so children are looked at this often anyway.
    constexpr std::uint64_t longest = 20'000'000;
    const std::uint64_t begin = now_ns();
    for (;;) {
        for (const int pid : children) {
            int status = 0;
            if (::waitpid(pid, &status, WNOHANG) == pid) {
                const bool killed = WIFSIGNALED(status);
                return {event::what::child_ended, {pid, killed, killed ? WTERMSIG(status) : WEXITSTATUS(status)}, 0};
            }
        }
        const std::uint64_t passed = now_ns() - begin;
        if (passed >= timeout_ns) {
            return {};
        }
        const std::uint64_t left = timeout_ns - passed < longest ? timeout_ns - passed : longest;
        timespec limit{};
        limit.tv_nsec = static_cast<long>(left);
        const sigset_t set = watched();
        siginfo_t about{};
        const int signal = ::sigtimedwait(&set, &about, &limit);
        // What a terminal sends, the kernel has sent to the children too.
        if ((signal == SIGINT || signal == SIGTERM) && about.si_code != SI_KERNEL) {
            return {event::what::asked_to_end, {}, signal};
        }
    }
}

void send_signal(int pid, int signal) noexcept { ::kill(pid, signal); }

void kill_this_process() noexcept {
    ::kill(::getpid(), SIGKILL);
    for (;;) {
        ::pause();
    }
}

} // namespace skerry::inline SKERRY_ABI::port
