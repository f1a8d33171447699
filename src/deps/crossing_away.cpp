// SPDX-License-Identifier: Apache-2.0

// The side that a task has come to.

#include <algorithm>
#include <mutex>
#include <utility>

#include <skerry/detail/sched/begin.hpp>

#include "base/panic.hpp"
#include "coherence/exposure.hpp"
#include "coherence/extents.hpp"
#include "coherence/transfer.hpp"
#include "deps/access_ranges.hpp"
#include "deps/crossing.hpp"
#include "deps/crossing_table.hpp"
#include "deps/crossing_under_way.hpp"

namespace skerry::inline SKERRY_ABI::detail {

void crossing::take(unsigned victim, std::uint64_t ticket, std::span<const std::byte> what) {
    byte_reader in(what);
    auto a = std::make_unique<arrival>();
    a->victim = victim;
    a->ticket = ticket;
    a->head = in.get<parcel_head>();
    for (std::uint32_t i = 0; i < a->head.accesses; ++i) {
        a->accesses.push_back(in.get<access>());
    }
    a->parts.reserve(a->accesses.size());
    for (access& each : a->accesses) {
        if (each.kind == access_kind::part) {
            each.part = &a->parts.emplace_back(in.get<part_name>());
        }
    }
    for (std::uint32_t i = 0; i < a->head.hops; ++i) {
        a->lineage.push_back(in.get<hop>());
    }
    std::unique_lock copies(copies_mutex_);
    std::vector<fabric::extent> opened;
    for (std::uint32_t i = 0; i < a->head.pulls + a->head.others; ++i) {
        const auto r = in.get<range>();
        copies_.forget(r.first, r.bytes, held_copies::nobody); // whatever others had of it from here is older
        opened.push_back({pointer(r.first), r.first, r.bytes});
    }
    for (std::uint32_t i = 0; i < a->head.regions; ++i) {
        const read_home home = get_home(in);
        if (!written_here(home.region)) { // else the victim has a copy of what is known here best
            unpack_region(home.bytes);
        }
    }
    open_for(opened);
    byte_ranges known = known_here(a->lineage);
    for (const fabric::extent& e : opened) { // what is lent to be read may be kept there: then it is not known here yet
        if (!copies_.bring(e.there, e.bytes, held_copies::nobody, steal_.track())) {
            known.erase(e.there, e.bytes); // it comes with the others
        }
    }
    for (const fabric::extent& e : std::span(opened).first(a->head.pulls)) {
        known.for_each_missing(e.there, e.bytes, [&a](std::uintptr_t first, std::size_t bytes) {
            a->pulls.push_back({pointer(first), first, bytes});
        });
    }
    byte_ranges touched;
    for (const fabric::extent& e : opened) { // also the containers that it looks into
        touched.insert(e.there, e.bytes);
        a->contents.emplace_back(static_cast<const std::byte*>(e.here), e.bytes);
    }
    a->reading = reading_.insert(reading_.end(), only_read(a->accesses, std::move(touched)));
    a->closure.assign(in.rest().begin(), in.rest().end());
    copies.unlock();
    unbegun_.fetch_add(1, memory_order::relaxed);
    arrival& here = *a;
    here.complete = here.pulls.empty();
    arriving_.push_back(std::move(a));
    if (!here.complete) {
        steal_.copy(victim, fabric::direction::pull, here.pulls, reinterpret_cast<std::uint64_t>(&here)); // X1
    }
    let_in();
}

// In the order of the grants: a task may rely on what an earlier one pulls, from whomever.
void crossing::let_in() {
    while (!arriving_.empty() && arriving_.front()->complete) {
        const std::unique_ptr<arrival> a = std::move(arriving_.front());
        arriving_.pop_front();
        arrive_here(*a);
    }
}

void crossing::arrive_here(const arrival& a) {
    const crossing_type* const type = types_.at(a.head.type);
    if (type == nullptr) {
        panic("crossing: a task of an unknown type");
    }
    byte_reader in(a.closure);
    const char* const name = a.head.name != 0 ? static_cast<const char*>(code_at(a.head.name)) : nullptr;
    exposure* const guard = exposure::active();
    if (guard != nullptr) { // the arguments look into containers
        guard->open(&a, exposure::wish_of({}, a.contents));
    }
    dependent_task* const task = type->make(place_of(a.lineage), name, in);
    if (guard != nullptr) {
        guard->close(&a);
    }
    auto import = std::make_unique<imported_task>();
    import->victim = a.victim;
    import->ticket = a.ticket;
    import->lineage = a.lineage;
    import->keeps = a.head.may_keep != 0;
    import->reading = a.reading;
    for (std::size_t i = 0; i < a.accesses.size() && i < task->all_nodes().size(); ++i) {
        access& what = task->nodes[i].what;
        if (what.kind != access_kind::part) { // a part's name lies in the closure, which is here already
            what = a.accesses[i];
        }
        if (writes(what.mode) && what.kind == access_kind::region) {
            import->regions.push_back(what);
        } else if (writes(what.mode)) {
            for_each_run(what, [&import](std::uintptr_t at, std::size_t run) {
                import->written.push_back({pointer(at), at, run});
            });
        }
    }
    if (guard != nullptr) {
        std::vector<std::span<const std::byte>> containers;
        type->objects(*task, containers);
        import->opens = exposure::wish_of(accesses_of(*task), containers);
    }
    task->import = import.release();
    imports_.adopt(*task);
    steal_.track().steal(trace_id(static_cast<task_header*>(task)), a.victim, steal_how::message);
    steal_.track().ready(trace_id(static_cast<task_header*>(task)), 0);
    home_.inject(*task, true);
    if (return_stranded()) {
        steal_.poll(); // a call: this driver's errands() may be over
    }
}

dependent_task* crossing::lent_above(const std::vector<hop>& lineage) const {
    const auto own =
        std::find_if(lineage.rbegin(), lineage.rend(), [&](const hop& h) { return h.home == domain_id{self()}; });
    if (own == lineage.rend()) {
        return nullptr;
    }
    const auto at = away_.find({static_cast<unsigned>(own->thief), own->ticket});
    if (at == away_.end()) {
        panic("crossing: a task comes back that descends from none that is away");
    }
    return at->second.task;
}

byte_ranges crossing::known_here(const std::vector<hop>& lineage) const {
    byte_ranges known;
    for (const byte_ranges& read : reading_) {
        read.for_each([&known](std::uintptr_t first, std::size_t bytes) { known.insert(first, bytes); });
    }
    if (const dependent_task* const above = lent_above(lineage)) {
        std::vector<std::span<const std::byte>> objects; // with the containers that it looks into
        above->type.crossing->objects(*above, objects);
        byte_ranges touched;
        for (const std::span<const std::byte> s : objects) {
            touched.insert(range_of(s).first, s.size());
        }
        only_read(accesses_of(*above), std::move(touched)).for_each([&known](std::uintptr_t first, std::size_t bytes) {
            known.insert(first, bytes);
        });
    }
    return known;
}

// B3
spawn_place crossing::place_of(const std::vector<hop>& lineage) const {
    if (const dependent_task* const above = lent_above(lineage)) {
        return {above->own, above->own, nullptr};
    }
    return {imports_context_, imports_context_, nullptr};
}

// B2
bool crossing::return_stranded() noexcept {
    imported_task* stranded = nullptr;
    home_.take_injected_if(
        [&](const loose_task& t) {
            return t.run == ends_.execute && static_cast<const dependent_task&>(t).import != nullptr &&
                   !home_.may_be_taken(t);
        },
        [&](loose_task& t) {
            auto& task = static_cast<dependent_task&>(t);
            imported_task* const import = std::exchange(task.import, nullptr);
            import->unbegun = &task;
            import->next_finished = std::exchange(stranded, import);
        });
    for (imported_task* import = stranded; import != nullptr;) {
        imported_task* const next = import->next_finished;
        unbegun_.fetch_sub(1, memory_order::relaxed);
        leave(*import);
        import = next;
    }
    return stranded != nullptr;
}

void crossing::drop_unbegun(imported_task& import) {
    dependent_task& task = *import.unbegun;
    task.type.drop(task);
    ready_list nothing; // it stood in no order
    task_scope::finish(task, nothing);
    steal_.not_taken();
}

void crossing::leave(imported_task& import) noexcept {
    const std::lock_guard lock(finished_mutex_);
    import.next_finished = std::exchange(finished_, &import);
}

void crossing::finished(dependent_task& task) noexcept {
    if (exposure* const guard = exposure::active()) {
        guard->close(&task);
    }
    leave(*std::exchange(task.import, nullptr));
    steal_.poll();
}

// X4
void crossing::report(imported_task& import) {
    const std::unique_ptr<imported_task> owner(&import);
    reading_.erase(import.reading);
    byte_writer out;
    const std::string text = import.error != nullptr ? text_of(import.error) : std::string();
    std::uint64_t tasks = 0;
    for (unsigned i = 0; i < home_.slots(); ++i) {
        tasks += home_.slot(i).count.tasks.read();
    }
    const std::vector<packed_home> regions = pack_regions(import.regions);
    std::vector<range> pulls;
    for (const access& a :
         import.unbegun == nullptr ? std::span<const access>(import.regions) : std::span<const access>()) {
        for (const extent& e : extents_of(region_id{a.first}, true)) {
            pulls.push_back({reinterpret_cast<std::uintptr_t>(e.first), e.bytes});
        }
    }
    out.put(end_head{.how = import.unbegun != nullptr ? ending::unbegun
                            : import.error != nullptr ? ending::failed
                            : import.keeps            ? ending::kept
                                                      : ending::done,
                     .text_bytes = static_cast<std::uint32_t>(text.size()),
                     .tasks = tasks,
                     .taken = steal_.taken(),
                     .regions = static_cast<std::uint32_t>(regions.size()),
                     .pulls = static_cast<std::uint32_t>(pulls.size())});
    out.put_bytes(std::as_bytes(std::span(text)));
    for (const packed_home& p : regions) {
        put(out, p);
    }
    for (const range& r : pulls) {
        out.put(r);
    }
    steal_.done(import.victim, import.ticket, out.bytes());
}

} // namespace skerry::inline SKERRY_ABI::detail
