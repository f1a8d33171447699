// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/frontend/forkjoin/outcome.hpp>

#include <exception>
#include <new>
#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

void keep_error(std::byte* room) noexcept {
    ::new (static_cast<void*>(room)) std::exception_ptr(std::current_exception());
}

void rethrow_kept(std::exception_ptr& kept) {
    const std::exception_ptr error = std::move(kept);
    drop_kept(kept);
    std::rethrow_exception(error);
}

void drop_kept(std::exception_ptr& kept) noexcept { kept.~exception_ptr(); }

} // namespace skerry::inline SKERRY_ABI::detail
