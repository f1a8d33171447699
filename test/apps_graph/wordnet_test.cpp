// SPDX-License-Identifier: Apache-2.0
#include "input/wordnet.hpp"
#include "program.hpp"
#include "samples.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace apps::input {
namespace {

using testing_support::edges_of;
using testing_support::weighted_edge;

constexpr std::string_view licence = "  1 This is a licence of one line  \n";

/// Offsets are those of the lines: 36 is the first behind the licence.
std::array<std::string, 4> small_files() {
    std::array<std::string, 4> files;
    files.fill(std::string(licence));
    files[0] += "00000036 03 n 02 dog 0 domestic_dog 0 002 @ 00000122 n 0000 + 00000036 v 0101 | a pet\n"
                "00000122 03 n 01 canine 0 001 ~ 00000036 n 0000 | like a dog\n";
    files[1] += "00000036 35 v 01 dog 3 000 01 + 02 00 | follow; \"| not a field\"\n";
    files[2] += "00000036 00 s 01 galore(ip) 0 001 & 00000036 r 0000 | in plenty\n";
    files[3] += "00000036 02 r 0a a 0 b 0 c 0 d 0 e 0 f 0 g 0 h 0 i 0 j f 000 | ten words\n";
    return files;
}

wordnet parse(const std::array<std::string, 4>& files, std::size_t block = default_block_bytes) {
    std::vector<text> texts;
    for (std::size_t i = 0; i != files.size(); ++i) texts.emplace_back(std::string(wordnet::file_names[i]), files[i]);
    return wordnet(std::move(texts), block);
}

TEST(wordnet, makes_a_vertex_of_each_synset_and_an_edge_of_each_pointer) {
    for (const std::size_t block : {1U, 50U, 1000U}) {
        const std::array<std::string, 4> files = small_files();
        const wordnet w = parse(files, block);
        EXPECT_EQ(w.synsets(), 5U);
        EXPECT_EQ(edges_of(w.edges()), (std::vector<weighted_edge>{{0, 1}, {0, 2}, {1, 0}, {3, 4}}));
        EXPECT_EQ(w.words(0).size(), 2U);
        EXPECT_EQ(w.words(3)[0], "galore"); // the marker of its position is dropped
        EXPECT_EQ(w.words(4).size(), 10U);  // the count is hexadecimal
        EXPECT_EQ(w.find("dog"), (std::vector<graph::vertex>{0, 2}));
        EXPECT_EQ(w.find("DOMESTIC dog"), (std::vector<graph::vertex>{0}));
        EXPECT_TRUE(w.find("do").empty());
        EXPECT_EQ(w.relation(0, 1), "hypernym");
        EXPECT_EQ(w.relation(1, 0), "hyponym");
        EXPECT_EQ(w.relation(2, 0), "derived form"); // only the noun points to the verb
        EXPECT_EQ(w.relation(0, 4), "");
        EXPECT_EQ(readable("domestic_dog"), "domestic dog");
    }
}

struct damage {
    std::size_t file;
    std::string_view old_part;
    std::string_view new_part;
    std::string_view message;
};

TEST(wordnet, rejects_what_is_malformed) {
    const std::array<damage, 24> all{{
        {0, "00000036 03 n", "00000037 03 n", "data.noun:2: the synset says it begins at byte 37, it begins at 36"},
        {0, "00000036 03 n", "0000x036 03 n", "data.noun:2: offset of the synset: '0000x036' is not a number"},
        {0, "03 n 02 dog", "03 v 02 dog", "data.noun:2: a synset of another part of speech"},
        {0, "03 n 02 dog", "03 q 02 dog", "data.noun:2: type of the synset: 'q' is none of n, v, a, s, r"},
        {0, "n 02 dog", "n 00 dog", "data.noun:2: a synset without words"},
        {0, "n 02 dog", "n 2g dog", "data.noun:2: number of words: '2g' is not a number"},
        {0, "n 02 dog", "n 03 dog", "data.noun:2: lexical number: '@' is not a number"},
        {0, "dog 0 002", "dog 0 001", "data.noun:2: '+' stands where the gloss should begin"},
        {0, "@ 00000122", "@ 00000123", "data.noun:2: a pointer to '00000123' of data.noun, where no synset begins"},
        {0, "@ 00000122", "@ 99999999", "data.noun:2: a pointer to '99999999' of data.noun, where no synset begins"},
        {0, "@ 00000122", "@ -0000122", "data.noun:2: target of the pointer: '-0000122' is not a number"},
        {0, "@ 00000122 n", "@ 00000122 x", "data.noun:2: part of speech: 'x' is none of n, v, a, s, r"},
        {0, "@ 00000122 n", "@@@0000122 n", "data.noun:2: '@@@0000122' is no pointer symbol"},
        {0, "| a pet", "", "data.noun:2: the line ends before the gloss"},
        {0, "| a pet", "  a pet", "data.noun:2: 'a' stands where the gloss should begin"},
        {1, "01 + 02 00", "02 + 02 00", "data.verb:2: '|' stands where the next frame should begin"},
        {1, "01 + 02 00", "01 + xx 00", "data.verb:2: frame: 'xx' is not a number"},
        {0, "0101 | a pet", "     | a pet", "data.noun:2: the gloss begins before the source and target words"},
        {0, "| like a dog\n", "| like a dog", "data.noun:3: truncated: the last line does not end"},
        {0, "0000 | like a dog\n", "\n", "data.noun:3: the line ends before the source and target words"},
        {2, "& 00000036 r", "& 00000036 a", "accepted"},
        {2, "& 00000036 r", "& 00000040 r", "data.adj:2: a pointer to '00000040' of data.adv, where no synset begins"},
        {3, "000 | ten", "200 | ten", "data.adv:2: the gloss begins before the next pointer"},
        {1, "35 v 01", "35 v ffffffff", "data.verb:2: the gloss begins before the lexical number"},
    }};
    for (const damage& d : all) {
        std::array<std::string, 4> files = small_files();
        const std::size_t at = files[d.file].find(d.old_part);
        ASSERT_NE(at, std::string::npos) << d.old_part;
        files[d.file].replace(at, d.old_part.size(), d.new_part);
        for (const std::size_t block : {1U, 1000U}) {
            std::string said = "accepted";
            try {
                parse(files, block);
            } catch (const input_error& e) {
                said = e.what();
            }
            EXPECT_TRUE(said.starts_with(d.message)) << d.new_part << ": " << said;
        }
    }
}

TEST(wordnet, needs_a_synset) {
    std::array<std::string, 4> files;
    files.fill(std::string(licence));
    EXPECT_THROW(parse(files), input_error);
    files.fill("");
    EXPECT_THROW(parse(files), input_error);
}

TEST(wordnet, says_what_to_install) {
    try {
        wordnet("/nowhere");
        FAIL();
    } catch (const input_missing& e) {
        EXPECT_STREQ(e.what(),
                     "/nowhere/data.noun: not found; WordNet's data files are in Debian's package wordnet-base");
    }
}

} // namespace
} // namespace apps::input
