// SPDX-License-Identifier: Apache-2.0
// Inputs as the programs meet them: files, and the real WordNet.
#include "input/text.hpp"
#include "input/wordnet.hpp"
#include "ligra/problem.hpp"
#include "program.hpp"
#include "temporary_file.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <string>

namespace apps {
namespace {

using testing_support::temporary_file;

std::string complaint(const std::function<void()>& f) {
    try {
        f();
    } catch (const input_error& e) {
        return e.what();
    }
    return "accepted";
}

TEST(text, maps_a_file) {
    const temporary_file file("two\nlines\n");
    const input::text t(file.path());
    EXPECT_EQ(t.bytes(), "two\nlines\n");
    EXPECT_EQ(t.name(), file.path());
}

TEST(text, names_what_cannot_be_read) {
    const temporary_file empty("");
    EXPECT_EQ(complaint([&] { input::text(empty.path()); }), empty.path() + ":1: the file is empty");
    EXPECT_EQ(complaint([] { input::text("/nowhere/graph"); }), "/nowhere/graph: No such file or directory");
    EXPECT_EQ(complaint([] { input::text("/"); }), "/: a directory; give a file");
}

TEST(text, does_not_wait_for_a_pipe) {
    const temporary_file place("");
    const std::string pipe = place.path() + ".pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(complaint([&] { input::text{pipe}; }), pipe + ": not a regular file");
    std::filesystem::remove(pipe);
}

TEST(text, finds_the_line_of_an_offset) {
    const input::text t("name", "a\nb\n\nc\n");
    const auto line = [&](std::size_t offset) { return complaint([&] { t.fail(offset, "no"); }); };
    EXPECT_EQ(line(0), "name:1: no");
    EXPECT_EQ(line(1), "name:1: no");
    EXPECT_EQ(line(2), "name:2: no");
    EXPECT_EQ(line(4), "name:3: no");
    EXPECT_EQ(line(5), "name:4: no");
    EXPECT_EQ(line(100), "name:4: no");
}

TEST(text, quotes_what_a_terminal_cannot_show) {
    EXPECT_EQ(input::quoted("a\x1b[31m"), "'a\\x1b[31m'");
    EXPECT_EQ(input::quoted(std::string(41, 'x')), "'" + std::string(40, 'x') + "...'");
    EXPECT_EQ(input::quoted(""), "''");
}

TEST(folder, is_taken_for_wordnet_only_if_it_holds_a_file_of_it) {
    const temporary_file place("");
    const std::filesystem::path folder = place.path() + ".folder";
    std::filesystem::create_directory(folder);
    const auto load = [&] { find_program("bfs")->serial({.input = folder.string()}); };
    EXPECT_EQ(complaint(load), folder.string() + ": a directory; give a file");
    std::filesystem::create_directory(folder / "data.verb");
    EXPECT_EQ(complaint(load), (folder / "data.noun").string() +
                                   ": not found; WordNet's data files are in Debian's package wordnet-base");
    std::filesystem::remove_all(folder);
}

class real_wordnet : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!std::filesystem::exists(std::filesystem::path(input::wordnet_folder) / "data.noun"))
            GTEST_SKIP() << "WordNet is not installed (package wordnet-base)";
    }
};

TEST_F(real_wordnet, has_the_synsets_and_pointers_that_its_documentation_counts) {
    const input::wordnet w{std::string(input::wordnet_folder)};
    EXPECT_EQ(w.synsets(), 117'659U); // wnstats(7WN)
    EXPECT_EQ(w.find("dog").size(), 8U);
    EXPECT_EQ(w.find("Domestic Dog").size(), 1U);
    EXPECT_TRUE(w.find("dgo").empty());
    const input::wordnet in_small_blocks(std::string(input::wordnet_folder), 4096);
    EXPECT_EQ(in_small_blocks.synsets(), w.synsets());
    EXPECT_EQ(in_small_blocks.pointers(), w.pointers());
}

TEST_F(real_wordnet, joins_dog_and_ship_by_a_chain_of_words) {
    const auto bfs = find_program("bfs")->parallel({.from = "dog", .to = "ship"});
    bfs->run();
    EXPECT_TRUE(bfs->check().ok) << bfs->check().text;
    const std::string chain = bfs->print();
    EXPECT_TRUE(chain.starts_with("3 steps from dog to ship:\n  dog\n  -> ")) << chain;
    EXPECT_NE(chain.find("\n  -> ship ("), std::string::npos) << chain;
}

TEST_F(real_wordnet, a_chain_may_have_no_step) {
    const auto bfs = find_program("bfs")->serial({.from = "dog", .to = "domestic dog"});
    bfs->run();
    EXPECT_EQ(bfs->print(), "0 steps from dog to domestic dog:\n  dog");
}

TEST_F(real_wordnet, an_unknown_word_is_named) {
    const auto message = [](const options& o) {
        try {
            find_program("bfs")->parallel(o);
        } catch (const usage_error& e) {
            return std::string(e.what());
        }
        return std::string("accepted");
    };
    EXPECT_EQ(message({.from = "dgo", .to = "ship"}), "--from: WordNet has no word 'dgo'");
    EXPECT_EQ(message({.from = "dog", .to = "shp"}), "--to: WordNet has no word 'shp'");
}

} // namespace
} // namespace apps
