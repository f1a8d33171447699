// SPDX-License-Identifier: Apache-2.0
#pragma once

// All states that have been seen. A component's bytes are kept once, under a number; a state is the tuple of its
// components' numbers. Two states are equal only if all their bytes are: nothing rests on a hash.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace skerry::model {

class byte_strings {
  public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::uint32_t intern(const std::byte* data, std::size_t size);
    const std::byte* data(std::uint32_t id) const { return items_[id].data; }
    std::size_t size(std::uint32_t id) const { return items_[id].size; }
    bool equal(std::uint32_t id, const std::byte* data, std::size_t size) const {
        return items_[id].size == size && std::memcmp(items_[id].data, data, size) == 0;
    }
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
