// SPDX-License-Identifier: Apache-2.0
#include "deps/nexus/model.hpp"

#include <bit>

#include "base/panic.hpp"
#include "deps/nexus/fits.hpp"

namespace skerry::inline SKERRY_ABI::detail {

nexus_model::ring::ring(std::uint32_t depth) : words_(depth) {}

void nexus_model::ring::push(std::uint64_t word) noexcept {
    std::uint32_t at = first_ + size_;
    if (at >= depth()) at -= depth();
    words_[at] = word;
    ++size_;
}

std::uint64_t nexus_model::ring::pop() noexcept {
    const std::uint64_t word = words_[first_];
    if (++first_ == depth()) first_ = 0;
    --size_;
    return word;
}

nexus_model::nexus_model(const nexus_sizes& sizes)
    : sizes_(sizes),
      new_(sizes.new_depth),
      ready_(sizes.ready_depth),
      finished_(sizes.finished_depth),
      turn_(sizes.pool),
      pool_(sizes.pool),
      accesses_(std::size_t{sizes.pool} * nexus_entry_accesses),
      addresses_(std::size_t{sizes.sets} * sizes.ways, no_address),
      rows_(addresses_.size()) {
    const auto wrong = [](std::uint32_t n, std::uint64_t most) { return n < 1 || n > most; };
    if (wrong(sizes.pool, nexus_shape_word::most_pool) || wrong(sizes.sets, nexus_shape_word::most_sets) ||
        !std::has_single_bit(sizes.sets) || wrong(sizes.ways, nexus_shape_word::most_ways) ||
        wrong(sizes.new_depth, nexus_status_word::most_depth) ||
        wrong(sizes.ready_depth, nexus_status_word::most_depth) ||
        wrong(sizes.finished_depth, nexus_status_word::most_depth)) {
        panic("nexus: a size of the model is 0 or too large, or its sets are no power of two");
    }
    const std::uint64_t room = std::uint64_t{sizes.pool} * nexus_entry_accesses;
    shape_.pool = static_cast<std::uint16_t>(sizes.pool);
    shape_.sets = static_cast<std::uint16_t>(sizes.sets);
    shape_.ways = static_cast<std::uint8_t>(sizes.ways);
    shape_.accesses =
        static_cast<std::uint16_t>(room < nexus_shape_word::most_accesses ? room : nexus_shape_word::most_accesses);
    for (index e = sizes.pool; e-- > 0;) {
        pool_[e].next = free_;
        free_ = e;
    }
    free_count_ = sizes.pool;
}

std::uint64_t nexus_model::read(nexus_register from) noexcept {
    const auto status = [this](const ring& r) {
        const nexus_status_word word{.occupancy = static_cast<std::uint16_t>(r.size()),
                                     .depth = static_cast<std::uint16_t>(r.depth()),
                                     .quiet = quiet_};
        return word.pack();
    };
    switch (from) {
    case nexus_register::new_status: return status(new_);
    case nexus_register::ready_status: return status(ready_);
    case nexus_register::finished_status: return status(finished_);
    case nexus_register::shape: return shape_.pack();
    case nexus_register::tasks: return tasks_;
    case nexus_register::ready_task: {
        if (ready_.size() == 0) panic("nexus: the Ready FIFO is read, and has no word");
        quiet_ = false;
        const std::uint64_t word = ready_.pop();
        pool_[nexus_ready_word::unpack(word).id].is = state::running;
        return word;
    }
    default: panic("nexus: register ", static_cast<unsigned>(from), " cannot be read");
    }
}

void nexus_model::write(nexus_register to, std::uint64_t word) noexcept {
    if (to != nexus_register::new_task && to != nexus_register::finished_task)
        panic("nexus: register ", static_cast<unsigned>(to), " cannot be written");
    ring& fifo = to == nexus_register::new_task ? new_ : finished_;
    if (fifo.full()) panic("nexus: a word is written, and its FIFO is full");
    fifo.push(word);
    quiet_ = false;
}

std::uint64_t nexus_model::advance(std::uint64_t cycles) noexcept {
    std::uint64_t passed = 0;
    while (passed < cycles && !quiet_) {
        if (step())
            ++passed;
        else
            quiet_ = true;
    }
    return passed;
}

// True: something has moved.
bool nexus_model::step() noexcept {
    bool moved = false;
    if (turn_.size() != 0 && !ready_.full()) {
        const auto id = static_cast<std::uint16_t>(turn_.pop());
        ready_.push(nexus_ready_word{.function = pool_[id].function, .id = id}.pack());
        moved = true;
    }
    // Ends come first: they make the room that new tasks wait for.
    if (finished_.size() != 0) {
        finish(nexus_finished_word::unpack(finished_.pop()).id);
        return true;
    }
    return take_new() || moved;
}

bool nexus_model::take_new() noexcept {
    if (new_.size() == 0) return false;
    if (entering_ == none) {
        const nexus_header_word header = nexus_header_word::unpack(new_.front());
        if (header.taskwait_on) panic("nexus: the flag taskwait_on is reserved");
        if (header.accesses > shape_.accesses || nexus_entries(header.accesses) > sizes_.pool)
            panic("nexus: a task with ", header.accesses, " accesses does not fit");
        if (nexus_entries(header.accesses) > free_count_) return false;
        begin(header);
    } else {
        if (!claim(nexus_access_word::unpack(new_.front()))) return false;
        --missing_;
    }
    static_cast<void>(new_.pop());
    if (missing_ == 0) enter();
    return true;
}

// Gives a task the entries of the pool for all its accesses.
void nexus_model::begin(const nexus_header_word& header) noexcept {
    entering_ = filling_ = free_;
    missing_ = header.accesses;
    const std::uint32_t entries = nexus_entries(header.accesses);
    index last = none;
    for (std::uint32_t i = 0; i < entries; ++i) {
        last = free_;
        free_ = pool_[last].next;
        pool_[last].is = state::continued;
        pool_[last].owner = entering_;
        pool_[last].used = 0;
    }
    pool_[last].next = none;
    free_count_ -= entries;
    pool_[entering_].function = header.function;
    pool_[entering_].waiting = 0;
    pool_[entering_].is = state::entering;
}

// Finds or makes the row of an address and keeps it for the task that is being taken in; false: no room in its set. The
// rows of a task are all claimed before one access is ordered, so that an address that comes again is merged by then.
bool nexus_model::claim(const nexus_access_word& word) noexcept {
    const index at = find_row(word.address);
    if (at == none) return false;
    const bool writes = word.mode != nexus_mode::in;
    row& r = rows_[at];
    if (r.claimed != none) {
        accesses_[r.claimed].writes |= writes;
        return true;
    }
    if (pool_[filling_].used == nexus_entry_accesses) filling_ = pool_[filling_].next;
    r.claimed = filling_ * nexus_entry_accesses + pool_[filling_].used++;
    accesses_[r.claimed] = {.row = at, .next = none, .writes = writes, .waits = false};
    return true;
}

// Orders the accesses of a task whose words are all there.
void nexus_model::enter() noexcept {
    entry& task = pool_[entering_];
    for (index e = entering_; e != none; e = pool_[e].next) {
        for (index a = e * nexus_entry_accesses; a < e * nexus_entry_accesses + pool_[e].used; ++a) {
            row& r = rows_[accesses_[a].row];
            r.claimed = none;
            const bool turn = accesses_[a].writes ? r.readers == 0 && !r.writer : !r.writer;
            if (turn && r.first == none) {
                activate(r, a);
                continue;
            }
            accesses_[a].waits = true;
            ++task.waiting;
            (r.first == none ? r.first : accesses_[r.last].next) = a;
            r.last = a;
        }
    }
    task.is = task.waiting == 0 ? state::ready : state::waiting;
    if (task.waiting == 0) turn_.push(entering_);
    entering_ = filling_ = none;
    ++tasks_;
}

void nexus_model::activate(row& r, index which) noexcept {
    if (accesses_[which].writes)
        r.writer = true;
    else
        ++r.readers;
}

void nexus_model::finish(index id) noexcept {
    if (id >= sizes_.pool || pool_[id].is != state::running)
        panic("nexus: a finished word names ", id, ", which is no running task");
    for (index e = id; e != none;) {
        for (std::uint32_t i = 0; i < pool_[e].used; ++i) release(accesses_[e * nexus_entry_accesses + i]);
        const index more = pool_[e].next;
        pool_[e].is = state::unused;
        pool_[e].owner = none;
        pool_[e].next = free_;
        free_ = e;
        ++free_count_;
        e = more;
    }
}

void nexus_model::release(access& ended) noexcept {
    row& r = rows_[ended.row];
    if (ended.writes)
        r.writer = false;
    else
        --r.readers;
    // The next in line: one that writes, or all that read up to the first that writes.
    while (r.first != none && !r.writer && (r.readers == 0 || !accesses_[r.first].writes)) {
        const index next = r.first;
        r.first = accesses_[next].next;
        accesses_[next].waits = false;
        activate(r, next);
        const index owner = pool_[next / nexus_entry_accesses].owner;
        if (--pool_[owner].waiting == 0) {
            pool_[owner].is = state::ready;
            turn_.push(owner);
        }
    }
    if (r.first == none) r.last = none;
    if (r.readers == 0 && !r.writer && r.claimed == none) {
        addresses_[ended.row] = no_address;
        --rows_used_;
    }
}

// The row of an address, made if there is none; none: its set is full.
nexus_model::index nexus_model::find_row(std::uint64_t address) noexcept {
    const index first = nexus_set(address, sizes_.sets) * sizes_.ways;
    index vacant = none;
    for (index at = first; at < first + sizes_.ways; ++at) {
        if (addresses_[at] == address) return at;
        if (addresses_[at] == no_address && vacant == none) vacant = at;
    }
    if (vacant != none) {
        addresses_[vacant] = address;
        ++rows_used_;
    }
    return vacant;
}

bool nexus_model::empty() const noexcept {
    return free_count_ == sizes_.pool && rows_used_ == 0 && entering_ == none && new_.size() == 0 &&
           finished_.size() == 0 && ready_.size() == 0 && turn_.size() == 0;
}

const char* nexus_model::broken() const {
    std::vector<std::uint32_t> waiting(pool_.size());
    std::vector<std::uint32_t> active(rows_.size());
    std::uint32_t used = 0;
    for (index at = 0; at < rows_.size(); ++at) {
        if (addresses_[at] == no_address) continue;
        ++used;
        const row& r = rows_[at];
        const index first = at / sizes_.ways * sizes_.ways;
        for (index other = first; other < at; ++other) {
            if (addresses_[other] == addresses_[at]) return "an address has two rows";
        }
        if (nexus_set(addresses_[at], sizes_.sets) != at / sizes_.ways)
            return "an address is in a set that is not its own";
        if (r.writer && r.readers != 0) return "an address is read while it is written";
        if (!r.writer && r.readers == 0 && r.first != none)
            return "nobody accesses an address, and somebody waits for it";
        if (r.first != none && !r.writer && !accesses_[r.first].writes) return "a reader waits for readers";
        for (index a = r.first; a != none; a = accesses_[a].next) {
            if (!accesses_[a].waits || accesses_[a].row != at) return "what waits for an address is not of it";
            if (accesses_[a].next == none && a != r.last) return "the last that waits is another";
            ++waiting[pool_[a / nexus_entry_accesses].owner];
        }
        active[at] = r.readers + (r.writer ? 1 : 0);
    }
    if (used != rows_used_) return "the rows in use are not counted right";
    std::uint32_t spare = 0;
    for (index e = free_; e != none && spare <= free_count_; e = pool_[e].next) {
        if (pool_[e].is != state::unused) return "an entry of the pool is free and in use";
        ++spare;
    }
    std::uint32_t unused = 0;
    for (const entry& e : pool_) unused += e.is == state::unused ? 1 : 0;
    if (spare != free_count_ || unused != free_count_) return "entries of the pool are lost";
    for (index e = 0; e < pool_.size(); ++e) {
        if (pool_[e].is == state::unused) continue;
        const entry& task = pool_[pool_[e].owner];
        if (task.is != state::entering) {
            for (std::uint32_t i = 0; i < pool_[e].used; ++i) {
                const access& a = accesses_[e * nexus_entry_accesses + i];
                if (!a.waits && active[a.row]-- == 0) return "an active access is not counted";
            }
        }
        if (pool_[e].is == state::continued) continue;
        if (pool_[e].waiting != waiting[e]) return "a task waits for another number of accesses";
        if ((pool_[e].waiting != 0) != (pool_[e].is == state::waiting)) return "a task is ready and waits, or neither";
    }
    for (const std::uint32_t left : active) {
        if (left != 0) return "an access is active, and no task has it";
    }
    return nullptr;
}

} // namespace skerry::inline SKERRY_ABI::detail
