// SPDX-License-Identifier: Apache-2.0

#include "packets/capture.hpp"
#include "program.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <unistd.h>

namespace {

using apps::packets::read_captures;

class captures_in_a_folder : public testing::Test {
  protected:
    captures_in_a_folder() {
        std::string name = std::filesystem::temp_directory_path() / "skerry.XXXXXX";
        folder_ = mkdtemp(name.data());
    }
    ~captures_in_a_folder() override { std::filesystem::remove_all(folder_); }

    // A file in the format of libpcap: a header that says the link, and packets of so many bytes.
    std::string file(const std::string& name, std::uint32_t link, const std::vector<std::uint32_t>& packets) {
        const std::string path = folder_ / name;
        std::ofstream out(path, std::ios::binary);
        const auto put = [&out](std::uint32_t x) { out.write(reinterpret_cast<const char*>(&x), sizeof x); };
        put(0xa1b2c3d4);
        put(4U << 16 | 2U);
        for (const std::uint32_t x : {0U, 0U, 65535U, link}) put(x);
        for (const std::uint32_t bytes : packets) {
            for (const std::uint32_t x : {1U, 0U, bytes, bytes + 1}) put(x);
            out << std::string(bytes, 'x');
        }
        return path;
    }

    // What is thrown for these files.
    template <class Error = apps::input_error>
    static std::string refused(const std::vector<std::string>& files) {
        try {
            static_cast<void>(read_captures(files));
        } catch (const Error& e) {
            return e.what();
        }
        return "nothing was thrown";
    }

    std::filesystem::path folder_;
};

TEST_F(captures_in_a_folder, several_files_one_after_the_other) {
    const auto all = read_captures({file("a", 1, {3, 5}), file("b", 0, {7})});
    ASSERT_EQ(all.frames.size(), 3U);
    EXPECT_EQ(all.files, 2U);
    EXPECT_EQ(all.of(all.frames[1]).size(), 5U);
    EXPECT_EQ(all.frames[1].on_wire, 6U);
    EXPECT_EQ(all.frames[2].link, apps::packets::link_type::loopback);
    EXPECT_EQ(all.bytes.size(), 15U);
}

TEST_F(captures_in_a_folder, a_file_that_is_cut_short_is_named) {
    const std::string path = file("cut", 1, {3, 500});
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
    EXPECT_EQ(refused({path}), path + ": truncated dump file; tried to read 500 captured bytes, only got 499");
}

TEST_F(captures_in_a_folder, other_files_are_named) {
    const std::string path = folder_ / "text";
    std::ofstream(path) << "this is no capture, but it is long enough to be one";
    EXPECT_EQ(refused({path}), path + ": unknown file format");
    EXPECT_EQ(refused({folder_ / "none"}), (folder_ / "none").string() + ": No such file or directory");
    EXPECT_EQ(refused({file("usb", 189, {})}),
              (folder_ / "usb").string() + ": packets of link USB_LINUX; known are Ethernet, BSD loopback, raw IP and "
                                           "Linux cooked");
    EXPECT_THAT(refused({""}), testing::HasSubstr("No such file"));
}

TEST_F(captures_in_a_folder, without_captures_it_says_how_to_get_them) {
    const char* const before = std::getenv("XDG_CACHE_HOME");
    const std::string kept = before != nullptr ? before : "";
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    const std::string said = refused<apps::input_missing>({});
    before != nullptr ? setenv("XDG_CACHE_HOME", kept.c_str(), 1) : unsetenv("XDG_CACHE_HOME");
    EXPECT_EQ(said, (folder_ / "skerry/captures").string() +
                        ": no captures; 'tools/setup run' fetches them, --input names files of your own");
}

} // namespace
