// SPDX-License-Identifier: Apache-2.0

#include "packets/capture.hpp"
#include "packets/work.hpp"
#include "program.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "frames.hpp"

namespace skerry::test {
namespace {

using namespace apps::packets;

class captures : public files_in_a_folder {
  protected:
    // What is thrown for these files.
    template <class Error = apps::input_error>
    static std::string refused(const std::vector<std::string>& names) {
        try {
            static_cast<void>(look_over(names));
        } catch (const Error& e) {
            return e.what();
        }
        return "nothing was thrown";
    }

    // A block of pcapng: its type, and its length before and behind what it holds.
    static bytes block(std::uint32_t type, const std::vector<std::uint32_t>& words) {
        std::vector<std::uint32_t> all{type, static_cast<std::uint32_t>(12 + 4 * words.size())};
        all.insert(all.end(), words.begin(), words.end());
        all.push_back(all[1]);
        const auto* const begin = reinterpret_cast<const std::uint8_t*>(all.data());
        return {begin, begin + 4 * all.size()};
    }
    static bytes interface_of(std::uint32_t link) { return block(1, {link, 262144}); }

    std::string raw_file(const std::string& name, const bytes& content) {
        const std::string path = folder_ / name;
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
        return path;
    }
};

TEST_F(captures, packets_of_a_file_one_after_the_other) {
    capture all(file("a", 1, {{{1, 2, 3}, 7, 2}, {{4, 5}, 8}}));
    EXPECT_EQ(all.link(), link_type::ethernet);
    captured_frame one = all.next().value_or(captured_frame{});
    EXPECT_THAT(one.data, testing::ElementsAre(std::byte{1}, std::byte{2}, std::byte{3}));
    EXPECT_EQ(one.on_wire, 5U);
    EXPECT_EQ(one.at_ns, 1'000'007'000U);
    one = all.next().value_or(captured_frame{});
    EXPECT_EQ(one.data.size(), 2U);
    EXPECT_FALSE(all.next().has_value());
}

TEST_F(captures, several_files_are_looked_over) {
    const std::string a = file("a", 1, {{{1, 2, 3}}, {{4, 5, 6, 7, 8}}});
    const std::string b = file("b", 0, {{{1, 2}}});
    capture_files all = look_over({a, a});
    EXPECT_EQ(all.packets, 4U);
    EXPECT_EQ(all.largest, 5U);
    EXPECT_EQ(all.link_number, 1);
    EXPECT_EQ(all.of_another_link, "");
    EXPECT_FALSE(all.has_nanoseconds);
    all = look_over({a, b});
    EXPECT_EQ(all.of_another_link, b);
    EXPECT_EQ(capture(b).link(), link_type::loopback);
}

TEST_F(captures, times_of_nanoseconds_are_kept) {
    const capture_files all = look_over({file("n", 1, {{{1}, 123'456'789}}, magic_of_nanoseconds)});
    EXPECT_TRUE(all.has_nanoseconds);
    EXPECT_EQ(capture(all.names[0]).next().value_or(captured_frame{}).at_ns, 1'123'456'789U);
}

TEST_F(captures, pcapng) {
    const bytes section = block(0x0a0d0d0a, {0x1a2b3c4d, 1, 0xffffffff, 0xffffffff});
    const bytes packet = block(6, {0, 0, 5'000'000, 3, 4, 0x030201}); // interface, time in microseconds, lengths, data
    const std::string path = raw_file("a.pcapng", joined({section, interface_of(1), packet}));
    capture all(path);
    const captured_frame one = all.next().value_or(captured_frame{});
    EXPECT_THAT(one.data, testing::ElementsAre(std::byte{1}, std::byte{2}, std::byte{3}));
    EXPECT_EQ(one.on_wire, 4U);
    EXPECT_EQ(one.at_ns, 5'000'000'000U);
    EXPECT_FALSE(all.next().has_value());
    const bytes of_another = block(6, {1, 0, 5'000'000, 3, 4, 0x030201});
    EXPECT_THAT(refused({raw_file("two", joined({section, interface_of(1), interface_of(0), packet, of_another}))}),
                testing::MatchesRegex(".*/two: .*interface.* type .*"));
    const std::string cut = raw_file("cut", joined({section, interface_of(1), packet}));
    std::filesystem::resize_file(cut, std::filesystem::file_size(cut) - 1);
    EXPECT_THAT(refused({cut}), testing::StartsWith(cut + ": truncated pcapng dump file"));
}

TEST_F(captures, a_file_that_is_cut_short_is_named) {
    const std::string path = file("cut", 1, {{{1, 2, 3}}, {bytes(500, 'x')}});
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
    EXPECT_EQ(refused({path}), path + ": truncated dump file; tried to read 500 captured bytes, only got 499");
}

TEST_F(captures, other_files_are_named) {
    const std::string text = raw_file("text", bytes(100, 'x'));
    EXPECT_EQ(refused({text}), text + ": unknown file format");
    static_cast<void>(raw_file("unknown", bytes(100, 'x')));
    std::filesystem::current_path(folder_);
    EXPECT_EQ(refused({"unknown"}), "unknown: unknown file format");
    const std::string empty = raw_file("empty", {});
    EXPECT_THAT(refused({empty}), testing::StartsWith(empty + ": truncated dump file"));
    EXPECT_EQ(refused({folder_ / "none"}), (folder_ / "none").string() + ": No such file or directory");
    EXPECT_EQ(refused({"-"}), "-: No such file or directory");
    EXPECT_EQ(refused({""}), ": No such file or directory");
    EXPECT_EQ(refused({file("usb", 189, {{{1}}})}),
              (folder_ / "usb").string() + ": packets of link USB_LINUX; known are Ethernet, BSD loopback, raw IP and "
                                           "Linux cooked");
    const std::string without = file("without", 1, {});
    EXPECT_EQ(refused({file("with", 1, {{{1}}}), without}), without + ": there is no packet");
}

TEST_F(captures, what_cannot_be_read_again_is_refused) {
    const std::string pipe = folder_ / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(refused({pipe}), pipe + ": this is no regular file, and each pass reads it anew");
    EXPECT_EQ(refused({folder_}), folder_.string() + ": this is no regular file, and each pass reads it anew");
}

TEST_F(captures, a_file_that_changes_is_named) {
    const std::string path = file("a", 1, {{{1, 2}}, {{3, 4}}});
    const capture_files all = look_over({path, file("b", 1, {{{1}}})});
    const auto reads = [&] {
        try {
            read_pass(all, 0, [](const packet_head&, std::span<const std::byte>) {});
        } catch (const apps::input_error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    EXPECT_EQ(reads(), "");
    const std::string changed = path + ": it has changed since the first packets were read";
    for (const std::vector<captured>& now :
         {std::vector<captured>{{{1, 2}}}, {{{1, 2}}, {{3, 4}}, {{5}}}, {{{1, 2}}, {{3, 4, 5}}}}) {
        file("a", 1, now);
        EXPECT_EQ(reads(), changed);
    }
}

TEST_F(captures, without_captures_it_says_how_to_get_them) {
    const char* const before = std::getenv("XDG_CACHE_HOME");
    const std::string kept = before != nullptr ? before : "";
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    const std::string said = refused<apps::input_missing>({});
    before != nullptr ? setenv("XDG_CACHE_HOME", kept.c_str(), 1) : unsetenv("XDG_CACHE_HOME");
    EXPECT_EQ(said, (folder_ / "skerry/captures").string() +
                        ": no captures; 'tools/setup run' fetches them, --input names files of your own");
}

} // namespace
} // namespace skerry::test
