// SPDX-License-Identifier: Apache-2.0
#include "fabric/shm/handshake.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/port/clock.hpp"
#include "base/port/peer_memory.hpp"
#include "base/port/process.hpp"
#include "fabric/agreement.hpp"

namespace skerry::inline SKERRY_ABI::fabric::shm {

namespace {

using std::to_string;

// Something to be known by. Once this process has arrived, others read it and write the same back (H5).
std::uint32_t sample = 0;

class handshake {
  public:
    handshake(control& shared, const segment<across_processes>& words, unsigned self, const connect_options& options)
        : shared_(shared),
          words_(words),
          self_(self),
          options_(options),
          deadline_(port::now_ns() + options.timeout_ns) {}

    agreed run() {
        arrive();
        await(step::arrived, "join");
        expect_same();
        port::reservation arena = agree_on_place();
        return {std::move(arena), reached()};
    }

    void leave() noexcept {
        words_.station(self_).state.store(presence::left, detail::memory_order::release); // F1 -> F2
        ring_all();
    }

  private:
    void arrive() { // joined as this one: connect.cpp
        hello& mine = shared_.hellos[self_];
        mine.table_hash = options_.table.hash;
        mine.table_entries = options_.table.entries;
        mine.code = options_.table.code;
        sample = static_cast<std::uint32_t>(port::now_ns()) | 1U;
        mine.sample = sample;
        mine.sample_at = reinterpret_cast<std::uintptr_t>(&sample);
        if (options_.reach) {
            port::admit_siblings();
        }
        if (self_ == 0) {
            const auto places = port::arena_places();
            std::copy(places.begin(), places.end(), shared_.places);
            shared_.place_count = static_cast<std::uint32_t>(places.size());
        }
        words_.station(self_).state.store(presence::here,
                                          detail::memory_order::relaxed); // relaxed: mine.step publishes
        reach(step::arrived);
    }

    void reach(step s) noexcept {
        shared_.hellos[self_].step.store(s, detail::memory_order::release); // H1 -> H2
        ring_all();
    }

    void ring_all() noexcept {
        for (unsigned i = 0; i < shared_.processes; ++i) {
            words_.station(i).bell.ring();
        }
    }

    void await(step s, const char* what) {
        const auto come = [&](unsigned i) { // H2 <- H1
            return shared_.hellos[i].step.load(detail::memory_order::acquire) >= s;
        };
        const auto so_far = [&] { // grows with whatever happens
            unsigned events = 0;
            for (unsigned i = 0; i < shared_.processes; ++i) {
                events += (come(i) ? 1U : 0U) + (over(state_of(i)) ? 1U : 0U);
            }
            return events;
        };
        for (;;) {
            const unsigned known = so_far();
            unsigned missing = shared_.processes;
            for (unsigned i = shared_.processes; i-- != 0;) {
                if (!come(i)) {
                    if (over(state_of(i)) && !come(i)) {
                        fail(reason_for(i, come), what);
                    }
                    missing = i;
                }
            }
            if (missing == shared_.processes) {
                return;
            }
            const std::uint64_t now = port::now_ns();
            if (now >= deadline_) {
                throw std::runtime_error("skerry: process " + to_string(missing) + " did not " + what + " within " +
                                         to_string(options_.timeout_ns / 1'000'000) + " ms (this is process " +
                                         to_string(self_) + ")");
            }
            words_.station(self_).bell.sleep([&] { return so_far() != known; }, deadline_ - now);
        }
    }

    [[nodiscard]] presence state_of(unsigned who) const noexcept {
        return words_.station(who).state.load(detail::memory_order::acquire); // F2 <- F1
    }

    // Who failed first of those that have not come: the others may have ended because of that.
    template <class Come>
    [[nodiscard]] unsigned reason_for(unsigned who, const Come& come) const noexcept {
        const auto before = [this](unsigned i) { // relaxed: F2 covers it
            return words_.station(i).before.load(detail::memory_order::relaxed);
        };
        for (unsigned i = 0; i < shared_.processes; ++i) {
            if (failed(state_of(i)) && !come(i) && (!failed(state_of(who)) || before(i) < before(who))) {
                who = i;
            }
        }
        return who;
    }

    [[noreturn]] void fail(unsigned who, const char* what) {
        const presence state = state_of(who);
        const std::int32_t number =
            words_.station(who).number.load(detail::memory_order::relaxed); // relaxed: F2 covers it
        const failure how{who, state == presence::killed, number};
        throw std::runtime_error(state == presence::left
                                     ? "skerry: process " + to_string(who) + " gave up before it could " + what
                                     : "skerry: " + how.text() + " before it could " + what);
    }

    void expect_same() const {
        std::vector<table_identity> all;
        all.reserve(shared_.processes);
        for (unsigned i = 0; i < shared_.processes; ++i) {
            const hello& h = shared_.hellos[i];
            all.push_back({h.table_hash, h.table_entries, h.code});
        }
        expect_same_program(all, self_, name);
    }

    port::reservation agree_on_place() {
        const std::span offered(shared_.places, shared_.place_count);
        shared_.hellos[self_].reserved = reservable(offered);
        reach(step::answered);
        await(step::answered, "reserve its arena");
        std::vector<std::uint32_t> answers;
        answers.reserve(shared_.processes);
        for (unsigned i = 0; i < shared_.processes; ++i) {
            answers.push_back(shared_.hellos[i].reserved);
        }
        return reserve_common(offered, answers, self_, name);
    }

    static std::string name(unsigned process, bool follows) { return (follows ? "" : "process ") + to_string(process); }

    // H5. Nobody else: not who would be staged to anyway, nor a stranger with the same number in another namespace.
    std::vector<std::uint32_t> reached() const {
        std::vector<std::uint32_t> result(shared_.processes);
        for (unsigned i = 0; i < shared_.processes; ++i) {
            const hello& other = shared_.hellos[i];
            std::uint32_t found = 0;
            const port::peer_range look{&found, other.sample_at, sizeof found};
            const std::uint32_t process = other.process.load(detail::memory_order::relaxed); // relaxed: H2 covers it
            if (options_.reach && i != self_ && port::read_peer(process, {&look, 1}) == sizeof found &&
                found == other.sample && port::write_peer(process, {&look, 1}) == sizeof found) {
                result[i] = process;
            }
        }
        return result;
    }

    control& shared_;
    const segment<across_processes>& words_;
    unsigned self_;
    const connect_options& options_;
    std::uint64_t deadline_;
};

} // namespace

agreed shake_hands(control& shared, const segment<across_processes>& words, unsigned self,
                   const connect_options& options) {
    handshake it(shared, words, self, options);
    try {
        return it.run();
    } catch (...) {
        it.leave();
        throw;
    }
}

} // namespace skerry::inline SKERRY_ABI::fabric::shm
