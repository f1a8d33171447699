// SPDX-License-Identifier: Apache-2.0

#include "trace/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "trace/event_info.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

std::int64_t to_ns(const trace_clock& clock, std::uint64_t base_ns, std::uint64_t ticks) {
    // A rate that is none does no harm.
    const double rate =
        std::isfinite(clock.ticks_per_second) && clock.ticks_per_second > 0 ? clock.ticks_per_second : 1e9;
    const double since = static_cast<double>(static_cast<std::int64_t>(ticks - clock.origin_ticks)) * (1e9 / rate);
    constexpr double furthest = 1e18; // thirty years
    return static_cast<std::int64_t>(clock.origin_ns - base_ns) + std::llround(std::clamp(since, -furthest, furthest));
}

std::vector<std::uint32_t> depths(const std::vector<trace_record>& records) {
    std::vector<std::uint32_t> found;
    found.reserve(records.size());
    std::vector<trace_event> open;
    for (const trace_record& r : records) {
        if (const trace_event_info* const info = info_of(r.event)) {
            if (info->shape == trace_shape::begin) {
                open.push_back(r.event);
            } else if (info->shape == trace_shape::end) {
                const auto begin = std::find(open.rbegin(), open.rend(), info->closes);
                if (begin != open.rend()) { // what is open inside it ends with it
                    open.erase(begin.base() - 1, open.end());
                }
            }
        }
        found.push_back(static_cast<std::uint32_t>(open.size()));
    }
    return found;
}

constexpr bool common_to_all(std::uint64_t task) noexcept { return (task >> 63U) != 0; }

} // namespace

timeline::timeline(std::span<const trace_part> parts, std::uint64_t base_ns) {
    for (const trace_part& part : parts) {
        std::int64_t end = INT64_MIN;
        auto& tracks = tracks_.emplace_back();
        for (const trace_executor& e : part.executors) {
            track& t = tracks.emplace_back();
            t.task_of.assign(e.records.size(), none);
            t.depth = depths(e.records);
            t.ns.reserve(e.records.size());
            for (const trace_record& r : e.records) {
                const std::int64_t at = to_ns(part.clock, base_ns, r.time);
                // A thread may move to a core whose counter is a little behind.
                t.ns.push_back(t.ns.empty() ? at : std::max(at, t.ns.back()));
            }
            end = t.ns.empty() ? end : std::max(end, t.ns.back());
        }
        ends_.push_back(end);
    }
    find_tasks(parts);
    find_moves(parts);
    find_dependences(parts);
}

void timeline::find_tasks(std::span<const trace_part> parts) {
    std::vector<place> order;
    for (std::uint32_t p = 0; p < parts.size(); ++p) {
        for (std::uint32_t e = 0; e < parts[p].executors.size(); ++e) {
            const auto& records = parts[p].executors[e].records;
            for (std::uint32_t r = 0; r < records.size(); ++r) {
                const trace_event_info* const info = info_of(records[r].event);
                if (info != nullptr &&
                    (info->task.type == trace_type::task || info->task.type == trace_type::subject)) {
                    order.push_back({.part = p, .executor = e, .record = r});
                }
            }
        }
    }
    // By time; what has the same time stays in order. (std::stable_sort asks for memory in a way that is deprecated.)
    std::sort(order.begin(), order.end(), [this](const place& a, const place& b) {
        return std::make_tuple(ns(a), a.part, a.executor, a.record) <
               std::make_tuple(ns(b), b.part, b.executor, b.record);
    });

    // The newest of each name: of a task by its address, of a transfer by its id.
    std::map<std::tuple<std::uint32_t, trace_event, std::uint64_t>, std::uint32_t> newest;
    for (const place& at : order) {
        const trace_record& r = parts[at.part].executors[at.executor].records[at.record];
        const trace_event_info& info = known_info(r.event);
        const bool beside = info.shape == trace_shape::async_begin || info.shape == trace_shape::async_end;
        const trace_event kind = beside ? info.closes : trace_event{};
        auto& index = newest.try_emplace({common_to_all(r.task) ? none : at.part, kind, r.task}, none).first->second;
        const task known = index == none ? task{} : tasks_[index];
        bool fresh = info.shape == trace_shape::async_begin;
        switch (r.event) {
        case trace_event::send:
        case trace_event::spawn: fresh = true; break;
        case trace_event::steal: fresh = index == none || known.started.known() || known.stolen.known(); break;
        case trace_event::ready:
        case trace_event::start: fresh = index == none || known.started.known(); break;
        default: break;
        }
        if (fresh) {
            index = static_cast<std::uint32_t>(tasks_.size());
            tasks_.emplace_back();
        }
        if (index == none || (info.shape == trace_shape::async_end && known.ended.known())) {
            continue; // what is waited for, or ends, and never began here
        }
        tracks_[at.part][at.executor].task_of[at.record] = index;
        task& t = tasks_[index];
        switch (r.event) {
        case trace_event::send:
        case trace_event::spawn: t.spawned = at; break;
        case trace_event::steal: t.stolen = at; break;
        case trace_event::start: t.started = at; break;
        default: break;
        }
        if (beside) {
            (info.shape == trace_shape::async_begin ? t.begun : t.ended) = at;
        }
    }
}

