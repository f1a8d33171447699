// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs random programs over one namespace's constructs. Tasks are stateless callables whose arguments are accesses and
// trivially copyable values, so they may cross to wherever the program has been installed.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
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
#include "deps/declared_in.hpp"
#include "exposure_audit.hpp"
#include "memory_audit.hpp"
#include "outcome.hpp"
#include "program.hpp"
#include "world.hpp"

namespace random_programs {

struct no_audit {
    no_audit(const std::vector<held_piece>& /*held*/, const layout& /*l*/, bool /*spawns*/) {}
};

// The constructs of namespace skerry, and those of the elision. Another back end gives another such type.
struct parallel_constructs {
    using runtime = skerry::runtime;
    static constexpr bool crosses = false; // to other processes, and so does memory
    static constexpr bool checks_inputs = skerry::detail::inputs_are_checked;
    using task_audit = no_audit; // while a task's body runs
    static void made(std::span<const word> /*object*/) {}
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
    static constexpr bool crosses = false;
    static constexpr bool checks_inputs = false;
    using task_audit = no_audit;
    static void made(std::span<const word> /*object*/) {}
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
    // Precondition: p is installed under this number. `elision`: what it came to there; null: this is the elision.
    static outcome run(typename Constructs::runtime& on, const program& p, std::uint32_t number = 0,
                       const outcome* elision = nullptr) {
        expected = elision;
        outcome result;
        const std::size_t in_use = pages_in_use();
        const std::size_t here = pages_here();
        std::vector<skerry::detail::page_range> pages;
        {
            const world w(p, number);
            try {
                on.run([&] { run_list(p.body, w.where()); });
            } catch (const std::exception& e) {
                result.error = e.what();
            }
            result.contents = w.contents();
            result.log = w.log();
            result.memory = w.memory();
            pages = w.pages();
        }
        if (pages_in_use() != in_use) {
            result.memory += "pages of regions that are gone are in use\n";
        }
        result.memory += audit_given_back(pages);
        if (!Constructs::crosses && pages_here() != here) {
            result.memory += "pages are neither in use nor free\n";
        }
        return result;
    }

  private:
    // The pieces that a task is given, by mode and in the order of the accesses, and what it is given first: a region,
    // the list whose elements the array is, or the shelf that the list lies on.
    struct pieces {
        std::array<std::span<const word>, most_in> in{};
        std::array<std::span<word>, most_out> out{};
        std::array<std::span<word>, most_inout> inout{};
        const skerry::region* region = nullptr;
        titled_list* list = nullptr;
        shelf* around = nullptr;
    };
    static_assert(most_in == 2 && most_out == 1 && most_inout == 2);

    struct task {
        void operator()(std::span<const word> i0, std::span<const word> i1, std::span<word> o0, std::span<word> io0,
                        std::span<word> io1, std::span<word> log, const layout& l, std::uint32_t id) const {
            run_task({{i0, i1}, {o0}, {io0, io1}}, log, l, id);
        }
    };
    // First: a region, a titled_list or a shelf; const if it is only read.
    template <class First>
    struct task_on {
        void operator()(First& first, std::span<const word> i0, std::span<const word> i1, std::span<word> o0,
                        std::span<word> io0, std::span<word> io1, std::span<word> log, const layout& l,
                        std::uint32_t id) const {
            pieces given{{i0, i1}, {o0}, {io0, io1}};
            if constexpr (std::is_same_v<const First, const skerry::region>) {
                given.region = &first;
                if (!first.exists()) {
                    throw std::logic_error("the region is gone");
                }
            } else if constexpr (std::is_same_v<const First, const titled_list>) {
                given.list = const_cast<titled_list*>(&first); // what may be written is decided by the statement
                if (first.size() != array_words || first.data() != l.element) {
                    throw std::logic_error("the list is not what it was");
                }
            } else {
                given.around = const_cast<shelf*>(&first);
            }
            run_task(given, log, l, id);
        }
    };

