// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a construct says to a call that it cannot run: one sentence, before any error that follows from the call.
//
// Each construct has another overload for such calls. Its return type is deduced, so compilers look into it at the
// call, not at the end of the file. It calls explain_..., which finds out which misuse the call is. All of that is
// compiled for wrong calls only.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/task_function.hpp>
#include <skerry/detail/trace/body_name.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Whether it is what in(), out() or inout() makes. Stands here for the constructs without accesses.
template <class A>
inline constexpr bool is_access = false;

enum class misuse : std::uint8_t {
    access,          // in(x), where a function captures x
    number,          // no function, or something beside it
    not_callable,    // the function is none
    wants_arguments, // it cannot be called without arguments
    wants_no_scope,  // it cannot be called with the scope of a finish
    not_kept,        // it cannot be copied or moved into the task
    no_operation,    // it does not make one object of two

    // Of spawn() and taskwait_on().
    access_first,        // in front of the function
    argument_not_kept,   // it cannot be copied or moved into the task
    parameter_count,     // Number is how many there are
    writes_what_it_read, // the parameter is not const, and the access is in()
    writes_a_copy,       // the parameter is not const, and the argument is a value
    no_conversion,       // from the argument to the parameter
    arguments,           // some of these, and nobody knows the parameters
    no_access,           // the argument is a value
};

// False. Compilers show it with a sentence, and so say which argument of the call it is about. The first one is 1, but
// of spawn() 0, which is the function.
template <std::size_t Number, class... Types>
inline constexpr bool argument_fits = false;

template <misuse What, std::size_t Number, class... Types>
auto explain() {
    if constexpr (What == misuse::access) {
        static_assert(argument_fits<Number, Types...>,
                      "skerry: in(x), out(x) and inout(x) are for spawn and taskwait_on alone: here let the function "
                      "capture what it uses");
    } else if constexpr (What == misuse::number) {
        static_assert(sizeof...(Types) == 1, "skerry: this construct takes one function and nothing else: let the "
                                             "function capture what it uses");
    } else if constexpr (What == misuse::not_callable) {
        static_assert(argument_fits<Number, Types...>,
                      "skerry: what stands in place of the function is not callable: give a function, a lambda or an "
                      "object with operator()");
    } else if constexpr (What == misuse::wants_arguments) {
        static_assert(argument_fits<Number, Types...>,
                      "skerry: the function cannot be called without arguments, as this construct calls it: let it "
                      "capture what it uses");
    } else if constexpr (What == misuse::wants_no_scope) {
        static_assert(argument_fits<Number, Types...>,
                      "skerry: finish calls the function with its scope, which this one does not take: write "
                      "[](skerry::scope& s) { ... }, in the elision [](skerry::serial::scope& s)");
    } else if constexpr (What == misuse::not_kept) {
        static_assert(argument_fits<Number, Types...>,
                      "skerry: the task keeps the function, which cannot be copied into it: write std::move(f), or a "
                      "lambda that refers to it");
    } else if constexpr (What == misuse::no_operation) {
        static_assert(argument_fits<Number, Types...>,
                      "skerry: worker_local<T>::combine: op must be callable as op(x, y) with a T and a const T& and "
                      "give a T");
    } else if constexpr (What == misuse::access_first) {
        static_assert(argument_fits<Number, Types...>,
                      "skerry: spawn(f, arguments...): the function comes first, and its accesses after it");
    } else if constexpr (What == misuse::argument_not_kept) {
        static_assert(argument_fits<Number, Types...>,
                      "skerry: spawn: the task keeps this argument, which cannot be copied into it: write "
                      "std::move(x), or name the object by in(x) or inout(x)");
    } else if constexpr (What == misuse::parameter_count) {
        static_assert(Number == sizeof...(Types),
                      "skerry: spawn: the function takes more or fewer parameters than there are arguments "
                      "(parameters == arguments)");
    } else if constexpr (What == misuse::writes_what_it_read) {
        static_assert(argument_fits<Number, Types...>,
                      "skerry: spawn: in(x) gives the function a const reference or view, but its parameter for this "
                      "argument is not const: use inout(x)");
    } else if constexpr (What == misuse::writes_a_copy) {
        static_assert(argument_fits<Number, Types...>,
                      "skerry: spawn: the function gets this argument as a const copy, but its parameter is not "
                      "const: use inout(x) to change x, else take a const T&");
    } else if constexpr (What == misuse::no_conversion) {
        static_assert(argument_fits<Number, Types...>,
                      "skerry: spawn: this argument cannot be converted to the function's parameter");
    } else if constexpr (What == misuse::arguments) {
        static_assert(argument_fits<Number, Types...>,
                      "skerry: spawn: the function cannot be called with these arguments: in(x) gives it a const "
                      "reference, inout(x) and out(x) a reference, and anything else a const copy");
    } else {
        static_assert(argument_fits<Number, Types...>,
                      "skerry: taskwait_on takes accesses: write in(x), out(x) or inout(x)");
    }
}

// The function under a name.
template <class F>
struct named_function {
    using type = F;
};
template <literal Name, class F>
struct named_function<named_task<Name, F>> : named_function<F> {};

struct any_call {
    void operator()() {}
};
template <class F>
struct with_another_call : F, any_call {};

// Whether an F can be called at all, with whatever arguments: then a class that inherits another call, too, has two,
// and its call is ambiguous. Of a final class nobody can tell.
template <class F>
constexpr bool callable() noexcept {
    using function = typename named_function<std::decay_t<F>>::type;
    if constexpr (std::is_class_v<function> && !std::is_final_v<function>) {
        return !requires { &with_another_call<function>::operator(); };
    } else {
        return std::is_function_v<std::remove_pointer_t<function>> || std::is_member_pointer_v<function> ||
               std::is_class_v<function> || std::is_union_v<function>;
    }
}

template <class... Given>
inline constexpr bool access_among = (is_access<std::remove_cvref_t<Given>> || ...);

// Which argument: the first access, else the only one.
template <class... Given>
constexpr std::size_t wrong_argument() noexcept {
    std::size_t n = 1;
    if (access_among<Given...>) {
        static_cast<void>(((!is_access<std::remove_cvref_t<Given>> && ++n != 0) && ...));
    }
    return n;
}

// What it is that cannot be called as the construct calls it, if not `otherwise`.
template <class... Given>
constexpr misuse misuse_of(misuse otherwise) noexcept {
    if (access_among<Given...>) return misuse::access;
    if (sizeof...(Given) != 1) return misuse::number;
    return (callable<Given>() && ...) ? otherwise : misuse::not_callable;
}

// Of a construct that calls one function without arguments.
template <class... Given>
auto explain_call() {
    explain<misuse_of<Given...>(misuse::wants_arguments), wrong_argument<Given...>(), Given...>();
}
// Of one that keeps it in a task.
template <class... Given>
auto explain_task() {
    constexpr bool runs = (std::invocable<std::decay_t<Given>&> && ...);
    explain<misuse_of<Given...>(runs ? misuse::not_kept : misuse::wants_arguments), wrong_argument<Given...>(),
            Given...>();
}
// Of a finish.
template <class... Given>
auto explain_body() {
    explain<misuse_of<Given...>(misuse::wants_no_scope), wrong_argument<Given...>(), Given...>();
}

} // namespace skerry::inline SKERRY_ABI::detail
