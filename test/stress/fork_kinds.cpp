// SPDX-License-Identifier: Apache-2.0

// Branches, finish, groups, futures, coroutines, low-level tasks, blocking calls and runtimes in a random program.

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include <skerry/skerry.hpp>

#include "program.hpp"

namespace skerry_test {

std::uint64_t in_branches(const node& at) {
    census here(at.left_behind());
    const auto branch = [&](unsigned i) {
        const census::member inside(here);
        return i < at.children ? at(i) : 0;
    };
    if (at.children == 1) {
        return branch(0);
    }
    if (at.children == 2) {
        const auto [a, b] = skerry::parallel_invoke(skerry::named<"left">([&] { return branch(0); }),
                                                    skerry::named<"right">([&] { return branch(1); }));
        return a + b;
    }
    const auto [a, b, c, d] = skerry::parallel_invoke([&] { return branch(0); }, [&] { return branch(1); },
                                                      [&] { return branch(2); }, [&] { return branch(3); });
    return a + b + c + d;
}

namespace {

std::uint64_t in_runtime(const node& at) {
    skerry::options o;
    o.workers = 1 + static_cast<unsigned>(at.seed % 3);
    skerry::runtime inner(o);
    return inner.run([&] { return in_branches(at); });
}

std::uint64_t in_finish(const node& at) {
    std::atomic<std::uint64_t> sum{0};
    census here(at.left_behind());
    skerry::finish([&](skerry::scope& s) {
        for (unsigned i = 0; i < at.children; ++i) {
            s.async([&, i] {
                const census::member inside(here);
                sum += at(i);
            });
        }
    });
    return sum;
}

std::uint64_t in_group(const node& at) {
    std::atomic<std::uint64_t> sum{0};
    census here(at.left_behind());
    skerry::task_group group;
    for (unsigned i = 0; i < at.children; ++i) {
        group.run([&, i] {
            const census::member inside(here);
            sum += at(i);
        });
        if (at.set().cancels && mix(at.seed ^ i) % 5 == 0) {
            group.cancel();
        }
    }
    group.wait();
    return sum;
}

// A future's task outlives the node if the sum throws, so it has a copy: the region's end waits for tasks whose futures
// are gone.
std::uint64_t in_futures(const node& at) {
    std::vector<skerry::future<std::uint64_t>> futures;
    for (unsigned i = 0; i < at.children; ++i) {
        futures.push_back(skerry::submit([at, i] { return at(i); }));
    }
    std::uint64_t sum = 0;
    for (auto& f : futures) {
        sum += f.get();
    }
    return sum;
}

// A coroutine that begins at the call and frees itself at its end.
struct job {
    struct promise_type {
        job get_return_object() noexcept { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }
    };
};

// What coroutines leave to the one that waits for them.
struct job_result {
    std::atomic<std::uint64_t> sum{0};
    std::atomic<bool> failed{false};
    std::exception_ptr error; // of the first that failed
};

// Every second child, each when the one before it is done.
job add_up(const node& at, unsigned first, census& here, job_result& result) {
    const census::member inside(here);
    try {
        for (unsigned i = first; i < at.children; i += 2) {
            skerry::future<std::uint64_t> f = skerry::submit([&at, i] { return at(i); });
            result.sum += co_await f;
        }
    } catch (...) {
        if (!result.failed.exchange(true)) {
            result.error = std::current_exception();
        }
    }
}

std::uint64_t in_coroutines(const node& at) {
    job_result result;
    census here(at.left_behind());
    skerry::finish([&](skerry::scope&) {
        add_up(at, 0, here, result);
        add_up(at, 1, here, result);
    });
    if (result.failed) {
        std::rethrow_exception(result.error);
    }
    return result.sum;
}

class low_level_child final : public skerry::task {
  public:
    low_level_child(const node& at, unsigned i, census& here) noexcept : at_(at), i_(i), here_(here) {}

    void execute() override {
        const census::member inside(here_);
        if (i_ < at_.children) {
            value = at_(i_);
        }
    }

    std::uint64_t value = 0;

  private:
    const node& at_;
    const unsigned i_;
    census& here_;
};

class low_level_parent final : public skerry::task {
  public:
    low_level_parent(const node& at, census& here) noexcept : at_(at), here_(here) {}

    // Runs the first child itself, beside the others. Nothing throws between spawn and wait.
    void execute() override {
        low_level_child own(at_, 0, here_);
        low_level_child others[] = {{at_, 1, here_}, {at_, 2, here_}, {at_, 3, here_}};
        for (low_level_child& other : others) {
            spawn(&other);
            ++reference_count;
        }
        std::exception_ptr error;
        try {
            own.execute();
        } catch (...) {
            error = std::current_exception();
        }
        wait(this);
        if (error != nullptr) {
            std::rethrow_exception(error);
        }
        value = own.value;
        for (const low_level_child& other : others) {
            value += other.value;
        }
    }

    std::uint64_t value = 0;

  private:
    const node& at_;
    census& here_;
};
static_assert(node::most_children == 4);

// Where the caller stands, or as the root of a tree.
std::uint64_t in_low_level_tasks(const node& at) {
    census here(at.left_behind());
    low_level_parent parent(at, here);
    if (at.children % 2 == 0) {
        skerry::task::run_root(parent);
    } else {
        parent.execute();
    }
    return parent.value;
}

std::uint64_t in_blocking_call(const node& at) {
    return skerry::blocking([&] { return in_branches(at); });
}

// A task keeps the reference across its child's waits, not the value.
std::uint64_t in_worker_locals(const node& at) {
    skerry::worker_local<std::uint64_t> sums;
    census here(at.left_behind());
    skerry::parallel_for(
        0U, at.children,
        [&](unsigned i) {
            const census::member inside(here);
            std::uint64_t& mine = sums.local();
            const std::uint64_t value = at(i);
            at.expect(&mine == &sums.local(), "a task's worker_local has another place after a wait");
            mine += value;
        },
        skerry::grain::fixed(1));
    return sums.combine(std::plus<>());
}

constexpr kind all[] = {in_runtime,    in_branches,        in_finish,        in_group,        in_futures,
                        in_coroutines, in_low_level_tasks, in_blocking_call, in_worker_locals};

} // namespace

const std::span<const kind> fork_kinds = all;

} // namespace skerry_test
