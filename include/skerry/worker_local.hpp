// SPDX-License-Identifier: Apache-2.0
#pragma once

// One object per worker, for sums and scratch space that tasks would otherwise fight over.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/cache_line.hpp>
#include <skerry/detail/core/misuse.hpp>
#include <skerry/detail/core/task_function.hpp>
#include <skerry/detail/frontend/forkjoin/slot_cells.hpp>

namespace skerry::inline SKERRY_ABI {

// Objects are made at the first local() of a slot: as T(), as a copy of a first value, or by a factory. Slots of
// different runtimes and threads outside have objects of their own.
//
// A task keeps its slot, so it may keep the reference that local() gave. Across a wait it must not count on the value:
// a task that runs there meanwhile has the same slot.
//
// Thread safety: local() from any thread. The rest: one thread, while no task uses local().
template <class T>
class worker_local {
    struct alignas((std::max)(detail::cache_line, alignof(T))) object {
        explicit object(const std::function<T()>& make) : value(make()) {}
        T value;
        object* next = nullptr;
    };

    template <class Value>
    class iterator_over {
      public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = Value*;
        using reference = Value&;

        iterator_over() = default;
        explicit iterator_over(object* at) noexcept : at_(at) {}

        reference operator*() const noexcept { return at_->value; }
        pointer operator->() const noexcept { return std::addressof(at_->value); }
        iterator_over& operator++() noexcept {
            at_ = at_->next;
            return *this;
        }
        iterator_over operator++(int) noexcept { return iterator_over(std::exchange(at_, at_->next)); }
        friend bool operator==(iterator_over, iterator_over) = default;

      private:
        object* at_ = nullptr;
    };

  public:
    using iterator = iterator_over<T>;
    using const_iterator = iterator_over<const T>;

    worker_local()
        requires std::default_initializable<T>
        : make_([] { return T(); }) {}
    explicit worker_local(T first)
        requires std::copy_constructible<T>
        : make_([first = std::move(first)] { return first; }) {}
    // Without the first condition, whether a worker_local can be copied depends on itself.
    template <class F>
        requires(!std::same_as<F, worker_local>) && std::copy_constructible<F> && std::is_invocable_r_v<T, F&>
    explicit worker_local(F make) : make_(std::move(make)) {}
    worker_local(const worker_local&) = delete;
    worker_local& operator=(const worker_local&) = delete;
    ~worker_local() { clear(); }

    // The calling worker's object. Errors: std::bad_alloc, or what making T throws; the next call tries again.
    [[nodiscard]] T& local() {
        detail::slot_cells::cell& mine = cells_.mine();
        if (void* const found = mine.load(detail::memory_order::relaxed)) { // relaxed: the slot's own
            return static_cast<object*>(found)->value;
        }
        auto fresh = std::make_unique<object>(make_);
        if (void* const found = mine.load(detail::memory_order::relaxed)) { // a task run inside the factory was here
            return static_cast<object*>(found)->value;
        }
        fresh->next = objects_.load(detail::memory_order::acquire);
        do {
            detail::machine::publish_all(detail::coherence_step::handed_over);
        } while (!objects_.compare_exchange_weak(fresh->next, fresh.get(),
                                                 detail::memory_order::release, // C4 -> begin()
                                                 detail::memory_order::relaxed));
        mine.store(fresh.get(), detail::memory_order::relaxed);
        return fresh.release()->value;
    }

    // Over the objects made so far, in no particular order.
    [[nodiscard]] iterator begin() noexcept { return iterator(objects_.load(detail::memory_order::acquire)); }
    [[nodiscard]] iterator end() noexcept { return iterator(); }
    [[nodiscard]] const_iterator begin() const noexcept {
        return const_iterator(objects_.load(detail::memory_order::acquire));
    }
    [[nodiscard]] const_iterator end() const noexcept { return const_iterator(); }

    // op over all objects, in no particular order; a fresh object if there is none.
    template <class Op>
        requires detail::combines<Op, T>
    [[nodiscard]] T combine(Op op) const {
        const_iterator i = begin();
        if (i == end()) {
            return make_();
        }
        T sum = *i;
        while (++i != end()) {
            sum = static_cast<T>(std::invoke(op, std::move(sum), *i));
        }
        return sum;
    }
    // Any other call: what is wrong with it.
    template <class Op>
        requires(!detail::combines<Op, T>)
    auto combine(Op) const {
        detail::explain<detail::misuse::no_operation, 1, Op>();
        return make_();
    }

    // Destroys the objects; the next local() makes new ones.
    void clear() noexcept {
        object* o = objects_.exchange(nullptr, detail::memory_order::acquire);
        while (o != nullptr) {
            delete std::exchange(o, o->next);
        }
        cells_.clear();
    }

  private:
    const std::function<T()> make_;
    detail::slot_cells cells_;
    detail::machine::atomic<object*> objects_{nullptr};
};

} // namespace skerry::inline SKERRY_ABI
