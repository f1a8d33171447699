// SPDX-License-Identifier: Apache-2.0
#include "fabric/shm/handshake.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/port/clock.hpp"
#include "base/port/peer_memory.hpp"
#include "base/port/process.hpp"
#include "base/text.hpp"

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
        compare_tables();
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

    void compare_tables() {
        const hello& mine = shared_.hellos[self_];
        for (unsigned i = 0; i < shared_.processes; ++i) {
            const hello& other = shared_.hellos[i];
            if (other.table_hash != mine.table_hash || other.table_entries != mine.table_entries ||
                other.code != mine.code) {
                throw std::runtime_error("skerry: the processes run different programs: process " + to_string(i) +
                                         " has " + table(other) + ", process " + to_string(self_) + " has " +
                                         table(mine));
            }
        }
    }

    static std::string table(const hello& h) {
        detail::fixed_text<96> text;
        text << h.table_entries << " task functions (table " << detail::hex{h.table_hash} << ", code "
             << detail::hex{h.code} << ')';
        return std::string(text.view());
    }

    port::reservation agree_on_place() {
        const auto mine = port::arena_places();
        std::uint32_t reserved = 0;
        for (std::uint32_t i = 0; i < shared_.place_count; ++i) {
            const port::arena_place& place = shared_.places[i];
            if (std::find(mine.begin(), mine.end(), place) != mine.end() &&
                port::reserve_at(place.address, place.bytes)) {
                port::release_reserved(place.address, place.bytes);
                reserved |= 1U << i;
            }
        }
        shared_.hellos[self_].reserved = reserved;
        reach(step::answered);
        await(step::answered, "reserve its arena");
        std::uint32_t common = reserved;
        for (unsigned i = 0; i < shared_.processes; ++i) {
            common &= shared_.hellos[i].reserved;
        }
        std::uint32_t chosen = 0;
        while (chosen < shared_.place_count && (common >> chosen & 1U) == 0) {
            ++chosen;
        }
        if (chosen == shared_.place_count ||
            !port::reserve_at(shared_.places[chosen].address, shared_.places[chosen].bytes)) {
            throw std::runtime_error("skerry: no address is free for the arena in all processes; " +
                                     results([this](std::uint32_t places_of) { return places(places_of); }) +
                                     "; look at 'ulimit -v', and build all processes alike");
        }
        if (self_ == 0) {
            warn_if_small(shared_.places[chosen]);
        }
        return port::reservation(shared_.places[chosen]);
    }

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

    static constexpr std::uint64_t gib = std::uint64_t{1} << 30;

    // The bytes of the largest place that a process could reserve.
    [[nodiscard]] std::uint64_t most_of(std::uint32_t reserved) const noexcept {
        std::uint64_t most = 0;
        for (std::uint32_t i = 0; i < shared_.place_count; ++i) {
            most = (reserved >> i & 1U) != 0 ? std::max(most, shared_.places[i].bytes) : most;
        }
        return most;
    }

    // Regions have less room than one process, or the others, would have had: who is the reason hears it once.
    void warn_if_small(const port::arena_place& chosen) const {
        const std::uint64_t usual = most_of(UINT32_MAX);
        bool limited = port::address_space_limit() != UINT64_MAX;
        for (unsigned i = 0; i < shared_.processes; ++i) {
            limited = limited || most_of(shared_.hellos[i].reserved) > chosen.bytes;
        }
        if (limited && chosen.bytes < usual) {
            port::write_stderr(
                "skerry: the arena for regions has " + to_string(chosen.bytes / gib) + " GiB in place of " +
                to_string(usual / gib) + "; " +
                results([this](std::uint32_t places_of) { return to_string(most_of(places_of) / gib) + " GiB"; }) +
                "; look at 'ulimit -v'\n");
        }
    }

    // What each process could reserve, in these words; those that could reserve the same are named together.
    template <class Words>
    std::string results(Words&& words) const {
        std::vector<std::pair<std::string, std::string>> all;
        for (unsigned i = 0; i < shared_.processes; ++i) {
            const std::string what = words(shared_.hellos[i].reserved);
            const auto same = std::ranges::find(all, what, &std::pair<std::string, std::string>::first);
            if (same == all.end()) {
                all.emplace_back(what, "process " + to_string(i));
            } else {
                same->second += " and " + to_string(i);
            }
        }
        std::string text;
        for (const auto& [what, who] : all) {
            text += text.empty() ? "" : ", ";
            text += who;
            text += " could reserve ";
            text += what;
        }
        return text;
    }

    std::string places(std::uint32_t reserved) const {
        detail::fixed_text<400> text;
        for (std::uint32_t i = 0; i < shared_.place_count; ++i) {
            if ((reserved >> i & 1U) != 0) {
                text << (text.view().empty() ? "" : ", ") << detail::hex{shared_.places[i].address};
            }
        }
        return text.view().empty() ? "none" : std::string(text.view());
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
