// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random programs for a task manager: what tasks access, in the order in which they are submitted.

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "deps/nexus/fits.hpp"
#include "deps/nexus/words.hpp"

namespace nexus_dv {

using namespace skerry::detail;

using random_bits = std::mt19937_64;

// A number below `end`, which is not 0.
inline std::uint64_t below(random_bits& random, std::uint64_t end) { return random() % end; }

enum class graph : std::uint8_t {
    independent,
    chains,
    hot_readers,
    duplicates,
    one_set,
    full_table,
    wavefront,
    anything
};

struct graph_name {
    graph kind;
    std::string_view name;
};

inline constexpr graph_name graphs[] = {
    {graph::independent, "independent"}, {graph::chains, "chains"},     {graph::hot_readers, "hot readers"},
    {graph::duplicates, "duplicates"},   {graph::one_set, "one set"},   {graph::full_table, "full table"},
    {graph::wavefront, "wavefront"},     {graph::anything, "anything"},
};

// Access words of each task; those of task t are `of(t)`.
class program {
  public:
    [[nodiscard]] std::size_t tasks() const noexcept { return begins_.size() - 1; }
    [[nodiscard]] std::span<const std::uint64_t> of(std::size_t t) const noexcept {
        return std::span{words_}.subspan(begins_[t], begins_[t + 1] - begins_[t]);
    }

    void access(std::uint64_t address, nexus_mode mode) {
        words_.push_back(nexus_access_word{.address = address, .mode = mode}.pack());
    }
    // What was added since the last task is one, as far as it fits.
    void end_task(const nexus_shape_word& shape) {
        while (!fits(shape, std::span{words_}.subspan(begins_.back()))) words_.pop_back();
        begins_.push_back(words_.size());
    }

  private:
    std::vector<std::uint64_t> words_;
    std::vector<std::size_t> begins_{0};
};

// An address as programs have them: of 8 bytes, in one of few pages.
inline std::uint64_t address_of(std::uint64_t object) noexcept {
    return 0x7f0000000000U + object / 512 * 0x10000U + object % 512 * 8;
}

// The nth address of some set.
inline std::uint64_t address_in_set(std::uint64_t n, std::uint32_t set, std::uint32_t sets) noexcept {
    // The lowest piece of log2(sets) bits decides, whatever those above it are.
    const std::uint64_t high = (n + 1) * sets;
    return high + (nexus_set(high, sets) ^ set);
}

inline nexus_mode any_mode(random_bits& random, unsigned readers_in_8) {
    if (below(random, 8) < readers_in_8) return nexus_mode::in;
    return below(random, 2) == 0 ? nexus_mode::out : nexus_mode::inout;
}

// `most`: accesses of one task.
inline program make_program(graph kind, std::size_t tasks, unsigned most, const nexus_shape_word& shape,
                            random_bits& random) {
    program made;
    const std::uint64_t rows = std::uint64_t{shape.sets} * shape.ways;
    const std::uint32_t set = static_cast<std::uint32_t>(below(random, shape.sets));
    const std::uint64_t width = 2 + below(random, 40);
    for (std::size_t t = 0; t < tasks; ++t) {
        const std::uint64_t count = below(random, most + 1);
        std::uint64_t first = 0;
        switch (kind) {
        case graph::independent:
            for (std::uint64_t i = 0; i < count; ++i) made.access(address_of(t * most + i), any_mode(random, 4));
            break;
        case graph::chains:
            made.access(address_of(below(random, 4)), nexus_mode::inout);
            if (most > 1 && below(random, 2) == 0) made.access(address_of(100 + below(random, 2)), nexus_mode::out);
            break;
        case graph::hot_readers:
            for (std::uint64_t i = 0; i < count; ++i) made.access(address_of(below(random, 10)), any_mode(random, 7));
            break;
        case graph::duplicates:
            // Few addresses in each task, of more that all have: what only one of several modes decides shows.
            first = below(random, 12);
            for (std::uint64_t i = 0; i < count; ++i)
                made.access(address_of(first + below(random, 2)), any_mode(random, 6));
            break;
        case graph::one_set:
            for (std::uint64_t i = 0; i < count; ++i) {
                made.access(address_in_set(below(random, 3ULL * shape.ways), set, shape.sets), any_mode(random, 3));
            }
            break;
        case graph::full_table:
            for (std::uint64_t i = 0; i < count; ++i)
                made.access(address_of(below(random, rows * 4)), any_mode(random, 2));
            break;
        case graph::wavefront:
            // An element of a row, its neighbours to the west and to the north east; at the borders they are itself.
            for (const std::uint64_t from : {t % width == 0 ? t : t - 1, t < width ? t : t - width + 1}) {
                if (most > 1) made.access(address_of(from), nexus_mode::in);
            }
            if (most > 2 || most == 1) made.access(address_of(t), nexus_mode::inout);
            break;
        case graph::anything:
            for (std::uint64_t i = 0; i < count; ++i)
                made.access(address_of(below(random, width * 2)), any_mode(random, 4));
            break;
        }
        made.end_task(shape);
    }
    return made;
}

} // namespace nexus_dv
