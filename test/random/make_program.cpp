// SPDX-License-Identifier: Apache-2.0

// Programs from choices. What keeps a program correct is decided here, by footprints:
//  - a body touches only what no unfinished child conflicts with (`busy_`);
//  - the right branch of a fork stays away from what the left one touches (`no_read`, `no_write`);
//  - a child's access lies within one access of its parent (`held`).
//
// A scope whose tasks may fail names no objects that come and go: a name stays unwritten after the object, and what is
// made next may lie at the same place.

#include "program.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace random_programs {

namespace {

class chooser {
  public:
    explicit chooser(const std::vector<std::uint8_t>& choices) : choices_(choices) {}
    // 0 when the choices are used up.
    unsigned below(unsigned n) { return next_ < choices_.size() ? choices_[next_++] % n : 0; }
    [[nodiscard]] bool empty() const { return next_ >= choices_.size(); }

  private:
    const std::vector<std::uint8_t>& choices_;
    std::size_t next_ = 0;
};

struct effects {
    footprint reads = 0;
    footprint writes = 0;

    void add(const access& a) {
        const footprint f = touched(a);
        reads |= random_programs::reads(a.how) ? f : 0;
        writes |= random_programs::writes(a.how) ? f : 0;
    }
    effects& operator|=(const effects& other) {
        reads |= other.reads;
        writes |= other.writes;
        return *this;
    }
    [[nodiscard]] footprint both() const { return reads | writes; }
};

// How the children of a task end.
enum class manner : std::uint8_t {
    sound,     // none fails
    contained, // some may; the body catches it
    failing,   // some may, and so may the task
};

constexpr unsigned most_statements = 70;
constexpr unsigned most_depth = 4;

class maker {
  public:
    explicit maker(const std::vector<std::uint8_t>& choices) : choose_(choices) {}

    program make() {
        program p;
        place root;
        root.kind = choose_.below(3) == 1 ? manner::failing : manner::sound;
        p.history.resize(choose_.below(4) == 1 ? choose_.below(40) : 0);
        std::ranges::generate(p.history, [this] { return static_cast<std::uint8_t>(choose_.below(256)); });
        p.body = statements(root);
        number_statements(p);
        return p;
    }

  private:
    // Where the next statement stands.
    struct place {
        const std::vector<access>* held = nullptr; // null: the root, which may do anything
        manner kind = manner::sound;
        unsigned depth = 0;
        bool catches = false; // a finish that catches is around
        bool branch = false;  // of a fork
        footprint no_read = 0;
        footprint no_write = 0;
        effects busy{};      // what unfinished children touch
        effects used{};      // what has been touched since the branch began
        bool waited = false; // for all children, since the innermost finish began
        bool left = false;   // perhaps: an error before this statement may have ended that finish
    };

    std::vector<statement> statements(place& at) {
        std::vector<statement> list;
        // The root has some statements in any case: what fails next to nothing else is not worth a program.
        while (!choose_.empty() && left_ > 0 && ((at.held == nullptr && list.size() < 6) || choose_.below(16) != 0)) {
            if (std::optional<statement> s = any_statement(at)) {
                list.push_back(std::move(*s));
                if (list.back().what == statement::kind::fail) {
                    break;
                }
            }
        }
        return list;
    }

    std::optional<statement> any_statement(place& at) {
        --left_;
        switch (choose_.below(24)) {
        default: return spawn(at);
        case 10:
        case 11: return wait(at);
        case 12:
        case 13: return wait_on(at);
        case 14:
        case 15: return touch(at);
        case 16: return finish(at);
        case 17: return at.kind == manner::sound ? fork(at) : fail(at);
        case 18:
        case 19:
        case 20:
        case 21:
        case 22: return change_region(at);
        case 23: return scribble(at);
        }
    }

    std::optional<statement> spawn(place& at) {
        statement s{.what = statement::kind::spawn};
        s.accesses = accesses(at, choose_.below(8) == 7 ? 0 : 1 + choose_.below(3));
        note(at, s.accesses, true);
        place inside;
        inside.held = &s.accesses;
        inside.depth = at.depth + 1;
        inside.kind = manner{static_cast<std::uint8_t>(choose_.below(at.kind == manner::sound ? 2 : 3))};
        if (inside.depth < most_depth && choose_.below(3) != 0) {
            s.first = statements(inside);
        } else if (inside.kind == manner::failing && choose_.below(2) == 0) {
            s.first.push_back({.what = statement::kind::fail});
        }
        if (inside.kind == manner::contained && !s.first.empty()) {
            s.first.push_back({.what = statement::kind::wait, .caught = true});
        }
        return s;
    }

    std::optional<statement> wait(place& at) {
        at.busy = {};
        at.waited |= !at.left;
        return statement{.what = statement::kind::wait, .caught = must_catch(at) || choose_.below(2) == 0};
    }

