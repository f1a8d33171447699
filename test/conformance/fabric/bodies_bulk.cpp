// SPDX-License-Identifier: Apache-2.0
#include "bodies_bulk.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

#include "base/port/child.hpp"
#include "base/port/clock.hpp"

namespace skerry::fabric_test {

namespace {

using fabric::direction;
using fabric::extent;
using fabric::kind;

constexpr std::uint16_t source_at = 1;
constexpr std::uint16_t target_at = 2;
constexpr std::uint16_t over = 3;

constexpr std::size_t mebi = std::size_t{1} << 20;
constexpr std::byte untouched{0xee};

std::byte pattern(std::size_t i, unsigned salt) {
    return static_cast<std::byte>((i * 2654435761U + salt * 40503U) >> 13);
}

std::vector<std::byte> filled(std::size_t bytes, unsigned salt) {
    std::vector<std::byte> result(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
        result[i] = pattern(i, salt);
    }
    return result;
}

std::uint64_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

std::uint64_t told(place& p, std::uint16_t tag) {
    p.until([&] { return p.in.find(tag) != nullptr; }, "an address");
    return p.in.find(tag)->word;
}

void copy(place& p, direction way, void* here, std::uint64_t there, std::size_t bytes) {
    const extent e{here, there, bytes};
    p.me->copy(p.last_peer(), way, {&e, 1}, {here, bytes});
    const auto back = p.completions(1, std::to_string(bytes) + " bytes");
    expect(back[0].arrived && back[0].done.context == here && back[0].done.word == bytes, "the token is the one given");
}

// Between first and last, at offsets that are aligned to nothing. What was pushed is pulled back, so that no other
// thread looks at memory while it changes.
void copy_sizes(place& p, const std::vector<std::size_t>& sizes) {
    constexpr std::size_t edge = 64;
    const std::size_t most = *std::max_element(sizes.begin(), sizes.end());
    std::vector<std::byte> source;
    std::vector<std::byte> target;
    if (p.last()) {
        source = filled(most + 2 * edge, 1);
        target.assign(most + 2 * edge, untouched);
        p.send(p.first_peer(), kind::request, source_at, address(source.data()));
        p.send(p.first_peer(), kind::request, target_at, address(target.data()));
    }
    if (p.first()) {
        const std::uint64_t from = told(p, source_at);
        const std::uint64_t to = told(p, target_at);
        std::vector<std::byte> here(most + 2 * edge);
        for (const std::size_t bytes : sizes) {
            const std::vector<std::pair<std::size_t, std::size_t>> offsets =
                bytes < mebi
                    ? std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}, {1, 0}, {0, 1}, {7, 63}, {63, 3}}
                    : std::vector<std::pair<std::size_t, std::size_t>>{{63, 3}};
            for (const auto& [ours, theirs] : offsets) {
                const std::string what = std::to_string(bytes) + " bytes at " + std::to_string(ours) + " and " +
                                         std::to_string(theirs) + ": ";
                std::fill(here.begin(), here.end(), untouched);
                copy(p, direction::pull, here.data() + ours, from + theirs, bytes);
                for (std::size_t i = 0; i < here.size(); ++i) {
                    const bool inside = i >= ours && i < ours + bytes;
                    if (here[i] != (inside ? pattern(i - ours + theirs, 1) : untouched)) {
                        throw failed("pull of " + what + (inside ? "wrong byte " : "beyond the end, byte ") +
                                     std::to_string(i));
                    }
                }
                const std::vector<std::byte> sent = filled(bytes, static_cast<unsigned>(bytes + ours));
                std::vector<std::byte> clean(bytes + 2, untouched);
                copy(p, direction::push, clean.data(), to + edge + theirs - 1, bytes + 2);
                copy(p, direction::push, const_cast<std::byte*>(sent.data()), to + edge + theirs, bytes);
                copy(p, direction::pull, clean.data(), to + edge + theirs - 1, bytes + 2);
                expect(clean.front() == untouched && clean.back() == untouched, "push of " + what + "beyond an end");
                expect(std::equal(sent.begin(), sent.end(), clean.begin() + 1), "push of " + what + "wrong bytes");
            }
        }
        p.send(p.last_peer(), kind::request, over, 0);
    }
    if (p.last()) {
        p.until([&] { return p.in.find(over) != nullptr; }, "the end");
    }
}

void small_copies(place& p) { copy_sizes(p, {0, 1, 63, 64, 65, 4095, 65535, 65536, 65537}); }
void middle_copies(place& p) { copy_sizes(p, {mebi - 1, mebi + 1}); }
void large_copies(place& p) { copy_sizes(p, {64 * mebi}); }

