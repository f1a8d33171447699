// SPDX-License-Identifier: Apache-2.0

// The functions of environment.h that are not inline.

#include <array>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>
#include <vector>

#include <event_machine/platform/env/environment.h>

#include <skerry/detail/sync/machine.hpp>

#include "base/port/clock.hpp"
#include "base/port/futex.hpp"
#include "base/port/thread.hpp"
#include "sync/mutex.hpp"

namespace port = skerry::port;

namespace {

constexpr std::align_val_t line{ENV_CACHE_LINE_SIZE};

// Names of memory, until it is freed. Thread safety: any thread.
class named_memory {
  public:
    // False: something has the name. Errors: std::bad_alloc.
    bool add(std::string_view name, void* memory) {
        const std::lock_guard lock(lock_);
        if (find(name) != nullptr) {
            return false;
        }
        entry e{memory, {}};
        name.copy(e.name.data(), e.name.size() - 1);
        entries_.push_back(e);
        return true;
    }
    void* of(std::string_view name) noexcept {
        const std::lock_guard lock(lock_);
        return find(name);
    }
    void remove(const void* memory) noexcept {
        const std::lock_guard lock(lock_);
        std::erase_if(entries_, [&](const entry& e) { return e.memory == memory; });
    }

  private:
    struct entry {
        void* memory;
        std::array<char, ENV_SHARED_NAMESIZE> name;
    };

    [[nodiscard]] void* find(std::string_view name) const noexcept {
        for (const entry& e : entries_) {
            if (name == e.name.data()) {
                return e.memory;
            }
        }
        return nullptr;
    }

    skerry::detail::mutex<skerry::detail::machine> lock_;
    std::vector<entry> entries_; // guarded by it
};

// Never destroyed: a program may free its memory while it exits.
named_memory& names() {
    static named_memory& all = *new named_memory;
    return all;
}

} // namespace

void* env_shared_malloc(size_t size) {
    void* const memory = ::operator new(size, line, std::nothrow);
    return memory != nullptr ? std::memset(memory, 0, size) : nullptr;
}

void env_shared_free(void* buf) {
    if (buf != nullptr) {
        names().remove(buf);
        ::operator delete(buf, line);
    }
}

void* env_shared_reserve(const char* name, size_t size) {
    const std::string_view wanted = name != nullptr ? name : "";
    if (wanted.empty() || wanted.size() >= ENV_SHARED_NAMESIZE) {
        return nullptr;
    }
    void* const memory = env_shared_malloc(size);
    try {
        if (memory != nullptr && names().add(wanted, memory)) {
            return memory;
        }
    } catch (const std::bad_alloc&) { // without the name nobody finds it
    }
    ::operator delete(memory, line);
    return nullptr;
}

void* env_shared_lookup(const char* name) { return name != nullptr ? names().of(name) : nullptr; }

void env_wait_(const uint32_t* word, uint32_t value) { static_cast<void>(port::futex_wait(word, value)); }
void env_wake_all_(const uint32_t* word) { port::futex_wake(word, 1 << 30); }

void env_yield_() { port::yield(); }
uint64_t env_now_ns_() { return port::now_ns(); }
void env_time_wait_ns(uint64_t ns) { port::sleep_ns(ns); }
uint64_t env_get_cycle() { return port::ticks(); }
uint64_t env_core_hz() { return static_cast<std::uint64_t>(port::ticks_per_second()); }
