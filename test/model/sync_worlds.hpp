// SPDX-License-Identifier: Apache-2.0
#pragma once

// Worlds for the small structures of src/sync: gate, mutex, condition, shared fence, event count, join word, latch.

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include <skerry/detail/sync/heavy_fence.hpp>
#include <skerry/detail/sync/join_word.hpp>
#include <skerry/detail/sync/latch.hpp>

#include "explorer.hpp"
#include "machine.hpp"
#include "sync/condition.hpp"
#include "sync/event_count.hpp"
#include "sync/gate.hpp"
#include "sync/mutex.hpp"
#include "sync/shared_fence.hpp"

namespace skerry::model {

using bell = detail::event_count<machine>;

// The owner enters, others try. Whoever is inside is alone there.
struct gate_world {
    detail::gate<machine> gate;
    plain<int> inside{0};
    int entries = 0;
    gate_world() {
        label(gate, "gate");
        label(inside, "inside");
    }
    void pass() {
        require(inside.get() == 0, "two in the gate");
        inside.set(1);
        inside.set(0);
        ++entries;
    }
    void owner() {
        gate.enter();
        pass();
        gate.leave_as_owner();
        gate.enter();
        pass();
        gate.leave();
    }
    void thief() {
        for (int i = 0; i < 2; ++i) {
            if (gate.try_enter()) {
                reached("a thief entered");
                pass();
                gate.leave();
            }
        }
    }
    void finally() { require(entries >= 2, "the owner did not enter"); }
};

// Everyone waits. Whoever is inside is alone there.
struct mutex_world {
    detail::mutex<machine> mutex;
    plain<int> inside{0};
    int entries = 0;
    mutex_world() {
        label(mutex, "mutex");
        label(inside, "inside");
    }
    void visitor() {
        mutex.lock();
        require(inside.get() == 0, "two in the mutex");
        inside.set(1);
        inside.set(0);
        ++entries;
        mutex.unlock();
    }
    void trier() {
        if (mutex.try_lock()) {
            reached("got it at once");
            require(inside.get() == 0, "two in the mutex");
            inside.set(1);
            inside.set(0);
            mutex.unlock();
        }
    }
    void finally() { require(entries >= 2, "a visitor did not enter"); }
};

// Two wait for what a third makes true under the lock.
struct condition_world {
    detail::mutex<machine> mutex;
    detail::condition<machine> turned;
    plain<int> ready{0};
    condition_world() {
        label(mutex, "mutex");
        label(turned, "turn");
        label(ready, "ready");
    }
    void waiter() {
        std::unique_lock lock(mutex);
        turned.wait(lock, [this] {
            if (ready.get() == 0) {
                reached("waited");
            }
            return ready.get() != 0;
        });
    }
    void notifier() {
        {
            const std::lock_guard lock(mutex);
            ready.set(1);
        }
        turned.notify_all();
    }
    void finally() { require(ready.get() == 1, "nobody has turned it"); }
};

// Whoever needs a fence says what it looks for and looks for what others have done; the owner, the other way round and
// with a light fence. One of the two sees the other, whoever made the heavy one.
template <unsigned Askers, int Looks = 4> // enough for two fences of others and one that is refused
struct fence_world {
    struct counting : machine {
        static constexpr int fence_spins = Looks;
        static detail::heavy_fence heavy_fence() noexcept {
            ++current->made[static_cast<std::size_t>(engine::instance().thread())];
            return machine::heavy_fence();
        }
        static inline fence_world* current = nullptr;
    };
    fence_world() {
        counting::current = this;
        label(fence, "fences");
        label(done, "done");
        label(rings, "rings");
    }
    void owner() {
        done.store(1, memory_order::relaxed);
        machine::light_fence();
        for (unsigned i = 0; i < Askers; ++i) {
            rung[i] = rings[i].load(memory_order::relaxed) != 0;
        }
    }
    template <unsigned I>
    void asker() {
        rings[I].store(1, memory_order::relaxed);
        if (fence.pass([] { return true; }) != detail::heavy_fence::passed) {
            reached("did without");
            seen[I] = true;
            return;
        }
        reached(made[I + 1] == 0 ? "another's was as good" : "made one");
        seen[I] = done.load(memory_order::relaxed) != 0;
    }
    void stranger() { // of another team: one that comes meanwhile is refused
        if (machine::heavy_fence() == detail::heavy_fence::passed) {
            reached("a stranger's");
        }
    }
    void finally() {
        for (unsigned i = 0; i < Askers; ++i) {
            require(rung[i] || seen[i], "neither has seen the other");
        }
    }
    detail::shared_fence<counting> fence;
    machine::atomic<int> done{0};
    std::array<machine::atomic<int>, Askers> rings{};
    std::array<bool, Askers> rung{}, seen{};
    std::array<int, Askers + 1> made{}; // by thread, the owner's first
};

// A sleeper waits for a flag that either of two wakers may be the one to raise.
struct event_world {
    bell sleeping;
    machine::atomic<int> flag{0};
    event_world() {
        label(sleeping, "bell");
        label(flag, "flag");
    }
    void sleeper() {
        while (flag.load(memory_order::acquire) < 2) {
            sleeping.prepare();
            if (flag.load(memory_order::acquire) < 2) {
                reached("slept");
                sleeping.wait();
            } else {
                sleeping.cancel();
            }
        }
    }
    void waker() {
        flag.fetch_add(1, memory_order::release);
        machine::full_fence();
        if (sleeping.notify()) {
            reached("woke");
        }
    }
    // The event is a plain store here, and the fence is what orders it before the look.
    void lone_waker() {
        flag.store(2, memory_order::release);
        machine::full_fence();
        static_cast<void>(sleeping.notify());
    }
};

// Two tell it, and one counts on it that the sleeper knows of its call if there was one.
struct calling_world : event_world {
    void sleeper() {
        while (flag.load(memory_order::acquire) < 2) {
            sleeping.prepare();
            const bool sleeps = flag.load(memory_order::acquire) < 2;
            if (sleeps ? sleeping.wait() : sleeping.cancel()) {
                reached(sleeps ? "called in its sleep" : "called before");
                ++heard;
            }
        }
    }
    void caller() {
        flag.fetch_add(1, memory_order::release);
        machine::full_fence();
        counted_on += sleeping.call() ? 1 : 0;
    }
    void finally() { require(heard == counted_on, "a call was counted on and not heard"); }
    int heard = 0;
    int counted_on = 0;
};

// Waits as team::sleep does; Timed: without a heavy fence.
template <bool Timed = false, class Done, class Arm, class Disarm>
void sleep_until(bell& sleeping, Done done, Arm arm, Disarm disarm) {
    while (!done()) {
        sleeping.prepare();
        if (arm()) {
            reached("slept");
            static_cast<void>(Timed ? sleeping.wait_for(1'000'000) : sleeping.wait());
            if (!disarm()) {
                sleeping.await_delivery();
            }
        } else {
            sleeping.cancel();
        }
    }
}

// A joiner sleeps for a stolen task, and frees it as soon as it is done.
struct join_world {
    struct task {
        detail::join_word<machine> joined;
        plain<int> result{0};
    };
    bell sleeping;
    task* stolen = new task;
    join_world() {
        label(sleeping, "bell");
        label(*stolen, "task");
        stolen->joined.begin(this);
    }
    void joiner() {
        sleep_until(
            sleeping, [&] { return stolen->joined.done(); }, [&] { return stolen->joined.try_wait(&sleeping); },
            [&] { return stolen->joined.stop_waiting(this); });
        require(stolen->result.get() == 7, "the result has not arrived");
        delete stolen;
    }
    void thief() {
        stolen->result.set(7);
        if (void* const sleeper = stolen->joined.finish()) {
            reached("told");
            static_cast<bell*>(sleeper)->deliver();
        }
    }
};

// A joiner whose bell rings for another reason first (new work), so that it takes its wish back and wishes again.
struct join_and_other_world : join_world {
    void other() { sleeping.notify(); }
};

// The same, where the bell goes with the joiner and the other thread, as a runtime's does: who ended the task is of
// another one, for which nobody waits.
template <bool Timed>
struct leaving_world {
    detail::join_word<machine> end;
    bell* sleeping = new bell;
    machine::atomic<int> gone{0};
    plain<int> last{0};
    leaving_world() {
        label(end, "end");
        label(*sleeping, "bell");
        label(gone, "gone");
        end.begin(this);
    }
    void joiner() {
        bool rung = false;
        sleep_until<Timed>(
            *sleeping, [&] { return end.done(); }, [&] { return end.try_wait(sleeping); },
            [&] {
                rung = !end.stop_waiting(this);
                return !rung;
            });
        require(!rung || last.get() == 1, "what came before the delivery has not arrived");
        while (gone.load(memory_order::acquire) == 0) {
        }
        delete sleeping;
    }
    void other() {
        if (sleeping->call()) {
            reached("called");
        }
        gone.store(1, memory_order::release);
    }
    void finisher() {
        if (void* const sleeper = end.finish()) {
            reached("told");
            last.set(1);
            static_cast<bell*>(sleeper)->deliver();
        }
    }
};

// Two tasks and the waiter itself count down a latch, which dies at once.
struct latch_world {
    bell sleeping;
    detail::latch<machine>* latch = new detail::latch<machine>;
    plain<int> first{0};
    plain<int> second{0};
    latch_world() {
        label(sleeping, "bell");
        label(*latch, "latch");
        latch->add(2);
    }
    void waiter() {
        static_cast<void>(latch->arrive());
        sleep_until(
            sleeping, [&] { return latch->done(); }, [&] { return latch->arm(&sleeping); },
            [&] { return latch->disarm(); });
        require(first.get() == 1 && second.get() == 1, "a task's work has not arrived");
        delete latch;
    }
    void arrive() {
        if (void* const sleeper = latch->arrive()) {
            reached("told");
            static_cast<bell*>(sleeper)->deliver();
        }
    }
    void task_one() {
        first.set(1);
        arrive();
    }
    void task_two() {
        second.set(1);
        arrive();
    }
};

// As above, but the waiter gives its count back only before it sleeps (latch_done).
struct late_latch_world : latch_world {
    void late_waiter() {
        bool left = false;
        sleep_until(
            sleeping, [&] { return left ? latch->done() : latch->alone(); },
            [&] {
                if (!left) {
                    left = true;
                    require(latch->arrive() == nullptr, "nobody sleeps there yet");
                }
                return latch->arm(&sleeping);
            },
            [&] { return latch->disarm(); });
        reached(left ? "left" : "never left");
        require(first.get() == 1 && second.get() == 1, "a task's work has not arrived");
        delete latch;
    }
};

// A waiter that looks whether nothing but itself is counted any more.
struct lonely_world {
    detail::latch<machine> latch;
    plain<int> written{0};
    lonely_world() {
        label(latch, "latch");
        latch.add();
    }
    void waiter() {
        while (!latch.alone()) {
            reached("not alone");
        }
        require(written.get() == 1, "a task's work has not arrived");
    }
    void task() {
        written.set(1);
        require(latch.arrive() == nullptr, "the waiter holds a count");
    }
};

} // namespace skerry::model