// Both push and pull at once, more than the staging holds, in several extents each.
void copies_both_ways(place& p) {
    constexpr std::size_t bytes = 3 * mebi + 5;
    const unsigned peer = p.about.peers - 1 - p.about.self;
    std::vector<std::byte> source = filled(bytes, p.about.self);
    std::vector<std::byte> pulled(bytes);
    std::vector<std::byte> pushed(bytes);
    p.send(peer, kind::request, source_at, address(source.data()));
    p.send(peer, kind::request, target_at, address(pushed.data()));
    const std::uint64_t from = told(p, source_at);
    const std::uint64_t to = told(p, target_at);
    std::vector<extent> pulls;
    std::vector<extent> pushes;
    for (std::size_t begin = 0, piece = 1; begin < bytes; begin += piece, piece = piece * 5 + 1) {
        piece = std::min(piece, bytes - begin);
        pulls.push_back({pulled.data() + begin, from + begin, piece});
        pushes.push_back({source.data() + begin, to + begin, piece});
        pulls.push_back({nullptr, 0, 0});
    }
    p.me->copy(peer, direction::pull, pulls, {nullptr, 1});
    p.me->copy(peer, direction::push, pushes, {nullptr, 2});
    const auto back = p.completions(2, "a pull and a push");
    expect(back[0].arrived && back[1].arrived && back[0].done.word + back[1].done.word == 3, "each token comes once");
    expect(pulled == filled(bytes, peer), "pulled wrong bytes");
    p.send(peer, kind::request, over, 0); // after the push is complete
    p.until([&] { return p.in.find(over) != nullptr; }, "the other's push");
    expect(pushed == filled(bytes, peer), "pushed wrong bytes");
    p.send(peer, kind::reply, over, 0); // nobody leaves before both have seen the end of all
    p.until([&] { return p.in.count(kind::reply) == 1; }, "the other's end");
}

// The last sleeps beside the fabric meanwhile.
void copies_without_the_peer(place& p) {
    constexpr std::size_t bytes = 3 * mebi + 5;
    std::vector<std::byte> room = filled(p.last() ? bytes : 0, 7);
    if (p.last()) {
        p.send(p.first_peer(), kind::request, source_at, address(room.data()));
        p.beside.hear_first();
        expect(room == filled(bytes, 9), "pushed wrong bytes");
        return;
    }
    const std::uint64_t there = told(p, source_at);
    std::vector<std::byte> here(bytes);
    copy(p, direction::pull, here.data(), there, bytes);
    expect(here == filled(bytes, 7), "pulled wrong bytes");
    here = filled(bytes, 9);
    copy(p, direction::push, here.data(), there, bytes);
    p.beside.tell_last();
}

// The last sleeps beside the fabric; two threads of the first fetch at the same time, and neither drives.
void fetches(place& p) {
    constexpr std::size_t bytes = 2 * mebi + 7;
    std::vector<std::byte> room = filled(p.last() ? bytes : 0, 7);
    if (p.last()) {
        p.send(p.first_peer(), kind::request, source_at, address(room.data()));
        if (p.first()) { // the only one
            p.until([&] { return p.in.find(source_at) != nullptr; }, "its own message");
        } else {
            p.beside.hear_first();
            return;
        }
    }
    const std::uint64_t there = told(p, source_at);
    const auto in_pieces = [&](std::vector<std::byte>& to, std::size_t step) {
        std::vector<extent> pieces;
        for (std::size_t begin = 0, piece = 0; begin < bytes; begin += piece, piece = piece * 3 + step) {
            piece = std::min(piece, bytes - begin);
            pieces.push_back({to.data() + begin, there + begin, piece});
        }
        for (int i = 0; i < 40; ++i) { // more than the system takes at once
            pieces.push_back({to.data() + i, there + static_cast<std::uint64_t>(i), 1});
        }
        return p.me->fetch(p.last_peer(), pieces);
    };
    std::vector<std::byte> mine(bytes);
    std::vector<std::byte> beside(bytes);
    bool came_beside = false;
    std::thread other([&] { came_beside = in_pieces(beside, 5); });
    const bool came = in_pieces(mine, 1);
    other.join();
    expect(came && came_beside, "what is there can be fetched");
    expect(mine == filled(bytes, 7) && beside == mine, "fetched wrong bytes");
    expect(p.me->fetch(p.last_peer(), {}), "nothing can always be fetched");
    if (!p.last()) {
        p.beside.tell_last();
    }
}

// What a wait and later posts and copies find when the peer is not there any more.
void expect_gone(place& p, std::vector<std::byte>& room) {
    expect(p.me->post(p.last_peer(), kind::request, place::make(over, 0)) == fabric::post_result::gone,
           "a post to who is not there is 'gone'");
    const extent e{room.data(), address(room.data()), room.size()};
    p.me->copy(p.last_peer(), direction::pull, {&e, 1}, {nullptr, 5});
    const auto back = p.completions(1, "a copy from who is not there");
    expect(!p.about.fetch || p.about.shared_addresses || !p.me->fetch(p.last_peer(), {&e, 1}),
           "nothing can be fetched from who is not there");
    expect(!back[0].arrived && back[0].done.word == 5, "a copy from who is not there does not arrive");
    expect(!p.me->wait(port::now_ns() + 1000), "an end is news once");
}

