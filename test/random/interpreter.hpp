// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs random programs over one namespace's constructs. Tasks are stateless callables whose arguments are accesses and
// trivially copyable values, so they may cross to wherever the program has been installed.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <skerry/dataflow.hpp>
#include <skerry/finish.hpp>
#include <skerry/parallel_invoke.hpp>
#include <skerry/runtime.hpp>
#include <skerry/serial.hpp>

#include "coherence/arena.hpp"
#include "outcome.hpp"
#include "program.hpp"
#include "world.hpp"

namespace random_programs {

// The constructs of namespace skerry, and those of the elision. Another back end gives another such type.
struct parallel_constructs {
    using runtime = skerry::runtime;
    template <class... A>
    static void spawn(A&&... a) {
        skerry::spawn(std::forward<A>(a)...);
    }
    static void taskwait() { skerry::taskwait(); }
    template <class... A>
    static void taskwait_on(const A&... a) {
        skerry::taskwait_on(a...);
    }
    template <class F>
    static void finish(F&& f) {
        skerry::finish([&f](skerry::scope&) { f(); });
    }
    template <class F, class G>
    static void fork(F&& f, G&& g) {
        skerry::parallel_invoke(f, g);
    }
};

struct serial_constructs {
    using runtime = skerry::serial::runtime;
    template <class... A>
    static void spawn(A&&... a) {
        skerry::serial::spawn(std::forward<A>(a)...);
    }
    static void taskwait() { skerry::serial::taskwait(); }
    template <class... A>
    static void taskwait_on(const A&... a) {
        skerry::serial::taskwait_on(a...);
    }
    template <class F>
    static void finish(F&& f) {
        skerry::serial::finish([&f](skerry::serial::scope&) { f(); });
    }
    template <class F, class G>
    static void fork(F&& f, G&& g) {
        skerry::serial::parallel_invoke(f, g);
    }
};

// The programs that tasks find their statements in, by number. Every process that runs tasks of them installs them.
inline std::vector<std::vector<const statement*>> installed;
inline void install(std::span<const program> programs) {
    installed.clear();
    for (const program& p : programs) {
        installed.push_back(p.index());
    }
}

inline std::size_t pages_in_use() { return skerry::detail::arena::instance().pages_in_use(); }

template <class Constructs>
class interpreter {
  public:
    // Precondition: p is installed under this number.
    static outcome run(typename Constructs::runtime& on, const program& p, std::uint32_t number = 0) {
        outcome result;
        const std::size_t pages = pages_in_use();
        {
            const world w(p.statements, number);
            try {
                on.run([&] { run_list(p.body, w.where()); });
            } catch (const std::exception& e) {
                result.error = e.what();
            }
            result.contents = w.contents();
            result.log = w.log();
            result.memory = w.memory();
        }
        if (pages_in_use() != pages) {
            result.memory += "pages of regions that are gone are in use\n";
        }
        return result;
    }

  private:
    // The pieces that a task is given, by mode and in the order of the accesses. The array may be given as the list
    // instead, once.
    struct pieces {
        std::array<std::span<const word>, most_in> in{};
        std::array<std::span<word>, most_out> out{};
        std::array<std::span<word>, most_inout> inout{};
        std::span<word> array{};
    };
    static_assert(most_in == 2 && most_out == 1 && most_inout == 2);

