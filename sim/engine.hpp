// SPDX-License-Identifier: Apache-2.0
#pragma once

// One run of a simulated machine.
//
// Order: what one core does and another can notice (a miss, an access to the shared cache, a publish, a message) is
// done only while no other core that can run has a smaller (clock, number). `order` waits for that. Hits are not
// ordered: a core runs ahead on them by at most the quantum.
//
// Thread safety: one thread. Functions marked "switches" may run other cores before they return; what they may have
// changed meanwhile is the stale marks and filters of this core's lines, and on a coherent machine its lines.
//
// Invariants
//  1. The running core is not in the tree; a core that can run or has a deadline is; one that waits for others is not.
//  2. `holders` of a line's record has the bit of each core that has a way for it.
//  3. Without tracking (mode off, or a coherent machine) no line is stale, no image exists and `lost` is 0.
//  4. Emulation: host memory holds every byte's latest value, but for bytes that the running core has swapped in; an
//     image exists while a byte in the shared cache is older than that.

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/core.hpp"
#include "sim/fibers.hpp"
#include "sim/frames.hpp"
#include "sim/memory.hpp"
#include "sim/message_network.hpp"
#include "sim/protocol/protocol.hpp"
#include "sim/ready_tree.hpp"
#include "sim/simulation.hpp"

namespace skerry_sim::detail {

// Thrown away stacks: how a run ends before its threads do.
enum class ending { done, failed, stuck };

class engine {
  public:
    engine(const machine_description& machine, const settings& set, fiber_stacks& stacks);

    // Runs until every thread has ended. Rethrows what left a thread; throws simulation_stuck.
    void run(void (*body)(void*), void* arg);
    void fill(statistics& into) const;

    // The program's accesses, cache.cpp. All switch.
    void access(core& c, std::uint64_t address, std::uint64_t size, bool store, std::uint32_t pc);
    // Puts an atomic access in order; the value in the shared cache is at the result. No other core runs between this
    // and write_atomic. Precondition: it does not leave its line.
    const void* begin_atomic(core& c, std::uint64_t address, unsigned size, atomic_kind kind, std::uint32_t pc);
    void write_atomic(core& c, std::uint64_t address, const void* value, unsigned size, std::uint32_t pc);
    void publish(core& c, std::uint64_t begin, std::uint64_t size);
    void discard(core& c, std::uint64_t begin, std::uint64_t size);
    // The bytes are nobody's any more: no cache has them, none will write them back. Costs nothing.
    void forget(std::uint64_t begin, std::uint64_t size);

    // The budget is spent: interrupts, others' turns, watchdogs. Switches.
    void look_up(core& c);
    void pause(core& c, std::uint64_t cycles);

    // interest.cpp; both switch.
    void begin_interest(core& c);
    void end_interest(core& c);

    // waiting.cpp; all switch.
    bool interrupt(core& c, unsigned target);
    void set_handler(core& c, void (*handler)(unsigned));
    void mask(core& c);
    void unmask(core& c);
    bool sleep(core& c, const std::uint32_t* word, std::uint32_t expected, std::uint64_t timeout);
    unsigned wake(core& c, const std::uint32_t* word, unsigned count);
    unsigned start_thread(core& c, void (*body)(void*), void* arg);
    void join_thread(core& c, unsigned id);

    // messages.cpp; all switch but slots() and has_messages().
    bool has_messages() const noexcept { return machine_.fabric.has_value(); }
    // Precondition: has_messages().
    const fabric_description& fabric() const noexcept {
        if (!machine_.fabric) {
            std::abort(); // whoever asks for messages has been told that there are none
        }
        return *machine_.fabric;
    }
    unsigned slots(unsigned lane) const noexcept;
    void attach(core& c, std::span<const unsigned> ids);
    void detach(core& c);
    send_result send(core& c, unsigned id, unsigned lane, const packet& message);
    void look_for_messages(core& c);
    bool receive(core& c, unsigned id, unsigned lane, packet& into);
    bool is_gone(core& c, unsigned id);
    end_of_core how_ended(core& c, unsigned id);
    void note_end(core& c, unsigned id);
    void kick(core& c, unsigned id);
    bool wait_for_news(core& c, std::uint64_t deadline);
    [[noreturn]] void die(core& c);
    // copies.cpp
    void start_copy(core& c, unsigned id, bool push, std::vector<copy_piece>&& pieces, copy_token token);
    void finish_copies(core& c);
    std::optional<finished_copy> take_finished_copy(core& c);

    unsigned size() const noexcept { return static_cast<unsigned>(cores_.size()); }
    bool coherent() const noexcept { return machine_.l1.protocol->kept_by_hardware; }
    bool has_interrupts() const noexcept { return machine_.interrupts.has_value(); }
    [[noreturn]] void stuck(const char* why, std::int64_t cycle = -1);

