// SPDX-License-Identifier: Apache-2.0
#include "place.hpp"

#include <exception>

#include "base/port/clock.hpp"

namespace skerry::fabric_test {

place::place(std::unique_ptr<fabric::endpoint> e, aside& way) : me(std::move(e)), about(me->describe()), beside(way) {
    me->on_message(in);
}

fabric::message place::make(std::uint16_t tag, std::uint64_t word) {
    fabric::message m;
    m.tag = tag;
    m.words[0] = word;
    m.words[fabric::message_words - 1] = ~word;
    return m;
}

void place::send(unsigned peer, fabric::kind k, std::uint16_t tag, std::uint64_t word) {
    const fabric::message m = make(tag, word);
    fabric::post_result result = me->post(peer, k, m);
    if (result == fabric::post_result::full) {
        until(
            [&] {
                result = me->post(peer, k, m);
                return result != fabric::post_result::full;
            },
            "credit for a " + std::string(fabric::name_of(k)));
    }
    expect(result == fabric::post_result::sent, "the peer is gone");
    me->flush(); // who sends need not poll
}

void place::until(const std::function<bool()>& done, const std::string& what) {
    const std::uint64_t begin = port::now_ns();
    while (!done()) {
        const std::uint64_t now = port::now_ns();
        expect(now - begin < too_long_ns, "waited too long for " + what);
        if (me->poll(64) == 0) { // done() may post, so it is asked once in each round; what poll() moved ends the wait
            static_cast<void>(me->wait(now + too_long_ns));
        }
    }
}

std::vector<fabric::completion> place::completions(std::size_t n, const std::string& what) {
    std::vector<fabric::completion> result;
    until(
        [&] {
            while (const auto c = me->completed()) {
                result.push_back(*c);
            }
            return result.size() >= n;
        },
        what);
    expect(result.size() == n, "more tokens came back than went out");
    return result;
}

std::string run_here(const body& b, std::unique_ptr<fabric::endpoint> e, aside& beside,
                     void (*failed)(const char* text)) {
    place p(std::move(e), beside);
    try {
        if (b.applies != nullptr && !b.applies(p.about)) {
            return "not applicable";
        }
        b.run(p);
    } catch (const std::exception& error) {
        if (failed != nullptr) {
            failed(error.what());
        }
        return error.what();
    }
    return "";
}

} // namespace skerry::fabric_test
