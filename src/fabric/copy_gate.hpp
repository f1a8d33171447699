// SPDX-License-Identifier: Apache-2.0
#pragma once

// A back end that copies bytes itself asks here before it touches the caller's memory, which may be closed to the tasks
// of this process at that moment.
//
// Thread safety: set_copy_gate() before the endpoint's first copy; the rest by any thread, but where there is a gate
// nobody calls fetch().

#include <cstddef>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::fabric {

// Neither throws. Every open is followed by one close with the same key, and no two that are open have the same.
struct copy_gate {
    void (*open)(const void* key, const void* first, std::size_t bytes) noexcept;
    void (*close)(const void* key) noexcept;
};

inline constinit const copy_gate* the_copy_gate = nullptr;
inline void set_copy_gate(const copy_gate& gate) noexcept { the_copy_gate = &gate; }

// While it lives the bytes may be read and written.
class gated {
  public:
    gated(const void* first, std::size_t bytes) noexcept {
        if (the_copy_gate != nullptr) [[unlikely]] {
            the_copy_gate->open(this, first, bytes);
        }
    }
    gated(const gated&) = delete;
    gated& operator=(const gated&) = delete;
    ~gated() {
        if (the_copy_gate != nullptr) [[unlikely]] {
            the_copy_gate->close(this);
        }
    }
};

} // namespace skerry::inline SKERRY_ABI::fabric
