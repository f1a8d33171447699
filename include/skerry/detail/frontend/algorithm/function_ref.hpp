// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>

#include <type_traits>

namespace skerry::inline SKERRY_ABI::detail {

// A callable, as one address and one function: what takes it is compiled once for all of them, into the library. The
// callable must outlive it. (std::function_ref is C++26.)
template <class... Args>
class function_ref {
  public:
    template <class F>
        requires(!std::is_same_v<std::remove_const_t<F>, function_ref>)
    explicit function_ref(F& f) noexcept
        : object_(const_cast<std::remove_const_t<F>*>(__builtin_addressof(f))), // run() puts it back
          run_(&run<F>) {}

    void operator()(Args... args) const { run_(object_, args...); }

  private:
    template <class F>
    static void run(void* object, Args... args) {
        static_cast<void>((*static_cast<F*>(object))(args...));
    }

    void* object_;
    void (*run_)(void*, Args...);
};

} // namespace skerry::inline SKERRY_ABI::detail
