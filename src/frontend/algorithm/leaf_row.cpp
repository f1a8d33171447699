// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/frontend/algorithm/leaf_row.hpp>

#include <skerry/detail/frontend/forkjoin/fork.hpp>

#include "frontend/algorithm/name_of_leaves.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// The tree of forks on which rows hang.
class leaf_tree {
  public:
    // Where the leaves [first, last) are cut, last > first + 1: so that as many as can be lie in rows, and these in
    // rows.
    static constexpr std::uint64_t middle(std::uint64_t first, std::uint64_t last) noexcept {
        const std::uint64_t n = last - first;
        const std::uint64_t half = n / 2 + n % 2; // n may be all that fit
        const std::uint64_t whole = n > block_length ? block_length : n > row_length ? row_length : 1;
        return first + ((half + whole - 1) & ~(whole - 1));
    }

    // The leaves [first, last), of which there are enough for a row. Once only.
    static void begin(leaf_rows& home, std::uint64_t first, std::uint64_t last) {
        home.leaves_.make(&run_taken_leaf, home);
        if (last - first > block_length) { // thieves of the leaves of only one would take eighths instead of halves
            home.rows_.make(&run_taken_row, home);
            home.block_ = block_length;
        }
        run(home, first, last);
    }

    // By whoever has come to it: a thief makes rows of its own. Not inlined into each branch of a fork: it is long.
    [[gnu::noinline]] static void run(leaf_rows& home, std::uint64_t first, std::uint64_t last) {
        worker_page& page = home.page_;
        if (__builtin_expect(current_page != &page, 0)) {
            run_elsewhere(home, first, last);
            return;
        }
        const std::uint64_t n = last - first;
        if (n == 1) {
            home.code_.run(home.leaf_, first);
        } else if (n == home.block_ && leaf_rows::has_room(page)) {
            home.code_.run_rows(home, page, first);
        } else if (n == row_length && leaf_rows::has_room(page)) {
            home.code_.run_row(home, page, first);
        } else {
            home.run_halves(first, last);
        }
    }

    // Leaves without one share it: their types would say no more than what they are called through.
    static const char* name(const leaf_code& code) noexcept {
        return code.name != nullptr ? code.name : "part of an algorithm";
    }
    static const char* name(const leaf_rows& home) noexcept { return name(home.code_); }
    // Of the leaves of a part; null: the task is none.
    static const char* name_of_part(const task_header& task) noexcept {
        return task.run == &run_taken_leaf || task.run == &run_taken_row
                   ? name(static_cast<const leaf_rows::part&>(task).home)
                   : nullptr;
    }

  private:
    [[gnu::noinline, gnu::cold]] static void run_elsewhere(const leaf_rows& home, std::uint64_t first,
                                                           std::uint64_t last) {
        run_in_rows(home.leaf_, home.code_, first, last);
    }

    // By whoever has taken the task of a leaf, or of a row, for which it makes one of its own.
    static void run_taken_leaf(task_header* header) noexcept {
        run_taken(header, [](leaf_rows& home, const leaf_rows::part& task) {
            const auto i = static_cast<std::size_t>(&task - home.leaves_.all());
            home.code_.run(home.leaf_, home.leaves_.first + 1 + i);
        });
    }
    static void run_taken_row(task_header* header) noexcept {
        run_taken(header, [](leaf_rows& home, const leaf_rows::part& task) {
            const auto i = static_cast<std::size_t>(&task - home.rows_.all());
            const std::uint64_t first = home.rows_.first + (1 + i) * row_length;
            run_elsewhere(home, first, first + row_length);
        });
    }
    template <class Run>
    static void run_taken(task_header* header, const Run& run_part) noexcept {
        auto& self = static_cast<leaf_rows::part&>(*header);
        const auto body = [&self, &run_part] { run_part(self.home, self); };
        self.stolen.run(body);
        finish_stolen(self);
    }
};

namespace {

// The branches of forks, which have the name of the leaf that is compiled elsewhere.
struct half_of_rows {
    leaf_rows* home;
    std::uint64_t first;
    std::uint64_t last;

    void operator()() const { leaf_tree::run(*home, first, last); }
};
struct few_leaves {
    const void* leaf;
    const leaf_code* code;
    std::uint64_t first;
    std::uint64_t last;

    void operator()() const { run_in_rows(leaf, *code, first, last); }
};

// Null: the task is no such branch. A fork holds its closure, or a reference to it.
template <class Closure>
const Closure* closure_of(const task_header& task) noexcept {
    return branch<Closure>::runs(task)    ? &static_cast<const branch<Closure>&>(task).body()
           : branch<Closure&>::runs(task) ? &static_cast<const branch<Closure&>&>(task).body()
                                          : nullptr;
}

} // namespace

[[gnu::noinline]] void leaf_rows::run_halves(std::uint64_t first, std::uint64_t last) {
    const std::uint64_t middle = leaf_tree::middle(first, last);
    fork_both(half_of_rows{this, first, middle}, half_of_rows{this, middle, last});
}

const char* name_of_leaves(const task_header& task) noexcept {
    if (const auto* const half = closure_of<half_of_rows>(task)) {
        return leaf_tree::name(*half->home);
    }
    if (const auto* const few = closure_of<few_leaves>(task)) {
        return leaf_tree::name(*few->code);
    }
    return leaf_tree::name_of_part(task);
}

bool leaf_rows::settle(worker_page& page, parts& row, std::size_t i) {
    auto& own = row.all()[i];
    const bool mine = settle_or_wait(page, own);
    if (!mine) {
        own.stolen.take();
    }
    return mine;
}

void leaf_rows::give_up(parts& row, std::size_t i) noexcept {
    for (; i != row_length - 1; ++i) {
        auto& own = row.all()[i];
        if (!withdraw(own)) {
            own.stolen.discard();
        }
    }
}

namespace {

// The first row of a thread that holds no slot.
[[gnu::noinline, gnu::cold]] void run_from_outside(const void* leaf, const leaf_code& code, std::uint64_t first,
                                                   std::uint64_t last) {
    const region_guard region;
    run_in_rows(leaf, code, first, last);
}

// In a function of its own: rows are a kilobyte of the caller's stack.
[[gnu::noinline]] void run_in_new_rows(const void* leaf, const leaf_code& code, std::uint64_t first, std::uint64_t last,
                                       worker_page& page) {
    leaf_rows rows(leaf, code, page);
    leaf_tree::begin(rows, first, last);
}

// Fewer leaves than a row has, more than one.
void run_in_forks(const void* leaf, const leaf_code& code, std::uint64_t first, std::uint64_t last) {
    const std::uint64_t middle = leaf_tree::middle(first, last);
    fork_both(few_leaves{leaf, &code, first, middle}, few_leaves{leaf, &code, middle, last});
}

} // namespace

void run_in_rows(const void* leaf, const leaf_code& code, std::uint64_t first, std::uint64_t last) {
    throw_if_stopping();
    const std::uint64_t n = last - first;
    if (n == 1) {
        code.run(leaf, first);
        return;
    }
    worker_page* const page = current_page;
    if (__builtin_expect(page == nullptr, 0)) {
        run_from_outside(leaf, code, first, last);
    } else if (n < row_length) {
        run_in_forks(leaf, code, first, last);
    } else {
        run_in_new_rows(leaf, code, first, last, *page);
    }
}

void run_in_rows(const function_ref<std::uint64_t>& leaf, std::uint64_t first, std::uint64_t last) {
    run_in_rows(&leaf, leaf_code_of<function_ref<std::uint64_t>>, first, last);
}

} // namespace skerry::inline SKERRY_ABI::detail
