// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h for hooks.

#include "frontend/event/hooks.hpp"
#include "frontend/event/refuse.hpp"

using namespace skerry::detail;

namespace {

template <class F>
em_status_t add_hook(const char* function, em_escope_t scope, hook kind, F func) noexcept {
    return with_machine(function, scope, [&](event_machine&) -> em_status_t {
        if (func == nullptr) {
            return refuse_call(EM_ERR_BAD_POINTER, scope, "%s: a null pointer", function);
        }
        return the_event_hooks.add(kind, reinterpret_cast<event_hooks::function>(func))
                   ? em_status_t{EM_OK}
                   : refuse_call(EM_ERR_ALLOC_FAILED, scope, "%s: there are %d hooks of the kind already", function,
                                 EM_CALLBACKS_MAX);
    });
}

template <class F>
em_status_t remove_hook(const char* function, em_escope_t scope, hook kind, F func) noexcept {
    return with_machine(function, scope, [&](event_machine&) -> em_status_t {
        return the_event_hooks.remove(kind, reinterpret_cast<event_hooks::function>(func))
                   ? em_status_t{EM_OK}
                   : refuse_call(EM_ERR_NOT_FOUND, scope, "%s: it is not registered", function);
    });
}

} // namespace

em_status_t em_hooks_register_alloc(em_api_hook_alloc_t func) {
    return add_hook("em_hooks_register_alloc", EM_ESCOPE_HOOKS_REGISTER_ALLOC, hook::alloc, func);
}
em_status_t em_hooks_register_free(em_api_hook_free_t func) {
    return add_hook("em_hooks_register_free", EM_ESCOPE_HOOKS_REGISTER_FREE, hook::free, func);
}
em_status_t em_hooks_register_send(em_api_hook_send_t func) {
    return add_hook("em_hooks_register_send", EM_ESCOPE_HOOKS_REGISTER_SEND, hook::send, func);
}
em_status_t em_hooks_register_to_idle(em_idle_hook_to_idle_t func) {
    return add_hook("em_hooks_register_to_idle", EM_ESCOPE_HOOKS_REGISTER_TO_IDLE, hook::to_idle, func);
}
em_status_t em_hooks_register_to_active(em_idle_hook_to_active_t func) {
    return add_hook("em_hooks_register_to_active", EM_ESCOPE_HOOKS_REGISTER_TO_ACTIVE, hook::to_active, func);
}
em_status_t em_hooks_register_while_idle(em_idle_hook_while_idle_t func) {
    return add_hook("em_hooks_register_while_idle", EM_ESCOPE_HOOKS_REGISTER_WHILE_IDLE, hook::while_idle, func);
}

em_status_t em_hooks_unregister_alloc(em_api_hook_alloc_t func) {
    return remove_hook("em_hooks_unregister_alloc", EM_ESCOPE_HOOKS_UNREGISTER_ALLOC, hook::alloc, func);
}
em_status_t em_hooks_unregister_free(em_api_hook_free_t func) {
    return remove_hook("em_hooks_unregister_free", EM_ESCOPE_HOOKS_UNREGISTER_FREE, hook::free, func);
}
em_status_t em_hooks_unregister_send(em_api_hook_send_t func) {
    return remove_hook("em_hooks_unregister_send", EM_ESCOPE_HOOKS_UNREGISTER_SEND, hook::send, func);
}
em_status_t em_hooks_unregister_to_idle(em_idle_hook_to_idle_t func) {
    return remove_hook("em_hooks_unregister_to_idle", EM_ESCOPE_HOOKS_UNREGISTER_TO_IDLE, hook::to_idle, func);
}
em_status_t em_hooks_unregister_to_active(em_idle_hook_to_active_t func) {
    return remove_hook("em_hooks_unregister_to_active", EM_ESCOPE_HOOKS_UNREGISTER_TO_ACTIVE, hook::to_active, func);
}
em_status_t em_hooks_unregister_while_idle(em_idle_hook_while_idle_t func) {
    return remove_hook("em_hooks_unregister_while_idle", EM_ESCOPE_HOOKS_UNREGISTER_WHILE_IDLE, hook::while_idle, func);
}
