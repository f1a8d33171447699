// SPDX-License-Identifier: Apache-2.0
#include "child.hpp"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <system_error>

#include <sys/wait.h>
#include <unistd.h>

// Present in a coverage build only: a child that leaves by _exit() would lose its counts.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the compiler names it
extern "C" [[gnu::weak]] int __llvm_profile_write_file();

namespace skerry_test {

namespace {

[[noreturn]] void run(const std::function<int()>& body) {
    int code = 100;
    try {
        code = body();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
    }
    std::fflush(nullptr);
    if (__llvm_profile_write_file != nullptr) {
        __llvm_profile_write_file();
    }
    ::_exit(code);
}

} // namespace

int wait_for(int pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

child_result run_in_child(const std::function<int()>& body) {
    int ends[2];
    if (::pipe(ends) != 0) {
        throw std::system_error(errno, std::generic_category(), "pipe");
    }
    std::fflush(nullptr);
    const pid_t pid = ::fork();
    if (pid < 0) {
        throw std::system_error(errno, std::generic_category(), "fork");
    }
    if (pid == 0) {
        ::dup2(ends[1], STDOUT_FILENO);
        ::dup2(ends[1], STDERR_FILENO);
        ::close(ends[0]);
        ::close(ends[1]);
        run(body);
    }
    ::close(ends[1]);
    child_result result;
    char block[4096];
    for (ssize_t n = 0; (n = ::read(ends[0], block, sizeof block)) > 0 || (n < 0 && errno == EINTR);) {
        result.output.append(block, n > 0 ? static_cast<std::size_t>(n) : 0);
    }
    ::close(ends[0]);
    // An emulator under which the tests run has a last word of its own.
    if (const std::size_t word = result.output.find("qemu: uncaught target signal "); word != std::string::npos) {
        result.output.erase(word, result.output.find('\n', word) + 1 - word);
    }
    const int status = wait_for(pid);
    result.exited = WIFEXITED(status);
    result.code = result.exited ? WEXITSTATUS(status) : WTERMSIG(status);
    return result;
}

} // namespace skerry_test
