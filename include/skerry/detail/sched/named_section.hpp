// SPDX-License-Identifier: Apache-2.0
#pragma once

// What has a name and is no task of its own, for a trace and for the watchdog: a branch that is run in place, a call of
// an algorithm, the body of a finish. What has no name is compiled as if none of this were here.
//
// Thread safety: a section belongs to the thread that makes it; of several the newest ends first.

#include <cstdint>
#include <type_traits>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/worker_page.hpp>
#include <skerry/detail/sync/machine.hpp>
#include <skerry/detail/trace/body_name.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Whether this process has had a trace or a watchdog. Not known: it has had no runtime. If not, a section is a look at
// this word.
enum class sections : std::uint8_t { not_known, unwanted, wanted };
extern SKERRY_EXPORT constinit machine::atomic<sections> sections_wanted;

// What a section does on a thread that holds no slot, where nobody could be told of it.
enum class without_slot : bool {
    shows_nothing,
    takes_one, // of the default runtime, until the section ends: what is called takes one too, but inside of the
               // section
};

class named_section {
  public:
    explicit named_section(const char* name, without_slot how = without_slot::shows_nothing) noexcept {
        // relaxed: it says nothing about other memory
        if (sections_wanted.load(memory_order::relaxed) != sections::unwanted) [[unlikely]] {
            begin(name, how);
        }
    }
    named_section(const named_section&) = delete;
    named_section& operator=(const named_section&) = delete;
    ~named_section() {
        if (page_ != nullptr) [[unlikely]] {
            end();
        }
    }

  private:
    [[gnu::cold]] SKERRY_EXPORT void begin(const char* name, without_slot how) noexcept;
    [[gnu::cold]] SKERRY_EXPORT void end() noexcept;

    worker_page* page_ = nullptr; // where the section has begun; null: nobody was told
    // What the watchdog was told before.
    std::uint64_t code_;
    std::uint64_t since_;
    std::uint64_t task_since_;
    std::uint16_t naming_;
    bool took_slot_;
};

template <class F>
inline constexpr bool shows_in_place = body_name<F> != nullptr && !is_part<F>;

// The section of a body that is called in place, whatever calls it: nothing if the body has no name.
struct no_section {
    explicit no_section(const char* /*name*/) noexcept {}
};
template <class F>
using section_of = std::conditional_t<shows_in_place<std::remove_reference_t<F>>, named_section, no_section>;

} // namespace skerry::inline SKERRY_ABI::detail
