// SPDX-License-Identifier: Apache-2.0

// What every back end must do: messages, credits, sleep, describe(). Copies and deaths are in bodies_bulk.cpp, and what
// takes more than one pair in bodies_many.cpp.

#include <vector>

#include "base/port/child.hpp"
#include "base/port/clock.hpp"
#include "bodies_bulk.hpp"
#include "bodies_many.hpp"
#include "place.hpp"

namespace skerry::fabric_test {

namespace {

using fabric::kind;
using fabric::post_result;

constexpr std::uint16_t data = 1;
constexpr std::uint16_t over = 2;

// Every endpoint floods its successor with both kinds and takes what its predecessor sends.
void order(place& p) {
    constexpr std::uint64_t each = 5000;
    const unsigned to = (p.about.self + 1) % p.about.peers;
    for (std::uint64_t i = 0; i < each; ++i) {
        p.send(to, kind::request, data, i);
        p.send(to, kind::reply, data, i);
    }
    p.until([&] { return p.in.all.size() == 2 * each; }, "all messages");
    std::uint64_t due[fabric::kinds] = {0, 0};
    for (const inbox::entry& e : p.in.all) {
        expect(e.from == (p.about.self + p.about.peers - 1) % p.about.peers, "a message names the wrong sender");
        expect(e.tag == data, "a message has another one's tag");
        expect(e.word == due[static_cast<int>(e.kind)]++, "messages of one kind came out of order");
    }
}

unsigned fill(place& p, kind k, unsigned limit) {
    unsigned n = 0;
    while (n <= limit && p.me->post(p.last_peer(), k, place::make(data, n)) == post_result::sent) {
        ++n;
    }
    return n;
}

void credits(place& p) {
    if (p.first()) {
        const unsigned requests = p.about.request_credits;
        const unsigned replies = p.about.reply_credits;
        expect(fill(p, kind::request, requests) == requests, "as many requests as there are credits fit");
        expect(p.me->post(p.last_peer(), kind::request, place::make(data, 0)) == post_result::full,
               "a full ring of requests is full");
        expect(fill(p, kind::reply, replies) == replies, "replies have credits of their own");
        expect(p.me->post(p.last_peer(), kind::reply, place::make(data, 0)) == post_result::full,
               "a full ring of replies is full");
        p.beside.tell_last();
    }
    if (p.last()) {
        p.beside.hear_first();
        expect(p.me->poll(1) == 1 && p.in.all.size() == 1, "a budget of one takes one message");
        expect(p.in.all[0].kind == kind::reply, "replies come first");
        p.beside.tell_first();
    }
    if (p.first()) {
        p.beside.hear_last();
        expect(p.me->post(p.last_peer(), kind::reply, place::make(data, p.about.reply_credits)) == post_result::sent,
               "a reply taken gives a credit for a reply");
        expect(p.me->post(p.last_peer(), kind::request, place::make(data, 0)) == post_result::full,
               "a reply taken gives no credit for a request");
        p.beside.tell_last();
    }
    if (p.last()) {
        p.beside.hear_first();
        const std::size_t replies = p.about.reply_credits + 1;
        p.until([&] { return p.in.count(kind::reply) == replies; }, "the replies");
        p.until([&] { return p.in.count(kind::request) == p.about.request_credits; }, "the requests");
        std::uint64_t due[fabric::kinds] = {0, 0};
        for (const inbox::entry& e : p.in.all) {
            expect(e.word == due[static_cast<int>(e.kind)]++, "what a full ring refused left a trace");
        }
    }
}

// A server that answers inside its receiver, with requests coming faster than it takes them.
void answers(place& p) {
    constexpr std::uint64_t each = 2000;
    if (p.last()) {
        p.in.inside = [&] {
            const inbox::entry& e = p.in.all.back();
            if (e.kind == kind::request && e.tag == data) {
                expect(p.me->post(e.from, kind::reply, place::make(data, e.word)) != post_result::gone, "gone");
            }
        };
    }
    if (p.first()) {
        std::uint64_t sent = 0;
        // Never more under way than there are credits for replies, so that each can be answered at once.
        p.until(
            [&] {
                while (sent < each && sent - p.in.count(kind::reply) < p.about.reply_credits &&
                       p.me->post(p.last_peer(), kind::request, place::make(data, sent)) == post_result::sent) {
                    ++sent;
                }
                return p.in.count(kind::reply) == each;
            },
            "the answers");
        p.send(p.last_peer(), kind::request, over, 0);
    }
    if (p.last()) {
        p.until([&] { return p.in.find(over) != nullptr; }, "the end");
    }
}

// Nothing but poll() calls the receiver.
void called_back_only_by_poll(place& p) {
    if (p.first()) {
        p.send(p.last_peer(), kind::request, data, 7);
        p.beside.tell_last();
    }
    if (p.last()) {
        p.beside.hear_first();
        bool polling = false;
        p.in.inside = [&] { expect(polling, "the receiver was called outside of poll()"); };
        static_cast<void>(p.me->post(p.about.self, kind::reply, place::make(data, 8)));
        if (p.about.kick) {
            p.me->kick(p.about.self);
        }
        char from[3] = {1, 2, 3};
        char to[3] = {};
        const fabric::extent e{to, reinterpret_cast<std::uintptr_t>(from), sizeof to};
        p.me->copy(p.about.self, fabric::direction::pull, {&e, 1}, {&from, 1});
        static_cast<void>(p.me->wait(port::now_ns() + 1000));
        static_cast<void>(p.me->completed());
        expect(p.in.all.empty(), "a message came without poll()");
        polling = true;
        p.until([&] { return p.in.all.size() == 2; }, "the two messages");
    }
}

// Each turn sleeps until the other one has posted.
void no_lost_wakeup(place& p) {
    constexpr std::uint64_t turns = 2000;
    std::uint64_t next = 0; // the next word that must come to this endpoint
    const auto await = [&] {
        while (p.in.all.size() == next) {
            if (p.me->poll(1) == 0 && p.in.all.size() == next) {
                expect(p.me->wait(port::now_ns() + too_long_ns), "a post did not wake the one who waits");
            }
        }
        expect(p.in.all[next].word == next, "the turns came out of order");
        ++next;
    };
    for (std::uint64_t turn = 0; turn < turns; ++turn) {
        if (p.first()) {
            p.send(p.last_peer(), kind::request, data, turn);
        }
        if (p.last()) {
            await();
            if (!p.alone()) {
                p.send(p.first_peer(), kind::request, data, turn);
            }
        }
        if (p.first() && !p.alone()) {
            await();
        }
    }
}

void wait_ends_at_the_deadline(place& p) {
    expect(!p.me->wait(0), "a deadline in the past is no news");
    const std::uint64_t deadline = port::now_ns() + 3'000'000;
    expect(!p.me->wait(deadline), "there was no news");
    expect(port::now_ns() >= deadline, "a wait without news ended before its deadline");
    // Nobody posts before all have come this far.
    if (p.first()) {
        p.beside.tell_last();
    }
    if (p.last()) {
        p.beside.hear_first();
        p.beside.tell_first();
    }
    if (p.first()) {
        p.beside.hear_last();
    }
}

void kicks(place& p) {
    p.me->kick(p.about.self);
    expect(p.me->wait(port::now_ns() + too_long_ns), "a kick before the wait is kept");
    expect(!p.me->wait(port::now_ns() + 1000), "a kick counts once");
    if (p.last() && !p.alone()) {
        p.beside.tell_first();
        expect(p.me->wait(port::now_ns() + too_long_ns), "a kick wakes the one who waits");
        expect(p.me->poll(1) == 0, "a kick is no message");
        p.beside.tell_first();
    }
    if (p.first() && !p.alone()) {
        p.beside.hear_last();
        p.me->kick(p.last_peer());
        p.beside.hear_last(); // stays until then, so that its leaving is not what wakes the other
    }
}

void naps(place& p) {
    p.me->kick(p.about.self);
    expect(p.me->nap(port::now_ns() + too_long_ns), "a kick before the nap is kept");
    expect(!p.me->nap(port::now_ns() + 1000), "a kick counts once");
    expect(!p.me->nap(0), "a nap may be over before it begins");
    if (p.last()) {
        if (p.alone()) {
            p.send(p.last_peer(), kind::request, 1, 0);
        } else {
            p.beside.tell_first();
        }
        const std::uint64_t deadline = port::now_ns() + 20'000'000;
        expect(!p.me->nap(deadline), "a message is no kick");
        expect(port::now_ns() >= deadline, "a nap ended before its deadline without a kick");
        expect(p.in.count(kind::request) == 0, "a nap takes no messages");
        p.until([&] { return p.in.count(kind::request) == 1; }, "what came during the nap");
        p.send(p.first_peer(), kind::reply, 1, 0);
        if (!p.alone()) {
            const std::uint64_t begin = port::now_ns();
            expect(p.me->nap(begin + too_long_ns) && port::now_ns() < begin + too_long_ns, "a kick ends the nap");
            p.beside.tell_first();
        }
    }
    if (p.first()) {
        if (!p.alone()) {
            p.beside.hear_last();
            p.send(p.last_peer(), kind::request, 1, 0);
        }
        p.until([&] { return p.in.count(kind::reply) == 1; }, "the answer");
        if (!p.alone()) {
            p.me->kick(p.last_peer());
            p.beside.hear_last(); // stays until then
        }
    }
}

template <class F>
void expect_missing(const place& p, const char* what, F&& call) {
    try {
        call();
    } catch (const fabric::not_available& e) {
        const std::string wanted = "skerry: the fabric '" + std::string(p.about.name) + what;
        expect(e.what() == wanted, std::string("the error says: ") + e.what());
        return;
    }
    throw failed(std::string("describe() denies it, but there was no error: ") + what);
}

void describe_is_honest(place& p) {
    expect(!p.about.name.empty() && p.about.self < p.about.peers, "describe() names the back end and its endpoints");
    expect(p.about.request_credits > 0 && p.about.reply_credits > 0, "each kind has credits");
    if (!p.about.bulk_copy) {
        expect_missing(p, "' has no bulk copy", [&] { p.me->copy(p.about.self, fabric::direction::pull, {}, {}); });
    }
    if (!p.about.fetch) {
        expect_missing(p, "' has no fetch", [&] { static_cast<void>(p.me->fetch(p.about.self, {})); });
    }
    if (!p.about.kick) {
        expect_missing(p, "' has no kick", [&] { p.me->kick(p.about.self); });
    }
    if (!p.about.nap) {
        expect_missing(p, "' has no nap", [&] { p.me->nap(0); });
    }
    if (p.about.failure_detection) {
        p.me->on_failure([](const fabric::failure&) {});
    } else {
        expect_missing(p, "' has no failure detection", [&] { p.me->on_failure([](const fabric::failure&) {}); });
    }
    const fabric::memory own = p.me->alloc(100, 64);
    expect(reinterpret_cast<std::uintptr_t>(own.get()) % 64 == 0, "alloc() aligns");
}

} // namespace

const std::vector<body>& bodies() {
    static const std::vector<body> all = [] {
        std::vector<body> result{
            {"order", order, nullptr, true},
            {"credits", credits, nullptr, true},
            {"answers", answers, nullptr, true},
            {"called_back_only_by_poll", called_back_only_by_poll, nullptr},
            {"no_lost_wakeup", no_lost_wakeup, nullptr},
            {"wait_ends_at_the_deadline", wait_ends_at_the_deadline, nullptr},
            {"kicks", kicks, [](const fabric::capabilities& c) { return c.kick; }},
            {"naps", naps, [](const fabric::capabilities& c) { return c.nap; }},
            {"describe_is_honest", describe_is_honest, nullptr},
        };
        result.insert(result.end(), bulk_bodies().begin(), bulk_bodies().end());
        result.insert(result.end(), many_bodies().begin(), many_bodies().end());
        return result;
    }();
    return all;
}

} // namespace skerry::fabric_test
