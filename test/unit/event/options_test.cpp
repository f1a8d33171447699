// SPDX-License-Identifier: Apache-2.0

// The options of the event machine: defaults, variables, and what is refused.

#include <cstdlib>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <skerry/event.h>

#include "bare_machine.hpp"

namespace skerry::test {
namespace {

class em_options : public testing::Test {
  protected:
    void SetUp() override {
        static_cast<void>(take_errors());
        EXPECT_EQ(em_register_error_handler(keep_error), EM_OK);
    }
    void TearDown() override {
        for (const char* const name :
             {"SKERRY_EM_ESV", "SKERRY_EM_ASYNCHRONOUS", "SKERRY_EM_COOPERATIVE", "SKERRY_EM_SUSPENDED_MAX",
              "SKERRY_EM_STARVATION", "SKERRY_EM_STACK_SIZE", "SKERRY_EM_POLL_NS"}) {
            unsetenv(name);
        }
        static_cast<void>(em_unregister_error_handler());
    }
    static void expect_options(const skerry_em_options_t& o, const skerry_em_options_t& expected) {
        EXPECT_EQ(o.esv, expected.esv);
        EXPECT_EQ(o.asynchronous, expected.asynchronous);
        EXPECT_EQ(o.cooperative, expected.cooperative);
        EXPECT_EQ(o.suspended_max, expected.suspended_max);
        EXPECT_EQ(o.starvation, expected.starvation);
        EXPECT_EQ(o.stack_size, expected.stack_size);
        EXPECT_EQ(o.poll_ns, expected.poll_ns);
    }
    static em_status_t init() {
        em_conf_t c = configuration(1);
        return em_init(&c);
    }
};

TEST_F(em_options, a_program_that_does_not_configure_has_the_environments) {
    setenv("SKERRY_EM_ESV", "1", 1);
    ASSERT_EQ(init(), EM_OK);
    const em_event_t e = em_alloc(1, EM_EVENT_TYPE_SW, EM_POOL_DEFAULT);
    em_free(e);
    em_free(e);
    expect_error(EM_ERR_EVENT_STATE, "em_free: event ");
    ASSERT_EQ(em_term(nullptr), EM_OK);
    unsetenv("SKERRY_EM_ESV");

    setenv("SKERRY_EM_STACK_SIZE", "1K", 1);
    EXPECT_EQ(init(), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_init: SKERRY_EM_STACK_SIZE=1K");
    unsetenv("SKERRY_EM_STACK_SIZE");
    setenv("SKERRY_EM_COOPERATIVE", "on", 1);
    setenv("SKERRY_EM_ASYNCHRONOUS", "on", 1);
    EXPECT_EQ(init(), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_init: asynchronous and cooperative exclude each other");
    EXPECT_EQ(em_term(nullptr), status_of(EM_ERR_NOT_INITIALIZED));
    expect_error(EM_ERR_NOT_INITIALIZED, "em_term: em_init() was not called");
}

TEST_F(em_options, each_has_a_variable) {
    skerry_em_options_t o;
    skerry_em_options_init(&o);
    expect_options(o, {0, 0, 0, 1024, 256, std::size_t{256} << 10, 100'000});
    setenv("SKERRY_EM_ESV", "yes", 1);
    setenv("SKERRY_EM_ASYNCHRONOUS", "1", 1);
    setenv("SKERRY_EM_COOPERATIVE", "true", 1);
    setenv("SKERRY_EM_SUSPENDED_MAX", "7", 1);
    setenv("SKERRY_EM_STARVATION", "8", 1);
    setenv("SKERRY_EM_STACK_SIZE", "1M", 1);
    setenv("SKERRY_EM_POLL_NS", "5000", 1);
    skerry_em_options_init(&o);
    expect_options(o, {1, 1, 1, 7, 8, std::size_t{1} << 20, 5000});
    EXPECT_TRUE(take_errors().empty());
}

TEST_F(em_options, a_variable_that_is_not_understood_is_named) {
    struct wrong {
        const char* variable;
        const char* value;
        const char* text;
    };
    for (const wrong& w : {wrong{"SKERRY_EM_ESV", "perhaps", "SKERRY_EM_ESV=perhaps: not understood; "},
                           {"SKERRY_EM_ASYNCHRONOUS", "2", "SKERRY_EM_ASYNCHRONOUS=2: not understood; "},
                           {"SKERRY_EM_COOPERATIVE", "x", "SKERRY_EM_COOPERATIVE=x: not understood; "},
                           {"SKERRY_EM_SUSPENDED_MAX", "1000001", "SKERRY_EM_SUSPENDED_MAX=1000001"},
                           {"SKERRY_EM_STARVATION", "-1", "SKERRY_EM_STARVATION=-1: not understood; "},
                           {"SKERRY_EM_STACK_SIZE", "4", "SKERRY_EM_STACK_SIZE=4"},
                           {"SKERRY_EM_POLL_NS", "999", "SKERRY_EM_POLL_NS=999"}}) {
        setenv(w.variable, w.value, 1);
        skerry_em_options_t o;
        skerry_em_options_init(&o);
        expect_error(EM_ERR_BAD_ARG, std::string("skerry_em_options_init: ") + w.text);
        EXPECT_EQ(o.stack_size, std::size_t{256} << 10) << "the default";
        EXPECT_EQ(o.poll_ns, 100'000U);
        unsetenv(w.variable);
    }
    skerry_em_options_init(nullptr);
    expect_error(EM_ERR_BAD_POINTER, "skerry_em_options_init: a null pointer");
}

TEST_F(em_options, what_is_refused) {
    const auto refused = [](const std::function<void(skerry_em_options_t&)>& change, em_status_t error,
                            const char* text) {
        skerry_em_options_t o;
        skerry_em_options_init(&o);
        change(o);
        EXPECT_EQ(skerry_em_configure(&o), error);
        expect_error(error, text);
    };
    refused([](skerry_em_options_t& o) { o.asynchronous = o.cooperative = 1; }, EM_ERR_BAD_ARG,
            "skerry_em_configure: asynchronous and cooperative exclude each other");
    refused([](skerry_em_options_t& o) { o.suspended_max = 1'000'001; }, EM_ERR_BAD_ARG,
            "skerry_em_configure: suspended_max is at most 1000000");
    refused([](skerry_em_options_t& o) { o.starvation = 1'000'000'001; }, EM_ERR_BAD_ARG,
            "skerry_em_configure: starvation is at most 1000000000");
    refused([](skerry_em_options_t& o) { o.stack_size = 16383; }, EM_ERR_BAD_ARG,
            "skerry_em_configure: stack_size is 16384 to 68719476736");
    refused([](skerry_em_options_t& o) { o.poll_ns = 0; }, EM_ERR_BAD_ARG,
            "skerry_em_configure: poll_ns is 1000 to 10000000000");
    EXPECT_EQ(skerry_em_configure(nullptr), status_of(EM_ERR_BAD_POINTER));
    expect_error(EM_ERR_BAD_POINTER, "skerry_em_configure: a null pointer");
    ASSERT_EQ(init(), EM_OK);
    skerry_em_options_t o;
    skerry_em_options_init(&o);
    EXPECT_EQ(skerry_em_configure(&o), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "skerry_em_configure: em_init() was called, and em_term() was not");
    ASSERT_EQ(em_term(nullptr), EM_OK);
}

// In a process of its own: nothing takes a configuration back.
using EmOptionsDeathTest = em_options;
TEST_F(EmOptionsDeathTest, what_is_configured_goes_before_the_environment) {
    EXPECT_EXIT(
        {
            skerry_em_options_t o;
            skerry_em_options_init(&o);
            o.esv = 1;
            const bool configured = skerry_em_configure(&o) == EM_OK;
            setenv("SKERRY_EM_STACK_SIZE", "wrong", 1);
            bool verified = true;
            for (int i = 0; i < 2; ++i) { // each em_init() has it
                verified = verified && init() == EM_OK;
                const em_event_t e = em_alloc(1, EM_EVENT_TYPE_SW, EM_POOL_DEFAULT);
                em_free(e);
                em_free(e);
                verified = verified && take_errors().size() == 1 && em_term(nullptr) == EM_OK;
            }
            std::exit(configured && verified ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace skerry::test
