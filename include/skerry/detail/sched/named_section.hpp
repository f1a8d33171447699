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

// Whether this process has had a trace or a watchdog: before, a section is a look at this word.
extern SKERRY_EXPORT constinit machine::atomic<bool> sections_wanted;

class named_section {
  public:
    explicit named_section(const char* name) noexcept {
        if (sections_wanted.load(memory_order::relaxed)) [[unlikely]] { // relaxed: it says nothing about other memory
            begin(name);
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
    [[gnu::__cold__]] SKERRY_EXPORT void begin(const char* name) noexcept;
    [[gnu::__cold__]] SKERRY_EXPORT void end() noexcept;

    worker_page* page_ = nullptr; // where the section has begun; null: nobody was told
    // What the watchdog was told before.
    std::uint64_t code_;
    std::uint64_t since_;
    std::uint64_t task_since_;
    std::uint16_t naming_;
};

template <class F>
inline constexpr bool shows_in_place = has_name<F> && !is_part<F>;

// The section of a body that is called in place, whatever calls it: nothing if the body has no name.
struct no_section {
    explicit no_section(const char* /*name*/) noexcept {}
};
template <class F>
using section_of = std::conditional_t<shows_in_place<std::remove_reference_t<F>>, named_section, no_section>;

} // namespace skerry::inline SKERRY_ABI::detail
