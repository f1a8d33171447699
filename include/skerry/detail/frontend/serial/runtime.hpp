// SPDX-License-Identifier: Apache-2.0
#pragma once

// The machine of the serial elision: one worker, which is the caller. Options are accepted and change nothing, and the
// environment is not read: a program of the elision needs no library.

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/misuse.hpp>
#include <skerry/detail/core/task_function.hpp>
#include <skerry/detail/frontend/serial/dataflow.hpp>
#include <skerry/detail/frontend/serial/invoke.hpp>
#include <skerry/detail/frontend/serial/stop.hpp>
#include <skerry/region.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace skerry::inline SKERRY_ABI::serial {

using skerry::region;
using skerry::region_allocator;
using skerry::region_object;

enum class steal_mode : std::uint8_t { automatic, asymmetric, locked, interrupt };
// NOLINTNEXTLINE(readability-identifier-naming): private is a word of C++
enum class device_memory : std::uint8_t { automatic, private_ };
enum class task_manager_kind : std::uint8_t { software, nexus_model };

struct options {
    unsigned workers = 0;
    bool pin = false;
    std::size_t stack_size = std::size_t{8} << 20;
    unsigned max_slots = 1024;
    unsigned blocking_threads = 256;
    steal_mode steal = steal_mode::automatic;
    bool guard_accesses = true;
    std::string mpi = "automatic";
    double watchdog_seconds = 0;
    std::string trace{};
    std::size_t trace_memory = std::size_t{8} << 20;
    std::string devices = "auto";
    serial::device_memory device_memory = serial::device_memory::automatic;
    task_manager_kind task_manager = task_manager_kind::software;

    static options from_environment() { return {}; }
};

struct statistics {
    std::uint64_t tasks = 0;
    std::uint64_t steals_asked = 0;
    std::uint64_t steals_granted = 0;
    std::uint64_t steals_refused = 0;
    std::uint64_t steals_asymmetric = 0;
    std::uint64_t sleeps = 0;
    std::uint64_t wakes = 0;
    std::uint64_t overlaps = 0;
    std::uint64_t deque_high_water = 0;
    std::uint64_t slots_high_water = 0;
    std::uint64_t threads_high_water = 0;
    std::uint64_t kernel_iterations = 0;
    std::uint64_t managed_tasks = 0;
    std::uint64_t unmanaged_tasks = 0;
};

struct executor_statistics {
    std::string name;
    unsigned domain = 0;
    std::uint64_t tasks = 0;
    std::uint64_t stolen = 0;
};

struct device_statistics {
    std::string name;
    std::string description;
    std::string driver;
    std::uint64_t memory = 0;
    bool used = false;
    std::string why_not;
    std::uint64_t launches = 0;
    std::uint64_t iterations = 0;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    std::uint64_t failures = 0;
};

class runtime {
  public:
    explicit runtime(const options& = options::from_environment()) {}
    runtime(const runtime&) = delete;
    runtime& operator=(const runtime&) = delete;
    ~runtime() {
        if (end_root_ != nullptr) end_root_(skerry::detail::region_id{root_.id()});
    }

    template <skerry::detail::task_function F>
    auto run(F&& f) -> std::invoke_result_t<F&> {
        struct inside {
            explicit inside(runtime* r) noexcept : outer(std::exchange(around, r)) {}
            inside(const inside&) = delete;
            inside& operator=(const inside&) = delete;
            ~inside() { around = outer; }
            runtime* outer;
        };
        const inside here(this);
        detail::task_scope root;
        const detail::scope_change children(root);
        const detail::scope_of_stop apart(nullptr); // a cancel does not reach into a runtime of its own
        return detail::covered(f);
    }
    // Any other call: what is wrong with it.
    template <class... A>
        requires(sizeof...(A) != 1 || !(skerry::detail::task_function<A> && ...))
    auto run(A&&...) {
        skerry::detail::explain_call<A...>();
    }

    [[nodiscard]] region root_region() {
        if (end_root_ == nullptr) {
            root_ = region(skerry::detail::create_root_region());
            end_root_ = &skerry::detail::end_root_region;
        }
        return root_;
    }

    [[nodiscard]] statistics stats() const noexcept { return {}; }
    [[nodiscard]] std::vector<executor_statistics> executors() const { return {}; }
    [[nodiscard]] unsigned workers() const noexcept { return 1; }

    friend region root_region();

  private:
    inline static constinit thread_local runtime* around = nullptr;

    region root_;
    void (*end_root_)(skerry::detail::region_id) noexcept = nullptr; // known here only: others need no library
};

[[nodiscard]] inline region root_region() {
    return runtime::around != nullptr ? runtime::around->root_region() : region(skerry::detail::region_id::root);
}

[[nodiscard]] inline unsigned max_slots() { return 1; }
[[nodiscard]] inline statistics current_statistics() { return {}; }
[[nodiscard]] inline std::vector<device_statistics> current_devices() { return {}; }

namespace this_worker {
[[nodiscard]] inline unsigned slot() { return 0; }
} // namespace this_worker

// At most one object, made at the first local().
template <class T>
class worker_local {
  public:
    worker_local()
        requires std::default_initializable<T>
        : make_{[] { return T(); }} {}
    explicit worker_local(T first)
        requires std::copy_constructible<T>
        : make_{[first = std::move(first)] { return first; }} {}
    template <class F>
        requires(!std::same_as<F, worker_local>) && std::copy_constructible<F> && std::is_invocable_r_v<T, F&>
    explicit worker_local(F make) : make_{std::move(make)} {}
    worker_local(const worker_local&) = delete;
    worker_local& operator=(const worker_local&) = delete;

    [[nodiscard]] T& local() {
        if (!value_) value_.emplace(make_());
        return *value_;
    }

    [[nodiscard]] T* begin() noexcept { return value_ ? std::addressof(*value_) : nullptr; }
    [[nodiscard]] T* end() noexcept { return value_ ? std::addressof(*value_) + 1 : nullptr; }
    [[nodiscard]] const T* begin() const noexcept { return value_ ? std::addressof(*value_) : nullptr; }
    [[nodiscard]] const T* end() const noexcept { return value_ ? std::addressof(*value_) + 1 : nullptr; }

    template <class Op>
        requires skerry::detail::combines<Op, T>
    [[nodiscard]] T combine(Op) const {
        return value_ ? *value_ : make_();
    }
    // Any other call: what is wrong with it.
    template <class Op>
        requires(!skerry::detail::combines<Op, T>)
    auto combine(Op) const {
        skerry::detail::explain<skerry::detail::misuse::no_operation, 1, Op>();
        return make_();
    }

    void clear() noexcept { value_.reset(); }

  private:
    std::function<T()> make_;
    std::optional<T> value_;
};

} // namespace skerry::inline SKERRY_ABI::serial
