// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "baton.hpp"
#include "machines.hpp"

namespace {

using namespace skerry_sim;
using namespace skerry_test;

static baton token;

// ---- Scripts: one sequence of operations of all cores, run in its order, against a model of the machine.

enum class operation { load, store, publish_all, discard_all, publish, discard, add, load_acquire, store_release };

struct step {
    unsigned core = 0;
    operation what = operation::load;
    std::uint32_t offset = 0;
    std::uint32_t size = 1;
    std::uint64_t value = 0;
};

std::ostream& operator<<(std::ostream& out, const step& s) {
    static constexpr const char* names[] = {"load",    "store", "publish_all",  "discard_all",  "publish",
                                            "discard", "add",   "load_acquire", "store_release"};
    return out << "core " << s.core << ' ' << names[static_cast<int>(s.what)] << " [" << s.offset << ", +" << s.size
               << ") " << s.value;
}

constexpr std::uint32_t most_bytes = 32 << 10;
constexpr std::uint32_t most_steps = 4096;
alignas(4096) static unsigned char memory[most_bytes];
static step script[most_steps];
alignas(64) static std::uint64_t got[most_steps];
static std::uint32_t script_size;
static bool disciplined; // every access between a discard and a publish

template <class T>
[[gnu::noinline]] std::uint64_t load_as(const unsigned char* at) {
    return *reinterpret_cast<const T*>(at);
}
template <class T>
[[gnu::noinline]] void store_as(unsigned char* at, std::uint64_t value) {
    *reinterpret_cast<T*>(at) = static_cast<T>(value);
}

std::uint64_t perform(const step& s) {
    unsigned char* const at = memory + s.offset;
    switch (s.what) {
    case operation::load:
        return s.size == 1   ? load_as<std::uint8_t>(at)
               : s.size == 2 ? load_as<std::uint16_t>(at)
               : s.size == 4 ? load_as<std::uint32_t>(at)
                             : load_as<std::uint64_t>(at);
    case operation::store:
        s.size == 1   ? store_as<std::uint8_t>(at, s.value)
        : s.size == 2 ? store_as<std::uint16_t>(at, s.value)
        : s.size == 4 ? store_as<std::uint32_t>(at, s.value)
                      : store_as<std::uint64_t>(at, s.value);
        return 0;
    case operation::publish_all: publish_all(); return 0;
    case operation::discard_all: discard_all(); return 0;
    case operation::publish: publish(at, s.size); return 0;
    case operation::discard: discard(at, s.size); return 0;
    case operation::add:
        return __atomic_fetch_add(reinterpret_cast<std::uint32_t*>(at), static_cast<std::uint32_t>(s.value),
                                  __ATOMIC_ACQ_REL);
    case operation::load_acquire: return __atomic_load_n(reinterpret_cast<std::uint32_t*>(at), __ATOMIC_ACQUIRE);
    case operation::store_release:
        __atomic_store_n(reinterpret_cast<std::uint32_t*>(at), static_cast<std::uint32_t>(s.value), __ATOMIC_RELEASE);
        return 0;
    }
    return 0;
}

void play(unsigned core) {
    for (std::uint32_t i = 0; i < script_size; ++i) {
        if (script[i].core != core) {
            continue;
        }
        token.wait_for(i);
        if (disciplined) {
            discard_all();
        }
        got[i] = perform(script[i]);
        if (disciplined) {
            publish_all();
        }
        token.pass(i + 1);
    }
    token.wait_for(script_size); // the end of a thread publishes
}

statistics play_script(const std::vector<step>& steps, bool with_discipline, stale_mode mode,
                       const machine_description& on) {
    std::memset(memory, 0, sizeof memory);
    std::copy(steps.begin(), steps.end(), script);
    script_size = static_cast<std::uint32_t>(steps.size());
    disciplined = with_discipline;
    token.turn = 0;
    return simulate(
        [] {
            auto f = [](unsigned core) { play(core); };
            on_all_cores(f);
        },
        {.stale = mode}, on);
}

// The machine without caches that lose lines: what each core has of each byte.
class model {
  public:
    explicit model(bool writes_go_through) : through_(writes_go_through) {}
    std::uint64_t perform(const step& s) {
        core_view& c = cores_[s.core];
        const auto in_range = [&](std::uint32_t b) { return b >= s.offset && b < s.offset + s.size; };
        std::uint64_t value = 0;
        switch (s.what) {
        case operation::load:
            for (std::uint32_t b = s.offset; b < s.offset + s.size; ++b) {
                if (!c.valid[b] && !c.dirty[b]) {
                    fill(c, b / 64 * 64);
                }
            }
            for (std::uint32_t b = s.offset; b < s.offset + s.size; ++b) {
                old_ = old_ || c.version[b] != latest_[b];
                value |= std::uint64_t{c.value[b]} << (8 * (b - s.offset));
            }
            return value;
        case operation::store:
            for (std::uint32_t b = s.offset; b < s.offset + s.size; ++b) {
                const auto value_of_byte = static_cast<unsigned char>(s.value >> (8 * (b - s.offset)));
                ++latest_[b];
                if (through_) {
                    shared_[b] = value_of_byte;
                    shared_version_[b] = latest_[b];
                }
                if (!through_ || has(c, b / 64 * 64)) {
                    c.value[b] = value_of_byte;
                    c.version[b] = latest_[b];
                    (through_ ? c.valid : c.dirty)[b] = true;
                }
            }
            return 0;
        case operation::publish_all:
        case operation::publish:
            for (std::uint32_t b = 0; b < size; ++b) {
                if (s.what == operation::publish_all || in_range(b)) {
                    write_back(c, b);
                }
            }
            return 0;
        case operation::discard_all:
        case operation::discard:
            for (std::uint32_t b = 0; b < size; ++b) {
                if (s.what == operation::discard_all || in_range(b)) {
                    c.valid[b] = false;
                }
            }
            return 0;
        case operation::add:
        case operation::load_acquire:
        case operation::store_release:
            for (std::uint32_t b = s.offset; b < s.offset + 4; ++b) {
                write_back(c, b);
                c.valid[b] = false;
                old_ = old_ || (s.what != operation::store_release && shared_version_[b] != latest_[b]);
                value |= std::uint64_t{shared_[b]} << (8 * (b - s.offset));
            }
            if (s.what != operation::load_acquire) {
                const std::uint64_t next = s.what == operation::add ? value + s.value : s.value;
                for (std::uint32_t b = s.offset; b < s.offset + 4; ++b) {
                    shared_[b] = static_cast<unsigned char>(next >> (8 * (b - s.offset)));
                    shared_version_[b] = ++latest_[b];
                }
            }
            return s.what == operation::store_release ? 0 : value;
        }
        return 0;
    }
    bool saw_old() const { return old_; }

