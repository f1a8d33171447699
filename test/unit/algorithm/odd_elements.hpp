// SPDX-License-Identifier: Apache-2.0
#pragma once

// Elements of many kinds. Each has a key, which may be NaN, and an identity, which no other has. Elements of the key
// `outside` lie beside the range that an algorithm is given: it must not look at them.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace algorithm_test {

inline constexpr double outside = -1;

struct keyed {
    double key = 0;
    std::uint64_t number = 0;
};

struct no_copy {}; // what copying an element throws

// What is known of all elements of a type that counts them.
struct books {
    static constexpr std::int64_t plenty = std::int64_t{1} << 60;

    std::atomic<std::int64_t> alive{0};
    std::atomic<std::int64_t> copies_left{plenty};
    std::atomic<bool> thrown{false};

    void copy_after(std::int64_t copies) {
        thrown = false;
        copies_left = copies;
    }
    void may_throw() {
        if (copies_left.fetch_sub(1) <= 0) {
            thrown = true;
            throw no_copy{};
        }
    }
};

enum class moves { as_copies, constructed_safely, safely };

// An element that knows where it lives. It is copied and perhaps moved, and some of that throws when its time has come.
template <moves How, std::size_t Alignment = alignof(keyed)>
class alignas(Alignment) housed {
  public:
    static inline books all;

    housed() : housed(keyed{}) {}
    explicit housed(const keyed& k) : k_(k) { ++all.alive; }
    housed(const housed& other) : k_((all.may_throw(), other.k_)) { ++all.alive; }
    housed(housed&& other) noexcept
        requires(How != moves::as_copies)
        : k_(other.k_) {
        ++all.alive;
    }
    housed& operator=(const housed& other) {
        all.may_throw();
        k_ = other.k_;
        return *this;
    }
    housed& operator=(housed&& other) noexcept(How == moves::safely)
        requires(How != moves::as_copies)
    {
        if constexpr (How != moves::safely) all.may_throw();
        k_ = other.k_;
        return *this;
    }
    ~housed() {
        --all.alive;
        home_ = nullptr;
    }

    [[nodiscard]] const keyed& parts() const { return k_; }
    [[nodiscard]] bool intact() const {
        return home_ == this && reinterpret_cast<std::uintptr_t>(this) % Alignment == 0;
    }

  private:
    keyed k_;
    const void* home_ = this;
};

using only_copied = housed<moves::as_copies>;
using assigned_with_luck = housed<moves::constructed_safely>;
using over_aligned = housed<moves::safely, 128>;

// Of 64 bytes, and yet what sorts may copy as it is.
struct alignas(64) aligned_line : keyed {};

using only_moved = std::unique_ptr<keyed>;

template <class T>
concept counted = requires { T::all; };

template <class T>
keyed parts_of(const T& x) {
    if constexpr (counted<T>) {
        return x.parts();
    } else if constexpr (std::same_as<T, double>) {
        return {x, std::bit_cast<std::uint64_t>(x)};
    } else if constexpr (std::same_as<T, std::string>) {
        keyed k;
        std::memcpy(&k, x.data(), sizeof(k));
        return k;
    } else if constexpr (std::same_as<T, only_moved>) {
        return *x;
    } else {
        return x;
    }
}

template <class T>
T made_of(const keyed& k) {
    if constexpr (std::same_as<T, double>) {
        return k.key;
    } else if constexpr (std::same_as<T, std::string>) {
        std::string x(2 * sizeof(k), '.'); // so long that it needs memory
        std::memcpy(x.data(), &k, sizeof(k));
        return x;
    } else if constexpr (std::same_as<T, only_moved>) {
        return std::make_unique<keyed>(k);
    } else if constexpr (std::same_as<T, aligned_line>) {
        return {k};
    } else {
        return T{k};
    }
}

template <class T>
bool intact(const T& x) {
    if constexpr (counted<T>) return x.intact();
    return true;
}

template <class T>
std::int64_t alive() {
    if constexpr (counted<T>) return T::all.alive;
    return 0;
}

// The identities of [first, last), in order.
template <class It>
std::vector<std::uint64_t> identities(It first, It last) {
    std::vector<std::uint64_t> all;
    for (; first != last; ++first) all.push_back(parts_of(*first).number);
    std::ranges::sort(all);
    return all;
}

} // namespace algorithm_test
