// SPDX-License-Identifier: Apache-2.0

// What the contract says by itself: a back end that has nothing but messages, and the texts.

#include <string>

#include <gtest/gtest.h>

#include "fabric/fabric.hpp"

namespace {

using namespace skerry::fabric;

class bare final : public endpoint {
  public:
    [[nodiscard]] const capabilities& describe() const noexcept override { return about_; }
    void on_message(receiver& /*to*/) override {}
    [[nodiscard]] post_result post(unsigned /*peer*/, kind /*k*/, const message& /*m*/) override {
        return post_result::full;
    }
    std::size_t poll(std::size_t /*budget*/) override { return 0; }
    [[nodiscard]] std::optional<completion> completed() override { return std::nullopt; }
    bool wait(std::uint64_t /*deadline_ns*/, turn* /*mine*/) override { return false; }

  private:
    capabilities about_{.name = "bare"};
};

template <class F>
std::string error_of(F&& call) {
    try {
        call();
    } catch (const not_available& e) {
        return e.what();
    }
    return "no error";
}

TEST(contract, what_a_back_end_lacks_is_named) {
    bare b;
    EXPECT_EQ(error_of([&] { b.copy(0, direction::pull, {}, {}); }), "skerry: the fabric 'bare' has no bulk copy");
    EXPECT_EQ(error_of([&] { static_cast<void>(b.fetch(0, {})); }), "skerry: the fabric 'bare' has no fetch");
    EXPECT_EQ(error_of([&] { b.kick(0); }), "skerry: the fabric 'bare' has no kick");
    EXPECT_EQ(error_of([&] { b.nap(0); }), "skerry: the fabric 'bare' has no nap");
    EXPECT_EQ(error_of([&] { b.on_failure({}); }), "skerry: the fabric 'bare' has no failure detection");
}

TEST(contract, alloc_aligns) {
    bare b;
    const memory room = b.alloc(10, 4096);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(room.get()) % 4096, 0U);
}

TEST(contract, texts) {
    EXPECT_EQ((failure{1, true, 9}.text()), "process 1 was killed by signal 9");
    EXPECT_EQ((failure{2, false, 3}.text()), "process 2 left the program with exit status 3");
    EXPECT_EQ(name_of(kind::request), "request");
    EXPECT_EQ(name_of(kind::reply), "reply");
}

} // namespace
