// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/pool.hpp"

#include <mutex>
#include <numeric>
#include <utility>

#include "frontend/event/kept_name.hpp"

namespace skerry::inline SKERRY_ABI::detail {

event_pool::event_pool(const char* name, const em_pool_cfg_t& config) : type_(config.event_type) {
    keep_name(name_, name);
    count_ = static_cast<unsigned>(config.num_subpools);
    std::array<unsigned, EM_MAX_SUBPOOLS> by_size{};
    std::iota(by_size.begin(), by_size.begin() + count_, 0U);
    for (unsigned i = 1; i < count_; ++i) { // four at most
        for (unsigned k = i; k != 0 && config.subpool[by_size[k]].size < config.subpool[by_size[k - 1]].size; --k) {
            std::swap(by_size[k], by_size[k - 1]);
        }
    }
    for (unsigned i = 0; i < count_; ++i) {
        const auto& wanted = config.subpool[by_size[i]];
        const std::size_t payload =
            (std::size_t{wanted.size} + event::alignment - 1) / event::alignment * event::alignment;
        const std::size_t stride = event::header_bytes + payload;
        if (wanted.num > static_cast<std::size_t>(-1) / 2 / stride) {
            throw std::bad_alloc();
        }
        memory_[i].reset(
            static_cast<std::byte*>(::operator new[](stride * wanted.num, std::align_val_t{event::alignment})));
        subpools_[i].size = wanted.size;
        for (std::size_t n = wanted.num; n-- != 0;) {
            event* const e = new (memory_[i].get() + n * stride) event;
            e->pool = this;
            e->subpool = i;
            e->next = subpools_[i].free;
            subpools_[i].free = e;
        }
    }
}

std::uint32_t event_pool::largest() const noexcept { return subpools_[count_ - 1].size; }

event* event_pool::take(std::uint32_t size, em_event_type_t type) noexcept {
    const std::lock_guard lock(lock_);
    for (unsigned i = 0; i < count_; ++i) {
        subpool& s = subpools_[i];
        if (s.size >= size && s.free != nullptr) {
            event* const e = s.free;
            s.free = e->next;
            ++s.used;
            e->next = nullptr;
            e->size = size;
            e->type = type;
            return e;
        }
    }
    return nullptr;
}

void event_pool::give(event& e) noexcept {
    e.forget();
    const std::lock_guard lock(lock_);
    subpool& s = subpools_[e.subpool];
    e.next = s.free;
    s.free = &e;
    --s.used;
}

std::size_t event_pool::in_use() noexcept {
    const std::lock_guard lock(lock_);
    std::size_t n = 0;
    for (const subpool& s : subpools_) {
        n += s.used;
    }
    return n;
}

} // namespace skerry::inline SKERRY_ABI::detail
