// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/options.hpp"

#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/port/environment.hpp"
#include "frontend/event/refuse.hpp"
#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constexpr unsigned most_suspended = 1'000'000;
constexpr unsigned most_starvation = 1'000'000'000;
constexpr std::size_t least_stack = std::size_t{16} << 10;
constexpr std::size_t most_stack = std::size_t{64} << 30;
constexpr std::uint64_t least_poll = 1'000;
constexpr std::uint64_t most_poll = 10'000'000'000;

constexpr skerry_em_options_t defaults{.esv = 0,
                                       .asynchronous = 0,
                                       .cooperative = 0,
                                       .suspended_max = 1024,
                                       .starvation = 256,
                                       .stack_size = std::size_t{256} << 10,
                                       .poll_ns = 100'000};

constinit mutex<machine> configured_lock;
constinit std::optional<skerry_em_options_t> configured; // guarded by it

// Calls wrong(text) for each variable that is not understood. Errors: std::bad_alloc.
template <class F>
void read_variables(skerry_em_options_t& o, F&& wrong) {
    const auto read = [&](const char* name, auto&& parse) {
        if (const std::optional<std::string> value = port::environment(name)) {
            try {
                parse(name, *value);
            } catch (const std::invalid_argument& e) {
                wrong(e.what());
            }
        }
    };
    read("SKERRY_EM_ESV", [&](const char* n, const std::string& v) { o.esv = port::parse_switch(n, v); });
    read("SKERRY_EM_ASYNCHRONOUS",
         [&](const char* n, const std::string& v) { o.asynchronous = port::parse_switch(n, v); });
    read("SKERRY_EM_COOPERATIVE",
         [&](const char* n, const std::string& v) { o.cooperative = port::parse_switch(n, v); });
    read("SKERRY_EM_SUSPENDED_MAX", [&](const char* n, const std::string& v) {
        o.suspended_max = static_cast<unsigned>(port::parse_whole(n, v, 0, most_suspended));
    });
    read("SKERRY_EM_STARVATION", [&](const char* n, const std::string& v) {
        o.starvation = static_cast<unsigned>(port::parse_whole(n, v, 0, most_starvation));
    });
    read("SKERRY_EM_STACK_SIZE",
         [&](const char* n, const std::string& v) { o.stack_size = port::parse_bytes(n, v, least_stack, most_stack); });
    read("SKERRY_EM_POLL_NS",
         [&](const char* n, const std::string& v) { o.poll_ns = port::parse_whole(n, v, least_poll, most_poll); });
}

// False: it was said what is wrong.
bool are_right(const char* function, em_escope_t scope, const skerry_em_options_t& o, em_status_t& status) noexcept {
    const auto reject = [&](em_status_t error, const char* format) {
        status = refuse_call(error, scope, format, function);
        return false;
    };
    if (o.asynchronous != 0 && o.cooperative != 0) {
        return reject(EM_ERR_BAD_ARG, "%s: asynchronous and cooperative exclude each other");
    }
    if (o.suspended_max > most_suspended) {
        return reject(EM_ERR_BAD_ARG, "%s: suspended_max is at most 1000000");
    }
    if (o.starvation > most_starvation) {
        return reject(EM_ERR_BAD_ARG, "%s: starvation is at most 1000000000");
    }
    if (o.stack_size < least_stack || o.stack_size > most_stack) {
        return reject(EM_ERR_BAD_ARG, "%s: stack_size is 16384 to 68719476736");
    }
    if (o.poll_ns < least_poll || o.poll_ns > most_poll) {
        return reject(EM_ERR_BAD_ARG, "%s: poll_ns is 1000 to 10000000000");
    }
    return true;
}

em_status_t no_memory(const char* function, em_escope_t scope) noexcept {
    return refuse_call(EM_ERR_ALLOC_FAILED, scope, "%s: there is no memory", function);
}

} // namespace

bool next_options(const char* function, em_escope_t scope, skerry_em_options_t& options, em_status_t& status) noexcept {
    {
        const std::lock_guard lock(configured_lock);
        if (configured) {
            options = *configured;
            return true;
        }
    }
    options = defaults;
    bool understood = true;
    try {
        read_variables(options, [&](const char* text) {
            if (std::exchange(understood, false)) {
                status = refuse_call(EM_ERR_BAD_ARG, scope, "%s: %s", function, text);
            }
        });
    } catch (const std::bad_alloc&) {
        status = no_memory(function, scope);
        return false;
    }
    return understood && are_right(function, scope, options, status);
}

} // namespace skerry::inline SKERRY_ABI::detail

using namespace skerry::detail;

void skerry_em_options_init(skerry_em_options_t* options) {
    constexpr em_escope_t scope = SKERRY_ESCOPE_EM_OPTIONS_INIT;
    if (options == nullptr) {
        static_cast<void>(refuse_call(EM_ERR_BAD_POINTER, scope, "skerry_em_options_init: a null pointer"));
        return;
    }
    *options = defaults;
    try {
        read_variables(*options, [](const char* text) {
            static_cast<void>(refuse_call(EM_ERR_BAD_ARG, scope, "%s: %s", "skerry_em_options_init", text));
        });
    } catch (const std::bad_alloc&) {
        static_cast<void>(no_memory("skerry_em_options_init", scope));
    }
}

em_status_t skerry_em_configure(const skerry_em_options_t* options) {
    constexpr em_escope_t scope = SKERRY_ESCOPE_EM_CONFIGURE;
    if (options == nullptr) {
        return refuse_call(EM_ERR_BAD_POINTER, scope, "skerry_em_configure: a null pointer");
    }
    if (event_machine::instance() != nullptr) {
        return refuse_call(EM_ERR_BAD_STATE, scope, "skerry_em_configure: em_init() was called, and em_term() was not");
    }
    em_status_t status = EM_OK;
    if (are_right("skerry_em_configure", scope, *options, status)) {
        const std::lock_guard lock(configured_lock);
        configured = *options;
    }
    return status;
}
