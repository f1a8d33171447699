// SPDX-License-Identifier: Apache-2.0
#include "pipes.hpp"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

#include "base/port/child.hpp"

namespace skerry::fabric_test {

namespace {

void tell(int descriptor) {
    const char byte = 1;
    expect(::write(descriptor, &byte, 1) == 1, "the pipe beside the fabric is broken");
}

void hear(int descriptor) {
    char byte = 0;
    ssize_t n = 0;
    while ((n = ::read(descriptor, &byte, 1)) < 0 && errno == EINTR) {
    }
    expect(n == 1, "the pipe beside the fabric is broken");
}

} // namespace

pipes::pipes() { expect(::pipe(to_last_) == 0 && ::pipe(to_first_) == 0, "no pipe"); }

pipes::pipes(const std::string& descriptors) {
    const std::size_t colon = descriptors.find(':');
    const std::string numbers = colon == std::string::npos ? descriptors : descriptors.substr(colon + 1);
    expect(std::sscanf(numbers.c_str(), "%d,%d,%d,%d", &to_last_[0], &to_last_[1], &to_first_[0], &to_first_[1]) == 4,
           "four descriptors are needed");
    if (colon == std::string::npos) {
        return;
    }
    for (int* const ends : {to_last_, to_first_}) {
        for (int end = 0; end < 2; ++end) {
            const std::string path = "/proc/" + descriptors.substr(0, colon) + "/fd/" + std::to_string(ends[end]);
            ends[end] = ::open(path.c_str(), (end == 0 ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
            expect(ends[end] >= 0, "another process's pipe cannot be opened: " + path);
        }
    }
}

pipes::~pipes() {
    for (const int descriptor : {to_last_[0], to_last_[1], to_first_[0], to_first_[1]}) {
        ::close(descriptor);
    }
}

std::string pipes::text() const {
    return std::to_string(to_last_[0]) + "," + std::to_string(to_last_[1]) + "," + std::to_string(to_first_[0]) + "," +
           std::to_string(to_first_[1]);
}

std::string pipes::text_for_strangers() const { return std::to_string(::getpid()) + ":" + text(); }

void pipes::tell_last() { tell(to_last_[1]); }
void pipes::hear_first() { hear(to_last_[0]); }
void pipes::tell_first() { tell(to_first_[1]); }
void pipes::hear_last() { hear(to_first_[0]); }
void pipes::die() { port::kill_this_process(); }

} // namespace skerry::fabric_test
