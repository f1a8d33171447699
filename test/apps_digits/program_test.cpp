// SPDX-License-Identifier: Apache-2.0
// What the program promises beside what every program does.
#include "digits/check.hpp"
#include "program.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <skerry/runtime.hpp>

namespace {

using apps::instance;
using testing::HasSubstr;
using testing::ThrowsMessage;

const apps::program& digits_program() { return *apps::find_program("digits"); }

std::unique_ptr<instance> trained(const apps::options& o) {
    auto made = digits_program().serial(o);
    made->reset();
    made->run();
    return made;
}

apps::options first(std::size_t images, std::size_t tile) {
    apps::options o;
    o.train = images;
    o.granularity = tile;
    return o;
}

// Each element sees the same operations in the same order, however the matrix is cut; padding adds nothing.
TEST(digits, weights_do_not_depend_on_the_tiles) {
    const auto expected = trained(first(203, 16))->digest();
    for (const std::size_t tile : {8U, 20U, 33U, 64U, 148U, 300U}) {
        const auto other = trained(first(203, tile));
        EXPECT_EQ(other->digest(), expected) << "tiles of " << tile;
        EXPECT_TRUE(other->check().ok);
    }
}

// No C library's exp(), no fused operation, no order of summation that a compiler may choose: one result everywhere.
TEST(digits, weights_are_the_same_bits_everywhere) {
    EXPECT_EQ(trained(first(100, 32))->digest(), 0xdad0debc3ccdccadU);
}

TEST(digits, all_images_are_classed_98_percent_right_in_parallel) {
    skerry::options with;
    with.workers = 2;
    skerry::runtime runtime(with);
    runtime.run([] {
        const auto parallel = digits_program().parallel(apps::options{});
        parallel->reset();
        parallel->run();
        const apps::verdict v = parallel->check();
        EXPECT_TRUE(v.ok) << v.text;
        EXPECT_THAT(v.text, HasSubstr("1783 of 1797 images classed right"));
        EXPECT_EQ(parallel->print(), "accuracy 99.22 %, weights 1892bb1663736413");
    });
}

TEST(digits, a_run_that_does_nothing_fails) {
    const auto made = trained(first(100, 32));
    ASSERT_TRUE(made->check().ok);
    made->reset();
    EXPECT_FALSE(made->check().ok);
}

TEST(digits, train_is_within_the_file) {
    for (const std::size_t wrong : {4U, 1798U}) {
        EXPECT_THAT([&] { digits_program().serial(first(wrong, 32)); },
                    ThrowsMessage<apps::usage_error>(HasSubstr("--train " + std::to_string(wrong) +
                                                               " is out of range: 5 to 1797, the images of the file")));
    }
    EXPECT_THAT(digits_program().serial(first(5, 32))->problem(), HasSubstr("5 images"));
}

TEST(digits, takes_a_file_of_ones_own) {
    const std::string path = testing::TempDir() + "skerry_digits_" + std::to_string(::getpid());
    const auto with_lines = [&](int count) {
        std::ofstream file(path);
        for (int line = 0; line < count; ++line) {
            for (std::size_t pixel = 0; pixel < apps::digits::pixel_count; ++pixel) file << (line % 2) * 9 << ',';
            file << line % 2 << '\n';
        }
        apps::options o = first(0, 16);
        o.input = path;
        return o;
    };
    const auto made = trained(with_lines(20));
    EXPECT_THAT(made->problem(), HasSubstr("20 images"));
    EXPECT_THAT(made->check().text, HasSubstr("20 of 20 images classed right"));
    EXPECT_THAT([&] { digits_program().serial(with_lines(4)); },
                ThrowsMessage<apps::input_error>(path + ": five folds need 5 images, the file has 4"));
    std::filesystem::remove(path);
}

} // namespace
