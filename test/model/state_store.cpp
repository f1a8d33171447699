// SPDX-License-Identifier: Apache-2.0

#include "state_store.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace skerry::model {

namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t word) {
    h = (h ^ word) * 0x9e3779b97f4a7c15U;
    return h ^ (h >> 29);
}

// Four chains, since a component has hundreds of bytes and each step waits for its multiplication.
std::uint32_t hash_bytes(const std::byte* data, std::size_t size) {
    std::uint64_t a = size;
    std::uint64_t b = 1;
    std::uint64_t c = 2;
    std::uint64_t d = 3;
    std::uint64_t words[4];
    const auto take = [&](std::size_t at, std::size_t bytes) {
        std::memcpy(words, data + at, bytes);
        a = mix(a, words[0]);
        b = mix(b, words[1]);
        c = mix(c, words[2]);
        d = mix(d, words[3]);
    };
    std::size_t i = 0;
    for (; i + sizeof(words) <= size; i += sizeof(words)) {
        take(i, sizeof(words));
    }
    std::fill(std::begin(words), std::end(words), 0);
    take(i, size - i);
    const std::uint64_t h = mix(mix(a, b), mix(c, d));
    return static_cast<std::uint32_t>(h ^ (h >> 32));
}

} // namespace

std::uint32_t byte_strings::intern(const std::byte* data, std::size_t size) {
    if (items_.size() * 2 >= table_.size()) {
        grow();
    }
    const std::uint32_t hash = hash_bytes(data, size);
    std::size_t at = hash & (table_.size() - 1);
    for (; table_[at] != none; at = (at + 1) & (table_.size() - 1)) {
        const std::uint32_t id = table_[at];
        if (items_[id].hash == hash && equal(id, data, size)) {
            return id;
        }
    }
    if (size > chunk_size) {
        throw std::logic_error("model: a component of more than 1 MiB");
    }
    if (chunk_used_ + size > chunk_size) {
        chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk_size));
        chunk_used_ = 0;
    }
    std::byte* copy = chunks_.back().get() + chunk_used_;
    std::memcpy(copy, data, size);
    chunk_used_ += size;
    const auto id = static_cast<std::uint32_t>(items_.size());
    items_.push_back({copy, static_cast<std::uint32_t>(size), hash});
    table_[at] = id;
    return id;
}

void byte_strings::grow() {
    const std::size_t size = std::max<std::size_t>(1024, table_.size() * 2);
    table_.assign(size, none);
    for (std::uint32_t id = 0; id < items_.size(); ++id) {
        std::size_t at = items_[id].hash & (size - 1);
        while (table_[at] != none) {
            at = (at + 1) & (size - 1);
        }
        table_[at] = id;
    }
}

std::size_t state_store::hash(const std::uint32_t* tuple) const {
    std::uint64_t h = width_;
    for (std::size_t i = 0; i < width_; ++i) {
        h = mix(h, tuple[i]);
    }
    return h ^ (h >> 32);
}

std::pair<std::uint32_t, bool> state_store::insert(const std::vector<std::uint32_t>& components) {
    if (size() * 2 >= table_.size()) {
        grow();
    }
    std::size_t at = hash(components.data()) & (table_.size() - 1);
    for (; table_[at] != byte_strings::none; at = (at + 1) & (table_.size() - 1)) {
        if (std::equal(components.begin(), components.end(), this->components(table_[at]))) {
            return {table_[at], false};
        }
    }
    const auto state = static_cast<std::uint32_t>(size());
    tuples_.insert(tuples_.end(), components.begin(), components.end());
    table_[at] = state;
    return {state, true};
}

void state_store::grow() {
    const std::size_t length = std::max<std::size_t>(1024, table_.size() * 2);
    table_.assign(length, byte_strings::none);
    for (std::uint32_t state = 0; state < size(); ++state) {
        std::size_t at = hash(components(state)) & (length - 1);
        while (table_[at] != byte_strings::none) {
            at = (at + 1) & (length - 1);
        }
        table_[at] = state;
    }
}

} // namespace skerry::model
