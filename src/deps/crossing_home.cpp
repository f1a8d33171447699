// SPDX-License-Identifier: Apache-2.0

// The side that a task belongs to.

#include <algorithm>
#include <mutex>
#include <new>
#include <stdexcept>

#include "base/panic.hpp"
#include "coherence/exposure.hpp"
#include "coherence/extents.hpp"
#include "deps/crossing.hpp"
#include "deps/crossing_under_way.hpp"
#include "deps/name_table.hpp"
#include "deps/placement.hpp"
#include "deps/task_scope.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// The task that came from elsewhere and of which this one descends; null: none.
const dependent_task* import_above(const dependent_task& task) noexcept {
    for (const task_context* c = task.own.child_of; c != nullptr; c = c->child_of) {
        if (c->task != nullptr && c->task->import != nullptr) {
            return c->task;
        }
    }
    return nullptr;
}

// Whether `lender` gave it to be read: then it has it in the current version and may be reading it, so that it must not
// be written there, with whatever bytes.
bool lent_by(unsigned lender, const dependent_task& task, const access& a) noexcept {
    const dependent_task* const import = import_above(task);
    if (import == nullptr || import->import->victim != lender || writes(a.mode)) {
        return false;
    }
    const std::span nodes = import->all_nodes();
    return std::ranges::any_of(nodes, [&](const access_node& n) { return contains(n.what, a); }) &&
           std::ranges::none_of(nodes, [&](const access_node& n) {
               return writes(n.what.mode) && !n.what.nothing() && overlapping(n.what, a);
           });
}

// Whether these bytes are among those that the task declares as such, and go with it: a container that it only writes
// must go besides, as what it holds is needed to write it.
bool declares(const dependent_task& task, range r) noexcept {
    return std::ranges::any_of(task.all_nodes(), [r](const access_node& n) {
        return is_run(n.what.kind) && reads(n.what.mode) && n.what.first <= r.first &&
               r.first + r.bytes <= n.what.first + n.what.extent;
    });
}

} // namespace

std::vector<hop> crossing::lineage_of(const dependent_task& task) const {
    const dependent_task* const above = import_above(task);
    return above != nullptr ? above->import->lineage : std::vector<hop>();
}

bool crossing::may_have(unsigned thief, message_steal::wish w, const dependent_task& task) const {
    if (!can_go(task)) {
        return false;
    }
    if (w == message_steal::wish::any) {
        return true;
    }
    const dependent_task* const above = import_above(task);
    return above != nullptr && !came_back_[thief].contains(&task) &&
           std::ranges::any_of(above->import->lineage, [thief](const hop& h) { return h.home == domain_id{thief}; });
}

// Of the newest tasks that can go, the one that is nearest to the thief.
std::optional<parcel> crossing::give(unsigned thief, std::uint64_t ticket, message_steal::wish w) {
    if (w == message_steal::wish::own && steal_.here() == unbegun_.load(memory_order::relaxed)) {
        return std::nullopt; // no task from elsewhere has begun here, so none descends from one
    }
    const std::lock_guard lock(copies_mutex_);
    loose_task* const found = home_.take_injected_best([&](const loose_task& t) -> std::optional<std::int64_t> {
        if (t.run != ends_.execute) {
            return std::nullopt;
        }
        const auto& task = static_cast<const dependent_task&>(t);
        if (!may_have(thief, w, task)) {
            return std::nullopt;
        }
        return placement::nearness(
            task.all_nodes(), [&](std::uintptr_t at, std::size_t bytes) { return copies_.contains(thief, at, bytes); });
    });
    if (found == nullptr) {
        return std::nullopt;
    }
    auto& task = static_cast<dependent_task&>(*found);
    std::vector<fabric::extent> kept;
    try {
        if (bring_for(thief, task)) { // else the task stays for who begins it here, and finds out why
            return pack(thief, ticket, task, kept);
        }
    } catch (const std::logic_error&) { // a destructor outside the program, say: the task runs here
        task.stays = true;
    } catch (const std::bad_alloc&) {
        // Nothing is given away without memory.
    }
    keep_again(thief, kept);
    copies_.forget_all_of(thief);
    away_.erase({thief, ticket});
    home_.inject(task, true);
    return std::nullopt;
}

void crossing::keep_again(unsigned p, std::span<const fabric::extent> lent) {
    for (const fabric::extent& e : lent) {
        copies_.keep(p, e.there, e.bytes);
    }
}

// What the task needs and a third process keeps comes here, from where the thief fetches it. With copies_mutex_ held.
bool crossing::bring_for(unsigned thief, const dependent_task& task) {
    if (copies_.keep_nothing()) {
        return true;
    }
    std::vector<std::span<const std::byte>> objects;
    task.type.crossing->objects(task, objects);
    return std::ranges::all_of(task.all_nodes(),
                               [&](const access_node& n) { return copies_.bring(n.what, thief, steal_.track()); }) &&
           std::ranges::all_of(objects, [&](std::span<const std::byte> s) { // containers: pack() looks into them
               return declares(task, range_of(s)) ||
                      copies_.bring(range_of(s).first, s.size(), held_copies::nobody, steal_.track());
           });
}

