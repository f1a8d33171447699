// SPDX-License-Identifier: Apache-2.0
#include "bodies_many.hpp"

#include <cstddef>
#include <vector>

#include "base/port/child.hpp"

namespace skerry::fabric_test {

namespace {

using fabric::extent;
using fabric::kind;
using fabric::post_result;

constexpr std::uint16_t data = 1;
constexpr std::uint16_t source_at = 2;
constexpr std::uint16_t over = 3;

// Posts so many of both kinds to each of the first `peers` endpoints by turns, each pair's numbered from 0.
void flood(place& p, unsigned peers, std::uint64_t each) {
    for (std::uint64_t i = 0; i < each; ++i) {
        for (unsigned step = 0; step < peers; ++step) {
            const unsigned to = (p.about.self + step) % peers;
            p.send(to, kind::request, data, i);
            p.send(to, kind::reply, data, i);
        }
    }
}

// That all those came, and of each pair and kind in their order.
void expect_flood(place& p, unsigned peers, std::uint64_t each, std::size_t besides = 0) {
    p.until([&] { return p.in.all.size() == besides + 2 * each * peers; }, "the messages of all");
    std::vector<std::uint64_t> due(std::size_t{p.about.peers} * fabric::kinds);
    for (const inbox::entry& e : p.in.all) {
        if (e.tag == data) {
            expect(e.from < peers, "a message names the wrong sender");
            expect(e.word == due[e.from * fabric::kinds + static_cast<std::size_t>(e.kind)]++,
                   "messages of one pair and kind came out of order");
        }
    }
    for (std::size_t i = 0; i < peers * fabric::kinds; ++i) {
        expect(due[i] == each, "a pair has more messages, and another one fewer");
    }
}

void order_of_each_pair(place& p) {
    constexpr std::uint64_t each = 700; // more than there are credits
    flood(p, p.about.peers, each);
    expect_flood(p, p.about.peers, each);
}

// All fill their rings to the last, which takes nothing meanwhile: what one has used up is no other one's.
void credits_of_each_pair(place& p) {
    const std::uint64_t requests = p.about.request_credits;
    const std::uint64_t replies = p.about.reply_credits;
    if (!p.last() || p.alone()) {
        for (const kind k : {kind::request, kind::reply}) {
            const std::uint64_t credits = k == kind::request ? requests : replies;
            for (std::uint64_t i = 0; i < credits; ++i) {
                expect(p.me->post(p.last_peer(), k, place::make(data, i)) == post_result::sent,
                       "as many fit as there are credits of the pair");
            }
            expect(p.me->post(p.last_peer(), k, place::make(data, credits)) == post_result::full,
                   "a full ring is full");
        }
        p.beside.tell_last();
    }
    if (p.last()) {
        const unsigned senders = p.alone() ? 1 : p.last_peer();
        for (unsigned i = 0; i < senders; ++i) {
            p.beside.hear_first();
        }
        p.until([&] { return p.in.all.size() == senders * (requests + replies); }, "what was posted");
        std::vector<std::uint64_t> due(senders * fabric::kinds);
        for (const inbox::entry& e : p.in.all) {
            expect(e.from < senders, "a message names the wrong sender");
            expect(e.word == due[e.from * fabric::kinds + static_cast<std::size_t>(e.kind)]++,
                   "what a full ring refused left a trace");
        }
        for (std::size_t i = 0; i < senders; ++i) {
            expect(due[i * fabric::kinds] == requests && due[i * fabric::kinds + 1] == replies,
                   "each pair has its own credits");
        }
    }
}

std::byte pattern(std::size_t i, unsigned of) { return static_cast<std::byte>((i * 2654435761U + of * 40503U) >> 13U); }

const inbox::entry* find(const place& p, unsigned from, std::uint16_t tag) {
    for (const inbox::entry& e : p.in.all) {
        if (e.from == from && e.tag == tag) {
            return &e;
        }
    }
    return nullptr;
}

bool all_said(const place& p, std::uint16_t tag) {
    for (unsigned i = 0; i < p.about.peers; ++i) {
        if (find(p, i, tag) == nullptr) {
            return false;
        }
    }
    return true;
}

void send_all(place& p, std::uint16_t tag, std::uint64_t word) {
    for (unsigned i = 0; i < p.about.peers; ++i) {
        p.send(i, kind::request, tag, word);
    }
}

// Everybody pulls from everybody, all at once.
void copies_of_each_pair(place& p) {
    constexpr std::size_t bytes = 70'001; // more than one block
    std::vector<std::byte> source(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
        source[i] = pattern(i, p.about.self);
    }
    send_all(p, source_at, reinterpret_cast<std::uintptr_t>(source.data()));
    p.until([&] { return all_said(p, source_at); }, "the addresses of all");
    std::vector<std::vector<std::byte>> came(p.about.peers, std::vector<std::byte>(bytes));
    for (unsigned i = 0; i < p.about.peers; ++i) {
        const extent e{came[i].data(), find(p, i, source_at)->word, bytes};
        p.me->copy(i, fabric::direction::pull, {&e, 1}, {came[i].data(), i});
    }
    std::vector<unsigned> back(p.about.peers);
    for (const fabric::completion& c : p.completions(p.about.peers, "a copy from each")) {
        expect(c.arrived && c.done.word < p.about.peers && c.done.context == came[c.done.word].data(),
               "the token is the one given");
        ++back[c.done.word];
    }
    for (unsigned i = 0; i < p.about.peers; ++i) {
        expect(back[i] == 1, "each token comes once");
        for (std::size_t at = 0; at < bytes; ++at) {
            if (came[i][at] != pattern(at, i)) {
                throw failed("pulled a wrong byte from peer " + std::to_string(i));
            }
        }
    }
    send_all(p, over, 0); // the source stays until all have it
    p.until([&] { return all_said(p, over); }, "the end of all");
}

// The last is killed while all have a copy from it under way. Each of the others hears that, and they go on.
void a_peer_is_killed_among_more(place& p) {
    constexpr std::uint64_t last_words = 5;
    constexpr std::uint64_t each = 600;
    constexpr std::size_t bytes = std::size_t{1} << 20U;
    std::vector<fabric::failure> failures;
    const auto from_last = [&] {
        std::uint64_t n = 0;
        for (const inbox::entry& e : p.in.all) {
            n += e.from == p.last_peer() ? 1 : 0;
        }
        return n;
    };
    p.me->on_failure([&](const fabric::failure& f) {
        expect(from_last() == last_words, "what was posted before the death comes before its news");
        failures.push_back(f);
    });
    if (p.last()) {
        for (unsigned i = 0; i < p.last_peer(); ++i) {
            p.beside.hear_first();
        }
        for (std::uint64_t i = 0; i < last_words; ++i) {
            for (unsigned to = 0; to < p.last_peer(); ++to) {
                p.send(to, kind::request, over, i);
            }
        }
        p.beside.die();
    }
    std::vector<std::byte> room(bytes);
    const extent e{room.data(), 64, room.size()}; // nowhere
    p.me->copy(p.last_peer(), fabric::direction::pull, {&e, 1}, {nullptr, 4});
    p.beside.tell_last();
    p.until([&] { return !failures.empty(); }, "the news of a death");
    expect(failures[0].peer == p.last_peer() && failures[0].killed && failures[0].number == port::signal_kill,
           "the news says who died, and of what");
    const auto back = p.completions(1, "the copy that cannot end");
    expect(!back[0].arrived && back[0].done.word == 4, "a copy from the dead does not arrive");
    expect(p.me->post(p.last_peer(), kind::request, place::make(over, 0)) == post_result::gone,
           "a post to the dead is 'gone'");
    flood(p, p.last_peer(), each);
    expect_flood(p, p.last_peer(), each, last_words);
    expect(failures.size() == 1, "a death is told once, and of nobody else");
}

} // namespace

const std::vector<body>& many_bodies() {
    static const std::vector<body> all{
        {"order_of_each_pair", order_of_each_pair, nullptr, true},
        {"credits_of_each_pair", credits_of_each_pair, nullptr, true},
        {"copies_of_each_pair", copies_of_each_pair, [](const fabric::capabilities& c) { return c.bulk_copy; }, true},
        {"a_peer_is_killed_among_more", a_peer_is_killed_among_more,
         [](const fabric::capabilities& c) { return c.failure_detection; }, true},
    };
    return all;
}

} // namespace skerry::fabric_test
