// SPDX-License-Identifier: Apache-2.0

#include "program.hpp"

namespace skerry_test {

namespace {

std::uint64_t child(std::uint64_t seed, unsigned i) { return mix(seed + i + 1); }

unsigned branches(std::uint64_t seed) { return 1 + static_cast<unsigned>(mix(seed ^ 0x1234) % node::most_children); }

std::uint64_t leaf_value(std::uint64_t seed) { return mix(seed) >> 8U; }

kind kind_at(std::size_t number) {
    for (const auto& some : {fork_kinds, algorithm_kinds, dataflow_kinds}) {
        if (number < some.size()) {
            return some[number];
        }
        number -= some.size();
    }
    return nullptr;
}

} // namespace

std::size_t program::kinds() noexcept { return fork_kinds.size() + algorithm_kinds.size() + dataflow_kinds.size(); }

// A runtime of its own seldom: it starts threads.
std::size_t program::kind_of(std::uint64_t seed) const noexcept {
    const std::uint64_t drawn = mix(seed ^ 0x4321);
    return drawn % 200 == 0 ? 0 : 1 + drawn / 200 % (kinds() - (set.regions ? 1 : 2));
}

bool program::leaf_throws(std::uint64_t seed) const { return set.throws && mix(seed ^ 0x77) % 200 == 0; }

std::uint64_t program::serial(std::uint64_t seed, unsigned depth) const {
    if (depth == 0) {
        return leaf_value(seed);
    }
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < branches(seed); ++i) {
        sum += serial(child(seed, i), depth - 1);
    }
    return sum;
}

bool program::fails(std::uint64_t seed, unsigned depth) const {
    if (depth == 0) {
        return leaf_throws(seed);
    }
    for (unsigned i = 0; i < branches(seed); ++i) {
        if (fails(child(seed, i), depth - 1)) {
            return true;
        }
    }
    return false;
}

std::uint64_t program::run(std::uint64_t seed, unsigned depth) {
    if (depth > 0) {
        return kind_at(kind_of(seed))(node(*this, seed, depth));
    }
    if (leaf_throws(seed)) {
        throw failure();
    }
    return leaf_value(seed);
}

node::node(program& in, std::uint64_t s, unsigned depth) noexcept
    : seed(s),
      children(branches(s)),
      in_(&in),
      depth_(depth) {}

std::uint64_t node::operator()(unsigned i) const { return in_->run(child(seed, i), depth_ - 1); }

} // namespace skerry_test