    static constexpr std::uint32_t size = 256;

  private:
    struct core_view {
        std::array<bool, size> valid{}, dirty{};
        std::array<unsigned char, size> value{};
        std::array<unsigned, size> version{};
    };
    static bool has(const core_view& c, std::uint32_t line) {
        const auto any = [&](const auto& bytes) {
            return std::find(&bytes[line], &bytes[line] + 64, true) != &bytes[line] + 64;
        };
        return any(c.valid) || any(c.dirty);
    }
    void fill(core_view& c, std::uint32_t line) {
        for (std::uint32_t b = line; b < line + 64; ++b) {
            if (!c.valid[b] && !c.dirty[b]) {
                c.value[b] = shared_[b];
                c.version[b] = shared_version_[b];
            }
            c.valid[b] = true;
        }
    }
    void write_back(core_view& c, std::uint32_t b) {
        if (c.dirty[b]) {
            shared_[b] = c.value[b];
            shared_version_[b] = c.version[b];
            c.dirty[b] = false;
            c.valid[b] = true;
        }
    }

    std::array<core_view, 4> cores_;
    std::array<unsigned char, size> shared_{};
    std::array<unsigned, size> shared_version_{}, latest_{};
    bool through_;
    bool old_ = false;
};

rc::Gen<std::vector<step>> scripts(std::uint32_t bytes, std::uint32_t longest, bool with_ranges) {
    const auto one = rc::gen::exec([=] {
        step s;
        s.core = *rc::gen::inRange(0U, 4U);
        s.what = *rc::gen::weightedElement<operation>({{8, operation::load},
                                                       {6, operation::store},
                                                       {2, operation::publish_all},
                                                       {2, operation::discard_all},
                                                       {with_ranges ? 2U : 0U, operation::publish},
                                                       {with_ranges ? 2U : 0U, operation::discard},
                                                       {1, operation::add},
                                                       {1, operation::load_acquire},
                                                       {1, operation::store_release}});
        const bool atomic = s.what >= operation::add;
        s.size = atomic ? 4 : *rc::gen::element(1U, 2U, 4U, 8U);
        s.offset = *rc::gen::inRange(0U, bytes / 8) * 8 + (s.size < 8 ? *rc::gen::inRange(0U, 8 / s.size) * s.size : 0);
        if (s.what == operation::publish || s.what == operation::discard) {
            s.size = *rc::gen::inRange(1U, bytes - s.offset + 1);
        }
        s.value = *rc::gen::arbitrary<std::uint32_t>();
        return s;
    });
    return rc::gen::mapcat(rc::gen::inRange(1U, longest),
                           [=](std::uint32_t n) { return rc::gen::container<std::vector<step>>(n, one); });
}

// Caches so large that no line of the test leaves by itself, since the model has none that do.
machine_description roomy(machine_description m = gwb()) {
    m.l1.ways = 16;
    m.l1.bytes = 64 << 10;
    return m;
}

RC_GTEST_PROP(scripts, emulation_is_what_the_model_says, ()) {
    const auto steps = *scripts(model::size, 120, true);
    const bool through = *rc::gen::arbitrary<bool>();
    const statistics result = play_script(steps, false, stale_mode::emulate, roomy(through ? gwt() : gwb()));
    model expected(through);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::uint64_t value = expected.perform(steps[i]);
        if (got[i] != value) {
            RC_FAIL("step " + std::to_string(i) + ": got " + std::to_string(got[i]) + ", not " + std::to_string(value));
        }
    }
    RC_ASSERT((result.total.stale_reads != 0) == expected.saw_old());
    RC_CLASSIFY(expected.saw_old(), through ? "stale, through" : "stale");
}

