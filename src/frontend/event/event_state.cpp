// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/event_state.hpp"

#include <array>
#include <cstddef>

#include "frontend/event/event.hpp"
#include "frontend/event/event_machine.hpp"
#include "frontend/event/refuse.hpp"

namespace skerry::inline SKERRY_ABI::detail {

constinit machine::atomic<bool> events_are_verified{false};

namespace {

struct field {
    unsigned begin, bits;

    [[nodiscard]] constexpr std::uint64_t of(std::uint64_t word) const noexcept {
        return word >> begin & ((std::uint64_t{1} << bits) - 1);
    }
    [[nodiscard]] constexpr std::uint64_t put(std::uint64_t value) const noexcept { return value << begin; }
};
constexpr field generation_field{0, event_state::generation_bits};
constexpr field mark_field{16, 2};
constexpr field core_field{18, 7};
constexpr field object_field{25, 11};
constexpr field queue_field{36, 16};
constexpr field call_field{52, 8};
static_assert(EM_MAX_CORES < 1 << core_field.bits && event_machine::most_objects < 1 << object_field.bits &&
              event_machine::most_queues < 1 << queue_field.bits);

constexpr std::array names{
    "none",
    "em_alloc",
    "em_alloc_multi",
    "skerry_em_alloc_wait",
    "em_event_clone",
    "em_event_clone_part",
    "em_dispatch",
    "em_free",
    "em_free_multi",
    "em_send",
    "em_send_multi",
    "em_send_group",
    "em_send_group_multi",
    "em_queue_dequeue",
    "em_tmo_set_abs",
    "em_tmo_set_rel",
    "em_tmo_set_periodic",
    "em_tmo_ack",
    "em_event_mark_send",
    "em_event_mark_free",
    "em_event_mark_free_multi",
    "em_event_unmark_send",
    "em_event_unmark_free",
    "em_event_unmark_free_multi",
};
static_assert(names.size() == static_cast<std::size_t>(event_call::unmark_free_multi) + 1);

// The caller, and where it stands.
std::uint64_t here(event_call call) noexcept {
    const event_thread& self = this_event_thread;
    return call_field.put(static_cast<std::uint64_t>(call)) |
           core_field.put(static_cast<std::uint64_t>(self.core) + 1) |
           object_field.put(self.inside != nullptr ? number_of(self.inside->handle) : 0) |
           queue_field.put(self.queue != nullptr ? number_of(self.queue->handle) : 0);
}

std::uint64_t word_of(std::uint64_t generation, event_mark mark, event_call call) noexcept {
    return generation_field.of(generation) | mark_field.put(static_cast<std::uint64_t>(mark)) | here(call);
}

} // namespace

const char* name_of(event_call call) noexcept { return names[static_cast<std::size_t>(call)]; }

bool event_state::is(std::uint16_t generation) const noexcept {
    const std::uint64_t word = word_.load(memory_order::relaxed);
    return generation_of(word) == generation && mark_field.of(word) == 0;
}

void event_state::note(event_call call) noexcept {
    word_.store(word_of(generation(), event_mark::none, call), memory_order::relaxed);
}

bool event_state::give_away(std::uint16_t generation, event_call call, event_mark mark, std::uint64_t& before,
                            std::uint64_t& after) noexcept {
    before = word_.load(memory_order::relaxed);
    after = word_of(generation + 1U, mark, call);
    return generation_of(before) == generation && mark_field.of(before) == 0 &&
           word_.compare_exchange_strong(before, after, memory_order::relaxed, memory_order::relaxed);
}

bool event_state::unmark(std::uint16_t generation, event_call call, event_mark mark) noexcept {
    std::uint64_t word = word_.load(memory_order::relaxed);
    return generation_of(word) == generation_field.of(generation + 1U) &&
           mark_field.of(word) == static_cast<std::uint64_t>(mark) &&
           word_.compare_exchange_strong(word, word_of(generation, event_mark::none, call), memory_order::relaxed,
                                         memory_order::relaxed);
}

event_state::picture event_state::last() const noexcept {
    const std::uint64_t word = word_.load(memory_order::relaxed);
    return {static_cast<event_mark>(mark_field.of(word)), static_cast<event_call>(call_field.of(word)),
            static_cast<int>(core_field.of(word)) - 1, object_field.of(word), queue_field.of(word)};
}

em_status_t tell_not_owned(const char* function, em_escope_t scope, event& e) noexcept {
    const event_state::picture p = e.state.last();
    return refuse_call(EM_ERR_EVENT_STATE, scope,
                       "%s: event %p is not the caller's: %s; the last call for it was %s on core %d, in execution "
                       "object %p, queue %p",
                       function, static_cast<void*>(&e),
                       p.mark == event_mark::send   ? "it is marked as sent"
                       : p.mark == event_mark::free ? "it is marked as free"
                                                    : "it was sent or freed",
                       name_of(p.call), p.core, reinterpret_cast<void*>(p.object), reinterpret_cast<void*>(p.queue));
}

em_status_t tell_not_marked(const char* function, em_escope_t scope, event& e) noexcept {
    const event_state::picture p = e.state.last();
    return refuse_call(EM_ERR_EVENT_STATE, scope,
                       "%s: event %p is not marked so by the caller; the last call for it was %s on core %d, in "
                       "execution object %p, queue %p",
                       function, static_cast<void*>(&e), name_of(p.call), p.core, reinterpret_cast<void*>(p.object),
                       reinterpret_cast<void*>(p.queue));
}

bool giving_away::begin_verified(event& e, std::uint16_t generation, event_call call, event_mark mark) noexcept {
    e_ = &e;
    return e.state.give_away(generation, call, mark, before_, after_);
}

void giving_away::take_back() noexcept {
    if (e_ != nullptr) {
        e_->state.take_back(before_, after_);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
