// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <skerry/detail/sync/machine.hpp>

#include "base/port/clock.hpp"
#include "base/port/process.hpp"
#include "base/port/thread.hpp"
#include "fabric/mpi/endpoint.hpp"
#include "fabric/mpi/library.hpp"
#include "fabric/mpi/mpi.hpp"

namespace skerry::inline SKERRY_ABI::fabric::mpi {

namespace {

using std::to_string;

// What a rank says of itself. Its size and its first member never change.
struct alignas(8) hello {
    std::uint64_t layout = 0;
    table_identity table;
    std::uint32_t place_count = 0;
    std::uint32_t unused = 0;
    port::arena_place places[port::most_arena_places]{}; // of rank 0
    char host[64]{};
    char room[256]{};
};
static_assert(sizeof(hello) == 488);
constexpr std::uint64_t this_layout = 0x79727265'6b736d01; // "\1mskerry"

// Ends the process if it is not over in time: who waits in MPI can do nothing else.
class time_limit {
  public:
    time_limit(const launcher& by, std::uint64_t limit_ns) : by_(by), limit_ns_(limit_ns) {
        watcher_.start(std::size_t{128} << 10, "skerry mpi start", &watch, this);
    }
    time_limit(const time_limit&) = delete;
    time_limit& operator=(const time_limit&) = delete;
    ~time_limit() {
        over_.store(true, detail::memory_order::relaxed); // relaxed: it says only itself
        watcher_.join();
    }

  private:
    static constexpr std::uint64_t look_ns = 5'000'000;

    static void watch(void* self) {
        const auto& mine = *static_cast<const time_limit*>(self);
        const std::uint64_t end = port::now_ns() + mine.limit_ns_;
        while (!mine.over_.load(detail::memory_order::relaxed)) { // relaxed: as above
            if (port::now_ns() >= end) {
                port::end_with("skerry: not all " + to_string(mine.by_.ranks) + " ranks came within " +
                                   to_string(mine.limit_ns_ / 1'000'000) + " ms (this is rank " +
                                   to_string(mine.by_.rank) + " on " + port::host_name() +
                                   "); did one end before it came to run() of a skerry::runtime?\n",
                               EXIT_FAILURE);
            }
            port::sleep_ns(look_ns);
        }
    }

    const launcher& by_;
    const std::uint64_t limit_ns_;
    detail::machine::atomic<bool> over_{false};
    port::thread watcher_;
};

[[noreturn]] void fail(const skerry_mpi_calls& calls, int error, const char* what) {
    char text[256];
    calls.text(error, text, sizeof text);
    throw std::runtime_error("skerry: " + std::string(calls.library) + " could not " + what + ": " + text);
}

// MPI_Init; who does not find all ranks is in another MPI's hands.
void start(const skerry_mpi_calls& calls, const launcher& by) {
    unsigned rank = 0;
    unsigned ranks = 0;
    const int error = calls.start(&rank, &ranks);
    if (error == skerry_mpi_was_started) {
        throw std::runtime_error("skerry: the program has started MPI itself, and one process cannot do so twice; say "
                                 "SKERRY_MPI=off, or leave MPI to Skerry");
    }
    if (error == skerry_mpi_no_threads) {
        throw std::runtime_error("skerry: " + std::string(calls.library) +
                                 " cannot be called by several threads in turn (MPI_THREAD_SERIALIZED)");
    }
    if (error != 0) {
        fail(calls, error, "start");
    }
    if (ranks != by.ranks || rank != by.rank) {
        throw std::runtime_error("skerry: the launcher of " + std::string(by.in_words) + " says rank " +
                                 to_string(by.rank) + " of " + to_string(by.ranks) + ", but " + calls.library +
                                 " says rank " + to_string(rank) + " of " + to_string(ranks) +
                                 ": they belong to different MPIs; look at SKERRY_MPI");
    }
}

template <class T>
std::vector<T> gathered(const skerry_mpi_calls& calls, const T& mine, unsigned ranks) {
    std::vector<T> all(ranks);
    if (const int error = calls.gather(&mine, sizeof mine, all.data()); error != 0) {
        fail(calls, error, "tell all ranks of each other");
    }
    return all;
}

port::reservation shake_hands(const skerry_mpi_calls& calls, const launcher& by, const table_identity& table) {
    hello mine;
    mine.layout = this_layout;
    mine.table = table;
    const auto places = port::arena_places();
    mine.place_count = static_cast<std::uint32_t>(places.size());
    std::ranges::copy(places, mine.places);
    const std::string host = port::host_name();
    host.copy(mine.host, sizeof mine.host - 1);
    const std::vector<hello> hellos = gathered(calls, mine, by.ranks);
    const process_name name = [&hellos](unsigned rank, bool /*follows*/) {
        return "rank " + to_string(rank) + " on " + hellos[rank].host;
    };
    std::vector<table_identity> tables;
    for (const hello& h : hellos) {
        if (h.layout != this_layout) {
            throw std::runtime_error("skerry: rank " + to_string(tables.size()) +
                                     " runs a program with another version of Skerry than rank " + to_string(by.rank));
        }
        tables.push_back(h.table);
    }
    expect_same_program(tables, by.rank, name);
    const std::span offered(hellos[0].places, hellos[0].place_count);
    const std::vector<std::uint32_t> answers = gathered(calls, reservable(offered), by.ranks);
    return reserve_common(offered, answers, by.rank, name);
}

// All ranks throw the same, and the first one says it for all: the launcher ends the others when that one has ended.
void let_the_first_speak(const launcher& by) noexcept {
    constexpr std::uint64_t long_enough_ns = 2'000'000'000;
    if (by.rank != 0) {
        port::sleep_ns(long_enough_ns);
    }
}

} // namespace

place_in_line launched_as(const std::string& choice) {
    if (choice == "off") {
        return {};
    }
    const launcher by = find_launcher();
    return {by.rank, by.ranks};
}

unsigned ranks_of_this_machine() { return find_launcher().here; }

connection connect(const connect_options& options) {
    const launcher by = find_launcher();
    if (by.ranks > most_ranks) {
        throw std::runtime_error("skerry: there are " + to_string(by.ranks) + " ranks; accepted is 1 to " +
                                 to_string(most_ranks));
    }
    const time_limit limit(by, options.timeout_ns);
    try {
        const skerry_mpi_calls& calls = open_calls(options.choice, by);
        start(calls, by);
        port::reservation arena = shake_hands(calls, by, options.table);
        return {std::make_unique<mpi_endpoint>(calls, by.rank, by.ranks), std::move(arena)};
    } catch (const std::runtime_error&) {
        let_the_first_speak(by);
        throw;
    }
}

} // namespace skerry::inline SKERRY_ABI::fabric::mpi
