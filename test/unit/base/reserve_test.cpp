// SPDX-License-Identifier: Apache-2.0
#include "base/port/reserve.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "base/port/memory.hpp"
#include "child.hpp"
#include "reserve_arena.hpp"

namespace {

using namespace skerry::port;
using skerry_test::reserve_arena;

constexpr std::size_t page = 65536;

TEST(reserve, the_best_place_is_free_and_large) {
    const reservation arena = reserve_arena();
    EXPECT_EQ(arena.place(), arena_places()[0]);
    EXPECT_GE(arena.place().bytes, std::uint64_t{256} << 30);
    EXPECT_EQ(reinterpret_cast<std::uint64_t>(arena.begin()), arena.place().address);
}

TEST(reserve, what_is_taken_is_refused_and_left_alone) {
    const arena_place place = arena_places()[0];
    ASSERT_TRUE(reserve_at(place.address + page, page));
    const reservation inner({place.address + page, page});
    ASSERT_TRUE(commit(inner.begin(), page));
    *inner.begin() = std::byte{7};
    EXPECT_FALSE(reserve_at(place.address, 4 * page));
    EXPECT_EQ(*inner.begin(), std::byte{7});
    EXPECT_TRUE(reserve_at(place.address, page)) << "the refused reservation has left nothing behind";
    release_reserved(place.address, page);
}

TEST(reserve, memory_comes_by_commit_and_is_zero_again_after_release) {
    const reservation arena = reserve_arena();
    ASSERT_TRUE(commit(arena.begin() + page, page));
    std::memset(arena.begin() + page, 1, page);
    release(arena.begin() + page, page);
    EXPECT_EQ(arena.begin()[page], std::byte{0});
}

TEST(reserve, what_is_not_committed_cannot_be_touched) {
    const skerry_test::child_result r = skerry_test::run_in_child([] {
        const reservation arena = reserve_arena();
        *static_cast<volatile std::byte*>(arena.begin()) = std::byte{1};
        return 0;
    });
    EXPECT_TRUE(!r.exited || r.code != 0);
}

TEST(reserve, commit_says_that_there_is_no_memory) {
    const reservation arena = reserve_arena();
    fail_memory_after(0);
    EXPECT_FALSE(commit(arena.begin(), page));
    fail_memory_after(-1);
}

TEST(reserve, a_reservation_moves_and_ends) {
    reservation first = reserve_arena();
    reservation second = std::move(first);
    first = reservation();
    EXPECT_FALSE(reserve_at(second.place().address, page)) << "it is still held";
    second = reservation();
    EXPECT_EQ(reserve_arena().place(), arena_places()[0]) << "it was given back";
}

} // namespace
