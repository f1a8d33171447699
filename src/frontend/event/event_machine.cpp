// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/event_machine.hpp"

#include <bit>
#include <utility>

#include "frontend/event/kept_name.hpp"
#include "frontend/event/suspension.hpp"

namespace skerry::inline SKERRY_ABI::detail {

machine::atomic<event_machine*> event_machine::the_one{nullptr};
constinit thread_local event_thread this_event_thread;
constinit home_rules the_home_rules;

void free_all(event_list& which) noexcept {
    while (!which.empty()) {
        event& e = which.pop();
        e.pool->give(e);
    }
}

event_machine::event_machine(const em_conf_t& conf, const skerry_em_options_t& options)
    : options_(options),
      conf_(conf),
      can_work_(machine::asymmetric() && options.asynchronous == 0),
      scheduler_(options.starvation, conf.core_count),
      suspensions_(options.cooperative != 0 ? std::make_unique<suspensions>(options.suspended_max, options.stack_size)
                                            : nullptr) {
    for (int c = 0; c < core_count(); ++c) {
        homes_.push_back(std::make_unique<event_home>(core_count()));
        homes_.back()->ready = &scheduler_.home(c);
    }
    auto pool = std::make_unique<event_pool>(EM_POOL_DEFAULT_NAME, conf.default_pool_cfg, core_count());
    pool->handle = EM_POOL_DEFAULT;
    pools_.put(number_of(EM_POOL_DEFAULT), std::move(pool));
    auto all = std::make_unique<queue_group>();
    all->handle = EM_QUEUE_GROUP_DEFAULT;
    all->mask = all->shown = all_cores();
    keep_name(all->name, EM_QUEUE_GROUP_DEFAULT_NAME);
    queue_groups_.put(number_of(EM_QUEUE_GROUP_DEFAULT), std::move(all));
}

event_machine::~event_machine() {
    queues_.each([](event_queue& q) { free_all(q.events); });
    for (event_list& l : locals_) {
        free_all(l);
    }
}

// --- cores and pools ------------------------------------------------------------------------------------------------

int event_machine::add_core() noexcept {
    const std::lock_guard lock(lock_);
    const int core = std::countr_one(inside_);
    if (core >= core_count()) {
        return -1;
    }
    const std::uint64_t bit = std::uint64_t{1} << core;
    inside_ |= bit;
    wake_ups none;
    objects_.each([&](execution_object& eo) { // those that run have functions for the core, too
        if (eo.state == EM_EO_STATE_STARTING && !eo.local_begun) {
            return; // the core will be one of those inside
        }
        if (eo.state == EM_EO_STATE_STARTING && eo.to_end != 0) {
            eo.to_end |= bit;
            add_duties(eo, bit, 0, none);
        } else if (eo.state == EM_EO_STATE_STARTING || eo.state == EM_EO_STATE_RUNNING) {
            if (eo.local_start != nullptr) {
                add_duties(eo, 0, bit, none);
            } else {
                eo.started |= bit;
            }
        }
    });
    return core;
}

void event_machine::remove_core(int core) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << core;
    for (;;) { // an object after another may be started or stopped by this
        execution_object* last_for = nullptr;
        event_list dropped;
        {
            const std::lock_guard lock(lock_);
            execution_object* after = nullptr;
            for (execution_object* eo = objects_with_duties_.first(); eo != nullptr; eo = after) {
                after = objects_with_duties_.after(*eo);
                eo->late &= ~bit;
                const bool was_waited_for = (eo->to_begin & bit) != 0;
                eo->to_begin &= ~bit;
                eo->to_end &= ~bit;
                trim_duties(*eo);
                if (was_waited_for && eo->to_end == 0) {
                    last_for = eo;
                    break;
                }
            }
            while (!locals_[static_cast<std::size_t>(core)].empty()) {
                event& e = locals_[static_cast<std::size_t>(core)].pop();
                --e.to->elsewhere;
                dropped.push(e);
            }
            if (last_for == nullptr && dropped.empty()) {
                local_ &= ~bit;
                set_duties(duties_.load(memory_order::relaxed) & ~bit); // relaxed: written under the lock
                objects_.each([bit](execution_object& eo) { eo.started &= ~bit; });
                pools_.each([core](event_pool& p) { p.give_back_cache(core); });
                inside_ &= ~bit; // em_term() may take the machine away from here on
                return;
            }
        }
        free_all(dropped);
        if (last_for != nullptr) {
            last_for->state == EM_EO_STATE_STARTING ? finish_start(*last_for) : finish_stop(*last_for);
        }
    }
}

int event_machine::cores_inside() noexcept {
    const std::lock_guard lock(lock_);
    return std::popcount(inside_);
}

std::size_t event_machine::add_pool(const char* name, std::size_t wanted, const em_pool_cfg_t& config) {
    auto made = std::make_unique<event_pool>(name, config, core_count());
    const std::lock_guard lock(lock_);
    const std::size_t number = wanted != 0 ? wanted : pools_.free_number();
    if (number == 0 || number > most_pools || pools_.of(number) != nullptr) {
        return 0;
    }
    made->handle = handle_of<em_pool_t>(number);
    pools_.put(number, std::move(made));
    return number;
}

std::optional<std::size_t> event_machine::remove_pool(em_pool_t handle) noexcept {
    std::unique_ptr<event_pool> gone;
    const std::lock_guard lock(lock_);
    event_pool* const found = pool(handle);
    if (found == nullptr) {
        return std::nullopt;
    }
    const std::size_t used = found->in_use() + found->waiting();
    if (used == 0) {
        gone = pools_.take(number_of(handle));
    }
    return used;
}

event_pool* event_machine::begin_wait(em_pool_t handle) noexcept {
    const std::lock_guard lock(lock_);
    event_pool* const found = pool(handle);
    if (found != nullptr) {
        found->begin_wait();
    }
    return found;
}

} // namespace skerry::inline SKERRY_ABI::detail
