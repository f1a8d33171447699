// SPDX-License-Identifier: Apache-2.0
#include "digits/image.hpp"
#include "program.hpp"

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>

namespace {

namespace digits = apps::digits;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::string line(const std::string& pixel, const std::string& label) {
    std::string text;
    for (std::size_t i = 0; i < digits::pixel_count; ++i) text += pixel + ",";
    return text + label;
}

std::vector<digits::image> parsed(const std::string& text) {
    return digits::parse_images(apps::input::text("file", text));
}

void expect_flaw(const std::string& text, const std::string& message) {
    EXPECT_THAT([&] { parsed(text); }, ThrowsMessage<apps::input_error>(message));
}

TEST(images, are_one_to_a_line) {
    const auto images = parsed(line("0", "7") + "\n" + line("16", "0") + "\n");
    ASSERT_EQ(images.size(), 2U);
    EXPECT_THAT(images[0].pixels, testing::Each(0));
    EXPECT_EQ(images[0].label, 7);
    EXPECT_THAT(images[1].pixels, testing::Each(16));
    EXPECT_EQ(images[1].label, 0);
}

TEST(images, need_no_last_line_end_and_may_have_spaces) {
    EXPECT_EQ(parsed(line("5", "3")), parsed(line("5", "3") + "\n"));
    EXPECT_EQ(parsed(line("5", "3")), parsed(line(" 5 ", "\t3\r") + "\r\n"));
}

TEST(images, errors_name_line_and_reason) {
    const std::string good = line("1", "2") + "\n";
    expect_flaw(good + line("1", "2") + ",3\n", "file:2: 64 pixels and a label are 65 numbers, here are 66");
    expect_flaw(good + good + "1,2,3\n" + good, "file:3: 64 pixels and a label are 65 numbers, here are 3");
    expect_flaw(good + "\n" + good, "file:2: 64 pixels and a label are 65 numbers, here are 0");
    expect_flaw(line("17", "2"), "file:1: pixel: '17' is out of range: 0 to 16");
    expect_flaw(line("-1", "2"), "file:1: pixel: '-1' is negative");
    expect_flaw(line("x", "2"), "file:1: pixel: 'x' is not a whole number");
    expect_flaw(line("1.5", "2"), "file:1: pixel: '1.5' is not a whole number");
    expect_flaw(line("", "2"), "file:1: pixel: a number is missing");
    expect_flaw(good + line("1", "10"), "file:2: label: '10' is out of range: 0 to 9");
    expect_flaw(good + line("1", "") + "\n", "file:2: label: a number is missing");
    expect_flaw(line("99999999999999999999", "2"), "file:1: pixel: '99999999999999999999' is out of range: 0 to 16");
}

/// Sets a variable of the environment for a while.
class variable {
  public:
    variable(const char* name, const char* value) : name_(name), before_(of(name)) { set(value); }
    variable(const variable&) = delete;
    variable& operator=(const variable&) = delete;
    ~variable() { set(before_ ? before_->c_str() : nullptr); }

  private:
    static std::optional<std::string> of(const char* name) {
        const char* const value = std::getenv(name);
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    }
    void set(const char* value) const { value == nullptr ? ::unsetenv(name_) : ::setenv(name_, value, 1); }
    const char* name_;
    std::optional<std::string> before_;
};

TEST(installed_images, lie_in_the_users_cache) {
    const variable home("HOME", "/home/somebody");
    {
        const variable cache("XDG_CACHE_HOME", "/elsewhere");
        EXPECT_EQ(digits::installed_images(), "/elsewhere/skerry/digits.csv");
    }
    const variable cache("XDG_CACHE_HOME", nullptr);
    EXPECT_EQ(digits::installed_images(), "/home/somebody/.cache/skerry/digits.csv");
    const variable homeless("HOME", nullptr);
    EXPECT_EQ(digits::installed_images(), "");
}

TEST(read_images, says_what_fetches_the_missing_ones) {
    const variable cache("XDG_CACHE_HOME", "/nowhere");
    EXPECT_THAT([] { digits::read_images(""); },
                ThrowsMessage<apps::input_missing>(
                    "/nowhere/skerry/digits.csv: not found; 'tools/setup run' fetches the images, --input names a file "
                    "of your own"));
    EXPECT_THAT([] { digits::read_images("/nowhere/at/all"); },
                ThrowsMessage<apps::input_error>(HasSubstr("/nowhere/at/all: ")));
    const variable no_cache("XDG_CACHE_HOME", nullptr);
    const variable homeless("HOME", nullptr);
    EXPECT_THAT([] { digits::read_images(""); },
                ThrowsMessage<apps::input_missing>(HasSubstr("digits.csv: not found")));
}

TEST(read_images, finds_what_setup_fetched) {
    const auto images = digits::read_images("");
    ASSERT_EQ(images.size(), 1797U);
    EXPECT_EQ(images.front().label, 0);
    EXPECT_EQ(images.front().pixels[2], 5);
    EXPECT_EQ(images.back().label, 8);
}

} // namespace
