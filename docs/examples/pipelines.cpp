// SPDX-License-Identifier: Apache-2.0

// Blocks are read in order, worked on at the same time, and written in order: three ways.

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <skerry/skerry.hpp>

namespace {

using block = std::vector<std::uint64_t>;

// Stands for a file or a socket: 100 blocks of numbers.
struct reader {
    std::uint64_t next = 0;

    std::optional<block> read() {
        if (next == 100) return std::nullopt;
        block b(1000);
        std::iota(b.begin(), b.end(), 1000 * next++);
        return b;
    }
};

// Hears of blocks; their order decides what it comes to.
struct writer {
    std::uint64_t digest = 0;

    void write(const block& b) {
        for (const std::uint64_t x : b) digest = digest * 31 + x;
    }
};

block squared(block b) {
    for (std::uint64_t& x : b) x *= x;
    return b;
}

std::uint64_t with_futures() {
    reader source;
    writer sink;
    // [futures]
    std::array<skerry::future<block>, 8> ring; // at most 8 blocks are under way
    std::size_t at = 0;
    while (std::optional<block> b = source.read()) {
        skerry::future<block>& slot = ring[at++ % ring.size()];
        if (slot.valid()) sink.write(slot.get()); // the oldest: waits for it, or runs it here
        slot = skerry::submit([raw = std::move(*b)]() mutable { return squared(std::move(raw)); });
    }
    for (std::size_t i = 0; i < ring.size(); ++i) {
        skerry::future<block>& slot = ring[at++ % ring.size()];
        if (slot.valid()) sink.write(slot.get());
    }
    // [/futures]
    return sink.digest;
}

// [stages]
void read_one(reader& source, std::optional<block>& b) { b = source.read(); }
void square_one(std::optional<block>& b) {
    if (b) b = squared(std::move(*b));
}
void write_one(const std::optional<block>& b, writer& sink) {
    if (b) sink.write(*b);
}
// [/stages]

std::uint64_t with_accesses() {
    reader source;
    writer sink;
    // [accesses]
    std::array<std::optional<block>, 8> slots; // at most 8 blocks are under way
    // If a stage throws, `finish` waits for all tasks before `slots` goes.
    skerry::finish([&](skerry::scope&) {
        for (std::size_t i = 0;; ++i) {
            std::optional<block>& b = slots[i % slots.size()];
            // Until the slot's last block was worked on; the sink may not have it yet.
            skerry::taskwait_on(skerry::in(b));
            if (i >= slots.size() && !b) break; // there was none any more
            // Tasks that read run one after the other, for they share `source`; those that write share `sink`.
            skerry::spawn(read_one, skerry::inout(source), skerry::out(b));
            skerry::spawn(square_one, skerry::inout(b)); // beside those of other slots
            skerry::spawn(write_one, skerry::in(b), skerry::inout(sink));
        }
    });
    // [/accesses]
    return sink.digest;
}

std::uint64_t with_two_buffers() {
    reader source;
    writer sink;
    // [buffers]
    std::optional<block> now = source.read(), next;
    while (now) {
        skerry::parallel_invoke([&] { next = source.read(); }, [&] { sink.write(squared(std::move(*now))); });
        std::swap(now, next);
    }
    // [/buffers]
    return sink.digest;
}

std::uint64_t serially() {
    reader source;
    writer sink;
    while (std::optional<block> b = source.read()) sink.write(squared(std::move(*b)));
    return sink.digest;
}

} // namespace

int main() {
    const std::uint64_t wanted = serially();
    return with_futures() == wanted && with_accesses() == wanted && with_two_buffers() == wanted ? 0 : 1;
}