    static void run_task(const pieces& given, std::span<word> log, layout l, std::uint32_t id) {
        const statement& s = *installed[l.program][id];
        l.log = log.data() - id;
        std::array<std::size_t, 3> seen{};
        std::vector<held_piece> held{{log, {}, true}};
        std::vector<std::pair<std::span<word>, mode>> written;
        work sum(id);
        const auto take = [&](std::span<const word> piece, mode how) {
            if (reads(how)) {
                sum.read(piece);
            }
            if (writes(how)) {
                written.emplace_back(std::span(const_cast<word*>(piece.data()), piece.size()), how);
            }
        };
        for (const access& a : s.accesses) {
            if (a.what == access::kind::region || a.what == access::kind::sub) {
                if (given.region != nullptr) {
                    held.push_back({{}, *given.region, writes(a.how)});
                }
                for (const std::span<word> piece : l.pieces(a)) {
                    take(piece, a.how);
                }
                continue;
            }
            if (a.what == access::kind::list) {
                held.push_back({words_of(given.list), {}, writes(a.how)});
                take({&given.list->title, 1}, mode::in);
                held.push_back({given.list->words, {}, writes(a.how)});
                take(given.list->words, a.how);
                continue;
            }
            if (a.what == access::kind::shelf) {
                held.push_back({words_of(given.around), {}, writes(a.how)});
                take({&given.around->list.title, 1}, a.how);
            }
            const std::size_t k = seen[static_cast<std::size_t>(a.how)]++;
            const std::span<const word> piece = a.how == mode::in    ? given.in[k]
                                                : a.how == mode::out ? std::span<const word>(given.out[k])
                                                                     : given.inout[k];
            held.push_back({piece, {}, writes(a.how)});
            take(piece, a.how);
        }
        l.log[id] = done(sum);
        const typename Constructs::task_audit audit(std::move(held), l, spawns(s.first));
        for (const auto& [piece, how] : written) {
            sum.write(piece, how);
        }
        run_list(s.first, l);
    }

    static bool spawns(const std::vector<statement>& list) {
        return std::ranges::any_of(list, [](const statement& s) {
            return s.what == statement::kind::spawn || spawns(s.first) || spawns(s.second);
        });
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
        l.log[s.id] = done(sum);
        for (const access& a : s.accesses) {
            for (const std::span<word> piece : l.pieces(a)) {
                if (writes(a.how)) {
                    sum.write(piece, a.how);
                }
            }
        }
    }

    // Of what has been read, too.
    static word done(const work& sum) { return sum.value() | 1; }

    // The pieces, and what comes first, that the accesses of a spawn or of a wait name.
    struct named : pieces {
        named(const statement& s, layout& l) {
            std::array<std::size_t, 3> seen{};
            for (const access& a : s.accesses) {
                if (is_first(a.what)) {
                    first_mode = a.how;
                }
                if (a.what == access::kind::region) {
                    this->region = &l.region[a.first].handle;
                } else if (a.what == access::kind::sub) {
                    directory& d = *l.region[a.first].contents;
                    l.in_sub = d.in_sub;
                    this->region = d.in_sub != nullptr ? &d.sub : nullptr;
                } else if (a.what == access::kind::list) {
                    this->list = &l.array->list;
                } else {
                    if (a.what == access::kind::shelf) {
                        this->around = l.array;
                    }
                    const std::vector<std::span<word>> all = l.pieces(a);
                    const std::span<word> piece = all.empty() ? std::span<word>() : all.back();
                    const std::size_t k = seen[static_cast<std::size_t>(a.how)]++;
                    if (a.how == mode::in) {
                        this->in[k] = piece;
                    } else {
                        (a.how == mode::out ? this->out[k] : this->inout[k]) = piece;
                    }
                }
            }
        }
        // Calls f with the task, and the access that it takes first.
        template <class F>
        void with_first(F&& f) const {
            if (this->list != nullptr) {
                with_first_of(*this->list, f);
            } else if (this->around != nullptr) {
                with_first_of(*this->around, f);
            } else if (this->region != nullptr) {
                skerry::region handle = *this->region;
                with_first_of(handle, f);
            } else {
                f(task{});
            }
        }

        mode first_mode = mode::in;