    // What protocols use (sim/protocol). Messages, in bytes:
    static constexpr unsigned head = 8;
    static constexpr unsigned whole = head + line_bytes;
    static constexpr unsigned atomic_operand = 16;

    // Waits until no other core has an earlier turn. Switches.
    void order(core& c) {
        while (ready_.least() < ready_tree::key(c.clock(), c.id)) {
            ready_.set(c.id, ready_tree::key(c.clock(), c.id));
            switch_to_next(c);
        }
    }
    const machine_description& machine() const noexcept { return machine_; }
    shared_memory& memory() noexcept { return memory_; }
    static place at(const core& c) noexcept { return {c.x, c.y}; }
    std::uint32_t line_of(std::uint64_t address) { return frames_.line_of(address >> line_shift); }
    line_record& record(std::uint32_t frame_line) noexcept { return frames_.record(frame_line); }
    core& core_of(unsigned id) noexcept { return cores_[id]; }
    template <class F>
    void each(std::uint64_t holders, F f) {
        for (; holders != 0; holders &= holders - 1) {
            f(cores_[static_cast<unsigned>(__builtin_ctzll(holders))]);
        }
    }
    template <class F>
    void others(const line_record& record, unsigned me, F f) {
        each(record.holders & ~(std::uint64_t{1} << me), f);
    }
    static bool alone(const line_record& record, unsigned me) noexcept {
        return (record.holders & ~(std::uint64_t{1} << me)) == 0;
    }
    // The bytes of a line that lie in a range.
    static std::uint64_t overlap(std::uint64_t line, std::uint64_t begin, std::uint64_t end) noexcept;

    // Ways. A way that is taken is empty and the newest of its set; `drop` empties one, `take_away` bytes of one.
    way* find(core& c, std::uint32_t frame_line) noexcept;
    way& take_way(core& c, std::uint64_t line, std::uint32_t frame_line);
    void touch(core& c, way& w) noexcept { c.used[index(c, w)] = ++c.touch_clock; }
    void drop(core& c, way& w, bool keep_dirty);
    void take_away(core& c, way& w, std::uint64_t bytes);
    // Sends bytes of the line down. The result: when they have arrived.
    std::int64_t write_back(core& c, way& w, std::uint64_t bytes, std::int64_t time);

    // The filter of the hooks' fast path: lets it answer for a line, or answer no longer.
    void admit(core& c, way& w, bool writable) noexcept;
    void refuse(core& c, const way& w) noexcept;
    void refuse_writes(core& c, const way& w) noexcept;

    // Old values (staleness.cpp); the rest only with tracking.
    bool tracking() const noexcept { return tracking_; }
    void swap_out(core& c, way& w);
    // Before bytes of a way become dirty; after a fill, of the bytes that came with it.
    void before_store(core& c, way& w, std::uint64_t bytes, std::uint64_t address, unsigned size, std::uint32_t pc);
    void arrive(core& c, way& w, std::uint64_t fresh);
    // Before bytes go through to the shared cache; null: the writer has no copy.
    void before_write_through(core& c, way* w, std::uint64_t address, unsigned size, std::uint32_t frame_line,
                              std::uint32_t pc);
    // What an access finds in the shared cache: an old value where the latest is in somebody's private cache or was
    // lost; both are reported. The bytes lie in one line; the result holds until the next store or write-back.
    const unsigned char* look_at_shared(core& c, std::uint64_t address, std::uint32_t frame_line, std::uint64_t bytes,
                                        std::uint32_t pc);
    // Writes there. Precondition: the writer's own copy does not have these bytes.
    void write_shared(core& writer, std::uint64_t address, const unsigned char* from, unsigned size,
                      std::uint32_t frame_line, std::uint32_t pc);

  private:
    static constexpr std::int64_t far_ahead = 1000; // cycles

    // engine.cpp
    static void fiber_main(boost::context::detail::transfer_t from);
    [[noreturn]] void thread_main(core& c);
    [[noreturn]] void end_thread(core& c);
    void begin_thread(core& c, void (*body)(void*), void* arg, std::int64_t at);
    void switch_to_next(core& c);
    void transfer(core& from, core& to);
    void set_limit(core& c);
    // What a core does on hits concerns nobody, and nothing but an interrupt can concern it meanwhile. On a coherent
    // machine others' writes do. Outside a region of interest no time has to be exact.
    std::int64_t ahead(const core& c) const noexcept {
        return outside_ ? far_ahead : c.handler == nullptr ? deaf_quantum_ : quantum_;
    }
    void make_ready(core& c, std::int64_t at);
    void block(core& c) { switch_to_next(c); }
    void watch(core& c);
    [[noreturn]] void finish(ending how);
    std::string describe() const;
    std::uint64_t writes() const;

