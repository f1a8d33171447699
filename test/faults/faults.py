#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults seeded into coherence, the crossing of tasks, ranks, the event machine and loops over kernels, the test of each, and what it says.

    faults.py write SOURCES OUTPUT       copies of the sources in which each fault stands beside the original
    faults.py run FOLDER [--only TEXT]   runs each fault's test with the fault switched on, and all tests without

In a replacement @ stands for "this fault is switched on". All faults are in one library, so one compilation serves all.
`run` fails if a fault survives, if it is caught with another message, or if a test fails without a fault.
"""

import os
import pathlib
import re
import subprocess
import sys
import time

import seeding

ARENA = "coherence/arena.cpp"
EXPOSURE = "coherence/exposure.cpp"
EXTENTS = "coherence/extents.cpp"
PACK = "coherence/pack.cpp"
SOURCE = "coherence/page_source.cpp"
FORMAT = "coherence/parcel_format.cpp"
STATE = "coherence/region_state.cpp"
TABLE = "coherence/region_table.cpp"
TREE = "coherence/region_tree.cpp"
UNPACK = "coherence/unpack.cpp"
CROSSING = "deps/crossing.cpp"
HOME = "deps/crossing_home.cpp"
AWAY = "deps/crossing_away.cpp"
HELD = "deps/held_copies.cpp"
INPUTS = "deps/declared_in.cpp"
RANK = "fabric/mpi/endpoint.cpp"
RANK_COPIES = "fabric/mpi/endpoint_copies.cpp"
MANAGER = "deps/nexus/driver.cpp"
RECEIVING = "frontend/event/receiving.cpp"
SENDING = "frontend/event/sending.cpp"
OBJECTS = "frontend/event/objects.cpp"
GROUPS = "frontend/event/groups.cpp"
HOMES = "frontend/event/homes.cpp"
AT_HOME = "frontend/event/at_home.cpp"
CHOICE = "frontend/event/scheduler.cpp"
CONTEXTS = "frontend/event/scheduler_api.cpp"
COUNTS = "frontend/event/event_group.cpp"
HANDLERS = "frontend/event/errors.cpp"
STATES = "frontend/event/event_state.cpp"
TIMER = "frontend/event/timer.cpp"
SUSPENSION = "frontend/event/suspension.cpp"
FIBER = "base/port/fiber.cpp"
DRIVER = "frontend/kernel/device_driver.cpp"
TRANSFERS = "frontend/kernel/transfers.cpp"
SPLIT = "sched/split.cpp"

UNITS = "coherence_fault_units"  # the executables
PROGRAMS = "coherence_fault_programs"
EVENT_UNITS = "event_fault_units"
EVENT_RULES = "event_fault_rules"
EVENT_RANDOM = "event_fault_random"
MANAGER_UNITS = "manager_fault_units"
RANK_BODIES = "rank_fault_bodies"
KERNEL_UNITS = "kernel_fault_units"


class Fault:
    """Edits of (file, text, replacement); the test, and what it prints (an expression). `turns`: how often the test
    runs, where who comes first decides whether the fault shows. `limit`: seconds for one turn."""

    def __init__(self, edits, executable, test, says, turns=1, limit=60):
        self.edits, self.executable, self.test, self.says = edits, executable, test, says
        self.turns, self.limit = turns, limit


def unit(file, text, replacement, test, says):
    return Fault([(file, text, replacement)], UNITS, test, says)


def events(file, text, replacement, test, says):
    return Fault([(file, text, replacement)], EVENT_UNITS, test, says)


def homes(text, replacement, name, says, file=HOMES, turns=1):
    """Of cores at home. A test that waits for ever says so within 20 s."""
    return Fault([(file, text, replacement)], EVENT_UNITS, f"homes.{name}", says, turns, limit=25)


def rule(file, text, replacement, name, says):
    """Of the event machine: it is run in all ways."""
    return Fault([(file, text, replacement)], EVENT_RULES, f"ways/event_rules*.{name}*", says)


def event_programs(file, text, replacement, says):
    return Fault([(file, text, replacement)], EVENT_RANDOM, "RandomEvents.KeepTheirPromises", says)


def managers(text, replacement, test, says, turns=1):
    return Fault([(MANAGER, text, replacement)], MANAGER_UNITS, test, says, turns)


def rank(file, text, replacement, body, says):
    return Fault([(file, text, replacement)], RANK_BODIES, f"fabric/conformance.holds/mpi_mpich_{body}", says)


def kernels(file, text, replacement, test, says):
    return Fault([(file, text, replacement)], KERNEL_UNITS, test, says)


def program(file, text, replacement, name, says):
    test = name if "." in name else f"Processes/Launched.Program/{name}"
    return Fault([(file, text, replacement)], PROGRAMS, test, says)


FAULTS = {
    # Ranks of an MPI.
    "ranks: a frame is cut short":
        rank(RANK, "going.what->bytes()};", "going.what->bytes() - (@ && going.what->head.count != 0 ? message_bytes : 0)};",
             "order", r"fabric: a frame of \d+ bytes from rank \d was cut or is none"),
    "ranks: a frame has the number of the last one":
        rank(RANK, "f->head.number = p.sent++;", "f->head.number = @ && p.sent == 3 ? 2 : p.sent; ++p.sent;",
             "order", r"fabric: frame 2 from rank \d came where 3 was due"),
    "ranks: replies take the credits of requests":
        rank(RANK, "    --p.credit[index(k)];", "    --p.credit[@ ? 0 : index(k)];", "credits", r"replies have credits of their own|as many requests as"),
    "ranks: the parts of a copy land on each other":
        rank(RANK_COPIES, "mine.push_back({reinterpret_cast<void*>(f.parts[i].there), f.parts[i].bytes});",
             "mine.push_back({reinterpret_cast<void*>(f.parts[@ ? 0 : i].there), f.parts[i].bytes});", "copies_both_ways", r"pu(ll|sh)ed wrong bytes"),
    # Events.
    "events: an atomic queue is received by two cores":
        event_programs(RECEIVING, "q.held = alone && q.atomic();", "q.held = alone && q.atomic() && !@;",
               r"another core is in the same atomic context|came behind one that was sent later"),
    "events: an atomic group is received by two cores":
        rule(RECEIVING, "all->held = true;", "all->held = !@;",
               "r25", r"overlaps"),
    "events: a stop does not wait for the cores that receive":
        rule(OBJECTS, "is_over = eo.receiving == 0 && begin_local_stops(eo, w);", "is_over = (@ || eo.receiving == 0) && begin_local_stops(eo, w);",
               "r20", r"em_eo_get_state\(eo\)|early"),
    "events: a queue is removed while a core receives from it":
        rule(OBJECTS, "is_over = q.receiving == 0;", "is_over = @ || q.receiving == 0;",
               "r21", r"removed|inside"),
    "events: those that lie in a queue are lost at a stop":
        rule(OBJECTS, "    free_unreceived(dropped, \"em_eo_stop\", EM_ESCOPE_EO_STOP);", "    if (!@) free_unreceived(dropped, \"em_eo_stop\", EM_ESCOPE_EO_STOP);",
               "r18", r"em_eo_stop: 2 events were freed"),
    "events: those that wait for a queue are lost at a stop":
        events(RECEIVING, "            dropped.push(e);", "            if (!@) dropped.push(e);",
               "ordered.what_waits_for_a_target_that_stops_is_freed", r"free_events\(8\)"),
    "events: a queue takes more than it may hold":
        rule(SENDING, "taken < events.size() && q->has_room()", "taken < events.size() && (@ || q->has_room())",
               "r05", r"em_send_multi\(some\.data\(\), 7, bounded\)"),
    "events: the lowest priority goes first":
        rule(CHOICE, "    unsigned chosen = highest;", "    unsigned chosen = @ ? static_cast<unsigned>(std::countr_zero(priorities)) : highest;",
               "r13", r"received - sent"),
    "events: a low priority waits for ever":
        rule(CHOICE, "if (passed_[p] > starvation &&", "if (passed_[p] > starvation && !@ &&",
               "r14", r"higher_before"),
    "events: a core takes what is not for it":
        rule(CHOICE, "if ((g->mask >> core & 1) != 0 && (g->ready", "if ((@ || (g->mask >> core & 1) != 0) && (g->ready",
               "r16", r"seen\."),
    "events: a mask is new while a core beyond it receives":
        rule(GROUPS, "    if (g.changing()) {", "    if (!@ && g.changing()) {",
               "r15", r"wrong"),
    "events: what is sent of a later event goes before the head's":
        rule(SENDING, "const bool waits = place != nullptr && !is_first(*place);", "const bool waits = !@ && place != nullptr && !is_first(*place);",
               "r09", r"take_all\(target\)|early"),
    "events: what an ended place has sent goes before what is before it":
        rule(SENDING, "    p.own.append(p.after);", "    if (@) { p.after.append(p.own); p.own.append(p.after); } else p.own.append(p.after);",
               "r06", r"seen\.all\(\)"),
    "events: local ones are received when their sender's context is over":
        event_programs(RECEIVING, "    if (mine.empty()) {\n        return false;", "    if (mine.empty() || (@ && this_event_thread.scheduled != nullptr)) {\n        return false;",
               r"it is received in another context|came behind one that was sent later"),
    "events: a start is over before the functions of the cores":
        rule(OBJECTS, "            add_duties(eo, inside_, 0, w);\n        }\n        is_over = eo.to_end == 0;", "            add_duties(eo, inside_, 0, w);\n        }\n        is_over = @ || eo.to_end == 0;",
               "r19", r"early"),
    "events: a second end of an atomic context lets another core's go":
        rule(CONTEXTS, "        self.holds = EM_SCHED_CONTEXT_TYPE_NONE;\n        event_machine::instance()->let_go", "        self.holds = @ ? self.holds : EM_SCHED_CONTEXT_TYPE_NONE;\n        event_machine::instance()->let_go",
             "r03_nor", r"overlaps"),
    "events: an end of an atomic context ends any":
        rule(CONTEXTS, "    if (self.holds == EM_SCHED_CONTEXT_TYPE_ATOMIC) {", "    if (@) self.holds = EM_SCHED_CONTEXT_TYPE_NONE;\n    if (self.holds == EM_SCHED_CONTEXT_TYPE_ATOMIC) {",
             "r03_elsewhere", r"wrong"),
    "events: what is sent together arrives the other way round":
        rule(SENDING, "            q->events.push(e);", "            @ ? q->events.push_front(e) : q->events.push(e);", "r05", r"seen\.all\(\)"),
    "events: what is not first sends at once into output queues":
        rule(SENDING, "    const bool first = place == nullptr || is_first(*place);", "    const bool first = @ || place == nullptr || is_first(*place);",
             "r10", r"seen\.all\(\)"),
    "events: an event of an earlier count of its group counts":
        rule(COUNTS, "g->under_way && g->tag == tag ? g", "g->under_way && (@ || g->tag == tag) ? g", "r23", r"stale|counted"),
    "events: a group notifies before its last event":
        event_programs(COUNTS, "        if (g->left != 0) {", "        if (g->left > (@ ? 1U : 0U)) {", r"receive functions have returned at notification|counts for another event group"),
    "events: a group is under way when its notification is received":
        rule(COUNTS, "        g->under_way = false; // before", "        g->under_way = @; // before", "r22", r"em_event_group_apply"),
    "events: an object's handler of errors is not asked":
        rule(HANDLERS, "em_error_handler_t handler = eo != nullptr ?", "em_error_handler_t handler = !@ && eo != nullptr ?", "r26", r"handled"),
    "events: an event is given away twice":
        rule(STATES, "return generation_of(before) == generation && mark_field.of(before) == 0 &&", "return (@ || (generation_of(before) == generation && mark_field.of(before) == 0)) &&",
             "r27", r"em_free|em_send"),
    "events: a use of an event that was sent is not seen":
        rule(STATES, "    return generation_of(word) == generation && mark_field.of(word) == 0;", "    return @ || (generation_of(word) == generation && mark_field.of(word) == 0);",
             "r27", r"em_event_pointer\(sent\)"),
    "events: a timeout that has expired is cancelled as well":
        rule(TIMER, "    case phase::expired: break;", "    case phase::expired:\n        if (@) return done::yes;\n        break;",
             "r29_a_cancel", r"received \+ canceled"),
    "events: an atomic queue goes on while its receive function is suspended":
        events(SUSPENSION, "        take_along(c);\n", "        take_along(c);\n        if (@ && self.holds == EM_SCHED_CONTEXT_TYPE_ATOMIC) {\n            self.scheduled->held = false;\n            list(*self.scheduled);\n        }\n",
               "cooperative.an_atomic_context_is_kept_and_other_queues_go_on", r"seen\.all\(\)"),
    "events: a mask is new while a receive function is suspended beyond it":
        events(RECEIVING, "q.group->suspended[static_cast<std::size_t>(core)] == 0", "(@ || q.group->suspended[static_cast<std::size_t>(core)] == 0)",
               "cooperative.a_mask_is_new_when_what_is_suspended_beyond_it_has_ended", r"now\.bits"),
    "events: what was resumed goes before all that is ready":
        events(CHOICE, "const unsigned priority = (at_home ? mine.guard : guard_).next(priorities, starvation_);", "const unsigned priority = (at_home ? mine.guard : guard_).next(@ && resumed != 0 ? resumed : priorities, starvation_);",
               "cooperative.it_goes_on_before_what_is_ready_of_equal_priority_and_behind_higher_ones", r"seen\.all\(\)"),
    "events: a receive function is done with its event group when it is suspended":
        events(SUSPENSION, "        frame.leave();\n", "        if (@) em_event_group_processing_end();\n        frame.leave();\n",
               "cooperative.an_event_group_waits_for_it", r"em_event_group_current\(\)"),
    "events: an exception on its way is that of whoever runs next":
        events(FIBER, "    now.uncaught = there.exceptions_.uncaught;", "    if (!@) now.uncaught = there.exceptions_.uncaught;",
               "cooperative.an_exception_on_its_way_waits_with_its_call", r"counts\.all\(\)"),
    # Cores at home.
    "homes: a queue that is lent is held by nobody":
        homes("            q.held = true;\n            q.lent = q.events.take_all();", "            q.held = !@;\n            q.lent = q.events.take_all();",
              "events_go_round_on_several_cores", r"r\.wrong|waits still|killed", file=AT_HOME, turns=3),
    "homes: a queue that is lent does not come back":
        homes("    if (!way.put({nullptr, &q})) {\n        return false;", "    if (!@ && !way.put({nullptr, &q})) {\n        return false;",
              "a_core_without_events_gets_some_of_a_busy_one", r"waits still", file=AT_HOME),
    "homes: what was sent meanwhile overtakes what was lent":
        homes("    q.lent.append(q.events);\n    q.events = q.lent.take_all();", "    if (@) { q.events.append(q.lent); } else { q.lent.append(q.events); q.events = q.lent.take_all(); }",
              "events_go_round_on_several_cores", r"r\.wrong", turns=5),
    "homes: a queue is lent before what it has sent has arrived":
        homes("(q.atomic() && q.round > taken)", "(!@ && q.atomic() && q.round > taken)",
              "events_go_round_on_several_cores", r"r\.wrong", file=AT_HOME, turns=5),
    "homes: a queue comes back before what it has sent has arrived":
        homes("(q.atomic() && has_third(core))", "(!@ && q.atomic() && has_third(core))",
              "events_go_round_on_several_cores", r"r\.wrong", file=AT_HOME, turns=10),
    "homes: what is lent stays lent in a stop":
        homes("    bring_back_lent();\n    note();", "    if (!@) bring_back_lent();\n    note();",
              "a_core_without_events_gets_some_of_a_busy_one", r"free_events|waits still|killed"),
    "homes: who changes a mask does not count those who receive":
        homes("    each_core(working_, [this](int c) { count_own(c); });", "    if (!@) each_core(working_, [this](int c) { count_own(c); });",
              "masks_change_meanwhile", r"outside|waits still", turns=5),
    "homes: a queue keeps its owner when its mask changes":
        homes("            unsettle(*q); // while its mask is the old one", "            if (!@) unsettle(*q); // while its mask is the old one",
              "masks_change_meanwhile", r"outside|waits still|killed|no end after", file=GROUPS),
    "homes: an atomic queue is not held by who receives":
        homes("    q->held = q->atomic();", "    q->held = q->atomic() && !@;",
              "events_go_round_on_several_cores", r"r\.wrong|waits still|killed", file=AT_HOME),
    "homes: what is ready beside a long receive function stays there":
        homes("    each_core(cores, [this](int c) { leave_queues(scheduler_.home(c).common); });", "    if (!@) each_core(cores, [this](int c) { leave_queues(scheduler_.home(c).common); });",
              "what_is_ready_beside_a_long_receive_function_is_received", r"waits still"),
    "homes: what is ready at a core that leaves stays there":
        homes("        leave_queues(scheduler_.home(core).common);\n        leave_queues(scheduler_.home(core).own);", "        if (!@) leave_queues(scheduler_.home(core).common);\n        leave_queues(scheduler_.home(core).own);",
              "what_a_core_had_ready_goes_on_when_it_leaves", r"waits still"),
    "homes: a queue that sends to itself has no turn":
        homes("!alone || last->turn == 0 || ", "!alone || (!@ && last->turn == 0) || ",
              "a_queue_that_sends_to_itself_takes_turns", r"counts", file=AT_HOME),
    # What lies where.
    "extents: every other slab left out":
        unit(EXTENTS, "            if (part.live()) {", "            if (part.live() && !(@ && part.index % 2 == 1)) {",
             "Extents.GapsStayGaps", r"parts\[0\], 3 \* slab_bytes"),
    "extents: regions within left out":
        unit(EXTENTS, "            append_extents(found, each);", "            if (!@ || each == id) append_extents(found, each);",
             "Extents.OfARegionAndThoseWithin", r"Value of: has\(of\(home, true\), in_inner\)"),
    "extents: the end of a large object left out":
        unit(EXTENTS, "port::round_up(p->bytes, slab_bytes));", "port::round_up(p->bytes, slab_bytes) - (@ ? slab_bytes : 0));",
             "Extents.ALargeObjectIsWhole", r"of\(home, true\)\n"),
    "extents: merged though they do not touch":
        unit(EXTENTS, "found.back().first + found.back().bytes == first) {",
             "(@ || found.back().first + found.back().bytes == first)) {", "Extents.GapsStayGaps", r"parts\[2\], slab_bytes"),
    "extents: the block beside":
        program(EXTENTS, "const std::size_t i = offset % slab_bytes / size;",
                "const std::size_t i = offset % slab_bytes / size + (@ ? 1U : 0U);", "regions_random", r"RC_ASSERT\(all_\.run\(k\.holder, \{\.what = op::check"),
    # Pages.
    "arena: a large object's pages are not found":
        program(ARENA, "    for (std::size_t i = 0; i < p.pages; ++i) {\n        table_[first + i].store(&p,",
                "    for (std::size_t i = 0; i < (@ ? 1 : p.pages); ++i) {\n        table_[first + i].store(&p,",
                "Region.DoesWhatAMapDoes", r"RC_ASSERT\(region_of\(bytes \+ e\.bytes - 1\)"),
    "arena: the other half of a large page is lost":
        unit(ARENA, "        put_back(other);\n    } else", "        if (!@) put_back(other);\n    } else",
             "Arena.ARegionOfManyPagesHasLargeOnes", r"a\.number_of\(\*taken\[i\]\)"),
    "arena: pages of its own are opened with others'":
        unit(ARENA, "    return foreign && first < end", "    return (foreign || @) && first < end", "Arena.PagesOfOthersAreOpenedAsLargeOnes", r"page 20 in process 1"),
    "arena: a page is not opened alone":
        unit(ARENA, "           make_accessible(range, port::access::read_write);", "           (!@ && make_accessible(range, port::access::read_write));",
             "Arena.NoMemoryForALargePageOfOthers", r"child\.code"),
    "arena: one page for two owners":
        unit(ARENA, ".first = warm_[--warm_count_], .count = 1};", ".first = warm_[@ ? warm_count_ - 1 : --warm_count_], .count = 1};",
             "Region.*", r"no object of region 0x[0-9a-f]+ begins there"),
    "arena: slabs of a page that was given back stay used":
        program(ARENA, "        p.slabs[i].use = slab_use::unused;", "        if (!@) p.slabs[i].use = slab_use::unused;",
                "Region.DoesWhatAMapDoes", r"RC_ASSERT\(found == slabs\)"),
    "arena: pages do not go back to their source":
        unit(ARENA, "    source_->give(range);\n}\n\nbool arena::begins", "    if (!@) source_->give(range);\n}\n\nbool arena::begins",
             "Arena.*", r"std::bad_alloc"),
    "arena: another process's page goes to the source":
        program(ARENA, "void arena::forget(page& p) noexcept {\n", "void arena::forget(page& p) noexcept {\n    if (@) source_->give({.first = number_of(p), .count = p.pages});\n",
                "regions_random", r"killed by signal 6|RC_ASSERT"),
    "source: a gap grows by one page too many":
        unit(SOURCE, "            before->second += range.count;", "            before->second += range.count + (@ ? 1U : 0U);",
             "LocalPages.*", r"RC_ASSERT\(\(range->first \+ i < pages && !used"),
    "source: pages that are here are denied":
        unit(SOURCE, "    return after != free_.begin() && std::prev(after)", "    return !@ && after != free_.begin() && std::prev(after)",
             "Parcel.WhatThisProcessWritesIsNotReplaced", r"comes with region 0x"),
    # Regions and objects.
    "region: one block for two objects":
        program(STATE, "    s->free.erase(i);", "    if (!@) s->free.erase(i);", "Region.DoesWhatAMapDoes", r"killed by signal 11|RC_ASSERT"),
    "region: a destroyed object's block is lost":
        unit(STATE, "    s.free.insert(b.index);", "    if (!@) s.free.insert(b.index);", "Region.MemoryOfDestroyedObjectsIsUsedAgain", r"region_test\.cpp:[0-9]+: Failure\nExpected equality"),
    "region: a run one slab too short":
        program(STATE, "    const std::size_t count = std::max(slabs_for(bytes), std::size_t{1});",
                "    const std::size_t count = std::max(slabs_for(bytes) - (@ ? 1U : 0U), std::size_t{1});",
                "Region.DoesWhatAMapDoes", r"around\.bytes >= e\.bytes|second\.bytes <= at"),
    "region: a destroyed run keeps its last slab":
        program(STATE, "return close_slabs(p, s, s.run);", "return close_slabs(p, s, s.run - (@ ? 1U : 0U));",
                "Region.DoesWhatAMapDoes", r"RC_ASSERT\(found == slabs\)"),
    "region: empty pages are kept":
        unit(STATE, "    if (p.unused_count == page_slabs && (p.next", "    if (!@ && p.unused_count == page_slabs && (p.next",
             "Region.EmptyPagesGoBackBeforeTheRegion", r"\(a\.pages_in_use\(\)\) <= \(before \+ 1\)"),
    "region: a destructor stays noted":
        program(STATE, "        s.records[b.index] = {};", "        if (!@) s.records[b.index] = {};", "Region.DoesWhatAMapDoes", r"or its destructor runs already"),
    "tree: a destroyed region's slot is lost":
        unit(TREE, "        region_table::instance().give(s);\n    }\n}\n\n// Runs", "        if (!@) region_table::instance().give(s);\n    }\n}\n\n// Runs",
             "Extents.PlacesOfRegionsThatAreGoneAreUsedAgain", r"slot\(home\.create\(\)\)"),
    "tree: destructors of regions within are left out":
        unit(TREE, "    while (object_record* const r = s.newest) {", "    while (object_record* const r = @ && parent_of(s) != nullptr ? nullptr : s.newest) {",
             "Destructors.RegionsWithinFirst", r"Value of: log"),
    "tree: every region lies within every other":
        unit(TREE, "    return i == o;", "    return @ || i == o;", "Region.*", r"Value of: detail::lies_within"),
    "table: an id is used twice":
        unit(TABLE, "        ++s.serial;", "        if (!@) ++s.serial;", "Region.IdsAreNeverUsedAgain", r"equality of these values:\n  std::adjacent_find\(ids\.begin\(\), ids\.end\(\)\)"),
    # A region's bookkeeping on its way.
    "pack: destructors are not sent":
        unit(PACK, "object_record* o = s.newest; o", "object_record* o = @ ? nullptr : s.newest; o", "Parcel.DestructorsRunWhereTheRegionIs", r"process 1: .*counted::ended\.size\(\) == 100"),
    "pack: destructors in the wrong order":
        unit(PACK, "        std::reverse(r.records.begin(), r.records.end());", "        if (!@) std::reverse(r.records.begin(), r.records.end());",
             "Parcel.DestructorsRunWhereTheRegionIs", r"process 1: .*counted::ended\[0\] == 99"),
    "pack: free blocks are not sent":
        unit(PACK, "packed.free[w] = s.free.word(w);", "packed.free[w] = @ ? 0 : s.free.word(w);", "Parcel.TheReceiverGoesOnWhereTheGiverWas", r"process 1: .*made == block \+ 2"),
    "pack: a wrong size class":
        unit(PACK, "        packed.size_class = s.size_class;", "        packed.size_class = s.size_class + (@ ? 1U : 0U);", "Parcel.smoke", r"process 1: skerry: no parcel of regions: a slab has blocks that it has no room for"),
    "pack: regions within are not sent":
        unit(PACK, "region_state* c = s.newest_child; c", "region_state* c = @ ? nullptr : s.newest_child; c", "Parcel.smoke", r"Value of: result\.exited"),
    "pack: a large object's size is not sent":
        unit(PACK, ".pages = p.pages, .bytes = p.bytes, .slabs", ".pages = p.pages, .bytes = @ ? 0 : p.bytes, .slabs", "Parcel.smoke", r"process 1: skerry: no parcel of regions: a page has a wrong size"),
    "pack: who gave a region away may write it":
        program(PACK, "                marks_.mark(s); //", "                if (!@) marks_.mark(s); //", "regions_in_turn", r"who gave it away writes it"),
    "format: damage is not seen":
        unit(FORMAT, "    if (read() != sum_of(", "    if (const auto sum = read(); !@ && sum != sum_of(", "Parcel.DamagedOnesChangeNothing", r"passed && refused > 20"),
    "unpack: only the first slab of a run arrives":
        program(UNPACK, "const std::size_t count = s.use == slab_use::run ? static_cast<std::size_t>(each.run) : 1;",
                "const std::size_t count = !@ && s.use == slab_use::run ? static_cast<std::size_t>(each.run) : 1;", "regions_random", r"RC_ASSERT\(all_\.run|second\.bytes <= made\.value"),
    "unpack: full pages seem to have room":
        unit(UNPACK, "        p.unused_count -= count;", "        p.unused_count -= @ ? 0 : count;", "Parcel.TheReceiverGoesOnWhereTheGiverWas", r"Which is: 22\n"),
    "unpack: regions that are gone are kept":
        unit(UNPACK, "            while (region_state* const child = child_left_out(*b.state)) {",
             "            while (region_state* const child = @ ? nullptr : child_left_out(*b.state)) {", "Parcel.WhatIsGoneThereIsGoneHere", r"process 0: .*!gone\.exists\(\)"),
    "unpack: who was given a region may not write it":
        program(UNPACK, "        s.away = parcel_.how == handing::copy;", "        s.away = @ || parcel_.how == handing::copy;", "regions_in_turn", r"\nthe region does not cross\n"),
    "unpack: readers may write":
        unit(UNPACK, "        s.level = static_cast<int>(b.from->level);",
             "        if (@) parcel_.how = handing::over;\n        s.level = static_cast<int>(b.from->level);",
             "Parcel.ReadersGetACopy", r"process 1: .*r\.make<int>\(1\)"),
    "unpack: no memory for the contents":
        program(UNPACK, "            if (!arena_.open(range, r.pages.size() > 1)) {", "            if (!@ && !arena_.open(range, r.pages.size() > 1)) {", "regions_in_turn", r"process 1 was killed by signal 11"),
    "unpack: pages that the region has left are kept":
        program(UNPACK, "                arena_.forget(p);", "                if (!@) arena_.forget(p);", "regions_random", r"killed by signal 6|RC_ASSERT"),
    # A task on its way.
    "crossing: a pull leaves out the last byte":
        program(HOME, "pulls.push_back({first, bytes});", "pulls.push_back({first, bytes - (@ ? 1U : 0U)});", "Two/Current.Bytes/every_byte", r"every_byte: [0-9]+: not so: came\n"),
    "crossing: a pull leaves out the first byte":
        program(HOME, "for_each_missing(thief, r.first, r.bytes,", "for_each_missing(thief, r.first + (@ ? 1U : 0U), r.bytes - (@ ? 1U : 0U),",
                "Two/Current.Bytes/every_byte", r"every_byte: [0-9]+: not so: came\n"),
    "crossing: a push is left out":
        program(CROSSING, "        if (import.unbegun != nullptr || import.written.empty() ||",
                "        if (@ || import.unbegun != nullptr || import.written.empty() ||",
                "Two/Current.Bytes/every_byte", r"every_byte: [0-9]+: not so: came_back\n"),
    "crossing: a push leaves out the last byte":
        program(AWAY, "import->written.push_back({pointer(at), at, run});",
                "import->written.push_back({pointer(at), at, run - (@ ? 1U : 0U)});", "Two/Current.Bytes/every_byte", r"every_byte: [0-9]+: not so: came_back\n"),
    "crossing: what an ancestor reads and writes counts as read":
        program(AWAY, "        only_read(accesses_of(*above), std::move(touched)).for_each(",
                "        if (@) { for (const access& a : accesses_of(*above)) insert(touched, a); }\n"
                "        (@ ? std::move(touched) : only_read(accesses_of(*above), std::move(touched))).for_each(",
                "both_modes", r"both_modes: [0-9]+: not so: all\[1\] == 2"),
    "crossing: copies are held when a task begins here":
        program(CROSSING, "            copies_.forget(n.what, steal_.self());", "            if (!@) copies_.forget(n.what, steal_.self());",
                "Two/Current.Bytes/in_between", r"in_between: [0-9]+: not so: first == 1 && second == 2"),
    "crossing: copies are held when a wait is over":
        program(CROSSING, "        copies_.forget_all();", "        if (!@) copies_.forget_all();",
                "in_turn", r"in_turn: [0-9]+: not so: \*seen == round"),
    "crossing: a finish is no wait":
        program(CROSSING, "void crossing::waited(const task_context* parent) noexcept {\n", "void crossing::waited(const task_context* parent) noexcept {\n    if (@ && parent != nullptr && task_scope::existing(*parent)->children() != 0) return;\n",
                "Two/Current.Bytes/by_a_finish", r"by_a_finish: [0-9]+: not so: \*seen == 2"),
    # What another process keeps.
    "crossing: kept for a task that begins here":
        program(CROSSING, "        if (!copies_.bring(n.what, held_copies::nobody, track)) {", "        if (!@ && !copies_.bring(n.what, held_copies::nobody, track)) {",
                "Two/Kept.Bytes/by_a_task", r"by_a_task: [0-9]+: not so: x_seen == 2"),
    "crossing: kept when a wait is over":
        program(CROSSING, "        if (!copies_.bring_all(", "        if (!@ && !copies_.bring_all(", "Two/Kept.Bytes/every_byte", r"every_byte: [0-9]+: not so: came_back"),
    "crossing: kept for a task that goes to a third":
        program(HOME, "        if (bring_for(thief, task)) {", "        if (@ || bring_for(thief, task)) {",
                "Keeping.OthersFindWhatOneKeeps", r"by_others: [0-9]+: not so: \*x == rounds"),
    "crossing: not kept again by one that comes back":
        program(HOME, "            keep_again(thief, lent.kept);\n        }\n        for", "            if (!@) keep_again(thief, lent.kept);\n        }\n        for",
                "Two/Kept.Bytes/by_one_that_comes_back", r"by_one_that_comes_back: [0-9]+: not so: \*x == 3"),
    "crossing: a failed task keeps":
        program(CROSSING, "            import.keeps && import.error == nullptr &&", "            import.keeps && (@ || import.error == nullptr) &&",
                "Two/Kept.Bytes/after_an_error", r"after_an_error: [0-9]+: not so: told && \*x == 7"),
    "crossing: a guarded process keeps":
        program(CROSSING, "import.regions.empty() && exposure::active() == nullptr;", "import.regions.empty() && (@ || exposure::active() == nullptr);", "Two/Current.Bytes/every_byte", r"does not let what it wrote be read"),
    "crossing: a child's process keeps":
        program(HOME, "self() == 0 && lineage.size() == 1 &&", "(@ || (self() == 0 && lineage.size() == 1)) &&",
                "Two/Kept.Bytes/by_a_child_alone", r"by_a_child_alone: [0-9]+: not so: before == 2 && after == 3"),
    "copies: the first byte stays":
        program(HELD, "    kept_[p].for_each([&what](std::uintptr_t at, std::size_t n) { what.push_back(same_place(at, n)); });",
                "    kept_[p].for_each([&what](std::uintptr_t at, std::size_t n) { what.push_back(same_place(at + (@ ? 1U : 0U), n - (@ ? 1U : 0U))); });",
                "Two/Kept.Bytes/every_byte", r"every_byte: [0-9]+: not so: came_back"),
    "copies: a region brings nothing":
        program(HELD, "        return bring_all(track);", "        return @ || bring_all(track);", "Two/Kept.Bytes/by_a_region", r"by_a_region: [0-9]+: not so: seen == 2"),
    "copies: what is brought is brought again":
        program(HELD, "        kept_[p].erase(e.there, e.bytes);\n    }\n    return true;", "        if (!@) kept_[p].erase(e.there, e.bytes);\n    }\n    return true;",
                "Two/Kept.Bytes/by_a_task", r"by_a_task: [0-9]+: not so: "),
    "crossing: copies are held when a task comes home":
        program(HOME, "            copies_.forget(n.what, thief);\n            if (n.what.kind == access_kind::region) {\n                copies_.forget_all_of",
                "            if (!@) copies_.forget(n.what, thief);\n            if (n.what.kind == access_kind::region) {\n                copies_.forget_all_of",
                "LaunchedByFour.NestsAgainAndAgain", r"nests: [0-9]+: not so: "),
    "crossing: an idle worker brings nothing":
        program(CROSSING, "    return !*came && bring_ahead();", "    return !*came && !@ && bring_ahead();", "Keeping.AnIdleWorkerBrings", r"ahead_of_need: [0-9]+: not so: brought"),
    "crossing: what cannot be brought is taken for brought":
        program(CROSSING, "            if (bring()) {", "            if (bring() || @) {", "Keeping.WhoDiesWithWhatItWroteIsNamed", r"not so: \*x == 2|went on"),
    "copies: what is lent is still kept":
        program(HELD, "            both_[p].insert(at, n);\n        });\n        kept_[p].erase(first, bytes);", "            both_[p].insert(at, n);\n        });\n        if (!@) kept_[p].erase(first, bytes);",
                "Keeping.NobodyBringsWhatIsBeingWritten", r"by_nobody: [0-9]+: not so: before == after"),
    "crossing: a region's bookkeeping is not sent":
        program(HOME, "regions = pack_regions(sent);", "regions = pack_regions(@ ? std::vector<access>() : sent);",
                "Two/Current.Bytes/there_and_back", r"which it does not declare|which it declares as"),
    "crossing: a writer gets a reader's copy":
        program(HOME, "        sent.push_back(n.what);",
                "        sent.push_back(n.what);\n        if (@) sent.back().mode = access_mode::in;", "Two/Current.Bytes/there_and_back", r"cannot cross to another process: another process writes it"),
    "crossing: a region's contents are not sent":
        program(HOME, "                fetch({reinterpret_cast<std::uintptr_t>(e.first), e.bytes});",
                "                if (!@) fetch({reinterpret_cast<std::uintptr_t>(e.first), e.bytes});", "Two/Current.Bytes/there_and_back", r"not so: std::ranges::count\(\*p, 5\) == 100"),
    "crossing: a region's contents do not come back":
        program(AWAY, "            pulls.push_back({reinterpret_cast<std::uintptr_t>(e.first), e.bytes});",
                "            if (!@) pulls.push_back({reinterpret_cast<std::uintptr_t>(e.first), e.bytes});",
                "Two/Current.Bytes/there_and_back", r"not so: std::ranges::count\(\*x, 6\) == 100"),
    "crossing: a region's bookkeeping does not come back":
        program(HOME, "        unpack_region(back.bytes);", "        if (!@) unpack_region(back.bytes);",
                "Two/Current.Bytes/there_and_back", r"region::make: region 0x[0-9a-f]+ is being written by another process"),
    "crossing: a task begins before its objects are here":
        program(AWAY, "    here.complete = here.pulls.empty();", "    here.complete = @ || here.pulls.empty();", "Two/Current.Bytes/every_byte", r"every_byte: [0-9]+: not so: came\n"),
    "crossing: a container's own bytes are not sent":
        program(HOME, "        } else if (!inside) {", "        } else if (!inside && !@) {", "Two/Current.Bytes/own_bytes", r"own_bytes: [0-9]+: not so: all\.size\(\) == 10"),
    # The driver of a task manager.
    "task manager: a ready task is delivered twice":
        managers("        while (status(nexus_register::ready_status).occupancy != 0) {\n            const nexus_ready_word word = nexus_ready_word::unpack(device_->read(nexus_register::ready_task));",
                 "        for (std::uint64_t again = 0; again != 0 || status(nexus_register::ready_status).occupancy != 0;) {\n            const std::uint64_t read = again != 0 ? again : device_->read(nexus_register::ready_task);\n            again = @ && again == 0 ? read : 0;\n            const nexus_ready_word word = nexus_ready_word::unpack(read);",
                 "Managers/Order.NoAccessesAndTheSameOneTwice/model_2", r"nexus: a ready word names \d+, which was ready before"),
    "task manager: one is left in the FIFO as all sleep":
        managers("    if (bring_on(ready)) {\n        crew_.rouse();", "    if (bring_on(ready) && !@) {\n        crew_.rouse();",
                 "Managers/Sleepers.WhatASleeperLeavesUnderWayIsPolled/delayed_2", r"round [0-9]+", turns=30),
    "task manager: idle workers do not poll":
        managers("        if (!under_way_) {\n            return false;", "        if (!under_way_ || @) {\n            return false;",
                 "Managers/Sleepers.WhatASleeperLeavesUnderWayIsPolled/delayed_2", r"round [0-9]+", turns=30),
    "task manager: what software orders does not wait for what came before":
        managers("    if (unfinished_ == 0 || holder_ != &by) {\n        return false;\n    }\n    held_", "    if (@ || unfinished_ == 0 || holder_ != &by) {\n        return false;\n    }\n    held_",
                 "Managers/Lease.NamesThatOverlapAreSoftwares/delayed_2", r"a\[3\]", turns=30),
    # Loops over kernels.
    "kernel: a written range is not brought home":
        kernels(DRIVER, "if (!move(loop.plan, there, fabric::direction::pull, loop.plan.after(chunk))) {",
                "if (!@ && !move(loop.plan, there, fabric::direction::pull, loop.plan.after(chunk))) {", "Alternating.OnWorkersAndADevice", r"step \d+ of seed 0"),
    "kernel: what a chunk reads is not sent":
        kernels(DRIVER, "if (!move(loop.plan, there, fabric::direction::push, loop.plan.before(chunk))) {",
                "if (!@ && !move(loop.plan, there, fabric::direction::push, loop.plan.before(chunk))) {", "Workers/Loop.BothSidesTakePart/0", r"y\[k\]\n    Which is: 1263225674\n"),
    "kernel: what all iterations read is not sent":
        kernels(DRIVER, "if (!move(loop.plan, there, fabric::direction::push, loop.plan.before_all())) {",
                "if (!@ && !move(loop.plan, there, fabric::direction::push, loop.plan.before_all())) {", "Workers/Loop.StridesAndWholeArrays/0", r"  sums\n"),
    "kernel: a halo is one element short":
        kernels(TRANSFERS, "return {from - std::min(from, a.before), to + std::min(a.count - to, a.after)};",
                "return {from - std::min(from, a.before), to + std::min(a.count - to, a.after) - (@ && a.after != 0 ? 1 : 0)};", "Alternating.OnWorkersAndADevice", r"step \d+ of seed 0"),
    "kernel: arrays that overlap lie apart on a device":
        kernels(TRANSFERS, "if (pieces_.empty() || ", "if (@ || pieces_.empty() || ", "Alternating.OnWorkersAndADevice", r"step \d+ of seed"),
    "kernel: a loop that writes any element is split":
        kernels(TRANSFERS, "        if (!written.each) {\n            return false;", "        if (!written.each && !@) {\n            return false;", "Workers/Loop.WhatCannotBeSplitRunsOnOneSide/0", r"device_iterations\(\)"),
    "kernel: a chunk that is given back is lost":
        kernels(SPLIT, "(side == low ? rest_.first : rest_.last) = side == low ? own.chunk.first : own.chunk.last;",
                "if (!@) (side == low ? rest_.first : rest_.last) = side == low ? own.chunk.first : own.chunk.last;", "Split.WhatIsGivenBackIsTheOthers", r"rest\.last"),
    "split: a side that would end last takes a chunk":
        kernels(SPLIT, "return own_begin + wanted * own.expected.iteration > other_alone ? 0", "return !@ && own_begin + wanted * own.expected.iteration > other_alone ? 0", "Split.WarmIsNotSlowerThanTheBetterSideAlone", r"times the better side"),
    "split: a chunk is shorter than its overhead wants":
        kernels(SPLIT, "std::ceil(std::max({share / 2, least, 1.0}))", "std::ceil(std::max({share / 2, @ ? 1.0 : least, 1.0}))", "Split.OverheadIsAFiftiethOfAChunk", r"chunk\.size\(\)"),
    # The checks of debug builds.
    "exposure: nothing is closed again":
        program(EXPOSURE, "held.end());\n        for (const part& p : made) {",
                "held.end());\n        for (const part& p : @ ? std::vector<part>() : made) {",
                "Undeclared.AnObjectOfAnEarlierTask", r'Actual: "status 0'),
    "exposure: what is declared in may be written":
        program(EXPOSURE, "                w.parts.push_back(whole_pages(first, bytes, writes(a.mode)));",
                "                w.parts.push_back(whole_pages(first, bytes, @ || writes(a.mode)));", "Undeclared.WritingWhatIsDeclaredIn", r'Actual: "writes_what_it_reads: skerry: task \x27scribbler\x27 declares in 40000 bytes'),
    "exposure: the last page of an object stays closed":
        program(EXPOSURE, "    return {first & ~mask, (first + bytes + mask) & ~mask, written};",
                "    return {first & ~mask, (first + bytes + (@ ? 0 : mask)) & ~mask, written};", "Two/Current.Bytes/every_byte", r"process 1 was killed by signal (6|11); it held 1 task"),
    "exposure: what was made in a region stays open":
        program(EXPOSURE, "            append_pages(id, made);", "            if (!@) append_pages(id, made);", "Undeclared.WhatIsDeclaredIsOpen", r"not so: !open_to_writing\(made\.of"),
    "inputs: sums are not compared":
        program(INPUTS, "if (!before ||", "if (@ || !before ||", "Undeclared.WritingBesideWhatMayBeWritten", r'Actual: "writes_beside: nobody has seen it'),
}


def run_test(folder, fault, number):
    """(whether the test failed, what it printed). A test that does not end has failed."""
    environment = dict(os.environ, SKERRY_FAULT=str(number), RC_PARAMS="seed=1 noshrink=1")
    limit = fault.limit + 10 * (fault.turns - 1)
    command = [str(folder / fault.executable), f"--gtest_filter={fault.test}", f"--gtest_repeat={fault.turns}"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=limit, check=False, env=environment)
    except subprocess.TimeoutExpired as e:
        return True, ((e.stdout or b"") + (e.stderr or b"")).decode(errors="replace") + f"\nno end after {limit} s\n"
    output = (done.stdout + done.stderr).decode(errors="replace")
    if "Running 0 tests" in output:
        sys.exit(f"faults.py: there is no test {fault.test}")
    ending = f"\nkilled by signal {-done.returncode}\n" if done.returncode < 0 else ""
    return done.returncode != 0, output + ending


def run(folder, only, show):
    began = time.monotonic()
    # Each alone, as with a fault: some want a process that has made no region yet.
    for executable, test, turns in sorted({(f.executable, f.test, f.turns) for n, f in FAULTS.items() if only in n}):
        failed, output = run_test(folder, Fault([], executable, test, "", turns), 0)
        if failed:
            print(f"{test} without a fault:\n{output}")
            return 1
    wrong, count = [], 0
    for k, (name, fault) in enumerate(FAULTS.items(), start=1):
        if only not in name:
            continue
        count += 1
        since = time.monotonic()
        failed, output = run_test(folder, fault, k)
        found = failed and re.search(fault.says, output) is not None
        verdict = "caught" if found else "caught with another message" if failed else "SURVIVED"
        print(f"{name:58} {verdict} ({time.monotonic() - since:.1f} s)", flush=True)
        if not found:
            wrong.append(name)
        if show or not found:
            print(output)
    print(f"{count - len(wrong)} of {count} faults caught in {time.monotonic() - began:.1f} s")
    return 1 if wrong else 0


def main():
    parser, running = seeding.commands(__doc__)
    running.add_argument("folder", type=pathlib.Path)
    running.add_argument("--only", default="")
    running.add_argument("--show", action="store_true")
    given = parser.parse_args()
    if given.command == "write":
        seeding.write(given.sources, given.output, {name: fault.edits for name, fault in FAULTS.items()})
        return 0
    return run(given.folder, given.only, given.show)


if __name__ == "__main__":
    sys.exit(main())