      private:
        template <class First, class F>
        void with_first_of(First& first, F&& f) const {
            switch (first_mode) {
            case mode::in: f(task_on<const First>{}, skerry::in(first)); break;
            case mode::out:
                if constexpr (std::is_same_v<First, titled_list>) { // of the others what is there is read
                    f(task_on<First>{}, skerry::out(first));
                }
                break;
            case mode::inout: f(task_on<First>{}, skerry::inout(first)); break;
            }
        }
    };

    static void spawn(const statement& s, layout l) {
        using skerry::in;
        using skerry::inout;
        using skerry::out;
        const named n(s, l);
        const std::span<word> log(l.log + s.id, s.end - s.id);
        n.with_first([&](auto... first) {
            Constructs::spawn(first..., in(n.in[0]), in(n.in[1]), out(n.out[0]), inout(n.inout[0]), inout(n.inout[1]),
                              inout(log), l, s.id);
        });
    }

    static void wait_on(const statement& s, layout l) {
        using skerry::in;
        using skerry::inout;
        using skerry::out;
        const named n(s, l);
        n.with_first([&](auto /*task*/, auto... first) {
            Constructs::taskwait_on(first..., in(n.in[0]), in(n.in[1]), out(n.out[0]), inout(n.inout[0]),
                                    inout(n.inout[1]));
        });
    }

    static void scribble(std::span<word> piece) {
        const word was = piece[0];
        bool told = false;
        Constructs::spawn([was](std::span<const word> declared) { const_cast<word&>(declared[0]) = ~was; },
                          skerry::in(std::span<const word>(piece)));
        try {
            Constructs::taskwait();
        } catch (const std::logic_error&) {
            told = true;
        }
        piece[0] = was;
        if (told != Constructs::checks_inputs) {
            throw std::runtime_error(told ? "nobody is to look at what is declared in" : "a scribbler was not seen");
        }
    }

    static void change_region(const statement& s, const layout& l) {
        skerry::region r = l.region[s.region].handle;
        directory& d = *l.region[s.region].contents;
        switch (s.what) {
        case statement::kind::make:
            d.destroy_slot(s.slot, r);
            d.make_slot(s.slot, r, s.size, s.id);
            Constructs::made(d.slot[s.slot]);
            break;
        case statement::kind::destroy: d.destroy_slot(s.slot, r); break;
        case statement::kind::create_sub:
            if (d.in_sub == nullptr) {
                d.make_sub(r, s.id);
            }
            break;
        default:
            if (d.in_sub != nullptr) {
                d.destroy_sub();
            }
        }
    }

    static void run_statement(const statement& s, const layout& l) {
        switch (s.what) {
        case statement::kind::spawn: spawn(s, l); return;
        case statement::kind::touch: touch(s, l); return;
        case statement::kind::wait: Constructs::taskwait(); break;
        case statement::kind::wait_on:
            wait_on(s, l);
            touch(s, l);
            return;
        case statement::kind::finish: Constructs::finish([&] { run_list(s.first, l); }); break;
        case statement::kind::fork:
            Constructs::fork([&] { run_list(s.first, l); }, [&] { run_list(s.second, l); });
            break;
        case statement::kind::scribble: scribble(l.pieces(s.accesses.front()).front()); break;
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
            if (s.what == statement::kind::wait) {
                look_at_children(list, s, l);
            }
        }
    }

    // Said at once: what is old here may be known, and end the process, before the program has come to its end.
    static void look_at_children(const std::vector<statement>& list, const statement& wait, const layout& l) {
        for (const statement& s : list) {
            if (expected != nullptr && s.id < wait.id && s.what == statement::kind::spawn &&
                l.log[s.id] != expected->log[s.id]) {
                std::printf("s%u: %llu after the wait for it, not %llu\n", s.id,
                            static_cast<unsigned long long>(l.log[s.id]),
                            static_cast<unsigned long long>(expected->log[s.id]));
                std::fflush(stdout);
            }
        }
    }

    // Of the elision; null where it is not known.
    static inline const outcome* expected = nullptr;
};

} // namespace random_programs
