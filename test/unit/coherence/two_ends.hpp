// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two forked children that know nothing of each other but a stream, each with its part of one arena, and what the tests
// send from one to the other: a process takes part in one arena only, so each test needs two new ones.

#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <skerry/region.hpp>
#include <unistd.h>

#include "coherence/extents.hpp"
#include "coherence/parcel.hpp"

// In one of the two: ends it with a line that says where.
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            throw std::runtime_error("line " + std::to_string(__LINE__) + ": " #condition);                            \
        }                                                                                                              \
    } while (false)

namespace skerry_test {

// What crosses with a region: its slabs and those of the regions within. They are copied whole, so with
// AddressSanitizer they may be touched from then on, also where no object lies.
[[nodiscard]] std::vector<skerry::detail::extent> contents_of(skerry::detail::region_id id);

// One end of a stream between the two. If the other end dies, reading fails.
class channel {
  public:
    explicit channel(int descriptor) : descriptor_(descriptor) {}

    void send(const void* first, std::size_t bytes) const {
        for (const char* at = static_cast<const char*>(first); bytes > 0;) {
            const ssize_t n = ::write(descriptor_, at, bytes);
            CHECK(n > 0);
            at += n;
            bytes -= static_cast<std::size_t>(n);
        }
    }
    void receive(void* first, std::size_t bytes) const {
        for (char* at = static_cast<char*>(first); bytes > 0;) {
            const ssize_t n = ::read(descriptor_, at, bytes);
            CHECK(n > 0);
            at += n;
            bytes -= static_cast<std::size_t>(n);
        }
    }
    template <class T>
    void put(T value) const {
        send(static_cast<const void*>(&value), sizeof(T)); // NOLINT(bugprone-sizeof-expression): T may be a pointer
    }
    template <class T>
    [[nodiscard]] T get() const {
        T value;
        receive(static_cast<void*>(&value), sizeof(T)); // NOLINT(bugprone-sizeof-expression): the same
        return value;
    }

    void put_bytes(const std::vector<std::byte>& bytes) const {
        put(bytes.size());
        send(bytes.data(), bytes.size());
    }
    [[nodiscard]] std::vector<std::byte> get_bytes() const {
        std::vector<std::byte> bytes(get<std::size_t>());
        receive(bytes.data(), bytes.size());
        return bytes;
    }

    // A region with its contents.
    void put_region(skerry::region r, skerry::detail::handing how = skerry::detail::handing::over) const;
    void get_region(skerry::region r) const;

  private:
    int descriptor_;
};

using part = std::function<void(const channel&)>;

// In the test: fails if one of the two fails.
void run_two(const part& zero, const part& one);

template <class F>
std::string text_of(F f) {
    try {
        f();
    } catch (const std::exception& e) {
        return e.what();
    }
    return "nothing was thrown";
}

inline bool says(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

struct counted {
    explicit counted(int v) : value(v) {}
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { ended.push_back(value); }
    int value;
    counted* next = nullptr;
    inline static std::vector<int> ended;
};

using map = std::map<int, int, std::less<>, skerry::region_allocator<std::pair<const int, int>>>;

// What lies in a region, reached from one object.
struct contents {
    explicit contents(skerry::region r)
        : home(r),
          inner(r.create(2)),
          numbers(r.allocator<std::pair<const int, int>>()) {}
    skerry::region home;
    skerry::region inner;
    counted* list = nullptr;
    std::byte* run = nullptr;
    std::byte* large = nullptr;
    map numbers;
};

contents* fill(skerry::region r);
// As fill() left it, but for so many nodes.
void check(const contents& c, int nodes);

} // namespace skerry_test
