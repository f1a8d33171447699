// SPDX-License-Identifier: Apache-2.0

// Constructs of Skerry in receive functions.

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include <skerry/skerry.hpp>

#include "ways.hpp"

namespace skerry::test {
namespace {

// --- other cores help -----------------------------------------------------------------------------------------------

// Ends when all cores and the one other worker (ways.cpp) are inside at once.
class gathering {
  public:
    explicit gathering(int cores) : threads(cores + 1) {}
    void operator()() {
        if (em_core_id() >= 0) {
            here_ |= std::uint64_t{1} << em_core_id();
        }
        if (++inside_ == threads) {
            all_ = true;
        }
        wait_for(all_);
    }
    [[nodiscard]] std::uint64_t here() const { return here_; }

    const int threads;

  private:
    std::atomic<int> inside_{0};
    std::atomic<bool> all_{false};
    std::atomic<std::uint64_t> here_{0};
};

void gather_in_a_loop(gathering& g) {
    skerry::parallel_for(0, g.threads, [&g](int) { g(); }, skerry::grain::fixed(1));
}
void gather_in_tasks(gathering& g) {
    for (int i = 0; i < g.threads; ++i) {
        skerry::spawn([&g] { g(); });
    }
    skerry::taskwait();
}
void gather_in_a_finish(gathering& g) {
    skerry::finish([&](skerry::scope& s) {
        for (int i = 0; i < g.threads; ++i) {
            s.async([&g] { g(); });
        }
    });
}
void gather_when_it_returns(gathering& g) {
    for (int i = 0; i < g.threads; ++i) {
        static_cast<void>(skerry::submit([&g] { g(); }));
    }
}

TEST_P(event_rules_of_several_cores, all_cores_help_a_receive_function_of_an_atomic_queue) {
    using gather = void (*)(gathering&);
    constexpr std::array<gather, 4> all = {gather_in_a_loop, gather_in_tasks, gather_in_a_finish,
                                           gather_when_it_returns};
    for (const gather how : all) {
        gathering g(core_count());
        one_at_a_time inside;
        std::atomic<int> received{0};
        receive_by f = [&](em_event_t e, em_queue_t) {
            inside.enter();
            const int value = free_value(e);
            if (value == 0) {
                how(g);
            }
            inside.leave();
            ++received;
        };
        cores machine(core_count());
        const receiver r = make_receiver(f, EM_QUEUE_TYPE_ATOMIC);
        send_value(0, r.queue);
        send_value(1, r.queue); // waits for the first one's tasks
        cores::until([&] { return received == 2; });
        ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
        EXPECT_EQ(g.here(), all_cores());
        EXPECT_EQ(inside.overlaps(), 0);
    }
}

// --- no event runs on a stack that waits ----------------------------------------------------------------------------

thread_local int receive_functions = 0; // on this thread's stack

TEST_P(event_rules, no_event_is_received_on_a_stack_that_waits) {
    constexpr int inputs = 16;
    std::atomic<int> nested{0};
    std::atomic<int> received{0};
    std::array<em_queue_t, 3> queues{};
    receive_by wait_often = [&](em_event_t e, em_queue_t) {
        nested += ++receive_functions != 1 ? 1 : 0;
        em_preschedule();
        const int depth = free_value(e);
        const auto send_below = [&](int i) {
            if (depth > 0) {
                send_value(depth - 1, queues[static_cast<unsigned>(i) % queues.size()]);
            }
            dawdle(depth + i);
        };
        skerry::parallel_for(0, 2, send_below, skerry::grain::fixed(1));
        skerry::spawn([&] { dawdle(depth); });
        skerry::taskwait();
        skerry::finish([&](skerry::scope& s) { s.async([&] { dawdle(depth + 1); }); });
        --receive_functions;
        ++received;
    };
    cores machine(core_count());
    unsigned next = 0;
    for (const em_queue_type_t type : {EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_TYPE_PARALLEL_ORDERED}) {
        queues[next++] = make_receiver(wait_often, type).queue;
    }
    for (int i = 0; i < inputs; ++i) {
        send_value(2, queues[static_cast<unsigned>(i) % queues.size()]);
    }
    cores::until([&] { return received == inputs * (1 + 2 + 4); });
    EXPECT_EQ(nested, 0);
}

// --- results are those of a serial run ------------------------------------------------------------------------------

constexpr int numbers = 40;

std::uint32_t term(int input, int i) { return static_cast<std::uint32_t>(input * 7919 + i) * 2654435761U; }

// What depends on the order of the events, and not on that of the tasks.
void step(std::uint32_t& state, std::uint32_t sum) { state = state * 31 + sum; }

TEST_P(event_rules, tasks_of_atomic_contexts_that_send_have_the_results_of_a_serial_run) {
    std::uint32_t serial = 0;
    for (int input = 0; input < numbers; ++input) {
        std::uint32_t sum = 0;
        for (int i = 0; i < 100; ++i) {
            sum += term(input, i);
        }
        step(serial, sum);
    }
    std::uint32_t state = 0; // of the atomic queue's receive function
    std::atomic<std::uint32_t> by_tasks{0};
    std::atomic<int> received{0};
    std::atomic<int> arrived{0};
    em_queue_t adder = EM_QUEUE_UNDEF;
    em_queue_t pieces = EM_QUEUE_UNDEF;
    receive_by sum_up = [&](em_event_t e, em_queue_t) {
        const int input = free_value(e);
        std::array<std::uint32_t, 4> parts{};
        for (int p = 0; p < 4; ++p) {
            skerry::spawn(
                [input, p, &pieces](std::uint32_t& part) {
                    for (int i = 25 * p; i < 25 * (p + 1); ++i) {
                        part += term(input, i);
                    }
                    send_value(static_cast<int>(part % 1000), pieces);
                },
                skerry::inout(parts[static_cast<unsigned>(p)]));
        }
        skerry::taskwait();
        step(state, parts[0] + parts[1] + parts[2] + parts[3]);
        ++received;
    };
    receive_by add = [&](em_event_t e, em_queue_t) {
        by_tasks += static_cast<std::uint32_t>(free_value(e));
        ++arrived;
    };
    cores machine(core_count());
    pieces = make_receiver(add, EM_QUEUE_TYPE_PARALLEL).queue;
    adder = make_receiver(sum_up, EM_QUEUE_TYPE_ATOMIC).queue;
    for (int input = 0; input < numbers; ++input) {
        send_value(input, adder);
    }
    cores::until([&] { return received == numbers && arrived == 4 * numbers; });
    EXPECT_EQ(state, serial);
    std::uint32_t expected = 0;
    for (int input = 0; input < numbers; ++input) {
        for (int p = 0; p < 4; ++p) {
            std::uint32_t part = 0;
            for (int i = 25 * p; i < 25 * (p + 1); ++i) {
                part += term(input, i);
            }
            expected += part % 1000;
        }
    }
    EXPECT_EQ(by_tasks, expected);
}

} // namespace
} // namespace skerry::test
