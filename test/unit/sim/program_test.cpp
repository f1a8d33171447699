// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>

#include "machines.hpp"

namespace {

using namespace skerry_sim;
using namespace skerry_test;
using testing::HasSubstr;

template <class E, class F>
std::string text_of(F f) {
    try {
        f();
    } catch (const E& error) {
        return error.what();
    }
    return "no exception";
}

// ---- Exceptions.

TEST(exceptions, what_leaves_the_body_arrives_at_run) {
    EXPECT_EQ(text_of<std::runtime_error>([] { simulate([] { throw std::runtime_error("from core 0"); }); }),
              "from core 0");
    EXPECT_EQ(text_of<std::runtime_error>([] {
                  simulate([] {
                      start_thread([](void*) { throw std::runtime_error("from core 1"); }, nullptr);
                      join_thread(1);
                  });
              }),
              "from core 1");
}

// Every core is inside a handler, and on the way to one, while others run.
TEST(exceptions, are_each_cores_own) {
    static unsigned wrong, caught;
    wrong = caught = 0;
    simulate([] {
        auto f = [](unsigned core) {
            for (unsigned i = 0; i < 50; ++i) {
                try {
                    struct unwound {
                        ~unwound() {
                            pause(13);
                            wrong += std::uncaught_exceptions() != 1;
                        }
                    } const here;
                    throw core * 100 + i;
                } catch (const unsigned& value) {
                    pause(core + 3);
                    wrong += std::uncaught_exceptions() != 0;
                    try {
                        throw;
                    } catch (const unsigned& again) {
                        wrong += &again != &value || again != core * 100 + i;
                    }
                    __atomic_fetch_add(&caught, 1, __ATOMIC_RELAXED);
                }
            }
        };
        on_all_cores(f);
    });
    EXPECT_EQ(caught, 200U);
    EXPECT_EQ(wrong, 0U);
}

// ---- Thread-local variables.

constinit thread_local std::uint64_t counter [[gnu::tls_model("initial-exec")]] = 40;

struct noisy {
    static unsigned made, gone;
    unsigned core = (__atomic_fetch_add(&made, 1, __ATOMIC_RELAXED), self());
    ~noisy() { __atomic_fetch_add(&gone, core == self() ? 1 : 0, __ATOMIC_RELAXED); }
};
unsigned noisy::made, noisy::gone;
noisy& one_each() {
    thread_local noisy one;
    return one;
}
thread_local std::vector<unsigned> numbers;

TEST(thread_locals, are_each_cores_own) {
    static std::uint64_t last[4];
    static std::uint64_t* where[4];
    noisy::made = noisy::gone = 0;
    counter = 7; // the host's
    const statistics result = simulate([] {
        auto f = [](unsigned core) {
            for (unsigned i = 0; i < 100; ++i) {
                counter += core;
                pause(5);
            }
            last[core] = counter;
            where[core] = &counter;
            one_each().core = core;
            numbers.push_back(core);
        };
        on_all_cores(f);
    });
    for (unsigned core = 0; core < 4; ++core) {
        EXPECT_EQ(last[core], 40 + 100 * core);
        for (unsigned other = 0; other < core; ++other) {
            EXPECT_NE(where[core], where[other]);
        }
    }
    EXPECT_EQ(counter, 7U);
    EXPECT_EQ(noisy::made, 4U);
    EXPECT_EQ(noisy::gone, 4U);
    EXPECT_TRUE(numbers.empty());
    EXPECT_EQ(result.total.stale_reads, 0U);
    EXPECT_EQ(result.foreign_pages, 0U);
}

// ---- The heap.

TEST(heap, blocks_are_distinct_aligned_and_kept) {
    static unsigned wrong;
    wrong = 0;
    simulate(
        [] {
            auto f = [](unsigned core) {
                std::vector<std::unique_ptr<std::vector<std::uint64_t>>> kept;
                std::uint64_t random = core + 1;
                for (unsigned i = 0; i < 300; ++i) {
                    random = random * 6364136223846793005U + 1442695040888963407U;
                    const std::size_t size = random >> 33 & (i % 50 == 0 ? 0x7FFF : 0x3F);
                    kept.push_back(std::make_unique<std::vector<std::uint64_t>>(size, core * 1000 + i));
                    if (random >> 60 < 6) {
                        kept.erase(kept.begin() + static_cast<long>((random >> 20) % kept.size()));
                    }
                }
                for (const auto& block : kept) {
                    for (const std::uint64_t value : *block) {
                        if (value != block->front() || value / 1000 != core) {
                            __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
                        }
                    }
                }
            };
            on_all_cores(f);
        },
        {.stale = stale_mode::emulate});
    EXPECT_EQ(wrong, 0U);
}

TEST(heap, every_form_of_it) {
    static const char* failed;
    failed = nullptr;
    simulate([] {
        const auto expect = [](bool good, const char* what) { failed = good || failed != nullptr ? failed : what; };
        auto* const zero = static_cast<unsigned char*>(std::calloc(100, 7));
        for (unsigned i = 0; i < 700; ++i) {
            expect(zero[i] == 0, "calloc");
        }
        void* const small = std::malloc(10);
        std::memset(small, 9, 10);
        auto* const grown = static_cast<unsigned char*>(std::realloc(small, 100000));
        expect(grown[0] == 9 && grown[9] == 9, "realloc");
        void* const aligned = std::aligned_alloc(4096, 5000);
        expect(reinterpret_cast<std::uintptr_t>(aligned) % 4096 == 0, "aligned_alloc");
        void* posix = nullptr;
        expect(posix_memalign(&posix, 256, 3) == 0 && reinterpret_cast<std::uintptr_t>(posix) % 256 == 0, "posix");
        expect(posix_memalign(&posix, 24, 3) != 0, "posix_memalign of an odd alignment");
        static volatile std::size_t most = ~std::size_t{0}; // so that the compiler does not know better
        void* volatile none = std::calloc(most, 16);        // else there may be no call
        expect(none == nullptr, "calloc overflow");
        none = std::malloc(most >> 19);
        expect(none == nullptr, "malloc of too much");
        std::free(nullptr);
        std::free(zero);
        std::free(std::realloc(grown, 10));
        std::free(aligned);
        std::free(posix);
    });
    EXPECT_EQ(failed, nullptr) << failed;
}

// A block that is freed on one core and used again on another: no late write-back spoils it.
TEST(heap, a_freed_block_leaves_all_caches) {
    static std::uint64_t* block;
    static std::uint32_t phase;
    static std::uint64_t read_back;
    phase = 0;
    simulate(
        [] {
            const auto until = [](std::uint32_t value) {
                while (__atomic_load_n(&phase, __ATOMIC_ACQUIRE) != value) {
                    pause(10);
                }
            };
            auto f = [&](unsigned core) {
                if (core == 1) {
                    auto* const mine = new std::uint64_t(1); // dirty here, and freed so
                    delete mine;
                    __atomic_store_n(&phase, 1, __ATOMIC_RELEASE);
                    until(2);
                    publish_all();
                    __atomic_store_n(&phase, 3, __ATOMIC_RELEASE);
                } else if (core == 0) {
                    until(1);
                    block = new std::uint64_t(2);
                    publish_all();
                    __atomic_store_n(&phase, 2, __ATOMIC_RELEASE);
                    until(3);
                    discard_all();
                    read_back = *block;
                    delete block;
                }
            };
            on_all_cores(f);
        },
        {.stale = stale_mode::emulate});
    EXPECT_EQ(read_back, 2U);
}

TEST(heap, what_outlives_the_run_is_the_hosts) {
    static std::vector<std::string>* result;
    simulate([] { result = new std::vector<std::string>(10, std::string(100, 'x')); });
    result->push_back(std::string(50, 'y'));
    EXPECT_EQ(result->at(9), std::string(100, 'x'));
    delete result;
}

// ---- Block operations: unaligned, across lines, overlapping.

TEST(blocks, copies_and_fills) {
    static unsigned wrong;
    wrong = 0;
    const statistics result = simulate([] {
        struct whole {
            unsigned char bytes[300];
        };
        std::vector<unsigned char> from(1000), to(1000);
        for (unsigned i = 0; i < 1000; ++i) {
            from[i] = static_cast<unsigned char>(i * 7);
        }
        for (const std::size_t size : {0U, 1U, 3U, 8U, 63U, 64U, 65U, 130U, 500U}) {
            std::memset(to.data(), 0, to.size());
            std::memcpy(to.data() + 61, from.data() + 3, size);
            wrong += std::memcmp(to.data() + 61, from.data() + 3, size) != 0 || to[61 + size] != 0 || to[60] != 0;
        }
        std::memmove(from.data() + 5, from.data(), 900);
        wrong += from[5] != 0 || from[904] != static_cast<unsigned char>(899 * 7);
        auto* const a = new whole{};
        a->bytes[299] = 3;
        auto* const b = new whole(*a);
        wrong += b->bytes[299] != 3;
        std::uint64_t straddling = 0;
        std::memcpy(&straddling, to.data() + 60, 8);
        delete a;
        delete b;
    });
    EXPECT_EQ(wrong, 0U);
    EXPECT_GT(result.total.loads, 200U);
}

__extension__ using wide = unsigned __int128;

TEST(atomics, every_width) {
    static unsigned wrong;
    static wide both;
    wrong = 0;
    const auto body = [] {
        const auto check = [](auto zero) {
            using type = decltype(zero);
            static type word;
            const type two = 2;
            __atomic_store_n(&word, type(5), __ATOMIC_RELEASE);
            wrong += __atomic_load_n(&word, __ATOMIC_ACQUIRE) != 5;
            wrong += __atomic_fetch_add(&word, two, __ATOMIC_RELAXED) != 5;
            wrong += __atomic_fetch_sub(&word, two, __ATOMIC_ACQ_REL) != 7;
            wrong += __atomic_fetch_or(&word, two, __ATOMIC_ACQ_REL) != 5;
            wrong += __atomic_fetch_and(&word, type(6), __ATOMIC_ACQ_REL) != 7;
            wrong += __atomic_fetch_xor(&word, two, __ATOMIC_ACQ_REL) != 6;
            wrong += __atomic_fetch_nand(&word, two, __ATOMIC_ACQ_REL) != 4;
            wrong += __atomic_exchange_n(&word, type(9), __ATOMIC_ACQ_REL) != static_cast<type>(~type(0));
            type expected = 8;
            wrong += __atomic_compare_exchange_n(&word, &expected, two, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
            wrong += expected != 9;
            wrong += !__atomic_compare_exchange_n(&word, &expected, two, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
            __atomic_store_n(&word, type(3), __ATOMIC_RELAXED);
            wrong += __atomic_load_n(&word, __ATOMIC_RELAXED) != 3;
        };
        check(std::uint8_t{});
        check(std::uint16_t{});
        check(std::uint32_t{});
        check(std::uint64_t{});
        __atomic_store_n(&both, wide{1} << 100 | 3, __ATOMIC_RELEASE);
        wrong += __atomic_load_n(&both, __ATOMIC_ACQUIRE) != (wide{1} << 100 | 3);
        wrong += __atomic_exchange_n(&both, wide{4}, __ATOMIC_ACQ_REL) != (wide{1} << 100 | 3);
    };
    simulate(body, {.stale = stale_mode::emulate});
    EXPECT_EQ(wrong, 0U);
    simulate(body, {}, mesi());
    EXPECT_EQ(wrong, 0U);
    body(); // and on the host, where the hooks are plain atomics
    EXPECT_EQ(wrong, 0U);
}

// ---- Errors.

TEST(errors, more_threads_than_cores) {
    static std::string text;
    simulate([] {
        text = text_of<std::runtime_error>([] {
            for (;;) {
                start_thread([](void*) { pause(100); }, nullptr);
            }
        });
        join_thread(2);
        start_thread([](void*) {}, nullptr); // the core is free again
    });
    EXPECT_EQ(text, "skerry: sim: start_thread: all 4 cores of tiny4-gwb have a thread");
    text = {};
}

TEST(errors, a_thread_that_is_not_there) {
    static std::string text;
    simulate([] { text = text_of<std::logic_error>([] { join_thread(2); }); });
    EXPECT_EQ(text, "skerry: sim: join_thread: no thread to join on core 2");
    text = {};
}

TEST(errors, a_simulation_in_a_simulation) {
    static std::string text;
    simulate([] { text = text_of<std::logic_error>([] { simulation(gwb()).run([](void*) {}, nullptr); }); });
    EXPECT_EQ(text, "skerry: sim: a simulation runs already in this process");
    text = {};
}

TEST(errors, settings) {
    settings set;
    set.quantum = std::uint64_t{1} << 41;
    EXPECT_EQ(text_of<std::invalid_argument>([&] { simulation(gwb(), set); }),
              "skerry: sim: settings::quantum is 2199023255552; accepted is 0 to 1099511627776");
    set = {.livelock_cycles = std::uint64_t{1} << 41};
    EXPECT_THAT(text_of<std::invalid_argument>([&] { simulation(gwb(), set); }),
                HasSubstr("skerry: sim: settings::livelock_cycles is 2199023255552"));
    set = {.most_cycles = std::uint64_t{1} << 41};
    EXPECT_THAT(text_of<std::invalid_argument>([&] { simulation(gwb(), set); }),
                HasSubstr("skerry: sim: settings::most_cycles is 2199023255552"));
    set = {.heap_bytes = std::size_t{1} << 41};
    EXPECT_THAT(text_of<std::invalid_argument>([&] { simulation(gwb(), set); }),
                HasSubstr("skerry: sim: settings::heap_bytes is 2199023255552"));
}

TEST(errors, outside_a_simulation) {
    EXPECT_FALSE(simulated());
    EXPECT_DEATH(self(), "skerry_sim::self\\(\\) outside a simulation");
    EXPECT_DEATH(publish_all(), "skerry_sim::publish\\(\\) outside a simulation");
    EXPECT_DEATH(interrupt(1), "skerry_sim::interrupt\\(\\) outside a simulation");
    EXPECT_DEATH(start_thread(nullptr, nullptr), "skerry_sim::start_thread\\(\\) outside a simulation");
}

TEST(errors, misuse_inside) {
    EXPECT_DEATH(simulate([] { unmask_interrupts(); }), "unmask_interrupts\\(\\) without a mask on core 0");
    EXPECT_DEATH(simulate([] { allow_stale_end(); }), "allow_stale_end\\(\\) without a begin on core 0");
    EXPECT_DEATH(simulate([] { interrupt(0); }), "interrupt\\(0\\) on core 0 of 4");
}

[[gnu::noinline]] unsigned deep(unsigned n) {
    volatile unsigned frame[64];
    frame[n % 64] = n;
    return n == 0 ? 0 : deep(n - 1) + frame[n % 64];
}

TEST(errors, a_stack_that_overflows) {
    static unsigned sum;
    simulate([] { sum = deep(1000); });
    EXPECT_EQ(sum, 500500U);
    EXPECT_DEATH(simulate([] {
                     start_thread([](void*) { sum = deep(1000000); }, nullptr);
                     join_thread(1);
                 }),
                 HasSubstr("skerry: stack overflow in a simulated core's thread (stack of 1024 KiB); simulated stacks "
                           "cannot grow"));
}

// ---- Determinism.

struct outcome {
    std::uint64_t cycles;
    std::uint64_t checksum;
};

outcome mixed_program() {
    static std::uint64_t sums[4];
    static std::uint32_t lock;
    static std::vector<std::uint64_t>* numbers_of_all;
    const statistics result = simulate(
        [] {
            numbers_of_all = new std::vector<std::uint64_t>;
            auto f = [](unsigned core) {
                on_interrupt([](unsigned sender) { sums[self()] += sender + 1; });
                std::uint64_t random = core;
                for (unsigned i = 0; i < 200; ++i) {
                    random = random * 6364136223846793005U + 1442695040888963407U;
                    counter += random >> 40;
                    std::vector<std::uint64_t> some(random >> 56);
                    for (std::size_t k = 0; k < some.size(); ++k) {
                        some[k] = k + counter;
                    }
                    while (__atomic_exchange_n(&lock, 1U, __ATOMIC_ACQUIRE) != 0) {
                        pause(7);
                    }
                    discard_all();
                    numbers_of_all->push_back((some.empty() ? 0 : some.back()) + now());
                    publish_all();
                    __atomic_store_n(&lock, 0U, __ATOMIC_RELEASE);
                    if (i % 16 == 0) {
                        sums[core] += interrupt((core + 1) % 4) ? 100 : 1000;
                    }
                }
            };
            on_all_cores(f);
        },
        {.stale = stale_mode::emulate});
    std::uint64_t checksum = result.total.instructions + result.switches;
    for (const std::uint64_t n : *numbers_of_all) {
        checksum = checksum * 31 + n;
    }
    for (const std::uint64_t n : sums) {
        checksum = checksum * 31 + n;
    }
    checksum = checksum * 31 + reinterpret_cast<std::uintptr_t>(numbers_of_all->data());
    delete numbers_of_all;
    EXPECT_EQ(result.foreign_pages, 0U);
    return {result.total.cycles, checksum};
}

std::string outcome_text() {
    const outcome o = mixed_program();
    return std::to_string(o.cycles) + " " + std::to_string(o.checksum);
}

TEST(determinism, the_same_in_every_process) {
    if (std::getenv("SKERRY_SIM_OUTCOME") != nullptr) {
        std::printf("outcome %s\n", outcome_text().c_str());
        return;
    }
    std::string first;
    std::mt19937 random(1);
    for (unsigned i = 0; i < 20; ++i) {
        const std::string command = "SKERRY_SIM_OUTCOME=" + std::string(random() % 5000 + 1, 'x') +
                                    " /proc/self/exe --gtest_filter=determinism.the_same_in_every_process 2>&1";
        // The shell's own /proc/self is not ours: the path is resolved here.
        char self_path[4096] = {};
        ASSERT_GT(readlink("/proc/self/exe", self_path, sizeof self_path - 1), 0);
        std::string resolved = command;
        resolved.replace(resolved.find("/proc/self/exe"), std::strlen("/proc/self/exe"), self_path);
        std::FILE* const pipe = popen(resolved.c_str(), "r");
        ASSERT_NE(pipe, nullptr);
        std::string output;
        char line[512];
        while (std::fgets(line, sizeof line, pipe) != nullptr) {
            if (std::strncmp(line, "outcome ", 8) == 0) {
                output = line;
            }
        }
        ASSERT_EQ(pclose(pipe), 0);
        ASSERT_FALSE(output.empty());
        if (first.empty()) {
            first = output;
        }
        ASSERT_EQ(output, first) << "run " << i;
    }
}

TEST(determinism, a_seed_gives_another_interleaving_and_the_same_again) {
    const auto cycles = [](std::uint64_t seed) {
        settings set;
        set.seed = seed;
        return simulate(
                   [] {
                       static std::uint32_t word;
                       auto f = [](unsigned) {
                           for (unsigned i = 0; i < 50; ++i) {
                               __atomic_fetch_add(&word, 1, __ATOMIC_RELAXED);
                           }
                       };
                       on_all_cores(f);
                   },
                   set)
            .total.cycles;
    };
    EXPECT_EQ(cycles(1), cycles(1));
    EXPECT_NE(cycles(1), cycles(2));
    EXPECT_NE(cycles(0), cycles(1));
}

} // namespace
