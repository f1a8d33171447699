// SPDX-License-Identifier: Apache-2.0
// expect: skerry: bits, as of std::vector<bool>, share words: f may only read them, as a bool or from a const range
#include <skerry/algorithm.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>

// An iterator over the bits of words that the program has written itself.
class bits {
  public:
    struct reference {
        std::uint64_t* word;
        std::uint64_t bit;
        operator bool() const { return (*word & bit) != 0; }
        const reference& operator=(bool x) const {
            *word = x ? *word | bit : *word & ~bit;
            return *this;
        }
    };
    using value_type = bool;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;

    std::uint64_t* words = nullptr;
    std::ptrdiff_t at = 0;

    reference operator*() const { return {words + at / 64, std::uint64_t{1} << (at % 64)}; }
    reference operator[](std::ptrdiff_t n) const { return *(*this + n); }
    bits& operator++() { return *this += 1; }
    bits operator++(int) { return {words, at++}; }
    bits& operator--() { return *this += -1; }
    bits operator--(int) { return {words, at--}; }
    bits& operator+=(std::ptrdiff_t n) {
        at += n;
        return *this;
    }
    bits& operator-=(std::ptrdiff_t n) { return *this += -n; }
    friend bits operator+(bits b, std::ptrdiff_t n) { return b += n; }
    friend bits operator+(std::ptrdiff_t n, bits b) { return b += n; }
    friend bits operator-(bits b, std::ptrdiff_t n) { return b -= n; }
    friend std::ptrdiff_t operator-(const bits& a, const bits& b) { return a.at - b.at; }
    friend auto operator<=>(const bits& a, const bits& b) { return a.at <=> b.at; }
    friend bool operator==(const bits& a, const bits& b) { return a.at == b.at; }
};

void f(bits first, bits last) {
    skerry::parallel_for(first, last, [](bits::reference x) { x = true; });
}
