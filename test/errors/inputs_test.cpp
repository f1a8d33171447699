// SPDX-License-Identifier: Apache-2.0
#include "input/wordnet.hpp"
#include "program.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::ThrowsMessage;

TEST(WordNet, FilesWithALicenceOnly) {
    const auto parse = [] {
        std::vector<apps::input::text> files;
        for (const std::string_view name : apps::input::wordnet::file_names) {
            files.emplace_back(std::string(name), "  1 This is a licence of one line\n");
        }
        apps::input::wordnet w(std::move(files), 4096);
    };
    EXPECT_THAT(parse, ThrowsMessage<apps::input_error>("data.noun:1: the four files have no synset"));
}

} // namespace
