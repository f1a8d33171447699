// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory by regions: objects that are used together lie together, go together, and can be named as one.
//
// Regions form a tree. Objects have addresses that are the same in every process of a program, so plain pointers lead
// from one to another wherever the program runs (Lyberis et al., "Myrmics", IEEE TPDS 2014; sections II and V).

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include <skerry/access.hpp>
#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/base/watched_library.hpp>
#include <skerry/detail/coherence/region_calls.hpp>

namespace skerry::inline SKERRY_ABI {

// What can be made in a region: objects of a complete type. Arrays are made with make_array.
template <class T>
concept region_object = std::is_object_v<T> && !std::is_array_v<T> && std::same_as<T, std::remove_cv_t<T>> &&
                        (sizeof(T) > 0) && std::destructible<T>;

template <class T>
class region_allocator;

// The name of a region: 8 bytes, copied freely, also into objects that cross to other processes. It owns nothing.
//
// Thread safety: make, make_array, destroy, create and the allocators from any thread at the same time. destroy_all:
// nobody else uses the region or one within it meanwhile. One lock per region guards its memory; tasks that make many
// objects at once are faster with a region each.
// Errors: whatever is refused leaves everything as it was. std::logic_error: the region was destroyed, or is about to
// be. std::bad_alloc: no memory, or the arena is full. std::system_error: the arena's addresses cannot be had.
class region {
  public:
    // No region: every use is an error.
    region() noexcept = default;

    // A new region within this one. `level` says how deep in the tree the program expects it to be: a hint for placing
    // it, without effect within one process. Costs no memory of the arena until something is made in it; then a
    // megabyte of addresses at least, and as much memory as is used, in units of 4 KiB.
    [[nodiscard]] region create(int level = 0) { return region(detail::create_region(id_, level)); }

    // Destroys all regions within, then all objects, the newest first, then the region itself. The root region of a
    // runtime stays, empty. Destructors may destroy objects of regions that are still there, and make none here.
    // Objects whose destructor is trivial cost nothing. Complexity: linear in the other objects and in the regions.
    void destroy_all() { detail::destroy_region(id_); }

    // T(args...), here. What the constructor throws comes out, and nothing is left behind.
    // Objects of 64 bytes or more begin on a cache line of their own; smaller ones share lines, as bytes.
    template <region_object T, class... A>
    T* make(A&&... args) {
        detail::ask_for_watched_library<T>();
        static_assert(alignof(T) <= detail::greatest_alignment,
                      "skerry: region::make: no object in a region has an alignment of more than 1 MiB");
        if constexpr (std::is_constructible_v<T, A...>) {
            unfinished memory(id_, sizeof(T), alignof(T), has_destructor<T>, "make");
            T* const made = ::new (memory.first()) T(std::forward<A>(args)...);
            memory.template keep<T>(1);
            return made;
        } else {
            static_assert(std::is_constructible_v<T, A...>,
                          "skerry: region::make<T>: T cannot be made of these arguments");
        }
    }

    // n value-initialised objects in a row; none, without memory, for 0. If a constructor throws, those made before are
    // destroyed, the newest first. destroy(a.data()) destroys the whole array.
    template <region_object T>
    std::span<T> make_array(std::size_t n) {
        detail::ask_for_watched_library<T>();
        static_assert(alignof(T) <= detail::greatest_alignment,
                      "skerry: region::make_array: no object in a region has an alignment of more than 1 MiB");
        if constexpr (std::default_initializable<T>) {
            if (n == 0) {
                return {};
            }
            if (n > (std::numeric_limits<std::size_t>::max)() / 2 / sizeof(T)) {
                throw std::bad_array_new_length();
            }
            unfinished memory(id_, n * sizeof(T), alignof(T), has_destructor<T>, "make_array");
            T* const first = static_cast<T*>(memory.first());
            if constexpr (std::is_nothrow_default_constructible_v<T>) {
                std::uninitialized_value_construct_n(first, n);
            } else {
                partial<T> made{first};
                for (; made.count < n; ++made.count) {
                    ::new (static_cast<void*>(first + made.count)) T();
                }
                made.count = 0;
            }
            memory.template keep<T>(n);
            return {first, n};
        } else {
            static_assert(std::default_initializable<T>,
                          "skerry: region::make_array<T>: T cannot be made without arguments");
        }
    }

    // Destroys what make or make_array of this region gave; nothing for null. Its memory is used again.
    // Errors: std::invalid_argument if no object of this region begins there.
    template <region_object T>
    void destroy(T* object) {
        if (object != nullptr) {
            detail::destroy_object(id_, object, has_destructor<T>);
        }
    }

