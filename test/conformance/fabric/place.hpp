// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a body of the fabric's conformance suite runs in. A body is run by every endpoint of a fabric, each on its own
// thread or in its own process; with a single endpoint that is its own peer, `first` and `last` are the same one and
// the body plays both parts in turn. With more than two, those between play no part in bodies that are about a pair.
// A body throws failed.

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "fabric/fabric.hpp"

namespace skerry::fabric_test {

struct failed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline void expect(bool good, const std::string& text) {
    if (!good) {
        throw failed(text);
    }
}

// What first and last have beside the fabric: a way between them that does not use it, and how to die. Those between
// may tell, too; what was told so often can be heard so often.
class aside {
  public:
    virtual ~aside() = default;
    virtual void tell_last() = 0;
    virtual void hear_first() = 0;
    virtual void tell_first() = 0;
    virtual void hear_last() = 0;
    [[noreturn]] virtual void die() = 0; // whoever calls it, without leaving anything
};

// Keeps all that came.
struct inbox final : fabric::receiver {
    struct entry {
        unsigned from;
        fabric::kind kind;
        std::uint16_t tag;
        std::uint64_t word;
    };
    std::vector<entry> all;
    std::function<void()> inside; // called for each message

    void receive(unsigned from, fabric::kind k, const fabric::message& m) override {
        all.push_back({from, k, m.tag, m.words[0]});
        expect(m.words[fabric::message_words - 1] == ~m.words[0], "a message came with another one's end");
        if (inside) {
            inside();
        }
    }
    [[nodiscard]] std::size_t count(fabric::kind k) const {
        std::size_t n = 0;
        for (const entry& e : all) {
            n += e.kind == k ? 1 : 0;
        }
        return n;
    }
    [[nodiscard]] const entry* find(std::uint16_t tag) const {
        for (const entry& e : all) {
            if (e.tag == tag) {
                return &e;
            }
        }
        return nullptr;
    }
};

struct place {
    place(std::unique_ptr<fabric::endpoint> e, aside& way);

    [[nodiscard]] bool first() const { return about.self == 0; }
    [[nodiscard]] bool last() const { return about.self == about.peers - 1; }
    [[nodiscard]] bool alone() const { return about.peers == 1; }
    [[nodiscard]] unsigned first_peer() const { return 0; }
    [[nodiscard]] unsigned last_peer() const { return about.peers - 1; }

    static fabric::message make(std::uint16_t tag, std::uint64_t word);

    // Posts, polling while there is no credit.
    void send(unsigned peer, fabric::kind k, std::uint16_t tag, std::uint64_t word);

    // Polls, and sleeps between, until done() or for too long.
    void until(const std::function<bool()>& done, const std::string& what);

    // Polls until so many tokens have come back.
    std::vector<fabric::completion> completions(std::size_t n, const std::string& what);

    std::unique_ptr<fabric::endpoint> me;
    fabric::capabilities about;
    aside& beside;
    inbox in; // registered by the constructor
};

struct body {
    const char* name;
    void (*run)(place&);
    bool (*applies)(const fabric::capabilities&); // null: everywhere
    bool among_more = false;                      // also of three and four endpoints
};

const std::vector<body>& bodies();

// Runs a body at one endpoint; what it found, "not applicable", or nothing. `failed`: called, if there is one, while
// the endpoint still stands.
std::string run_here(const body& b, std::unique_ptr<fabric::endpoint> e, aside& beside,
                     void (*failed)(const char* text) = nullptr);

// Far beyond what any step takes: the bound that makes a hang a failure.
inline constexpr std::uint64_t too_long_ns = 100'000'000'000;

} // namespace skerry::fabric_test
