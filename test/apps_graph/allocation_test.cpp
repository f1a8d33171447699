// SPDX-License-Identifier: Apache-2.0
// A file that announces more than it holds must not cost the memory that it announces.
#include "input/formats.hpp"
#include "program.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string_view>

namespace {

std::atomic<std::size_t> largest_request{0};

void* allocate(std::size_t size) {
    std::size_t largest = largest_request.load();
    while (size > largest && !largest_request.compare_exchange_weak(largest, size)) {
    }
    void* const p = std::malloc(size == 0 ? 1 : size);
    if (p == nullptr) throw std::bad_alloc();
    return p;
}

} // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

namespace apps::input {
namespace {

/// The largest single request while a text is parsed, accepted or not.
std::size_t largest_while_parsing(std::string_view bytes) {
    const text t("file", bytes);
    largest_request = 0;
    try {
        parse_graph(t, {.weights = true});
    } catch (const input_error&) {
    }
    return largest_request;
}

TEST(allocation, is_seen) {
    largest_request = 0;
    delete new std::array<char, 12'345>;
    EXPECT_EQ(largest_request, 12'345U);
}

TEST(allocation, is_in_proportion_to_the_file) {
    largest_while_parsing("0 1\n"); // starts the runtime, which has memory of its own
    constexpr std::size_t small = 4096;
    for (const std::string_view bytes : {
             std::string_view("AdjacencyGraph\n4000000000\n4000000000\n0\n"),
             std::string_view("WeightedAdjacencyGraph\n1000000\n1000000\n0\n"),
             std::string_view("0 4294967294\n"),
             std::string_view("0 18446744073709551615\n"),
             std::string_view("0 1000000\n"),
             std::string_view("%%MatrixMarket matrix coordinate pattern general\n9 9 4000000000\n1 1\n"),
             std::string_view("%%MatrixMarket matrix coordinate pattern general\n4000000000 4000000000 1\n1 1\n"),
             std::string_view("0 1\n"),
         }) {
        EXPECT_LE(largest_while_parsing(bytes), small) << bytes;
    }
}

} // namespace
} // namespace apps::input
