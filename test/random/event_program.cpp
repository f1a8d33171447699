// SPDX-License-Identifier: Apache-2.0

#include "event_program.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <ostream>
#include <sstream>
#include <utility>

namespace random_events {

namespace {

constexpr std::size_t most_nodes = 100;
constexpr std::array<unsigned, 4> turns_away = {0, 1, 5, 20}; // yields of a receive function, at each of some places
constexpr unsigned deepest = 4;

class maker {
  public:
    explicit maker(const std::vector<std::uint8_t>& list) : list_(list) {}

    program make() {
        const unsigned options = some(256);
        p_.cores = static_cast<int>(1 + options % 4);
        p_.cooperative = (options & 32) != 0;
        p_.asynchronous = (options & 4) != 0 && !p_.cooperative;
        p_.verified = (options & 8) != 0;
        p_.reluctant = (options & 16) != 0;
        const unsigned queues = 3 + some(4);
        for (unsigned i = 0; i < queues; ++i) {
            add_queue(i == 0);
        }
        while (next_ < list_.size() && p_.nodes.size() < most_nodes) {
            add_step();
        }
        order();
        return std::move(p_);
    }

  private:
    // 0 when the list is at its end.
    unsigned some(unsigned end) { return next_ < list_.size() ? list_[next_++] % end : 0; }

    // The first one is scheduled and takes any number.
    void add_queue(bool first) {
        constexpr std::array<em_queue_type_t, 8> types = {EM_QUEUE_TYPE_ATOMIC,   EM_QUEUE_TYPE_PARALLEL_ORDERED,
                                                          EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_TYPE_PARALLEL_ORDERED,
                                                          EM_QUEUE_TYPE_ATOMIC,   EM_QUEUE_TYPE_LOCAL,
                                                          EM_QUEUE_TYPE_OUTPUT,   EM_QUEUE_TYPE_UNSCHEDULED};
        const em_queue_type_t type = types[some(first ? 5 : 8)];
        const unsigned how = some(256);
        queue q{type, how % 8, (how & 8) != 0, type == EM_QUEUE_TYPE_ATOMIC && (how & 48) == 48, 0};
        q.masked = q.scheduled() && (q.masked || q.joined);
        if (!first && q.shows_order() && (how & 192) == 192) {
            q.most = 2 + how % 3;
        }
        p_.queues.push_back(q);
    }

    void add_step() {
        const unsigned what = some(8);
        if (what >= 1 && what <= 3) {
            p_.steps.push_back({step::kind::mask, some(1U << p_.cores)});
        } else if (what == 5 && p_.groups.size() < 3) {
            p_.steps.push_back({step::kind::group, static_cast<unsigned>(p_.groups.size())});
            add_group();
        } else {
            const unsigned to = pick([](const queue& q) { return q.type != EM_QUEUE_TYPE_LOCAL; });
            for (unsigned roots = 1 + some(6); roots != 0; --roots) {
                const unsigned root = add_node(to, none, 0);
                if (what == 4) {
                    p_.others.push_back(root);
                } else {
                    p_.steps.push_back({step::kind::send, root});
                }
            }
        }
    }

    void add_group() {
        const auto number = static_cast<unsigned>(p_.groups.size());
        p_.groups.emplace_back();
        for (unsigned phases = 1 + some(2); phases != 0; --phases) {
            group::phase phase;
            const std::size_t before = p_.nodes.size();
            for (unsigned roots = 1 + some(3); roots != 0; --roots) {
                const unsigned to = pick([](const queue& q) { return q.scheduled() && q.most == 0; });
                phase.roots.push_back(add_node(to, number, 0));
            }
            phase.count =
                static_cast<int>(std::count_if(p_.nodes.begin() + static_cast<std::ptrdiff_t>(before), p_.nodes.end(),
                                               [number](const node& n) { return n.group == number; }));
            p_.groups[number].phases.push_back(std::move(phase));
        }
    }