void a_peer_leaves(place& p) {
    constexpr std::uint64_t messages = 5;
    std::vector<std::byte> room(100);
    unsigned failures = 0;
    if (p.about.failure_detection) {
        p.me->on_failure([&](const fabric::failure&) { ++failures; });
    }
    if (p.first()) {
        p.until([&] { return p.in.count(kind::request) == messages; }, "the last messages");
        while (p.me->post(p.last_peer(), kind::reply, place::make(over, 0)) != fabric::post_result::gone) {
            expect(p.me->wait(port::now_ns() + too_long_ns), "a peer that leaves is news");
            p.me->poll(1);
        }
        p.me->poll(64);
        expect_gone(p, room);
        expect(failures == 0, "who leaves has not failed");
    } else {
        for (std::uint64_t i = 0; i < messages; ++i) {
            p.send(p.first_peer(), kind::request, source_at, i);
        }
        p.me.reset();
    }
}

// The last is killed in the middle of everything: a copy from it is under way, the first sleeps.
void a_peer_is_killed(place& p) {
    constexpr std::uint64_t messages = 5;
    std::vector<fabric::failure> failures;
    std::vector<std::byte> room(8 * mebi);
    p.me->on_failure([&](const fabric::failure& f) {
        expect(p.in.count(kind::request) == messages, "what was posted before the death comes before its news");
        failures.push_back(f);
    });
    if (p.last()) {
        p.beside.hear_first();
        for (std::uint64_t i = 0; i < messages; ++i) {
            p.send(p.first_peer(), kind::request, source_at, i);
        }
        p.beside.die();
    }
    const extent e{room.data(), 64, room.size()}; // nowhere
    p.me->copy(p.last_peer(), direction::pull, {&e, 1}, {nullptr, 4});
    p.beside.tell_last();
    p.until([&] { return !failures.empty(); }, "the news of a death");
    expect(failures.size() == 1 && failures[0].peer == p.last_peer() && failures[0].killed &&
               failures[0].number == port::signal_kill,
           "the news says who died, and of what");
    expect(failures[0].text() == "process " + std::to_string(p.last_peer()) + " was killed by signal 9",
           "the text says so too");
    const auto back = p.completions(1, "the copy that cannot end");
    expect(!back[0].arrived && back[0].done.word == 4, "a copy from the dead does not arrive");
    expect_gone(p, room);
    expect(failures.size() == 1, "a death is told once");
}

// As before, but of a copy that has begun and that only the first's poll() would go on with.
void a_peer_is_killed_amid_a_copy(place& p) {
    constexpr std::size_t bytes = 8 * mebi;
    std::vector<std::byte> room(bytes);
    unsigned failures = 0;
    p.me->on_failure([&](const fabric::failure&) { ++failures; });
    if (p.last()) {
        p.send(p.first_peer(), kind::request, source_at, address(room.data()));
        p.beside.hear_first();
        p.beside.die();
    }
    const extent e{room.data(), told(p, source_at), bytes};
    p.me->copy(p.last_peer(), direction::pull, {&e, 1}, {nullptr, 6});
    p.beside.tell_last();
    const std::uint64_t begin = port::now_ns();
    while (p.me->post(p.last_peer(), kind::reply, place::make(over, 0)) != fabric::post_result::gone) {
        expect(port::now_ns() - begin < too_long_ns, "waited too long for the death");
    }
    const auto back = p.completions(1, "the copy that was cut off");
    expect(!back[0].arrived && back[0].done.word == 6, "a copy that was cut off does not arrive");
    p.until([&] { return failures == 1; }, "the news of a death");
}

bool copies(const fabric::capabilities& c) { return c.bulk_copy; }

} // namespace

const std::vector<body>& bulk_bodies() {
    static const std::vector<body> all{
        {"small_copies", small_copies, copies},
        {"middle_copies", middle_copies, copies},
        {"large_copies", large_copies, copies},
        {"copies_both_ways", copies_both_ways, copies},
        {"copies_without_the_peer", copies_without_the_peer,
         [](const fabric::capabilities& c) { // nobody sleeps beside the fabric on a simulated core
             return c.bulk_copy && !c.copy_needs_peer && c.peers > 1 && c.name != "sim";
         }},
        {"fetches", fetches, [](const fabric::capabilities& c) { return c.fetch; }},
        {"a_peer_leaves", a_peer_leaves, [](const fabric::capabilities& c) { return c.peers > 1; }},
        {"a_peer_is_killed", a_peer_is_killed, [](const fabric::capabilities& c) { return c.failure_detection; }},
        {"a_peer_is_killed_amid_a_copy", a_peer_is_killed_amid_a_copy,
         [](const fabric::capabilities& c) { // those of simulated cores go on by themselves
             return c.failure_detection && c.bulk_copy && c.name != "sim";
         }},
    };
    return all;
}

} // namespace skerry::fabric_test
