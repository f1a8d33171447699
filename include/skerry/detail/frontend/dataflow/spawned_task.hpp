// SPDX-License-Identifier: Apache-2.0
#pragma once

// The block that spawn() makes: the task, its function and arguments, and its place in the order of each object.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <skerry/access.hpp>
#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/access_argument.hpp>
#include <skerry/detail/deps/crossing_type.hpp>
#include <skerry/detail/deps/dependent_task.hpp>
#include <skerry/named.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Where the caller stands.
// Errors: std::system_error, std::bad_alloc: the default runtime cannot be started.
[[nodiscard]] SKERRY_EXPORT spawn_place current_place();

// Enters the task into the analysis; it begins when its turn has come, perhaps before this returns.
// Errors: std::bad_alloc; std::logic_error (debug builds): an access that the parent has not. The task is the caller's
// then.
SKERRY_EXPORT void begin_spawned(dependent_task& task);

// What a worker does with a task that is ready. task_type::execute.
SKERRY_EXPORT void execute_spawned(task_header* task) noexcept;

// Waits until the accesses' turn has come. Errors: as taskwait_on().
SKERRY_EXPORT void wait_for_accesses(const access* first, std::size_t count, const container_access* containers,
                                     std::uint8_t container_count);

// The containers among accesses, given as types of which some are no accesses.
template <class... K>
inline constexpr std::size_t containers_among = (std::size_t{0} + ... + (names_container<K> ? 1U : 0U));
template <class... K>
inline constexpr auto container_list = [] {
    std::array<container_access, containers_among<K...>> list{};
    std::uint32_t node = 0;
    std::size_t n = 0;
    [[maybe_unused]] const auto note = [&]<class A>(std::type_identity<A>) {
        if constexpr (names_container<A>) {
            list[n++] = {node, look_of<A>};
        }
        node += is_access<A> ? 1 : 0;
    };
    (note(std::type_identity<K>()), ...);
    return list;
}();

template <class F, class... K>
class spawned_task final : public dependent_task {
  public:
    template <class G, class... A>
    spawned_task(const spawn_place& at, const char* task_name, G&& g, A&&... arguments)
        : dependent_task(type_of_this, task_name, room_, access_count, at),
          closure_{std::forward<G>(g), std::tuple<K...>(std::forward<A>(arguments)...)} {
        describe_accesses();
    }
    ~spawned_task() {}

    // Ends a task that could not begin.
    static void abandon(spawned_task* self) noexcept {
        drop(*self);
        delete self;
    }

  private:
    struct closure {
        F function;
        std::tuple<K...> arguments;
    };

    // noexcept: should the constructor's body throw, the closure's destructor is needed, which Clang forgets to make.
    void describe_accesses() noexcept {
        std::size_t n = 0;
        const auto describe = [&]<class A>(const A& argument) {
            if constexpr (is_access<A>) {
                room_[n++].what = argument.describe();
            }
        };
        std::apply([&](const auto&... a) { (describe(a), ...); }, closure_.arguments);
        if constexpr (container_count != 0) {
            containers = container_count;
            for (const container_access& c : container_list<K...>) {
                room_[n].what = {0, {0}, room_[c.node].what.mode, access_kind::elements};
                room_[n++].task = nullptr;
            }
        }
    }

    static void call(dependent_task& task) {
        closure& c = static_cast<spawned_task&>(task).closure_;
        std::apply([&](const auto&... a) { static_cast<void>(std::invoke(c.function, passed_argument(a)...)); },
                   c.arguments);
    }
    // The accesses stay, as the names of parts that the nodes point to.
    static void drop(dependent_task& task) noexcept {
        closure& c = static_cast<spawned_task&>(task).closure_;
        std::destroy_at(std::addressof(c.function));
        const auto destroy = []<class A>(A& argument) {
            if constexpr (is_access<A>) {
                static_assert(std::is_trivially_destructible_v<A>);
            } else {
                std::destroy_at(std::addressof(argument));
            }
        };
        std::apply([&destroy](auto&... a) { (destroy(a), ...); }, c.arguments);
    }
    static void release(dependent_task* task) noexcept { delete static_cast<spawned_task*>(task); }

