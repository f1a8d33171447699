// SPDX-License-Identifier: Apache-2.0

// The third protocol: direct task stealing (Wang et al., Fig. 3(c)). The deque is its owner's alone. A thief interrupts
// the owner's core; the handler there takes the oldest task that the thief may have, marks it, publishes everything and
// answers. docs/design/0008-the-steal-contract.md has the steps and why they are right.
//
// Thread safety: interrupt_one and request: the thief. on_interrupt and serve: the core of the victim, on top of
// whatever it was doing, while interrupts are not masked.
//
// Invariant: while a thief waits for an answer, its core's entry in `outbox` is its request.

#include <array>

#include "sched/team.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// By core: the message of an interrupt is its sender's number.
constinit std::array<machine::atomic<steal_request*>, machine::max_cores> outbox{};

// How often a core that masks interrupts is asked to look for requests to stop.
constexpr int most_requests = 4000;

} // namespace

answer team::request(worker& self, worker& victim, steal_request::kind what, wanted w, loose_task* subject) noexcept {
    steal_request& r = self.request;
    r.ask = {
        .victim = &victim, .thief = &self, .subject = subject, .depth = self.mine().depth(), .wish = w, .what = what};
    const unsigned here = machine::core();
    const unsigned there = victim.core.load(memory_order::acquire);
    if (there == here) { // a thread that holds two slots of one team
        serve(r);
        return r.reply.result;
    }
    machine::publish(&r.ask, sizeof r.ask, coherence_step::request_sent); // I1 -> I2
    outbox[here].store(&r, memory_order::release);
    if (!machine::interrupt(there)) {
        return answer::busy;
    }
    machine::discard_all(coherence_step::reply_taken); // I5 <- I4
    return r.reply.result;
}

void team::on_interrupt(unsigned sender) noexcept {
    steal_request& r = *outbox[sender].load(memory_order::acquire);
    machine::discard(&r.ask, sizeof r.ask, coherence_step::request_taken); // I2 <- I1
    serve(r);
    machine::publish_all(coherence_step::reply_sent); // I4 -> I5
}

// I3. The interrupted code may be anywhere outside the door of its deque, also in the middle of a push or a pop.
void team::serve(steal_request& r) noexcept {
    const steal_request::question& ask = r.ask;
    r.reply = {};
    const worker_page* page = current_page;
    while (page != nullptr && page != ask.victim) {
        page = worker::of(const_cast<worker_page&>(*page)).outer;
    }
    if (page == nullptr) {
        return; // its holder has left, or sits elsewhere by now
    }
    worker& self = *ask.victim;
    switch (ask.what) {
    case steal_request::kind::steal: {
        const auto accept = [&ask, &self](task_header& t, std::size_t index) {
            return accept_for(*ask.thief, self, ask.wish, ask.depth, t, index);
        };
        r.reply.result = self.theirs().steal(accept, false, r.reply.task);
        r.reply.more = self.theirs().holds_any();
        break;
    }
    case steal_request::kind::extract:
        r.reply.result = self.theirs().extract([&ask](const task_header& t) { return ask.wish.accepts(t, 0); },
                                               self.hole, r.reply.task);
        break;
    case steal_request::kind::withdraw: r.reply.result = self.theirs().withdraw(*ask.subject, self.hole); break;
    case steal_request::kind::alert: alert_itself(self); break; // and the ring below
    }
    if (r.reply.result != answer::granted) {
        self.ring(); // the next push says so: somebody waits for it
    }
}

void team::alert_cores() noexcept {
    worker_page* page = current_page;
    while (page != nullptr && &worker::of(*page).home != this) {
        page = worker::of(*page).outer;
    }
    if (page == nullptr) {
        return;
    }
    worker& self = worker::of(*page);
    alert_itself(self);
    for (unsigned i = 0, n = slots(); i < n; ++i) {
        worker& v = slot(i);
        for (int turn = 0; turn < most_requests && &v != &self && v.taken.load(memory_order::acquire) &&
                           request(self, v, steal_request::kind::alert, wanted::any(), nullptr) == answer::busy;
             ++turn) {
            machine::pause(); // it masks interrupts for a bounded number of steps
        }
    }
}

task_header* team::interrupt_one(worker& self, wanted w, search& s) noexcept {
    task_header* task = nullptr;
    const auto ask = [&](worker& v) {
        self.count.asked.add();
        static_cast<void>(steal_from(self, v, w, false, task));
    };
    if (const worker_page* const executor = w.executor()) {
        ask(worker::of(*const_cast<worker_page*>(executor)));
        return task;
    }
    const unsigned n = known_slots(self);
    const unsigned turns = static_cast<unsigned>(self.order.size()) + n;
    for (unsigned i = 0; i < turns; ++i) {
        worker& v = choose(self, (s.turn + i) % turns, n);
        if (&v != &self && v.taken.load(memory_order::acquire)) {
            ask(v);
            break;
        }
    }
    return task != nullptr ? task : take_injected(self, w, queue_part::few);
}

} // namespace skerry::inline SKERRY_ABI::detail