    // cache.cpp
    void collect(core& c, unsigned slot) noexcept;
    void close_writes(core& c, unsigned slot) noexcept;
    void load(core& c, std::uint64_t address, unsigned size, std::uint32_t pc);
    std::uint32_t index(const core& c, const way& w) const noexcept {
        return static_cast<std::uint32_t>(&w - c.ways.data());
    }

    // staleness.cpp; only with tracking
    void make_stale(core& writer, std::uint64_t line, std::uint32_t frame_line, std::uint64_t bytes);
    void track_write_back(core& c, way& w, std::uint64_t bytes);
    void read_stale(core& c, way& w, std::uint64_t bytes, std::uint32_t pc);
    void note_stale(core& c, std::uint64_t line, std::uint32_t frame_line, std::uint64_t bytes, std::uint32_t pc);
    void note_writer(std::uint32_t frame_line, std::uint64_t address, unsigned size, unsigned core, std::uint32_t pc);
    void swap(core& c, way& w) noexcept;
    unsigned char* image_of(line_record& record) noexcept { return images_[record.image - 1].bytes; }
    void make_image(line_record& record, std::uint64_t line);
    void drop_image_if_latest(line_record& record, std::uint32_t frame_line);

    // interest.cpp
    void observe(bool yes);
    void make_cold();
    core_statistics seen_of(const core& c) const noexcept;
    void add_seen(statistics& to, std::int64_t clock) const;

    // waiting.cpp
    void answer(core& sender, bool accepted, std::int64_t at);
    void take_interrupt(core& c);
    void refuse_pending(core& c);
    bool accepts(const core& c) const noexcept;

    // messages.cpp
    message_station& station(const core& c);
    message_channel& channel(const core& from, const core& to) noexcept;
    core& peer(const core& c, unsigned id);
    void launch_message(core& from, core& to, unsigned lane, const packet& message);
    std::int64_t end_known(const core& ended, const core& here) const noexcept;
    void end_station(core& c, end_of_core how);
    void arouse(core& o, std::int64_t at);
    std::int64_t next_news(core& c);
    void forget_news(core& c);

    // copies.cpp
    void copy_bytes(core& source, std::uint64_t from, core& target, std::uint64_t to, std::size_t bytes);
    void read_behind(core& source, std::uint64_t address, unsigned char* into, unsigned size);
    void write_behind(core& target, std::uint64_t address, const unsigned char* from, unsigned size);

    void due(core& c) {
        if (c.pending_from >= 0 && c.clock() >= c.pending_at) {
            take_interrupt(c);
        }
    }

    machine_description machine_;
    settings set_;
    std::unique_ptr<protocol> protocol_;
    bool finds_stale_;
    bool tracking_; // staleness is looked for now
    bool emulate_;
    bool outside_; // of a region of interest: no cache, and no figure has it
    std::int64_t quantum_;
    std::int64_t deaf_quantum_;
    std::int64_t entry_cycles_; // of interrupts, if there are any
    std::uint32_t set_mask_;
    std::uint32_t associativity_;
    fiber_stacks& stacks_;
    std::vector<core> cores_;
    ready_tree ready_;
    frames frames_;
    shared_memory memory_;
    message_network network_;

    // Regions of interest: how many are open, one in another; what the closed ones have come to; where the open one
    // began.
    unsigned interest_ = 0;
    bool had_interest_ = false;
    statistics interest_seen_;
    std::int64_t interest_from_ = 0;
    std::vector<core_statistics> interest_base_;

    boost::context::detail::fcontext_t host_ = nullptr;
    void* host_area_ = nullptr;
    exception_globals* shared_globals_ = nullptr; // null: each core has its own
    exception_globals host_exceptions_;
    ending ending_ = ending::done;
    std::exception_ptr failure_;
    std::string stuck_;
    std::uint64_t sleeps_ = 0;
    std::uint64_t switches_ = 0;
    std::uint64_t changes_ = 0; // atomic writes that changed something
    std::uint64_t seen_writes_ = 0;
    std::int64_t seen_at_ = 0;
    std::int64_t next_watch_ = 0;

    struct site_key {
        std::uint32_t reader;
        std::uint32_t writer;
        friend bool operator<(const site_key& a, const site_key& b) {
            return a.reader != b.reader ? a.reader < b.reader : a.writer < b.writer;
        }
    };
    struct site {
        site_key key;
        stale_site first;
    };
    std::vector<site> sites_;
    std::map<site_key, std::size_t> site_index_;
    std::vector<old_values> images_;
    std::vector<std::uint32_t> free_images_;
};

} // namespace skerry_sim::detail
