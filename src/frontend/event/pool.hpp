// SPDX-License-Identifier: Apache-2.0
#pragma once

// Events of up to four sizes. Thread safety: any thread, but for construction and destruction.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include <event_machine/platform/event_machine_pool.h>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "frontend/event/event.hpp"
#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class event_pool {
  public:
    // Precondition: the numbers are within their limits. Errors: std::bad_alloc.
    event_pool(const char* name, const em_pool_cfg_t& config);
    event_pool(const event_pool&) = delete;
    event_pool& operator=(const event_pool&) = delete;

    [[nodiscard]] const char* name() const noexcept { return name_.data(); }
    [[nodiscard]] em_event_type_t type() const noexcept { return type_; }
    [[nodiscard]] std::uint32_t largest() const noexcept;

    // Of the smallest size that has one, or null.
    [[nodiscard]] event* take(std::uint32_t size, em_event_type_t type) noexcept;
    void give(event& e) noexcept;
    // Events that were taken and not given back.
    [[nodiscard]] std::size_t in_use() noexcept;

  private:
    struct subpool {
        std::uint32_t size = 0;
        std::size_t used = 0;
        event* free = nullptr;
    };
    struct free_aligned {
        void operator()(std::byte* p) const noexcept { ::operator delete[](p, std::align_val_t{event::alignment}); }
    };

    const em_event_type_t type_;
    std::array<char, EM_POOL_NAME_LEN> name_{};
    std::array<std::unique_ptr<std::byte[], free_aligned>, EM_MAX_SUBPOOLS> memory_;

    mutex<machine> lock_;
    // Guarded by it; by size.
    std::array<subpool, EM_MAX_SUBPOOLS> subpools_;
    unsigned count_ = 0;
};

} // namespace skerry::inline SKERRY_ABI::detail