    // For containers whose memory shall lie here.
    template <class T>
    [[nodiscard]] region_allocator<T> allocator() const noexcept {
        return region_allocator<T>(*this);
    }

    // Whether the region has been created and not been destroyed.
    [[nodiscard]] bool exists() const noexcept { return detail::region_exists(id_); }

    // Unequal for any two regions of a program, whenever they lived.
    [[nodiscard]] std::uint64_t id() const noexcept { return detail::bits_of(id_); }
    friend bool operator==(const region&, const region&) = default;

    // For the runtime.
    explicit region(detail::region_id id) noexcept : id_(id) {}

  private:
    template <class T>
    static constexpr bool has_destructor = !std::is_trivially_destructible_v<T>;

    // Memory that goes back unless what lies in it is kept.
    class unfinished {
      public:
        unfinished(detail::region_id id, std::size_t bytes, std::size_t alignment, bool noted, const char* what)
            : id_(id),
              first_(noted ? detail::take_object(id, bytes, alignment, what)
                           : detail::take_memory(id, bytes, alignment, what)) {}
        unfinished(const unfinished&) = delete;
        unfinished& operator=(const unfinished&) = delete;
        ~unfinished() {
            if (first_ != nullptr) {
                detail::give_memory(id_, first_);
            }
        }

        [[nodiscard]] void* first() const noexcept { return first_; }

        template <class T>
        void keep(std::size_t n) noexcept {
            if constexpr (has_destructor<T>) {
                detail::keep_object(id_, first_, n, &run_destructors<T>);
            }
            first_ = nullptr;
        }

      private:
        detail::region_id id_;
        void* first_;
    };

    // The elements of an array that stand when a constructor throws.
    template <class T>
    struct partial {
        explicit partial(T* f) noexcept : first(f) {}
        partial(const partial&) = delete;
        partial& operator=(const partial&) = delete;
        ~partial() { run_destructors<T>(first, count); }
        T* first;
        std::size_t count = 0;
    };

    template <class T>
    static void run_destructors(void* first, std::size_t count) noexcept {
        while (count > 0) {
            std::destroy_at(static_cast<T*>(first) + --count);
        }
    }

    detail::region_id id_ = detail::region_id::none;
};
static_assert(sizeof(region) == 8 && std::is_trivially_copyable_v<region>);

// A region as an access is everything in it and in the regions within, also what is made there later. The function
// takes const region& or region&.
template <>
struct access_traits<region> {
    static std::uint64_t region_number(const region& r) noexcept { return r.id(); }
};

// An allocator as std's containers want it; its pointers are plain.
//
// A container stays in its region for life: assignment and swap do not propagate the allocator, so elements assigned
// from a container of another region are copied or moved one by one (swapping containers of two regions is undefined,
// as for every such allocator; it is found when one of them frees memory). A copy lies in the region of the original,
// unless it is given another.
//
// Freeing memory of a region that is gone does nothing: the region took it along. A container of objects with trivial
// destructors may therefore outlive its region, if it is only destroyed.
template <class T>
class region_allocator {
  public:
    using value_type = T;
    using propagate_on_container_copy_assignment = std::false_type;
    using propagate_on_container_move_assignment = std::false_type;
    using propagate_on_container_swap = std::false_type;
    using is_always_equal = std::false_type;

    explicit region_allocator(region r) noexcept : region_(r) {}
    // Implicit, as std's containers want it. NOLINTNEXTLINE(google-explicit-constructor)
    template <class U>
    region_allocator(const region_allocator<U>& other) noexcept : region_(other.home()) {}

    // Errors: as region's make.
    [[nodiscard]] T* allocate(std::size_t n) {
        detail::ask_for_watched_library<T>();
        static_assert(alignof(T) <= detail::greatest_alignment,
                      "skerry: region_allocator: no object in a region has an alignment of more than 1 MiB");
        if (n > (std::numeric_limits<std::size_t>::max)() / 2 / sizeof(T)) {
            throw std::bad_array_new_length();
        }
        const auto id = detail::region_id{region_.id()};
        return static_cast<T*>(detail::take_memory(id, n * sizeof(T), alignof(T), "allocator"));
    }
    void deallocate(T* first, std::size_t) noexcept { detail::give_memory(detail::region_id{region_.id()}, first); }

    [[nodiscard]] region home() const noexcept { return region_; }

    template <class U>
    friend bool operator==(const region_allocator& a, const region_allocator<U>& b) noexcept {
        return a.home() == b.home();
    }

  private:
    region region_;
};

// The root region of the runtime around the caller, else of the process: that one is there from the first use to the
// end and starts no runtime. Its destructors run by destroy_all only. Errors: std::bad_alloc.
[[nodiscard]] SKERRY_EXPORT region root_region();

} // namespace skerry::inline SKERRY_ABI
