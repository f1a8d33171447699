// SPDX-License-Identifier: Apache-2.0
#pragma once

// One pointer for each slot of each runtime, and for each thread outside: what worker_local is made of.
//
// Thread safety: mine() from any thread, and the cell is the caller's alone while it keeps its slot. clear() and the
// destructor: one thread, while nobody else uses the cells.

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/worker_page.hpp> // asks for a library that ThreadSanitizer watches
#include <skerry/detail/sync/machine.hpp>

namespace skerry::inline SKERRY_ABI::detail {

class slot_cells {
  public:
    using cell = machine::atomic<void*>;

    slot_cells() noexcept = default;
    slot_cells(const slot_cells&) = delete;
    slot_cells& operator=(const slot_cells&) = delete;
    ~slot_cells() { clear(); }

    // The calling thread's cell, null at first. Its place does not change. Memory grows with the slots in use, not with
    // max_slots. Errors: std::bad_alloc.
    [[nodiscard]] SKERRY_EXPORT cell& mine();

    // Makes all cells null.
    SKERRY_EXPORT void clear() noexcept;

  private:
    struct table;    // of one team
    struct outsider; // of one thread without a slot

    table& table_of(unsigned long long team);
    cell& outside();

    machine::atomic<table*> tables_{nullptr};
    machine::atomic<outsider*> outsiders_{nullptr};
};

} // namespace skerry::inline SKERRY_ABI::detail
