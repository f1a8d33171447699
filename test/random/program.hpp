// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random programs of dataflow tasks as plain data. What they touch is a fixed world of words: cells, an array that is
// accessed in pieces which overlap, and three regions, two of them within the first, with objects that are always there
// and objects that the program makes and destroys.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace random_programs {

using word = std::uint64_t;

// The world, word by word. Ranges do not cross from one object into another.
inline constexpr unsigned cells = 4;
inline constexpr unsigned array_words = 16;
inline constexpr unsigned regions = 3;      // 1 and 2 lie within 0
inline constexpr unsigned region_words = 4; // two objects of two words
inline constexpr unsigned plain_words = cells + array_words;
inline constexpr unsigned words = plain_words + regions * region_words;
inline constexpr unsigned slots = 3; // objects in each region that come and go, each with one word that is touched

// What is touched, as a set of bits: a word each, then what each region may hold besides, then of the list whose
// elements the array is the title that it has, and that it can be given.
using footprint = std::uint64_t;
inline constexpr unsigned region_bits = 2 + slots; // which objects there are; each slot; a region within
inline constexpr footprint title_bit = footprint{1} << (words + regions * region_bits);
inline constexpr footprint shelf_bit = title_bit << 1;
inline constexpr footprint everything = (shelf_bit << 1) - 1;

constexpr footprint bit(unsigned n) noexcept { return footprint{1} << n; }
constexpr footprint directory_bit(unsigned region) noexcept { return bit(words + region * region_bits); }
constexpr footprint slot_bit(unsigned region, unsigned slot) noexcept {
    return bit(words + region * region_bits + 1 + slot);
}
constexpr footprint sub_bit(unsigned region) noexcept { return bit(words + region * region_bits + 1 + slots); }

// Of those, in words: one; none, which is a word with a destructor; two times 4 KiB and the beginning of a third; 4 KiB
// that begin a MiB, so that each has a page of its own; a MiB and the beginning of another.
inline constexpr unsigned own_page = 512;
inline constexpr unsigned two_pages = 256 * 512 + 1;
inline constexpr std::array<unsigned, 5> sizes{1, 0, 2 * 512 + 1, own_page, two_pages};

enum class mode : std::uint8_t { in, out, inout };
constexpr bool reads(mode m) noexcept { return m != mode::out; }
constexpr bool writes(mode m) noexcept { return m != mode::in; }

struct access {
    enum class kind : std::uint8_t {
        range,  // `count` words from `first` on
        region, // the whole of region `first`
        slot,   // the object in slot `count` of region `first`, if it is there
        sub,    // the region that was made within region `first`, if it is there
        list,   // the array, by the list whose elements it is
        shelf,  // what the list lies in, and the array: who writes it gives the list another title
    };
    kind what;
    mode how;
    unsigned first;
    unsigned count;

    friend bool operator==(const access&, const access&) = default;
};

// Whether it is what a task's type depends on; of those a statement has one at most.
constexpr bool is_first(access::kind k) noexcept {
    return k == access::kind::region || k == access::kind::sub || k == access::kind::list || k == access::kind::shelf;
}

// What an access may touch.
footprint touched(const access& a) noexcept;
bool same_name(const access& a, const access& b) noexcept;

// At most so many accesses of each kind has a task; the fewer, the fewer types of task are compiled.
inline constexpr std::size_t most_in = 2;
inline constexpr std::size_t most_out = 1;
inline constexpr std::size_t most_inout = 2;

struct statement {
    enum class kind : std::uint8_t {
        spawn,       // a task with `accesses`, which begins by touching them and goes on with `first`
        touch,       // read and write `accesses` in place
        wait,        // taskwait
        wait_on,     // taskwait_on(accesses)
        finish,      // around `first`
        fork,        // of `first` and `second`
        make,        // the object in slot `slot` of region `region`, of `size` words, instead of the one that is there
        destroy,     // that object
        create_sub,  // a region within region `region`, with one object
        destroy_sub, // that region
        scribble, // a task that declares `accesses` in and writes there nevertheless is told so; what was there is put
                  // back
        fail,     // throw
    };
    kind what;
    std::uint32_t id = 0;  // in the order of the text
    std::uint32_t end = 0; // one past the last id within
    std::vector<access> accesses{};
    std::vector<statement> first{};
    std::vector<statement> second{};
    bool caught = false; // the exception that arrives here ends here
    unsigned region = 0;
    unsigned slot = 0;
    unsigned size = 1; // of what is made, in words; 0: one with a destructor
};

// What kinds of difficulty a program has.
struct traits {
    bool nested = false;    // a task spawns
    bool conflicts = false; // two children of one task touch a word that one of them writes
    bool overlaps = false;  // two accesses of children of one task overlap under different names
    bool fails = false;
    bool uses_regions = false;
    bool forks = false;
    bool waits_on = false;
    unsigned tasks = 0;
};

struct program {
    std::vector<std::uint8_t> history; // of the region of the cells: what was made and destroyed before
    std::vector<statement> body;
    std::uint32_t statements = 0;

    // By id; valid as long as the program stays where it is.
    [[nodiscard]] std::vector<const statement*> index() const;
};

// Gives each statement its id, in the order of the text.
void number_statements(program& p);

traits traits_of(const program& p);

// C++-like text.
std::string text_of(const program& p);

// The program without these statements and what is within them. Correct if it was and they may_go().
program without(const program& p, const std::vector<std::uint32_t>& ids);
// Whether no other statement needs this one: what a task, a touch or a failure does is only looked at.
bool may_go(const statement& s) noexcept;

// A program from a sequence of choices. Any sequence gives a correct program, a shorter one or one of smaller numbers a
// simpler one, so a failing program shrinks as its sequence does. Children access what their parent does, the branches
// of a fork have no conflict, and the errors of a program are those that the elision defines (README.md).
program make_program(const std::vector<std::uint8_t>& choices);

} // namespace random_programs