    std::optional<statement> wait_on(place& at) {
        statement s{.what = statement::kind::wait_on, .caught = must_catch(at) || choose_.below(2) == 0};
        s.accesses = accesses(at, 1 + choose_.below(2));
        std::erase_if(s.accesses, [](const access& a) { return a.what == access::kind::sub; });
        if (s.accesses.empty()) {
            return std::nullopt;
        }
        note(at, s.accesses, false);
        at.left |= at.kind != manner::sound && !s.caught;
        for (const access& a : s.accesses) {
            at.busy.writes &= ~touched(a);
            if (writes(a.how)) {
                at.busy.reads &= ~touched(a);
            }
        }
        return s;
    }

    std::optional<statement> touch(place& at) {
        statement s{.what = statement::kind::touch};
        s.accesses = accesses(at, 1 + choose_.below(3));
        std::erase_if(s.accesses, [&](const access& a) {
            const footprint f = touched(a);
            return a.what == access::kind::sub || (f & at.busy.writes) != 0 ||
                   (writes(a.how) && (f & at.busy.reads) != 0);
        });
        if (s.accesses.empty()) {
            return std::nullopt;
        }
        note(at, s.accesses, false);
        return s;
    }

    std::optional<statement> finish(place& at) {
        statement s{.what = statement::kind::finish};
        s.caught = must_catch(at) || choose_.below(2) == 0;
        place inside = at;
        inside.catches = at.catches || s.caught;
        inside.waited = false;
        inside.left = false;
        s.first = statements(inside);
        at.used = inside.used;
        if (inside.waited) {
            at.busy = {};
            at.waited |= !at.left;
        }
        at.left |= at.kind != manner::sound && !s.caught;
        return s;
    }

    std::optional<statement> fork(place& at) {
        statement s{.what = statement::kind::fork};
        place left = at;
        left.used = {};
        left.waited = false;
        left.branch = true;
        s.first = statements(left);
        place right = at;
        right.used = {};
        right.waited = false;
        right.branch = true;
        right.no_read |= left.used.writes;
        right.no_write |= left.used.both();
        s.second = statements(right);
        at.used |= left.used;
        at.used |= right.used;
        at.busy = left.busy;
        at.busy |= right.busy;
        return s;
    }

    std::optional<statement> fail(place& at) {
        if (at.kind == manner::sound || (at.kind == manner::contained && !at.catches)) {
            return std::nullopt;
        }
        return statement{.what = statement::kind::fail};
    }

    // Nothing else is under way, and nothing fails.
    std::optional<statement> scribble(place& at) {
        statement s{.what = statement::kind::scribble};
        s.accesses = accesses(at, 1);
        if (at.kind != manner::sound || at.branch || at.busy.both() != 0 || s.accesses.empty() ||
            s.accesses.front().what != access::kind::range || s.accesses.front().how == mode::in) {
            return std::nullopt;
        }
        s.accesses.front().how = mode::inout;
        note(at, s.accesses, false);
        at.waited = true;
        return s;
    }

    // Makes or destroys what a region holds besides its plain objects.
    std::optional<statement> change_region(place& at) {
        statement s{.what = statement::kind::make};
        s.region = choose_.below(regions);
        s.slot = choose_.below(slots);
        constexpr std::array kinds{statement::kind::make, statement::kind::create_sub, statement::kind::destroy,
                                   statement::kind::destroy_sub};
        s.what = kinds[choose_.below(kinds.size())];
        if (s.what == statement::kind::make) {
            constexpr std::array<unsigned, 16> of{0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4};
            s.size = sizes[of[choose_.below(of.size())]];
        }
        const access whole{access::kind::region, mode::inout, s.region, 0};
        const bool sub = s.what == statement::kind::create_sub || s.what == statement::kind::destroy_sub;
        const footprint changed = directory_bit(s.region) | (sub ? sub_bit(s.region) : slot_bit(s.region, s.slot));
        if (!holds(at, whole) || (changed & (at.no_write | at.no_read | at.busy.both())) != 0) {
            return std::nullopt;
        }
        at.used.writes |= changed;
        return s;
    }

    [[nodiscard]] static bool must_catch(const place& at) { return at.kind == manner::contained && !at.catches; }

    void note(place& at, const std::vector<access>& list, bool unfinished) {
        for (const access& a : list) {
            at.used.add(a);
            if (unfinished) {
                at.busy.add(a);
            }
            if (a.what == access::kind::slot || a.what == access::kind::sub) {
                at.used.reads |= directory_bit(a.first);
            }
        }
    }

    // --- accesses ---------------------------------------------------------------------------------------------------