    // Crossing. The arguments are read in the order in which they are put.
    static constexpr bool can_cross = is_stateless<F> && (std::is_trivially_copyable_v<K> && ...);

    static void pack(const dependent_task& task, byte_writer& to) {
        const closure& c = static_cast<const spawned_task&>(task).closure_;
        std::apply([&to](const auto&... a) { (to.put(a), ...); }, c.arguments);
        pack_function(c.function, to);
    }
    template <class A>
    static constexpr bool points = !is_access<A> && has_pointers<A>();
    static bool goes(const dependent_task& task, bool (*in_arena)(const void*) noexcept) noexcept {
        const closure& c = static_cast<const spawned_task&>(task).closure_;
        if constexpr (is_function_pointer<F>) {
            if (code_offset_of(reinterpret_cast<const void*>(c.function)) == 0) {
                return false;
            }
        }
        const auto inside = [in_arena]<class A>(const A& argument) {
            if constexpr (points<A>) {
                return leads_inside(argument, in_arena);
            } else {
                return true;
            }
        };
        return std::apply([&](const auto&... a) { return (inside(a) && ...); }, c.arguments);
    }
    static constexpr auto whether_it_goes() noexcept {
        if constexpr (is_function_pointer<F> || (points<K> || ...)) {
            return &goes;
        } else {
            return nullptr;
        }
    }
    static void objects(const dependent_task& task, std::vector<std::span<const std::byte>>& to) {
        const auto note = [&to]<class A1>(const A1& argument) {
            if constexpr (requires { argument.object(); }) {
                to.push_back(argument.object());
            }
        };
        std::apply([&note](const auto&... a) { (note(a), ...); },
                   static_cast<const spawned_task&>(task).closure_.arguments);
    }
    static dependent_task* make(const spawn_place& at, const char* task_name, byte_reader& from) {
        const std::tuple<K...> arguments{from.get<K>()...}; // braces: in this order
        F function = unpack_function<F>(from);
        return std::apply([&](const K&... a) { return new spawned_task(at, task_name, function, a...); }, arguments);
    }

    // The type's name holds those of the function and of the arguments.
    static constexpr const char* text() noexcept { return __PRETTY_FUNCTION__; }
    static const void* function_of(const dependent_task& task) noexcept {
        return reinterpret_cast<const void*>(static_cast<const spawned_task&>(task).closure_.function);
    }
    static constexpr auto code() noexcept -> const void* (*)(const dependent_task&) noexcept {
        if constexpr (is_function_pointer<F>) {
            return &function_of;
        } else {
            return nullptr;
        }
    }
    struct known {
        static inline const crossing_type crossing{text(), &pack, whether_it_goes(), &objects, &make};
    };
    static constexpr const crossing_type* crossing() noexcept {
        if constexpr (can_cross) {
            return &known::crossing;
        } else {
            return nullptr;
        }
    }

    static constexpr auto list_of_containers() noexcept -> const container_access* (*)(const dependent_task&) noexcept {
        if constexpr (container_count != 0) {
            return [](const dependent_task&) noexcept { return container_list<K...>.data(); };
        } else {
            return nullptr;
        }
    }

    static constexpr std::size_t access_count = (std::size_t{0} + ... + (is_access<K> ? 1U : 0U));
    static constexpr std::uint8_t container_count{containers_among<K...>}; // no more than fit
    static constexpr task_type type_of_this{
        &execute_spawned, &call, &drop, &release, crossing(), text(), code(), list_of_containers(), body_name<F>};

    union {
        closure closure_; // until drop()
    };
    access_node room_[access_count != 0 ? access_count + container_count : 1]; // an array cannot be empty
};

} // namespace skerry::inline SKERRY_ABI::detail
