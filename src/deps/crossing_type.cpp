// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/deps/crossing_type.hpp>

#include <stdexcept>

#include "base/port/code.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constinit machine::atomic<const crossing_type*> newest_type{nullptr};

} // namespace

std::span<const std::byte> byte_reader::take(std::size_t n) {
    if (n > rest_.size()) {
        throw std::runtime_error("skerry: a message from another process is too short");
    }
    const auto taken = rest_.first(n);
    rest_ = rest_.subspan(n);
    return taken;
}

crossing_type::crossing_type(const char* text, void (*p)(const dependent_task&, byte_writer&),
                             bool (*g)(const dependent_task&, bool (*)(const void*) noexcept) noexcept,
                             void (*o)(const dependent_task&, std::vector<std::span<const std::byte>>&),
                             dependent_task* (*m)(const spawn_place&, const char*, byte_reader&)) noexcept
    : name(text),
      pack(p),
      goes(g),
      objects(o),
      make(m),
      next(newest_type.load(memory_order::relaxed)) {
    while (!newest_type.compare_exchange_weak(next, this, memory_order::release, memory_order::relaxed)) {
    }
}

const crossing_type* crossing_type::newest() noexcept { return newest_type.load(memory_order::acquire); }

std::uint64_t code_offset_of(const void* function) noexcept { return port::program_offset(function); }
const void* code_at(std::uint64_t offset) noexcept { return port::program_address(offset); }

} // namespace skerry::inline SKERRY_ABI::detail