    std::vector<access> accesses(const place& at, unsigned count) {
        std::vector<access> list;
        std::array<std::size_t, 3> of_mode{};
        bool first = false;
        constexpr std::array limits{most_in, most_out, most_inout};
        for (unsigned i = 0; i < count; ++i) {
            const std::optional<access> a = any_access(at);
            if (!a) {
                continue;
            }
            if (is_first(a->what) && first) {
                continue;
            }
            const bool piece = !is_first(a->what) || a->what == access::kind::shelf; // which comes with the elements
            if (piece && of_mode[static_cast<std::size_t>(a->how)]++ >= limits[static_cast<std::size_t>(a->how)]) {
                continue;
            }
            first |= is_first(a->what);
            list.push_back(*a);
        }
        std::ranges::sort(list, {}, &access::how);
        return list;
    }

    std::optional<access> any_access(const place& at) {
        std::optional<access> a = at.held == nullptr ? any_name(at) : name_within_held(at);
        if (!a) {
            return a;
        }
        constexpr std::array modes{mode::inout, mode::in, mode::inout, mode::out};
        a->how = modes[choose_.below(modes.size())];
        if (a->what == access::kind::shelf && (at.busy.writes & shelf_bit) != 0 && a->how == mode::out) {
            a->how = mode::in;
        }
        if (is_first(a->what) && a->what != access::kind::list &&
            a->how == mode::out) { // what is there has to be read to be written
            a->how = mode::inout;
        }
        for (const mode how : {a->how, mode::in}) {
            a->how = how;
            const footprint f = touched(*a);
            // Nobody waits for who gives the list another title, but who has an access to the shelf.
            const bool untold = a->what == access::kind::list && (at.busy.writes & shelf_bit) != 0;
            if (!untold && holds(at, *a) && (f & at.no_read) == 0 && (!writes(how) || (f & at.no_write) == 0)) {
                return a;
            }
        }
        return std::nullopt;
    }

    std::optional<access> any_name(const place& at) {
        const bool written = (at.busy.writes & shelf_bit) != 0; // then more often by who reads it
        switch (choose_.below(10)) {
        case 0: return access{access::kind::range, mode::in, choose_.below(cells), 1};
        case 1:
        case 2:
            if (written) {
                return access{access::kind::shelf, mode::in, 0, 0};
            }
            [[fallthrough]];
        case 3: return range_within(cells, array_words);
        case 4: return access{access::kind::range, mode::in, cells, array_words};
        case 5: return access{access::kind::list, mode::in, 0, 0};
        case 6: return access{access::kind::shelf, mode::in, 0, 0};
        default: return name_within_region(at, choose_.below(regions));
        }
    }

    std::optional<access> name_within_held(const place& at) {
        if (at.held->empty()) {
            return std::nullopt;
        }
        const access& h = (*at.held)[choose_.below(static_cast<unsigned>(at.held->size()))];
        switch (h.what) {
        case access::kind::range: return range_within(h.first, h.count);
        case access::kind::region: return name_within_region(at, h.first == 0 ? choose_.below(regions) : h.first);
        case access::kind::list:
        case access::kind::shelf:
            switch (choose_.below(4)) {
            case 0: return range_within(cells, array_words);
            case 1: return access{h.what, mode::in, 0, 0};
            default: return access{access::kind::list, mode::in, 0, 0};
            }
        default: return std::nullopt;
        }
    }

    std::optional<access> name_within_region(const place& at, unsigned region) {
        const unsigned kind = choose_.below(6);
        if (kind < 2) {
            const unsigned object = choose_.below(2);
            return range_within(plain_words + region * region_words + 2 * object, 2);
        }
        if (kind < 4 || at.kind != manner::sound) {
            return access{access::kind::region, mode::in, region, 0};
        }
        // The spawning body looks up where these are.
        if (((at.busy.writes | at.no_read) & directory_bit(region)) != 0) {
            return std::nullopt;
        }
        const access a = kind == 4 ? access{access::kind::slot, mode::in, region, choose_.below(slots)}
                                   : access{access::kind::sub, mode::in, region, 0};
        return holds(at, {access::kind::region, mode::in, region, 0}) ? std::optional(a) : std::nullopt;
    }

    access range_within(unsigned first, unsigned count) {
        const unsigned from = choose_.below(count);
        return {access::kind::range, mode::in, first + from, 1 + choose_.below(count - from)};
    }

    [[nodiscard]] static bool holds(const place& at, const access& a) {
        return at.held == nullptr || std::ranges::any_of(*at.held, [&a](const access& h) {
                   return h.what != access::kind::slot && h.what != access::kind::sub &&
                          (touched(a) & ~touched(h)) == 0 && (!writes(a.how) || writes(h.how));
               });
    }

    chooser choose_;
    unsigned left_ = most_statements;
};

} // namespace

program make_program(const std::vector<std::uint8_t>& choices) { return maker(choices).make(); }

} // namespace random_programs