// With copies_mutex_ held. Errors: std::logic_error, std::bad_alloc; nothing has changed but the notes of copies.
parcel crossing::pack(unsigned thief, std::uint64_t ticket, dependent_task& task, std::vector<fabric::extent>& kept) {
    const crossing_type& type = *task.type.crossing;
    byte_writer closure;
    type.pack(task, closure);
    std::vector<range> pulls;
    std::vector<range> others;
    std::vector<std::span<const std::byte>> objects;
    type.objects(task, objects);
    const auto fetch = [&](range r) {
        const std::size_t before = pulls.size();
        copies_.for_each_missing(thief, r.first, r.bytes, [&pulls](std::uintptr_t first, std::size_t bytes) {
            pulls.push_back({first, bytes});
        });
        for (const range& missing : std::span(pulls).subspan(before)) {
            copies_.insert(thief, missing.first, missing.bytes);
        }
    };
    for (const std::span<const std::byte> s : objects) {
        const range r = range_of(s);
        const bool inside = declares(task, r);
        if (!inside && copies_.contains(thief, r.first, r.bytes)) {
            others.push_back(r); // the thief asks the container where its elements are
        } else if (!inside) {
            fetch(r);
        }
    }
    std::vector<access> sent; // whose objects the thief does not lend itself
    for (const access_node& n : task.all_nodes()) {
        if (lent_by(thief, task, n.what)) {
            continue;
        }
        sent.push_back(n.what);
        if (n.what.kind == access_kind::region) {
            for (const extent& e : extents_of(region_id{n.what.first}, true)) {
                fetch({reinterpret_cast<std::uintptr_t>(e.first), e.bytes});
            }
        } else if (reads(n.what.mode)) {
            for_each_run(n.what, [&fetch](std::uintptr_t at, std::size_t run) { fetch({at, run}); });
        } else {
            for_each_run(n.what, [&others](std::uintptr_t at, std::size_t run) { others.push_back({at, run}); });
        }
        if (writes(n.what.mode)) {
            copies_.forget(n.what, thief);
            if (n.what.kind != access_kind::region) {
                copies_.lend(thief, n.what, kept);
            }
        }
    }

    std::vector<hop> lineage = lineage_of(task);
    lineage.push_back({domain_id{self()}, domain_id{thief}, ticket});
    const bool may_keep = self() == 0 && lineage.size() == 1 && steal_.fetches() && task.containers == 0;
    if (task.containers != 0) {
        task_scope::note_begin(task);
    }
    away_[{thief, ticket}] = {&task, kept};
    const std::vector<packed_home> regions = pack_regions(sent);
    try {
        byte_writer out;
        out.put(parcel_head{.type = type.index,
                            .accesses = static_cast<std::uint32_t>(task.all_nodes().size()),
                            .pulls = static_cast<std::uint32_t>(pulls.size()),
                            .others = static_cast<std::uint32_t>(others.size()),
                            .regions = static_cast<std::uint32_t>(regions.size()),
                            .hops = static_cast<std::uint32_t>(lineage.size()),
                            .may_keep = may_keep ? 1U : 0U,
                            .unused = 0,
                            .name = task.name != nullptr ? code_offset_of(task.name) : 0});
        const auto put_all = [&out](const auto& list) {
            for (const auto& each : list) {
                out.put(each);
            }
        };
        put_all(accesses_of(task));
        for (const access_node& n : task.all_nodes()) {
            if (n.what.kind == access_kind::part) {
                out.put(*n.what.part);
            }
        }
        put_all(lineage);
        put_all(pulls);
        put_all(others);
        for (const packed_home& p : regions) {
            put(out, p);
        }
        out.put_bytes(closure.bytes());
        return std::move(out.bytes());
    } catch (...) {
        take_back(regions);
        throw;
    }
}

void crossing::ended(unsigned thief, std::uint64_t ticket, std::span<const std::byte> what) {
    const auto at = away_.find({thief, ticket});
    if (at == away_.end()) {
        panic("crossing: the end of a task that is not away");
    }
    const lent_task lent = std::move(at->second);
    dependent_task& task = *lent.task;
    away_.erase(at);
    byte_reader in(what);
    const auto head = in.get<end_head>();
    {
        const std::lock_guard lock(copies_mutex_);
        counts_[thief] = {thief, head.tasks, head.taken};
        if (head.how == ending::unbegun) {
            keep_again(thief, lent.kept);
        }
        for (const access_node& n : task.all_nodes()) {
            if (!writes(n.what.mode) || head.how == ending::unbegun) {
                continue;
            }
            // What descends from it may have been here meanwhile, and gone to a third process from here.
            copies_.forget(n.what, thief);
            if (n.what.kind == access_kind::region) {
                copies_.forget_all_of(thief);
                continue;
            }
            for_each_run(n.what, [&](std::uintptr_t first, std::size_t run) {
                if (head.how == ending::kept) {
                    copies_.keep(thief, first, run);
                } else {
                    copies_.insert(thief, first, run);
                }
            });
        }
    }
    auto home = std::make_unique<return_home>();
    home->task = &task;
    if (head.how == ending::failed) {
        const auto bytes = in.take(head.text_bytes);
        home->error.emplace(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    for (std::uint32_t i = 0; i < head.regions; ++i) {
        const read_home back = get_home(in);
        unpack_region(back.bytes);
        if (exposure* const guard = exposure::active()) {
            guard->came_back(back.region);
        }
    }
    if (head.how == ending::unbegun) {
        came_back(thief, task);
        return;
    }
    came_back_[thief].clear();
    for (std::uint32_t i = 0; i < head.pulls; ++i) {
        const auto r = in.get<range>();
        home->pulls.push_back({pointer(r.first), r.first, r.bytes});
    }
    if (home->pulls.empty()) {
        end_here(*home);
    } else {
        return_home* const waiting = home.release(); // until copied()
        steal_.copy(thief, fabric::direction::pull, waiting->pulls,
                    reinterpret_cast<std::uint64_t>(waiting) | homecoming);
    }
}

// X5
void crossing::came_back(unsigned thief, dependent_task& task) {
    came_back_[thief].insert(&task);
    home_.inject(task, true);
}

void crossing::end_here(return_home& home) { ends_.away(*home.task, home.error ? &*home.error : nullptr); }

} // namespace skerry::inline SKERRY_ABI::detail
