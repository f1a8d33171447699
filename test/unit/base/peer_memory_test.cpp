// SPDX-License-Identifier: Apache-2.0
#include "base/port/peer_memory.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/port/process.hpp"
#include "child.hpp"
#include "reach.hpp"

namespace {

using namespace skerry::port;

constexpr std::size_t page = 65536; // of any system

std::uint64_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

// What a child that this process lets in does to it.
int status_of(const std::function<int(std::uint32_t parent)>& body) {
    const std::uint32_t parent = process_id();
    admit_siblings(); // the child too descends from this one's parent
    const auto end = skerry_test::run_in_child([&] { return body(parent); });
    EXPECT_EQ(end.output, "");
    return end.exited ? end.code : -1;
}

struct three_pages {
    char* begin =
        static_cast<char*>(::mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    three_pages() = default;
    three_pages(const three_pages&) = delete;
    three_pages& operator=(const three_pages&) = delete;
    ~three_pages() { ::munmap(begin, 3 * page); }
};

// Of a system that lets no process into another one's memory.
void expect_refusal() {
    char here = 1;
    EXPECT_EQ(status_of([&](std::uint32_t parent) {
                  char mine = 2;
                  const peer_range one{&mine, address(&here), 1};
                  return write_peer(parent, {&one, 1}) == 0 && read_peer(parent, {&one, 1}) == 0 && mine == 2 ? 0 : 1;
              }),
              0);
    EXPECT_EQ(here, 1);
}

TEST(peer_memory, several_ranges_are_written_and_read) {
    if (!skerry_test::processes_reach_each_other()) {
        return expect_refusal();
    }
    std::array<char, 100> here{};
    const three_pages other;
    const int status = status_of([&](std::uint32_t parent) {
        std::array<char, 100> mine;
        mine.fill(7);
        const std::array<peer_range, 2> out{peer_range{mine.data(), address(here.data()) + 3, 50},
                                            peer_range{mine.data() + 50, address(other.begin) + page - 20, 40}};
        if (write_peer(parent, out) != 90) {
            return 1;
        }
        std::array<char, 90> back{};
        const std::array<peer_range, 2> in{peer_range{back.data(), address(here.data()) + 3, 50},
                                           peer_range{back.data() + 50, address(other.begin) + page - 20, 40}};
        return read_peer(parent, in) == 90 && std::memcmp(back.data(), mine.data(), 90) == 0 ? 0 : 2;
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(here[2], 0);
    EXPECT_EQ(here[3], 7);
    EXPECT_EQ(here[52], 7);
    EXPECT_EQ(here[53], 0);
    EXPECT_EQ(other.begin[page - 21], 0);
    EXPECT_EQ(other.begin[page - 20], 7);
    EXPECT_EQ(other.begin[page + 19], 7);
    EXPECT_EQ(other.begin[page + 20], 0);
}

TEST(peer_memory, a_closed_page_ends_the_copy) {
    if (!skerry_test::processes_reach_each_other()) {
        return expect_refusal();
    }
    const three_pages closed;
    std::memset(closed.begin, 1, 3 * page);
    ASSERT_EQ(::mprotect(closed.begin + page, page, PROT_NONE), 0);
    const int status = status_of([&](std::uint32_t parent) {
        std::vector<char> mine(3 * page, 5);
        const std::array<peer_range, 2> all{peer_range{mine.data(), address(closed.begin), page},
                                            peer_range{mine.data() + page, address(closed.begin) + page, 2 * page}};
        const peer_range middle{mine.data(), address(closed.begin) + page, 1};
        return write_peer(parent, all) == page && read_peer(parent, {&middle, 1}) == 0 ? 0 : 1;
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(closed.begin[0], 5);
    EXPECT_EQ(closed.begin[page - 1], 5);
    EXPECT_EQ(closed.begin[2 * page], 1);
}

TEST(peer_memory, a_process_that_has_ended_has_none) {
    char byte = 0;
    const int ended = ::fork();
    if (ended == 0) {
        ::_exit(0);
    }
    static_cast<void>(skerry_test::wait_for(ended));
    const peer_range one{&byte, address(&byte), 1};
    EXPECT_EQ(read_peer(static_cast<std::uint32_t>(ended), {&one, 1}), 0U);
    EXPECT_EQ(write_peer(static_cast<std::uint32_t>(ended), {&one, 1}), 0U);
}

} // namespace
