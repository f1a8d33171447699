// SPDX-License-Identifier: Apache-2.0
#pragma once

// A loop over a kernel, from the types of its arguments to the call that the library runs.

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/kernel_code.hpp>
#include <skerry/detail/frontend/algorithm/indices.hpp>
#include <skerry/detail/frontend/algorithm/pieces.hpp>
#include <skerry/detail/frontend/kernel/argument.hpp>
#include <skerry/detail/sync/machine.hpp>
#include <skerry/detail/trace/writer.hpp>
#include <skerry/range.hpp>

// Results are equal to the last bit wherever a body runs: a product is rounded before it is added. Clang has this as a
// pragma inside of the body.
#ifdef __clang__
#define SKERRY_DETAIL_UNCONTRACTED
#define SKERRY_DETAIL_UNCONTRACTED_BODY _Pragma("clang fp contract(off)")
#else
#define SKERRY_DETAIL_UNCONTRACTED [[gnu::__optimize__("fp-contract=off")]]
#define SKERRY_DETAIL_UNCONTRACTED_BODY
#endif

namespace skerry::inline SKERRY_ABI {

// Where the iterations of a kernel's loop may run.
//   any     on the workers and on a device, as their speeds suggest; on the workers alone as long as no device is ready
//   cpu     on the workers
//   device  on a device; the call waits until it is found, the kernel built, and the loops before it are over. On the
//           workers if there is no device that can run it
enum class place : std::uint8_t { any, cpu, device };

namespace detail {

// Runs the loop. Precondition: check_arguments() has let it pass.
// Errors: what a body throws (of several the leftmost); std::invalid_argument if options::devices names a device that
// is not there and the place is `device`; as those of the first construct, if the default runtime has to be started.
SKERRY_EXPORT void run_kernel(const kernel_call& call, place where, grain g);

// The iterations of a call, on the host.
struct host_run {
    const kernel_call& call;

    void operator()(std::uint64_t from, std::uint64_t to) const {
        const auto index = [this](std::uint64_t k) {
            return static_cast<long>(static_cast<std::uint64_t>(call.first) + k);
        };
        call.code->host(index(from), index(to), call.values);
    }
    void operator()(std::uint64_t k) const { (*this)(k, k + 1); }
};

template <class Code, class... P>
struct kernel_host {
    static constexpr std::array<kernel_parameter, sizeof...(P)> parameters{
        {{kind_of<std::remove_pointer_t<P>>(), std::is_pointer_v<P>, std::is_const_v<std::remove_pointer_t<P>>}...}};

    static void run(long first, long last, const void* const* values) {
        run_with(first, last, values, std::index_sequence_for<P...>());
    }

  private:
    template <std::size_t... K>
    SKERRY_DETAIL_UNCONTRACTED static void run_with(long first, long last, [[maybe_unused]] const void* const* values,
                                                    std::index_sequence<K...> /*numbers*/) {
        const std::tuple<P...> arguments{*static_cast<const P*>(values[K])...};
        for (long i = first; i < last; ++i) Code::skerry_at(i, std::get<K>(arguments)...);
    }
};

template <class... P>
constexpr bool kernel_parameters_fit = ((kind_of<std::remove_pointer_t<P>>() != element_kind::none) && ...);

// No text of a kernel for this kind of device: what SKERRY_DEVICE_BODY declares is found in the kernel's namespace.
namespace device_kinds {
struct opencl {};
} // namespace device_kinds
struct any_kernel {
    template <class Code>
    // Implicit, so that an overload for the kernel itself is preferred. NOLINTNEXTLINE(google-explicit-constructor)
    constexpr any_kernel(Code /*kernel*/) {}
};
constexpr kernel_text skerry_device_body(const any_kernel& /*kernel*/, device_kinds::opencl /*kind*/) {
    return {nullptr, nullptr, 0};
}

template <class Code, class At>
struct kernel_form;
template <class Code, class... P>
struct kernel_form<Code, void (*)(long, P...)> {
    static_assert(kernel_parameters_fit<P...>,
                  "skerry: SKERRY_KERNEL: a parameter is a number of up to 64 bits, float or double, or a pointer to "
                  "such numbers");

    using host = kernel_host<Code, P...>;
    static constexpr kernel_code make() {
        return {Code::skerry_name,
                Code::skerry_parameters,
                Code::skerry_body,
                skerry_device_body(Code(), device_kinds::opencl()),
                host::parameters.data(),
                sizeof...(P),
                &host::run};
    }
    static constexpr kernel_code code = make();

    // The last argument may be a grain.
    template <class Executor, class... A>
    static void loop(place where, long first, long last, const A&... arguments) {
        constexpr bool with_grain = (std::is_same_v<A, grain> || ...);
        static_assert(sizeof...(A) == sizeof...(P) + (with_grain ? 1 : 0),
                      "skerry: the kernel takes another number of arguments; a grain may follow them");
        if constexpr (sizeof...(A) == sizeof...(P) + (with_grain ? 1 : 0)) {
            run<Executor>(where, first, last, std::index_sequence_for<P...>(), std::tie(arguments...));
        }
    }

  private:
    template <class Executor, std::size_t... K, class Arguments>
    static void run([[maybe_unused]] place where, long first, long last, std::index_sequence<K...> /*numbers*/,
                    const Arguments& given) {
        if constexpr ((kernel_takes<P, std::remove_cvref_t<std::tuple_element_t<K, Arguments>>>() && ...)) {
            if (first >= last) {
                return;
            }
            const std::tuple<bound_argument<P>...> bound{bind_argument<P>(std::get<K>(given))...};
            const std::array<kernel_argument, sizeof...(P) + 1> about{std::get<K>(bound).about..., kernel_argument{}};
            const std::array<const void*, sizeof...(P) + 1> values{&std::get<K>(bound).value..., nullptr};
            const kernel_call call{&code, about.data(), values.data(), first, last};
            check_arguments(call);
            grain g = grain::automatic();
            if constexpr (std::tuple_size_v<Arguments> > sizeof...(P)) {
                g = std::get<sizeof...(P)>(given);
            }
            if constexpr (Executor::parallel && !takes_events<machine>) {
                run_kernel(call, where, g);
            } else { // one worker, or simulated ones, which have no devices
                run_pieces<Executor>(host_run{call}, call.iterations(), g);
            }
        }
    }
};

// An index of a kernel is a long.
template <class Integer>
constexpr long kernel_index(Integer i) noexcept {
    if constexpr (std::is_unsigned_v<Integer> && sizeof(Integer) >= sizeof(long)) {
        constexpr long most = PTRDIFF_MAX;
        return i > static_cast<Integer>(most) ? most : static_cast<long>(i);
    } else {
        return static_cast<long>(i);
    }
}

} // namespace detail

// What SKERRY_KERNEL declares: parallel_for() takes it with the arguments behind it. It has no state.
template <class Code>
class kernel {
  public:
    using skerry_kernel = Code;

    // For parallel_for().
    template <class Executor, detail::index_like First, detail::index_like Last, class... A>
    static void loop(place where, First first, Last last, const A&... arguments) {
        detail::kernel_form<Code, decltype(&Code::skerry_at)>::template loop<Executor>(
            where, detail::kernel_index(first), detail::kernel_index(last), arguments...);
    }
};

} // namespace skerry::inline SKERRY_ABI