    // One of the queues that will do; the first always does.
    template <class Good>
    unsigned pick(Good&& good) {
        const unsigned which = some(static_cast<unsigned>(p_.queues.size()));
        return good(p_.queues[which]) ? which : 0;
    }

    // `group`: that of the receive function which sends it, if it counts.
    unsigned add_node(unsigned to, unsigned group, unsigned depth) {
        const queue& q = p_.queues[to];
        const auto number = static_cast<unsigned>(p_.nodes.size());
        p_.nodes.emplace_back();
        node n;
        n.to = to;
        n.group = q.received() && q.most == 0 ? group : none;
        if (q.received()) {
            const unsigned how = some(256);
            n.dawdles = turns_away[how % 4];
            n.asks_ahead = (how & 4) != 0;
            n.hands_on = (how & 8) != 0;
            const unsigned children = depth < deepest ? some(4) : 0;
            for (unsigned i = 0; i < children && p_.nodes.size() < most_nodes; ++i) {
                const bool forked = some(4) == 3;
                const unsigned target =
                    pick([forked](const queue& c) { return !forked || c.type != EM_QUEUE_TYPE_LOCAL; });
                n.forked.push_back(forked);
                n.children.push_back(add_node(target, n.group, depth + 1));
            }
            if (q.scheduled() && (how & 48) == 48) {
                n.ends = (how >> 6) % (static_cast<unsigned>(n.children.size()) + 1);
            }
            if (const unsigned pause = p_.cooperative ? some(8) : 0; pause >= 4) {
                n.suspends = n.children.empty() ? 0 : pause % static_cast<unsigned>(n.children.size());
                n.resumed_ahead = pause == 7;
            }
        }
        p_.nodes[number] = std::move(n);
        return number;
    }

    // What arrives in order.
    void order() {
        unsigned at = 0;
        for (const step& s : p_.steps) {
            if (s.what == step::kind::send) {
                send_root(s.number, "first", at++);
            }
        }
        for (const unsigned root : p_.others) {
            send_root(root, "second", at++);
        }
        for (std::size_t g = 0; g < p_.groups.size(); ++g) {
            for (const group::phase& phase : p_.groups[g].phases) {
                for (const unsigned root : phase.roots) {
                    send_root(root, "group " + std::to_string(g), at++);
                }
            }
        }
    }

    void send_root(unsigned number, const std::string& sender, unsigned at) {
        p_.nodes[number].stream = sender;
        p_.nodes[number].position = {at};
        if (p_.queues[p_.nodes[number].to].received()) {
            in_context_of(number);
        }
    }

    // What is sent in the context of a node of a scheduled queue: by its receive function, and then by those of the
    // local queues, one after the other.
    void in_context_of(unsigned number) {
        const node context = p_.nodes[number];
        const queue& from = p_.queues[context.to];
        std::deque<unsigned> senders = {number};
        std::vector<unsigned> scheduled;
        bool ended = false;
        for (unsigned at = 0; !senders.empty(); senders.pop_front()) {
            node& sender = p_.nodes[senders.front()];
            sender.context = number;
            for (std::size_t i = 0; i < sender.children.size(); ++i, ++at) {
                ended = ended || sender.ends == i;
                node& n = p_.nodes[sender.children[i]];
                const bool keeps_order =
                    !ended && (from.type == EM_QUEUE_TYPE_ATOMIC || from.type == EM_QUEUE_TYPE_PARALLEL_ORDERED);
                if (keeps_order) {
                    n.stream = context.stream + ", queue " + std::to_string(context.to);
                    n.position = context.position;
                } else {
                    n.stream = (ended ? "behind the end of " : "by ") + std::to_string(number);
                }
                n.position.push_back(at);
                n.ordered_by = keeps_order && from.type == EM_QUEUE_TYPE_PARALLEL_ORDERED ? number : none;
                if (p_.queues[n.to].type == EM_QUEUE_TYPE_LOCAL) {
                    senders.push_back(sender.children[i]);
                } else if (p_.queues[n.to].scheduled()) {
                    scheduled.push_back(sender.children[i]);
                }
            }
            ended = ended || sender.ends != none;
        }
        for (const unsigned each : scheduled) {
            in_context_of(each);
        }
    }

