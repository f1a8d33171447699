// SPDX-License-Identifier: Apache-2.0

#include "state_store.hpp"

#include <algorithm>
#include <cstring>
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

std::uint32_t byte_strings::intern(std::span<const std::byte> s) {
    if (items_.size() * 2 >= table_.size()) {
        grow();
    }
    const std::uint32_t hash = hash_bytes(s.data(), s.size());
    std::size_t at = hash & (table_.size() - 1);
    for (; table_[at] != none; at = (at + 1) & (table_.size() - 1)) {
        const item& known = items_[table_[at]];
        if (known.hash == hash && known.size == s.size() && std::memcmp(known.data, s.data(), s.size()) == 0) {
            return table_[at];
        }
    }
    if (s.size() > chunk_size) {
        throw std::logic_error("model: a component of more than 1 MiB");
    }
    chunk_used_ = (chunk_used_ + alignment - 1) / alignment * alignment;
    if (chunk_used_ + s.size() > chunk_size) {
        chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk_size));
        chunk_used_ = 0;
    }
    std::byte* copy = chunks_.back().get() + chunk_used_;
    std::memcpy(copy, s.data(), s.size());
    chunk_used_ += s.size();
    const auto id = static_cast<std::uint32_t>(items_.size());
    items_.push_back({copy, static_cast<std::uint32_t>(s.size()), hash});
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

std::span<const std::uint32_t> component::list_of(const component_store& store, std::uint32_t wanted) {
    const std::span<const std::byte> list = store.lists[wanted];
    return {reinterpret_cast<const std::uint32_t*>(list.data()), list.size() / sizeof(std::uint32_t)};
}

std::size_t component::length_of(std::size_t block, std::size_t size) {
    return std::min(block_size, size - block * block_size);
}

std::size_t component::place_of(std::size_t block, std::size_t size) const {
    return grows_down_ ? size - block * block_size - length_of(block, size) : block * block_size;
}

void component::make_room(std::size_t size) {
    if (size > bytes_.size()) {
        const std::size_t more = std::max(size, 2 * bytes_.size()) - bytes_.size();
        bytes_.insert(grows_down_ ? bytes_.begin() : bytes_.end(), more, std::byte{});
    }
}

std::uint32_t component::capture(component_store& store, const std::byte* data, std::size_t size) {
    const std::size_t before = current_ == byte_strings::none ? 0 : list_[0];
    if (current_ != byte_strings::none && before == size && std::memcmp(bytes(size), data, size) == 0) {
        return current_;
    }
    make_room(size);
    list_.resize(1 + blocks_of(size));
    list_[0] = static_cast<std::uint32_t>(size);
    for (std::size_t i = 0; i < blocks_of(size); ++i) {
        const std::size_t length = length_of(i, size);
        std::byte* const mine = bytes(size) + place_of(i, size);
        const std::byte* const now = data + place_of(i, size);
        const bool is_known = i < blocks_of(before) && length_of(i, before) == length;
        if (!is_known || std::memcmp(mine, now, length) != 0) {
            std::memcpy(mine, now, length);
            list_[1 + i] = store.blocks.intern({mine, length});
        }
    }
    return current_ = store.lists.intern(std::as_bytes(std::span(list_)));
}

void component::load(const component_store& store, std::uint32_t wanted, std::byte* to, bool known) {
    if (current_ == wanted && known) {
        return;
    }
    const std::span<const std::uint32_t> list = list_of(store, wanted);
    const std::size_t size = list[0];
    const std::size_t had = current_ == byte_strings::none ? 0 : list_.size();
    known = known && had != 0;
    make_room(size);
    for (std::size_t i = 1; i < list.size(); ++i) {
        if (i >= had || list_[i] != list[i]) {
            const std::span<const std::byte> block = store.blocks[list[i]];
            std::memcpy(bytes(size) + place_of(i - 1, size), block.data(), block.size());
            if (known) {
                std::memcpy(to + place_of(i - 1, size), block.data(), block.size());
            }
        }
    }
    if (!known) {
        std::memcpy(to, bytes(size), size);
    }
    list_.assign(list.begin(), list.end());
    current_ = wanted;
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
