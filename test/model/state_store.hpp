// SPDX-License-Identifier: Apache-2.0
#pragma once

// All states that have been seen. A component's bytes are kept in blocks, each once, under a number; a component is the
// list of its blocks' numbers, and has a number, too; a state is the tuple of its components' numbers. A step changes a
// few blocks of thousands of bytes, and only those are hashed and copied. Two states are equal only if all their bytes
// are: nothing rests on a hash.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace skerry::model {

// Strings of bytes, each kept once. Numbers count from 0 in the order of discovery.
class byte_strings {
  public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::size_t alignment = alignof(std::uint32_t); // of what operator[] gives

    std::uint32_t intern(std::span<const std::byte> s);
    std::span<const std::byte> operator[](std::uint32_t id) const { return {items_[id].data, items_[id].size}; }
    std::size_t bytes() const { return chunks_.size() * chunk_size; }

  private:
    static constexpr std::size_t chunk_size = std::size_t{1} << 20;
    struct item {
        const std::byte* data;
        std::uint32_t size;
        std::uint32_t hash;
    };

    void grow();

    std::vector<item> items_;
    std::vector<std::uint32_t> table_;
    std::vector<std::unique_ptr<std::byte[]>> chunks_;
    std::size_t chunk_used_ = chunk_size;
};

// What components have been.
struct component_store {
    byte_strings blocks;
    byte_strings lists; // of a component: its size, and the numbers of its blocks

    std::size_t bytes() const { return blocks.bytes() + lists.bytes(); }
};

// A part of the machine whose size changes at one end. Blocks are counted from the other: of a stack from its top.
class component {
  public:
    explicit component(bool grows_down) : grows_down_(grows_down) {}

    // The number of what was captured or loaded last; none: that is forgotten.
    std::uint32_t current() const { return current_; }
    void forget() { current_ = byte_strings::none; }

    std::uint32_t capture(component_store& store, const std::byte* data, std::size_t size);
    static std::size_t size_of(const component_store& store, std::uint32_t wanted) { return list_of(store, wanted)[0]; }
    // Puts that back at `to`. `known`: what lies there is the current one.
    void load(const component_store& store, std::uint32_t wanted, std::byte* to, bool known);

  private:
    static constexpr std::size_t block_size = 256;
    static std::span<const std::uint32_t> list_of(const component_store& store, std::uint32_t wanted);
    static std::size_t blocks_of(std::size_t size) { return (size + block_size - 1) / block_size; }
    static std::size_t length_of(std::size_t block, std::size_t size);
    std::size_t place_of(std::size_t block, std::size_t size) const; // among `size` bytes
    std::byte* bytes(std::size_t size) { return bytes_.data() + (grows_down_ ? bytes_.size() - size : 0); }
    void make_room(std::size_t size);

    bool grows_down_;
    std::uint32_t current_ = byte_strings::none;
    std::vector<std::byte> bytes_;    // the current ones: the first, or of what grows down the last
    std::vector<std::uint32_t> list_; // of the current one
};

class state_store {
  public:
    explicit state_store(std::size_t width) : width_(width) {}

    // The state's number, and whether it is new. Numbers count from 0 in the order of discovery.
    std::pair<std::uint32_t, bool> insert(const std::vector<std::uint32_t>& components);
    const std::uint32_t* components(std::uint32_t state) const { return tuples_.data() + state * width_; }
    std::size_t size() const { return tuples_.size() / width_; }

  private:
    std::size_t hash(const std::uint32_t* tuple) const;
    void grow();

    std::size_t width_;
    std::vector<std::uint32_t> tuples_;
    std::vector<std::uint32_t> table_;
};

} // namespace skerry::model