void timeline::find_moves(std::span<const trace_part> parts) {
    for (task& t : tasks_) {
        if (!t.started.known()) {
            continue;
        }
        const auto how_of = [&](const place& p) {
            return static_cast<steal_how>(parts[p.part].executors[p.executor].records[p.record].detail);
        };
        if (t.stolen.known() && how_of(t.stolen) == steal_how::message) {
            continue; // its victim is another domain's, and no executor of this one
        }
        if (t.spawned.known()) {
            const track& from = tracks_[t.spawned.part][t.spawned.executor];
            t.moved = (t.stolen.known() || !t.spawned.same_executor(t.started)) && ns(t.spawned) < ns(t.started) &&
                      from.depth[t.spawned.record] != 0;
        } else if (t.stolen.known()) {
            // The victim wrote nothing about it: a branch of a fork.
            const trace_part& part = parts[t.stolen.part];
            const std::uint64_t victim = part.executors[t.stolen.executor].records[t.stolen.record].argument;
            const auto found = std::find_if(part.executors.begin(), part.executors.end(),
                                            [&](const trace_executor& e) { return e.number == victim; });
            if (found == part.executors.end() || ns(t.stolen) >= ns(t.started)) {
                continue;
            }
            const track& from = tracks_[t.stolen.part][static_cast<std::size_t>(found - part.executors.begin())];
            const auto behind = std::upper_bound(from.ns.begin(), from.ns.end(), ns(t.stolen));
            t.moved =
                behind != from.ns.begin() && from.depth[static_cast<std::size_t>(behind - from.ns.begin()) - 1] != 0;
        }
    }
}

// A ready task belongs to the end before it on the executor, if that is of the task it names: addresses are used again.
void timeline::find_dependences(std::span<const trace_part> parts) {
    for (std::uint32_t p = 0; p < parts.size(); ++p) {
        for (std::uint32_t e = 0; e < parts[p].executors.size(); ++e) {
            const auto& records = parts[p].executors[e].records;
            track& t = tracks_[p][e];
            std::uint32_t ended = none;
            for (std::uint32_t r = 0; r < records.size(); ++r) {
                if (records[r].event == trace_event::end) {
                    const bool closes = t.depth[r] < (r == 0 ? 0 : t.depth[r - 1]); // else its begin was dropped
                    ended = closes ? r : none;
                }
                if (records[r].event != trace_event::ready || ended == none || t.task_of[r] == none ||
                    records[r].argument != records[ended].task) {
                    continue;
                }
                task& ready = tasks_[t.task_of[r]];
                const place from{.part = p, .executor = e, .record = ended};
                const bool later =
                    ready.started.known() && (ready.started.same_executor(from) ? ready.started.record > ended
                                                                                : ns(ready.started) > t.ns[ended]);
                if (later && !ready.freed) {
                    ready.freed = true;
                    t.freed.emplace_back(ended, t.task_of[r]);
                }
            }
        }
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