// In the small cache lines come and go; each access stands between a discard and a publish.
RC_GTEST_PROP(scripts, disciplined_programs_see_flat_memory, ()) {
    const auto steps = *scripts(most_bytes, 150, false);
    const stale_mode mode = *rc::gen::element(stale_mode::report, stale_mode::emulate);
    const statistics result = play_script(steps, true, mode, *rc::gen::element(gwb(), gwt()));
    std::vector<unsigned char> flat(most_bytes);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const step& s = steps[i];
        std::uint64_t value = 0;
        std::memcpy(&value, &flat[s.offset], s.size);
        std::uint64_t next = s.value;
        switch (s.what) {
        case operation::load:
        case operation::load_acquire: RC_ASSERT(got[i] == value); break;
        case operation::add:
            RC_ASSERT(got[i] == value);
            next = static_cast<std::uint32_t>(value + next);
            [[fallthrough]];
        case operation::store:
        case operation::store_release: std::memcpy(&flat[s.offset], &next, s.size); break;
        default: break;
        }
    }
    RC_ASSERT(result.total.stale_reads == 0U);
    RC_ASSERT(std::memcmp(flat.data(), memory, most_bytes) == 0);
}

RC_GTEST_PROP(scripts, coherent_caches_are_flat_memory_without_discipline, ()) {
    const auto steps = *scripts(most_bytes, 150, true);
    const statistics result = play_script(steps, false, stale_mode::emulate, mesi());
    std::vector<unsigned char> flat(most_bytes);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const step& s = steps[i];
        if (s.what >= operation::publish_all && s.what <= operation::discard) {
            continue;
        }
        std::uint64_t value = 0;
        std::memcpy(&value, &flat[s.offset], s.size);
        if (s.what == operation::load || s.what == operation::load_acquire || s.what == operation::add) {
            RC_ASSERT(got[i] == value);
        }
        if (s.what != operation::load && s.what != operation::load_acquire) {
            const std::uint64_t next = s.what == operation::add ? value + s.value : s.value;
            std::memcpy(&flat[s.offset], &next, s.size);
        }
    }
    RC_ASSERT(result.total.stale_reads == 0U);
    RC_ASSERT(std::memcmp(flat.data(), memory, most_bytes) == 0);
}

