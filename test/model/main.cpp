// SPDX-License-Identifier: Apache-2.0

// main() of the model tests: GoogleTest's, with --replay=TOKEN for one test chosen by --gtest_filter, and
// --walk=traces. And operator new, which serves the code under test from the arena.

#include <cstdlib>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

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

namespace {

// Tells the explorer which test runs, and whether a replay has found its exploration.
class listener final : public testing::EmptyTestEventListener {
  public:
    explicit listener(std::string program) : program_(std::move(program)) {}

    bool replays = false;
    bool by_traces = false;

  private:
    void OnTestProgramStart(const testing::UnitTest& all) override {
        if (replays && all.test_to_run_count() != 1) {
            std::cerr << "--replay is for one test, and --gtest_filter chooses " << all.test_to_run_count() << "\n";
            std::exit(2);
        }
    }
    void OnTestStart(const testing::TestInfo& test) override {
        skerry::model::begin_test(program_ + " --gtest_filter=" + test.test_suite_name() + "." + test.name() +
                                  (GTEST_FLAG_GET(also_run_disabled_tests) ? " --gtest_also_run_disabled_tests" : "") +
                                  (by_traces ? " --walk=traces" : ""));
    }
    void OnTestEnd(const testing::TestInfo&) override {
        if (const std::string wrong = skerry::model::end_replay(); !wrong.empty()) {
            ADD_FAILURE() << wrong;
        }
    }

    const std::string program_;
};

} // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    auto* const told = new listener(argv[0]);
    testing::UnitTest::GetInstance()->listeners().Append(told); // its owner from here on
    for (int i = 1; i < argc; ++i) {
        const std::string_view given(argv[i]);
        constexpr std::string_view option = "--replay=";
        if (given == "--walk=traces") {
            skerry::model::set_walk(skerry::model::walk_by::traces);
            told->by_traces = true;
        } else if (given.starts_with(option)) {
            try {
                skerry::model::set_replay(std::string(given.substr(option.size())));
            } catch (const std::runtime_error& wrong) {
                std::cerr << wrong.what() << "\n";
                return 2;
            }
            told->replays = true;
        } else {
            std::cerr << "model test: unknown argument '" << given
                      << "'; known: --replay=TOKEN, --walk=traces, --gtest_filter=TEST\n";
            return 2;
        }
    }
    return RUN_ALL_TESTS();
}