    struct task {
        void operator()(std::span<const word> i0, std::span<const word> i1, std::span<word> o0, std::span<word> io0,
                        std::span<word> io1, std::span<word> log, layout l, std::uint32_t id) const {
            l.log = log.data() - id;
            l.array = nullptr;
            run_task({{i0, i1}, {o0}, {io0, io1}}, l, *installed[l.program][id]);
        }
    };
    template <class Region> // const region or region
    struct task_on_region {
        void operator()(Region& r, std::span<const word> i0, std::span<const word> i1, std::span<word> o0,
                        std::span<word> io0, std::span<word> io1, std::span<word> log, const layout& l,
                        std::uint32_t id) const {
            if (!r.exists()) {
                throw std::logic_error("the region is gone");
            }
            task{}(i0, i1, o0, io0, io1, log, l, id);
        }
    };
    template <class List> // const number_list or number_list
    struct task_on_list {
        void operator()(List& all, std::span<const word> i0, std::span<const word> i1, std::span<word> o0,
                        std::span<word> io0, std::span<word> io1, std::span<word> log, layout l,
                        std::uint32_t id) const {
            if (all.size() != array_words || all.data() != l.element) {
                throw std::logic_error("the list is not what it was");
            }
            l.log = log.data() - id;
            l.array = const_cast<number_list*>(&all); // children may name it
            run_task({{i0, i1}, {o0}, {io0, io1}, {l.element, array_words}}, l, *installed[l.program][id]);
        }
    };

    static bool is_array(const access& a) {
        return a.what == access::kind::range && a.first == cells && a.count == array_words;
    }

    static void run_task(const pieces& given, const layout& l, const statement& s) {
        l.log[s.id] = 1;
        std::array<std::size_t, 3> seen{};
        bool list_seen = false;
        std::vector<std::pair<std::span<word>, mode>> written;
        work sum(s.id);
        for (const access& a : s.accesses) {
            const bool whole = a.what == access::kind::region || a.what == access::kind::sub;
            if (whole) {
                for (const std::span<word> piece : l.pieces(a)) {
                    sum.read(piece);
                    if (writes(a.how)) {
                        written.emplace_back(piece, a.how);
                    }
                }
                continue;
            }
            const std::size_t k = seen[static_cast<std::size_t>(a.how)]++;
            const bool listed = is_array(a) && !given.array.empty() && !std::exchange(list_seen, true);
            if (a.how == mode::in) {
                sum.read(listed ? given.array : given.in[k]);
                continue;
            }
            const std::span<word> piece = listed ? given.array : a.how == mode::out ? given.out[k] : given.inout[k];
            if (a.how == mode::inout) {
                sum.read(piece);
            }
            written.emplace_back(piece, a.how);
        }
        for (const auto& [piece, how] : written) {
            sum.write(piece, how);
        }
        run_list(s.first, l);
    }

    static void touch(const statement& s, const layout& l) {
        work sum(s.id);
        for (const access& a : s.accesses) {
            for (const std::span<word> piece : l.pieces(a)) {
                if (reads(a.how)) {
                    sum.read(piece);
                }
            }
        }
        for (const access& a : s.accesses) {
            for (const std::span<word> piece : l.pieces(a)) {
                if (writes(a.how)) {
                    sum.write(piece, a.how);
                }
            }
        }
    }

    // The pieces, and the region, that the accesses of a spawn or of a wait name.
    struct named : pieces {
        named(const statement& s, layout& l) {
            std::array<std::size_t, 3> seen{};
            const bool by_region = std::ranges::any_of(s.accesses, [](const access& a) {
                return a.what == access::kind::region || a.what == access::kind::sub;
            });
            for (const access& a : s.accesses) {
                if (is_array(a) && l.array != nullptr && !by_region && array == nullptr) {
                    array = l.array;
                    array_mode = a.how;
                    ++seen[static_cast<std::size_t>(a.how)];
                } else if (a.what == access::kind::region) {
                    region = &l.region[a.first].handle;
                    region_mode = a.how;
                } else if (a.what == access::kind::sub) {
                    directory& d = *l.region[a.first].contents;
                    l.in_sub = d.in_sub;
                    region = d.in_sub != nullptr ? &d.sub : nullptr;
                    region_mode = a.how;
                } else {
                    const std::vector<std::span<word>> all = l.pieces(a);
                    const std::span<word> piece = all.empty() ? std::span<word>() : all.front();
                    const std::size_t k = seen[static_cast<std::size_t>(a.how)]++;
                    if (a.how == mode::in) {
                        this->in[k] = piece;
                    } else {
                        (a.how == mode::out ? this->out[k] : this->inout[k]) = piece;
                    }
                }
            }
        }
        // Calls f with the access to the list. Precondition: there is one.
        template <class F>
        void name_array(F&& f) const {
            switch (array_mode) {
            case mode::in: f(skerry::in(*array)); break;
            case mode::out: f(skerry::out(*array)); break;
            case mode::inout: f(skerry::inout(*array)); break;
            }
        }

