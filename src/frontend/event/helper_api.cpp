// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine_version.h, and of the headers in helper/.

#include <algorithm>
#include <array>
#include <cstdio>

#include <event_machine/helper/event_machine_debug.h>
#include <event_machine/helper/event_machine_helper.h>

#include "frontend/event/event_log.hpp"
#include "frontend/event/hooks.hpp"
#include "frontend/event/refuse.hpp"

using namespace skerry::detail;

const char* em_version_api_str() { return EM_VERSION_API_STR; }
unsigned int em_version_api_num() { return EM_VERSION_API; }
const char* em_version_str() { return EM_VERSION_STR; }
unsigned int em_version_num() { return EM_VERSION; }

int em_error_format_string(char* str, size_t size, em_eo_t eo, em_status_t error, em_escope_t escope, va_list args) {
    if (str == nullptr || size == 0) {
        return 0;
    }
    std::array<char, 400> text{};
    if (EM_ESCOPE(escope) != 0) {
        const char* const format = va_arg(args, const char*);
        std::vsnprintf(text.data(), text.size(), format, args);
    } else {
        std::snprintf(text.data(), text.size(), "em_error: scope 0x%x", escope);
    }
    std::array<char, 64> where{};
    event_machine* const em = event_machine::instance();
    const execution_object* const inside = em != nullptr ? em->object(eo) : nullptr;
    if (inside != nullptr) {
        std::snprintf(where.data(), where.size(), ", execution object '%s'", inside->name.data());
    }
    const int length = std::snprintf(str, size, "%s (error %u%s)", text.data(), error, where.data());
    return length < 0 ? 0 : static_cast<int>(std::min(static_cast<std::size_t>(length), size - 1));
}

void em_version_print() {
    log_events(EM_LOG_PRINT, "event machine: API " EM_VERSION_API_STR ", version " EM_VERSION_STR ", by Skerry\n");
}

void em_info_print() {
    static_cast<void>(with_machine("em_info_print", EM_ESCOPE_INTERNAL_MASK, [](event_machine& em) -> em_status_t {
        std::array<char, EM_CORE_MASK_STRLEN> mask{};
        em_core_mask_tostr(mask.data(), static_cast<int>(mask.size()), &em.conf().phys_mask);
        std::array<char, 160> text{};
        std::snprintf(text.data(), text.size(), "event machine: %d of %d cores inside, phys_mask %s, %u event groups\n",
                      em.cores_inside(), em.core_count(), mask.data(), em.groups().count());
        em_version_print();
        log_events(EM_LOG_PRINT, text.data());
        return EM_OK;
    }));
}

int em_core_id_get_physical(int core) {
    const event_machine* const em = event_machine::instance();
    return em != nullptr && core >= 0 ? em_core_mask_idx(core + 1, &em->conf().phys_mask) : -1;
}

void em_core_mask_get_physical(em_core_mask_t* phys, const em_core_mask_t* logic) {
    if (phys == nullptr || logic == nullptr) {
        static_cast<void>(
            refuse_call(EM_ERR_BAD_POINTER, EM_ESCOPE_INTERNAL_MASK, "em_core_mask_get_physical: a null pointer"));
        return;
    }
    em_core_mask_zero(phys);
    for (int core = 0; core < EM_MAX_CORES; ++core) {
        if (em_core_mask_isset(core, logic) != 0) {
            em_core_mask_set(em_core_id_get_physical(core), phys); // -1: in no mask
        }
    }
}

uint64_t em_debug_timestamp(em_debug_tsp_t tsp) {
    if (!the_event_hooks.takes_times()) {
        the_event_hooks.take_times();
        if (event_machine* const em = event_machine::instance()) {
            em->show_watchers();
        }
    }
    const event_thread& self = this_event_thread;
    switch (tsp) {
    case EM_DEBUG_TSP_SCHED_ENTRY: return self.asked_ns;
    case EM_DEBUG_TSP_SCHED_RETURN: return self.answered_ns;
    case EM_DEBUG_TSP_LAST: break;
    }
    return 0;
}
