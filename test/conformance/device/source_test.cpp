// SPDX-License-Identifier: Apache-2.0

// What OpenCL is given of a kernel, and what is kept of what it makes.

#include "fabric/opencl/opencl.hpp"

#include <string>
#include <type_traits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <skerry/kernel.hpp>

#if __has_include(<CL/cl.h>)
#include "fabric/opencl/program_cache.hpp"
#include "fabric/opencl/source.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include <unistd.h>

namespace {

using namespace skerry::fabric::opencl;
using testing::HasSubstr;

SKERRY_KERNEL(poly, (const float* coefficients, std::uint8_t* y, long n),
              { y[i] = (uint8_t)(coefficients[0] * (float)n); })

TEST(Source, ParametersAreNamed) {
    EXPECT_EQ(parameter_name("(const float* x, float *y , float a)", 0), "x");
    EXPECT_EQ(parameter_name("(const float* x, float *y , float a)", 1), "y");
    EXPECT_EQ(parameter_name("(const float* x, float *y , float a)", 2), "a");
}

TEST(Source, IsTheBodyBetweenWhatItNeeds) {
    using code = std::remove_const_t<decltype(poly)>::skerry_kernel;
    const std::string text = source_of(skerry::detail::kernel_form<code, decltype(&code::skerry_at)>::code);
    EXPECT_THAT(text, HasSubstr("#pragma OPENCL FP_CONTRACT OFF"));
    EXPECT_THAT(
        text, HasSubstr("static void skerry_body(const long i, __global const float* coefficients, __global uchar* y, "
                        "long n)\n#line " +
                        std::to_string(code::skerry_body.line) + " \"" + __FILE__ +
                        "\"\n{ y[i] = (uint8_t)(coefficients[0] * (float)n); }\n"));
    EXPECT_THAT(text, HasSubstr("reqd_work_group_size(64, 1, 1)"));
    EXPECT_THAT(text, HasSubstr("__global char* skerry_m1, long skerry_o1, long skerry_v2)"));
}

class Cache : public testing::Test {
  public:
    Cache() : folder_(std::filesystem::temp_directory_path() / ("skerry_cache_" + std::to_string(::getpid()))) {
        setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    }
    ~Cache() override {
        unsetenv("XDG_CACHE_HOME");
        std::filesystem::remove_all(folder_);
    }
    std::filesystem::path folder_;
};

TEST_F(Cache, KeepsAProgramUnderItsKey) {
    const std::vector<unsigned char> program{1, 0, 2, 255};
    EXPECT_TRUE(cached_program("a key").empty());
    keep_program("a key", program);
    EXPECT_EQ(cached_program("a key"), program);
    EXPECT_TRUE(cached_program("another key").empty());
    keep_program("a key", {3});
    EXPECT_EQ(cached_program("a key"), std::vector<unsigned char>{3});
}

TEST_F(Cache, AFileOfAnotherKeyIsNone) {
    keep_program("a key", {1});
    const auto file = std::filesystem::directory_iterator(folder_ / "skerry" / "kernels")->path();
    std::ofstream(file) << "another key" << '\0' << "x";
    EXPECT_TRUE(cached_program("a key").empty());
    std::ofstream(file) << "";
    EXPECT_TRUE(cached_program("a key").empty());
}

TEST_F(Cache, AFolderThatCannotBeWritten) {
    std::ofstream(folder_) << "a file where the folder would be";
    keep_program("a key", {1});
    EXPECT_TRUE(cached_program("a key").empty());
}

} // namespace
#endif
