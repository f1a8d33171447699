// SPDX-License-Identifier: Apache-2.0

// The table of task types by which processes name what they send, and the bytes in which it goes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gnu/libc-version.h>
#include <gtest/gtest.h>
#include <skerry/dataflow.hpp>

#include "deps/crossing_table.hpp"

namespace {

using namespace skerry::detail;

struct later_in_the_alphabet {
    void operator()(int&) const {}
};
struct earlier {
    void operator()(int&) const {}
};
void plain(const int&) {}

// Makes the types of these tasks part of the program.
[[maybe_unused]] void spawns(int& x, const std::string& text) {
    skerry::spawn(later_in_the_alphabet{}, skerry::inout(x));
    skerry::spawn(earlier{}, skerry::inout(x));
    skerry::spawn(plain, skerry::in(x));
    skerry::spawn([](int&, int) {}, skerry::inout(x), 3);
    skerry::spawn([text](int&) {}, skerry::inout(x)); // this one cannot cross
    skerry::spawn([](int&, const std::string&) {}, skerry::inout(x), text);
}
// A use that the compiler cannot see through.
void (*volatile const keep_spawns)(int&, const std::string&) = &spawns;

std::string table_text() {
    const crossing_table& t = crossing_table::instance();
    return std::to_string(t.size()) + ' ' + std::to_string(t.hash());
}

TEST(crossing_table, types_stand_in_the_order_of_their_names) {
    ASSERT_NE(keep_spawns, nullptr);
    const crossing_table& t = crossing_table::instance();
    ASSERT_EQ(t.size(), 4U);
    for (std::uint32_t i = 0; i < t.size(); ++i) {
        ASSERT_NE(t.at(i), nullptr);
        EXPECT_EQ(t.at(i)->index, i);
        if (i > 0) {
            EXPECT_LT(std::string_view(t.at(i - 1)->name), std::string_view(t.at(i)->name));
        }
    }
    EXPECT_EQ(t.at(4), nullptr);
    const auto names = [&t] {
        std::string all;
        for (std::uint32_t i = 0; i < t.size(); ++i) {
            all += t.at(i)->name;
        }
        return all;
    }();
    EXPECT_THAT(names, testing::HasSubstr("later_in_the_alphabet"));
    EXPECT_LT(names.find("earlier"), names.find("later_in_the_alphabet"));
}

// Each run has the program at other addresses.
TEST(crossing_table, every_run_has_the_same) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    for (int run = 0; run < 3; ++run) {
        const std::unique_ptr<FILE, int (*)(FILE*)> other(::popen(("'" + self + "' table").c_str(), "r"), &::pclose);
        ASSERT_NE(other, nullptr);
        std::array<char, 100> line{};
        ASSERT_NE(std::fgets(line.data(), static_cast<int>(line.size()), other.get()), nullptr);
        EXPECT_EQ(line.data(), table_text());
    }
}

TEST(crossing_bytes, what_is_put_is_got) {
    byte_writer to;
    to.put(std::uint8_t{7});
    to.put(2.5);
    to.put(std::array<char, 3>{'a', 'b', 'c'});
    byte_reader from(to.bytes());
    EXPECT_EQ(from.get<std::uint8_t>(), 7);
    EXPECT_EQ(from.get<double>(), 2.5);
    EXPECT_EQ(from.take(2).size(), 2U);
    EXPECT_EQ(from.rest().size(), 1U);
    try {
        static_cast<void>(from.get<std::uint16_t>());
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "skerry: a message from another process is too short");
    }
    EXPECT_EQ(from.rest().size(), 1U); // as it was
}

TEST(crossing_bytes, functions_go_as_their_place_in_the_program) {
    using function = void (*)(const int&);
    byte_writer to;
    pack_function<function>(&plain, to);
    byte_reader from(to.bytes());
    EXPECT_EQ(unpack_function<function>(from), &plain);
    // A function of a library lies elsewhere in every process. (One that no sanitizer has a version of in the program.)
    EXPECT_NE(code_offset_of(reinterpret_cast<const void*>(&plain)), 0U);
    EXPECT_EQ(code_offset_of(reinterpret_cast<const void*>(&::gnu_get_libc_version)), 0U);
}

} // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]) == "table") {
        std::printf("%s", table_text().c_str());
        return 0;
    }
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
