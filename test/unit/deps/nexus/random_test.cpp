// SPDX-License-Identifier: Apache-2.0

// The golden model under random programs and hosts, against the rule of order itself.

#include <cstdint>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "deps/nexus/model.hpp"
#include "rtl/dv/host.hpp"
#include "rtl/dv/order.hpp"
#include "rtl/dv/programs.hpp"

namespace {

using namespace nexus_dv;

// Looks at the model's invariants now and then.
class watched_model final : public nexus_device {
  public:
    explicit watched_model(const nexus_sizes& sizes, std::uint64_t every) : model_(sizes), every_(every) {}
    [[nodiscard]] std::uint64_t read(nexus_register from) noexcept override { return model_.read(from); }
    void write(nexus_register to, std::uint64_t word) noexcept override { model_.write(to, word); }
    std::uint64_t advance(std::uint64_t cycles) noexcept override {
        const std::uint64_t passed = model_.advance(cycles);
        if (broken_ == nullptr && ++calls_ % every_ == 0) broken_ = model_.broken();
        return passed;
    }
    [[nodiscard]] const char* broken() const { return broken_ != nullptr ? broken_ : model_.broken(); }
    [[nodiscard]] bool empty() const { return model_.empty(); }

  private:
    nexus_model model_;
    std::uint64_t every_;
    std::uint64_t calls_ = 0;
    const char* broken_ = nullptr;
};

std::uint64_t random_programs(const nexus_sizes& sizes, unsigned most, std::size_t tasks, std::uint64_t rounds,
                              std::uint64_t every) {
    random_bits random(42);
    std::uint64_t done = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        nexus_sizes these = sizes;
        these.new_depth = static_cast<std::uint32_t>(1 + below(random, 40));
        these.ready_depth = static_cast<std::uint32_t>(1 + below(random, 20));
        these.finished_depth = static_cast<std::uint32_t>(1 + below(random, 20));
        watched_model model(these, every);
        const auto shape = nexus_shape_word::unpack(model.read(nexus_register::shape));
        const auto& kind = graphs[round % std::size(graphs)];
        const program made = make_program(kind.kind, tasks, most, shape, random);
        const host_habits habits{.how = static_cast<manner>(below(random, 4)),
                                 .order = static_cast<ends>(below(random, 3)),
                                 .cores = static_cast<unsigned>(1 + below(random, 2ULL * sizes.pool))};
        order_by_address judge;
        const outcome result = host(model, judge, made, habits, 4096, random).run();
        const std::string where = "round " + std::to_string(round) + ", " + std::string(kind.name) + ", host " +
                                  std::string(manner_names[static_cast<std::size_t>(habits.how)]) + ", ends " +
                                  std::string(ends_names[static_cast<std::size_t>(habits.order)]);
        EXPECT_EQ(result.wrong, "") << where;
        EXPECT_EQ(model.broken(), nullptr) << where << ": " << model.broken();
        EXPECT_TRUE(model.empty()) << where;
        done += result.tasks;
        if (testing::Test::HasFailure()) break;
    }
    return done;
}

TEST(NexusRandom, APoolOfEight) {
    EXPECT_EQ(random_programs({.pool = 8, .sets = 4, .ways = 2}, 8, 400, 96, 3), 38'400U);
}

TEST(NexusRandom, APoolOfEightAndOneWay) {
    EXPECT_EQ(random_programs({.pool = 8, .sets = 8, .ways = 1}, 8, 400, 48, 3), 19'200U);
}

TEST(NexusRandom, TasksOfManyEntries) {
    EXPECT_EQ(random_programs({.pool = 8, .sets = 16, .ways = 8}, 40, 300, 48, 3), 14'400U);
}

TEST(NexusRandom, APoolOf1024) { EXPECT_EQ(random_programs({.pool = 1024}, 8, 5'000, 24, 400), 120'000U); }

} // namespace
