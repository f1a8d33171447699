// SPDX-License-Identifier: Apache-2.0
#include "base/port/overflow_scope.hpp"

#include <csignal>

namespace skerry::inline SKERRY_ABI::port {

struct overflow_scope::state {
    static constexpr std::size_t signal_stack_size = 64 << 10;

    stack_guard guard;
    stack_t previous{};
    std::unique_ptr<char[]> signal_stack{new char[signal_stack_size]};
};

overflow_scope::overflow_scope(const stack_guard& guard) : state_(std::make_unique<state>()) {
    state_->guard = guard;
    stack_t ours{};
    ours.ss_sp = state_->signal_stack.get();
    ours.ss_size = state::signal_stack_size;
    ::sigaltstack(&ours, &state_->previous);
    install_overflow_handler();
    set_stack_guard(&state_->guard);
}

overflow_scope::~overflow_scope() {
    set_stack_guard(nullptr);
    ::sigaltstack(&state_->previous, nullptr);
}

} // namespace skerry::inline SKERRY_ABI::port
