// SPDX-License-Identifier: Apache-2.0
#pragma once

// The objects that a random program works on, and how a body touches them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <skerry/region.hpp>

#include "coherence/page_source.hpp"
#include "program.hpp"

namespace random_programs {

using object = std::array<word, 2>;
// The array is the elements of one, and who accesses all of it may do so by that name, which is its own bytes, too.
struct titled_list {
    std::vector<word, skerry::region_allocator<word>> words;
    word title;

    [[nodiscard]] const word* data() const noexcept { return words.data(); }
    [[nodiscard]] std::size_t size() const noexcept { return words.size(); }
    [[nodiscard]] auto begin() const noexcept { return words.begin(); }
    [[nodiscard]] auto end() const noexcept { return words.end(); }
};
// No container: who accesses it accesses the list's own bytes, behind so many others that bringing them takes a while.
struct shelf {
#ifdef SKERRY_MACHINE_SIM // where nothing is brought
    static constexpr std::size_t words_before = 1;
#else
    static constexpr std::size_t words_before = 40'000;
#endif
    explicit shelf(titled_list l) : list(std::move(l)) {}

    std::array<word, words_before> before; // whatever lies there: nobody reads it
    titled_list list;
};

template <class T>
std::span<const word> words_of(const T* x) {
    static_assert(sizeof(T) % sizeof(word) == 0);
    return {reinterpret_cast<const word*>(x), sizeof(T) / sizeof(word)};
}

constexpr word mixed(word x) noexcept {
    x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15U;
    return x ^ (x >> 29);
}

// Its end, and when it came, is seen.
struct witness {
    word value;
    word* ended;

    witness(word v, word* e) noexcept : value(v), ended(e) {}
    witness(const witness&) = delete;
    witness& operator=(const witness&) = delete;
    ~witness() { *ended = mixed(*ended ^ value); }
};

// What a region holds besides its plain objects. Touched only under an access to the whole region.
struct directory {
    std::array<std::span<word>, slots> slot{}; // of each, however large, the last word is what is touched
    std::array<witness*, slots> noted{};       // which of them are the values of witnesses
    skerry::region sub{};
    word* in_sub = nullptr;              // null: there is no region within
    std::array<witness*, 3> witnesses{}; // in it
    word ended = 0;                      // by witnesses

    // `size` words, many of them as bare memory; none: a witness.
    void make_slot(unsigned n, skerry::region around, unsigned size, std::uint32_t id);
    void destroy_slot(unsigned n, skerry::region around);
    void make_sub(skerry::region around, std::uint32_t id);
    void destroy_sub();
};

// Where everything is. Travels by value to each task; constant while the program runs.
struct layout {
    word* cell;
    shelf* array;
    word* element; // of the list on it: whoever accesses some of them does not look into the list
    struct {
        skerry::region handle;
        std::array<object*, 2> objects;
        directory* contents;
    } region[regions];
    word* log;             // one word for each statement
    word* in_sub;          // of the region that the task accesses, if that was made within another
    std::uint32_t program; // its number

    [[nodiscard]] std::span<word> range(const access& a) const noexcept;
    // All pieces of an access whose directories the caller may read.
    [[nodiscard]] std::vector<std::span<word>> pieces(const access& a) const;
};

// Owns one world.
class world {
  public:
    world(const program& p, std::uint32_t number);
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    ~world();

    [[nodiscard]] const layout& where() const noexcept { return where_; }
    // Everything in it, without addresses.
    [[nodiscard]] std::vector<word> contents() const;
    [[nodiscard]] std::vector<word> log() const { return {where_.log, where_.log + statements_}; }
    // What is wrong about the memory of the regions: they hold what lies in this world and nothing else, places of
    // regions that are gone are used again, and a damaged parcel is refused. Empty: nothing is.
    [[nodiscard]] std::string memory() const;
    // Of all its regions.
    [[nodiscard]] std::vector<skerry::detail::page_range> pages() const;

  private:
    struct books {
        const char* name;
        skerry::region of;
        std::vector<std::span<const std::byte>> objects; // all that lie there
    };
    [[nodiscard]] std::vector<books> all_books() const;

    void live_through(const std::vector<std::uint8_t>& history);

    std::size_t statements_;
    skerry::region home_;
    std::array<std::span<word>, 8> older_{}; // objects in it, which nobody touches
    layout where_;
};

// The work of a body: what it may write becomes a function of what it may read, of itself, and of the order in which
// this happened.
class work {
  public:
    explicit work(std::uint32_t id) noexcept : sum_(mixed(id + 1)) {}
    [[nodiscard]] word value() const noexcept { return sum_; }
    void read(std::span<const word> piece) noexcept {
        for (const word w : piece) {
            sum_ = mixed(sum_ ^ w);
        }
    }
    void write(std::span<word> piece, mode how) noexcept {
        for (word& w : piece) {
            w = mixed((how == mode::out ? 0 : w) ^ (sum_ += 0x1234567));
        }
    }

  private:
    word sum_;
};

} // namespace random_programs
