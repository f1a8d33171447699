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

enum class section_kind : std::uint8_t {
    body,
    algorithm, // a call of it. A thread without a slot, of which nobody could be told, takes one of the default runtime
               // until the section ends; what is called would take one too, but inside of the section.
    function,  // that is called through a pointer, which stands for its name
};

class named_section {
  public:
    explicit named_section(const char* name, section_kind kind = section_kind::body) noexcept
        : named_section(static_cast<const void*>(name), kind) {}
    named_section(const void* what, section_kind kind) noexcept {
        // relaxed: it says nothing about other memory
        if (sections_wanted.load(memory_order::relaxed) != sections::unwanted) [[unlikely]] {
            begin(what, kind);
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
    [[gnu::__cold__]] SKERRY_EXPORT void begin(const void* what, section_kind kind) noexcept;
    [[gnu::__cold__]] SKERRY_EXPORT void end() noexcept;

    worker_page* page_ = nullptr; // where the section has begun; null: nobody was told
    // What the watchdog was told before.
    std::uint64_t code_;
    std::uint64_t since_;
    std::uint64_t task_since_;
    std::uint16_t naming_;
    bool took_slot_;
};

template <class F>
inline constexpr bool shows_in_place = has_name<F> && !is_part<F>;

// The section of a body that is called in place, whatever calls it: nothing if the body has no name.
struct no_section {
    explicit no_section(const char* /*name*/) noexcept {}
};
template <class F>
using section_of = std::conditional_t<shows_in_place<std::remove_reference_t<F>>, named_section, no_section>;

// The section of a task whose body is a pointer to a function: its code is the same for all functions of the type.
template <class F>
struct function_section {
    explicit function_section(const F& /*body*/) noexcept {}
};
template <class F>
    requires(std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>)
struct function_section<F> : named_section {
    explicit function_section(F body) noexcept
        : named_section(reinterpret_cast<const void*>(body), section_kind::function) {}
};

} // namespace skerry::inline SKERRY_ABI::detail
