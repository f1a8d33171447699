// SPDX-License-Identifier: Apache-2.0

// main() of the model tests: GoogleTest's, with --replay=STEPS for one test chosen by --gtest_filter, and
// --walk=traces. And operator new, which serves the code under test from the arena.

#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>

#include <gtest/gtest.h>

#include "explorer.hpp"

namespace {

void* take(std::size_t size, std::size_t alignment) {
    if (skerry::model::engine::instance().out_of_memory()) {
        throw std::bad_alloc();
    }
    if (void* p = skerry::model::engine::instance().allocate(size, alignment)) {
        return p;
    }
    void* p = alignment <= alignof(std::max_align_t)
                  ? std::malloc(size == 0 ? 1 : size)
                  : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (p == nullptr) {
        throw std::bad_alloc();
    }
    return p;
}

void give(void* p) noexcept {
    if (p != nullptr && !skerry::model::engine::instance().release(p)) {
        std::free(p);
    }
}

} // namespace

void* operator new(std::size_t size) { return take(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return take(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t a) { return take(size, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return take(size, static_cast<std::size_t>(a)); }
void operator delete(void* p) noexcept { give(p); }
void operator delete[](void* p) noexcept { give(p); }
void operator delete(void* p, std::size_t) noexcept { give(p); }
void operator delete[](void* p, std::size_t) noexcept { give(p); }
void operator delete(void* p, std::align_val_t) noexcept { give(p); }
void operator delete[](void* p, std::align_val_t) noexcept { give(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { give(p); }

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    for (int i = 1; i < argc; ++i) {
        const std::string_view given(argv[i]);
        constexpr std::string_view option = "--replay=";
        if (given == "--walk=traces") {
            skerry::model::set_walk(skerry::model::walk_by::traces);
        } else if (given.starts_with(option)) {
            skerry::model::set_replay(std::string(given.substr(option.size())));
        } else {
            std::cerr << "model test: unknown argument '" << given
                      << "'; known: --replay=STEPS, --walk=traces, --gtest_filter=TEST\n";
            return 2;
        }
    }
    return RUN_ALL_TESTS();
}
