// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random programs of the event machine: events that are sent by threads and by receive functions, while masks change
// and event groups count. What a program promises is known from its text (event_run.cpp).

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <vector>

#include <event_machine.h>

namespace random_events {

constexpr unsigned none = std::numeric_limits<unsigned>::max();

struct queue {
    em_queue_type_t type;
    unsigned priority;
    bool masked;   // of the queue group whose mask changes
    bool joined;   // in the atomic group, which is of that one
    unsigned most; // events; 0: any number

    [[nodiscard]] bool received() const {
        return type <= EM_QUEUE_TYPE_PARALLEL_ORDERED || type == EM_QUEUE_TYPE_LOCAL;
    }
    [[nodiscard]] bool scheduled() const { return type <= EM_QUEUE_TYPE_PARALLEL_ORDERED; }
    // What arrives there is noted one after the other.
    [[nodiscard]] bool shows_order() const { return !received() || type == EM_QUEUE_TYPE_ATOMIC; }
};

struct node { // an event, and what its receive function does
    unsigned to = 0;
    std::vector<unsigned> children{}; // sends these
    std::vector<bool> forked{};       // from a task of its own
    unsigned ends = none;             // ends its atomic or ordered context before that one
    unsigned suspends = none;         // is suspended before that one, or behind all if there is none
    bool resumed_ahead = false;       // by itself, and else by another thread
    bool asks_ahead = false;
    bool hands_on = false; // its last child is the event that it has received
    unsigned dawdles = 0;
    unsigned group = none; // counts for it

    // What follows from that.
    unsigned context = none; // the node of the scheduled queue in whose context it is received
    std::string stream{};    // those of one stream that go to one queue arrive in this order:
    std::vector<unsigned> position{};
    unsigned ordered_by = none; // the node whose ordered context it was sent from
};

struct step {
    enum class kind : std::uint8_t { send, mask, group } what;
    unsigned number; // of the node, the mask or the group
};

// Each phase of a group is a count of its own, which the receiver of the last one's notification begins.
struct group {
    struct phase {
        std::vector<unsigned> roots;
        int count = 0;
    };
    std::vector<phase> phases;
};

struct program {
    int cores = 1;
    bool asynchronous = false;
    bool cooperative = false;
    bool verified = false;
    bool reluctant = false; // output functions take nothing every third time
    std::vector<queue> queues;
    std::vector<node> nodes;
    std::vector<group> groups;
    std::vector<step> steps;           // of the first thread
    std::vector<unsigned> others;      // roots that a second one sends
    [[nodiscard]] bool orders() const; // something is sent from an ordered context
    [[nodiscard]] bool changes_masks() const;
    [[nodiscard]] bool suspends() const;
};

// Every sequence makes a correct program.
struct choices {
    std::vector<std::uint8_t> list;
};
void showValue(const choices& c, std::ostream& out);

program make_program(const choices& c);
std::string text_of(const program& p);

} // namespace random_events
