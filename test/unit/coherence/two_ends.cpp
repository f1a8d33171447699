// SPDX-License-Identifier: Apache-2.0

#include "two_ends.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "../base/child.hpp"
#include "../base/reserve_arena.hpp"
#include "base/port/poison.hpp"
#include "coherence/arena.hpp"
#include "coherence/region_tree.hpp"

namespace skerry_test {

using namespace skerry::detail;
using skerry::region;

std::vector<extent> contents_of(region_id id) {
    std::vector<extent> all = extents_of(id, true);
    for (const extent& e : all) {
        skerry::port::unpoison(e.first, e.bytes);
    }
    return all;
}

void channel::put_region(region r, handing how) const {
    const auto id = region_id{r.id()};
    put_bytes(pack_region(id, true, how));
    for (const extent& e : contents_of(id)) {
        send(e.first, e.bytes);
    }
}

void channel::get_region(region r) const {
    const auto id = region_id{r.id()};
    unpack_region(get_bytes());
    for (const extent& e : contents_of(id)) {
        receive(e.first, e.bytes);
    }
}

namespace {

constexpr std::size_t run_bytes = 20'000;
constexpr std::size_t large_bytes = 2'500'000;

int run_part(unsigned rank, int descriptor, const part& body) {
    try {
        arena::adopt(reserve_arena(), rank, 2);
        body(channel(descriptor));
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "process %u: %s\n", rank, e.what());
        return 1;
    }
}

} // namespace

void run_two(const part& zero, const part& one) {
    const auto result = skerry_test::run_in_child([&] {
        int ends[2];
        CHECK(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
        const int pid = ::fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            ::close(ends[0]);
            std::_Exit(run_part(1, ends[1], one));
        }
        ::close(ends[1]);
        const int mine = run_part(0, ends[0], zero);
        ::close(ends[0]);
        const int theirs = skerry_test::wait_for(pid);
        return mine + 2 * theirs;
    });
    EXPECT_TRUE(result.exited) << result.output;
    EXPECT_EQ(result.code, 0) << result.output;
}

contents* fill(region r) {
    auto* const c = r.make<contents>(r);
    for (int i = 0; i < 100; ++i) {
        auto* const n = (i % 2 == 0 ? r : c->inner).make<counted>(i);
        n->next = c->list;
        c->list = n;
        c->numbers[i] = i * i;
    }
    c->run = r.make_array<std::byte>(run_bytes).data();
    c->large = c->inner.make_array<std::byte>(large_bytes).data();
    std::memset(c->run, 3, run_bytes);
    std::memset(c->large, 4, large_bytes);
    return c;
}

void check(const contents& c, int nodes) {
    int expected = nodes;
    for (const counted* n = c.list; n != nullptr; n = n->next) {
        CHECK(n->value == --expected);
        CHECK(region_of(n) == region_id{(expected % 2 == 0 ? c.home : c.inner).id()});
        CHECK(try_block_around(n).first == reinterpret_cast<const std::byte*>(n));
    }
    CHECK(expected == 0);
    CHECK(static_cast<int>(c.numbers.size()) == nodes);
    for (const auto& [key, value] : c.numbers) {
        CHECK(value == key * key);
    }
    CHECK(std::count(c.run, c.run + run_bytes, std::byte{3}) == run_bytes);
    CHECK(std::count(c.large, c.large + large_bytes, std::byte{4}) == large_bytes);
}

} // namespace skerry_test