// ---- A parallel kernel.

constexpr unsigned n = 48;
alignas(64) static double a[n][n], b[n][n], c[n][n];

void multiply(unsigned core) {
    for (unsigned i = core * n / 4; i < (core + 1) * n / 4; ++i) {
        for (unsigned j = 0; j < n; ++j) {
            double sum = 0;
            for (unsigned k = 0; k < n; ++k) {
                sum += a[i][k] * b[k][j];
            }
            c[i][j] = sum;
        }
    }
}

// `on_all` runs multiply(0) to multiply(3) and waits for them.
template <class OnAll>
double multiply_twice(OnAll on_all) {
    for (unsigned round = 0; round < 2; ++round) {
        for (unsigned i = 0; i < n; ++i) {
            for (unsigned j = 0; j < n; ++j) {
                a[i][j] = i + j + round;
                b[i][j] = i - 2.0 * j;
            }
        }
        on_all();
    }
    double sum = 0;
    for (unsigned i = 0; i < n; ++i) {
        for (unsigned j = 0; j < n; ++j) {
            sum += c[i][j] * (i % 3 + 1);
        }
    }
    return sum;
}

// Workers that stay: a round begins and ends with a baton, so publishing and discarding is theirs to do.
static std::uint32_t round_begun, round_ended;
static bool careful;

void worker(void*) {
    for (std::uint32_t round = 1; round <= 2; ++round) {
        while (__atomic_load_n(&round_begun, __ATOMIC_ACQUIRE) != round) {
            pause(50);
        }
        if (careful) {
            discard_all();
        }
        multiply(self());
        publish_all();
        __atomic_fetch_add(&round_ended, 1, __ATOMIC_RELEASE);
    }
}

static double simulated_sum;

void with_workers() {
    round_begun = round_ended = 0;
    for (unsigned i = 1; i < 4; ++i) {
        start_thread(worker, nullptr);
    }
    simulated_sum = multiply_twice([] {
        publish_all();
        __atomic_fetch_add(&round_begun, 1, __ATOMIC_RELEASE);
        multiply(0);
        while (__atomic_load_n(&round_ended, __ATOMIC_ACQUIRE) % 3 != 0 ||
               __atomic_load_n(&round_ended, __ATOMIC_ACQUIRE) != 3 * round_begun) {
            pause(50);
        }
        discard_all();
    });
    for (unsigned i = 1; i < 4; ++i) {
        join_thread(i);
    }
}

TEST(kernel, matrices_on_four_cores) {
    const double expected = multiply_twice([] {
        for (unsigned core = 0; core < 4; ++core) {
            multiply(core);
        }
    });
    careful = true;
    for (const auto& on : {gwb(), gwt(), mesi()}) {
        const statistics result = simulate(with_workers, {.stale = stale_mode::emulate}, on);
        EXPECT_EQ(simulated_sum, expected);
        EXPECT_EQ(result.total.stale_reads, 0U);
        EXPECT_EQ(result.foreign_pages, 0U);
        for (const core_statistics& core : result.cores) {
            EXPECT_GT(core.loads, 2 * 2 * n * n * n / 4);
        }
    }
    // With a cache that keeps the matrices, workers that do not discard multiply the first round's again.
    careful = false;
    const statistics result = simulate(with_workers, {.stale = stale_mode::emulate}, roomy());
    EXPECT_NE(simulated_sum, expected);
    EXPECT_GT(result.total.stale_reads, 0U);
}

} // namespace