    const std::vector<std::uint8_t>& list_;
    std::size_t next_ = 0;
    program p_;
};

const char* name_of(em_queue_type_t type) {
    switch (type) {
    case EM_QUEUE_TYPE_ATOMIC: return "atomic";
    case EM_QUEUE_TYPE_PARALLEL: return "parallel";
    case EM_QUEUE_TYPE_PARALLEL_ORDERED: return "ordered";
    case EM_QUEUE_TYPE_LOCAL: return "local";
    case EM_QUEUE_TYPE_OUTPUT: return "output";
    default: return "unscheduled";
    }
}

void print(std::ostream& out, const program& p, unsigned number, unsigned indent) {
    const node& n = p.nodes[number];
    out << std::string(indent, ' ') << number << " to queue " << n.to << (n.group != none ? ", counts" : "")
        << (n.asks_ahead ? ", asks ahead" : "") << (n.dawdles != 0 ? ", dawdles" : "")
        << (n.hands_on && !n.children.empty() ? ", hands its event on" : "") << '\n';
    for (std::size_t i = 0; i <= n.children.size(); ++i) {
        if (n.ends == i) {
            out << std::string(indent + 2, ' ') << "ends its context\n";
        }
        if (n.suspends == i) {
            out << std::string(indent + 2, ' ') << (n.resumed_ahead ? "resumes itself and " : "") << "is suspended\n";
        }
        if (i < n.children.size()) {
            print(out, p, n.children[i], indent + (n.forked[i] ? 4 : 2));
        }
    }
}

} // namespace

program make_program(const choices& c) { return maker(c.list).make(); }

bool program::orders() const {
    return std::ranges::any_of(nodes, [](const node& n) { return n.ordered_by != none; });
}

bool program::changes_masks() const {
    return std::ranges::any_of(steps, [](const step& s) { return s.what == step::kind::mask; }) &&
           std::ranges::any_of(nodes, [this](const node& n) { return queues[n.to].masked; });
}

bool program::suspends() const {
    return std::ranges::any_of(nodes, [](const node& n) { return n.suspends != none; });
}

std::string text_of(const program& p) {
    std::ostringstream out;
    out << p.cores << " cores, "
        << (p.asynchronous  ? "asynchronous"
            : p.cooperative ? "co-operative"
                            : "synchronous")
        << (p.verified ? ", verified" : "") << (p.reluctant ? ", output functions refuse at times" : "") << '\n';
    for (std::size_t i = 0; i < p.queues.size(); ++i) {
        const queue& q = p.queues[i];
        out << "queue " << i << ": " << name_of(q.type) << ", priority " << q.priority << (q.masked ? ", masked" : "")
            << (q.joined ? ", in the atomic group" : "");
        if (q.most != 0) {
            out << ", at most " << q.most;
        }
        out << '\n';
    }
    for (const step& s : p.steps) {
        switch (s.what) {
        case step::kind::mask: out << "mask " << s.number << '\n'; break;
        case step::kind::send:
            out << "send\n";
            print(out, p, s.number, 2);
            break;
        case step::kind::group:
            for (const group::phase& phase : p.groups[s.number].phases) {
                out << "group " << s.number << ", count " << phase.count << '\n';
                for (const unsigned root : phase.roots) {
                    print(out, p, root, 2);
                }
            }
        }
    }
    for (const unsigned root : p.others) {
        out << "send by a second thread\n";
        print(out, p, root, 2);
    }
    return out.str();
}

void showValue(const choices& c, std::ostream& out) { out << '\n' << text_of(make_program(c)); }

} // namespace random_events