        skerry::region* region = nullptr;
        mode region_mode = mode::in;
        number_list* array = nullptr;
        mode array_mode = mode::in;
    };

    static void spawn(const statement& s, layout l) {
        using skerry::in;
        using skerry::inout;
        using skerry::out;
        const named n(s, l);
        const std::span<word> log(l.log + s.id, s.end - s.id);
        const auto with = [&](auto... first) {
            Constructs::spawn(first..., in(n.in[0]), in(n.in[1]), out(n.out[0]), inout(n.inout[0]), inout(n.inout[1]),
                              inout(log), l, s.id);
        };
        if (n.array != nullptr) {
            n.name_array([&](auto all) { with(task_on_list<std::remove_reference_t<decltype(all.get())>>{}, all); });
        } else if (n.region == nullptr) {
            with(task{});
        } else if (n.region_mode == mode::in) {
            with(task_on_region<const skerry::region>{}, in(*n.region));
        } else {
            with(task_on_region<skerry::region>{}, inout(*n.region));
        }
    }

    static void wait_on(const statement& s, layout l) {
        using skerry::in;
        using skerry::inout;
        using skerry::out;
        const named n(s, l);
        const auto with = [&](auto... first) {
            Constructs::taskwait_on(first..., in(n.in[0]), in(n.in[1]), out(n.out[0]), inout(n.inout[0]),
                                    inout(n.inout[1]));
        };
        if (n.array != nullptr) {
            n.name_array(with);
        } else if (n.region == nullptr) {
            with();
        } else if (n.region_mode == mode::in) {
            with(in(*n.region));
        } else {
            with(inout(*n.region));
        }
    }

    static void change_region(const statement& s, const layout& l) {
        skerry::region r = l.region[s.region].handle;
        directory& d = *l.region[s.region].contents;
        switch (s.what) {
        case statement::kind::make:
            if (d.slot[s.slot].empty()) {
                d.make_slot(s.slot, r, s.size, s.id);
            }
            break;
        case statement::kind::destroy: r.destroy(std::exchange(d.slot[s.slot], {}).data()); break;
        case statement::kind::create_sub:
            if (d.in_sub == nullptr) {
                d.make_sub(r, s.id);
            }
            break;
        default:
            if (std::exchange(d.in_sub, nullptr) != nullptr) {
                d.sub.destroy(d.destroyed_first);
                d.sub.destroy_all();
            }
        }
    }

    static void run_statement(const statement& s, const layout& l) {
        switch (s.what) {
        case statement::kind::spawn: spawn(s, l); return;
        case statement::kind::touch: touch(s, l); break;
        case statement::kind::wait: Constructs::taskwait(); break;
        case statement::kind::wait_on:
            wait_on(s, l);
            touch(s, l);
            break;
        case statement::kind::finish: Constructs::finish([&] { run_list(s.first, l); }); break;
        case statement::kind::fork:
            Constructs::fork([&] { run_list(s.first, l); }, [&] { run_list(s.second, l); });
            break;
        case statement::kind::fail: throw std::runtime_error("s" + std::to_string(s.id));
        default: change_region(s, l);
        }
        l.log[s.id] = 1;
    }

    static void run_list(const std::vector<statement>& list, const layout& l) {
        for (const statement& s : list) {
            try {
                run_statement(s, l);
            } catch (const std::exception& e) {
                l.log[s.id] = std::hash<std::string>{}(e.what()) | 2;
                if (!s.caught) {
                    throw;
                }
            }
        }
    }
};

} // namespace random_programs
