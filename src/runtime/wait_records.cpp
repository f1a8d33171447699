// SPDX-License-Identifier: Apache-2.0

#include "runtime/wait_records.hpp"

#include <span>

#include "base/port/clock.hpp"
#include "base/port/lock_wait.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// All relaxed: a report is for a person.

void call_record::take() noexcept {
    std::array<const void*, most> found;
    const std::size_t count = port::call_stack(found);
    for (std::size_t i = 0; i < count; ++i) {
        calls_[i].store(found[i], memory_order::relaxed);
    }
    count_.store(count, memory_order::relaxed);
}

port::place_in_program call_record::place() const {
    std::array<const void*, most> found;
    const std::size_t count = count_.load(memory_order::relaxed);
    for (std::size_t i = 0; i < count; ++i) {
        found[i] = calls_[i].load(memory_order::relaxed);
    }
    return count == 0 ? port::place_in_program() : port::place_in_task(std::span(found).first(count), true);
}

void wait_records::seated(unsigned slot) noexcept {
    record& r = records_[slot];
    r.thread.store(port::thread_number(), memory_order::relaxed);
    r.blocked_since.store(0, memory_order::relaxed);
    r.blocking_calls = 0;
    notes(slot, {});
    runs(slot, {});
}

void wait_records::runs(unsigned slot, const running_note& now) noexcept {
    record& r = records_[slot];
    r.named.store(now.what.address, memory_order::relaxed);
    r.named_by.store(now.what.kind, memory_order::relaxed);
    r.named_since.store(now.since, memory_order::relaxed);
    r.task_since.store(now.task_since, memory_order::relaxed);
}

running_note wait_records::running(unsigned slot) const noexcept {
    const record& r = records_[slot];
    return {.what = {r.named.load(memory_order::relaxed), r.named_by.load(memory_order::relaxed)},
            .since = r.named_since.load(memory_order::relaxed),
            .task_since = r.task_since.load(memory_order::relaxed)};
}

wait_note wait_records::note(unsigned slot) const noexcept {
    const record& r = records_[slot];
    return {.text = r.text.load(memory_order::relaxed),
            .subject = r.subject.load(memory_order::relaxed),
            .since = r.since.load(memory_order::relaxed)};
}

wait_note wait_records::notes(unsigned slot, const wait_note& now) noexcept {
    const wait_note before = note(slot);
    record& r = records_[slot];
    r.waits.clear();
    r.since.store(now.since, memory_order::relaxed);
    r.subject.store(now.subject, memory_order::relaxed);
    r.text.store(now.text, memory_order::relaxed);
    return before;
}

void wait_records::blocks(unsigned slot) noexcept {
    record& r = records_[slot];
    if (r.blocking_calls++ == 0) {
        r.blocks.take();
        r.blocked_since.store(port::now_ns(), memory_order::relaxed);
    }
}

void wait_records::blocks_no_more(unsigned slot) noexcept {
    record& r = records_[slot];
    if (--r.blocking_calls == 0) {
        r.blocked_since.store(0, memory_order::relaxed);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
