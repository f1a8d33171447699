// SPDX-License-Identifier: Apache-2.0

#include "cores.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <utility>

#include <gmock/gmock.h>

#include "frontend/event/event_machine.hpp"

namespace skerry::test {

namespace {

// So that cores work at home whenever they may.
[[maybe_unused]] const bool at_home = [] {
    if (std::getenv("EVENT_CORES_AT_HOME") == nullptr) {
        return false;
    }
    detail::the_home_rules = detail::home_rules::always();
    return true;
}();

std::mutex errors_lock;
std::vector<error_seen> errors;

void need(em_status_t status, const char* what) {
    if (status != EM_OK) {
        throw std::runtime_error(std::string(what) + " failed: " + std::to_string(status));
    }
}

} // namespace

std::vector<error_seen> take_errors() {
    const std::lock_guard lock(errors_lock);
    return std::exchange(errors, {});
}

void expect_error(em_status_t error, const std::string& text) {
    const std::vector<error_seen> seen = take_errors();
    ASSERT_EQ(seen.size(), 1U) << text;
    EXPECT_EQ(seen[0].error, error) << seen[0].text;
    EXPECT_THAT(seen[0].text, testing::HasSubstr(text));
    EXPECT_NE(EM_ESCOPE(seen[0].scope), 0U);
}

em_status_t keep_error(em_eo_t eo, em_status_t error, em_escope_t scope, va_list args) {
    std::array<char, 400> text{};
    if (EM_ESCOPE(scope) != 0) {
        const char* const format = va_arg(args, const char*);
        std::vsnprintf(text.data(), text.size(), format, args);
    }
    const std::lock_guard lock(errors_lock);
    errors.push_back({error, scope, eo, text.data()});
    return error;
}

em_conf_t configuration(int count, std::uint32_t events, std::uint32_t bytes) {
    em_conf_t conf;
    em_conf_init(&conf);
    conf.thread_per_core = 1;
    conf.core_count = count;
    em_core_mask_set_count(count, &conf.phys_mask);
    conf.default_pool_cfg.subpool[0].size = bytes;
    conf.default_pool_cfg.subpool[0].num = events;
    return conf;
}

void slow_wait::look() {
    if (!said_ && std::chrono::steady_clock::now() - begin_ >= std::chrono::seconds(20)) {
        said_ = true;
        std::fprintf(stderr, "%s:%u waits still\n", here_.file_name(), static_cast<unsigned>(here_.line()));
    }
}

cores::cores(int count, std::uint32_t events, void (*change)(em_conf_t&)) {
    static_cast<void>(take_errors());
    need(em_register_error_handler(keep_error), "em_register_error_handler");
    em_conf_t conf = configuration(count, events, 64);
    if (change != nullptr) {
        change(conf);
    }
    need(em_init(&conf), "em_init");
    std::atomic<int> begun{0};
    for (int i = 0; i < count; ++i) {
        threads_.emplace_back([this, &begun] {
            need(em_init_core(), "em_init_core");
            ++begun;
            while (!over_) {
                static_cast<void>(em_dispatch(1000));
            }
            need(em_term_core(), "em_term_core");
        });
    }
    until([&] { return begun == count; });
}

cores::~cores() {
    over_ = true;
    for (std::thread& t : threads_) {
        t.join();
    }
    if (em_term(nullptr) != EM_OK) {
        std::abort();
    }
    static_cast<void>(em_unregister_error_handler());
}

em_status_t start_nothing(void* /*ctx*/, em_eo_t /*eo*/, const em_eo_conf_t* /*conf*/) { return EM_OK; }
em_status_t stop_nothing(void* /*ctx*/, em_eo_t /*eo*/) { return EM_OK; }
em_status_t nothing_here(void*, em_eo_t) { return EM_OK; }

receiver make_receiver(em_receive_func_t receive, void* context, em_queue_type_t type, em_queue_prio_t priority,
                       unsigned most) {
    const em_eo_t eo = em_eo_create("receiver", start_nothing, nullptr, stop_nothing, nullptr, receive, context);
    em_queue_conf_t conf{};
    conf.min_events = most;
    const em_queue_t queue = em_queue_create("queue", type, priority, EM_QUEUE_GROUP_DEFAULT, &conf);
    need(em_eo_add_queue_sync(eo, queue), "em_eo_add_queue_sync");
    need(em_eo_start_sync(eo, nullptr, nullptr), "em_eo_start_sync");
    return {eo, queue};
}

em_event_t make_event(int value) {
    const em_event_t e = em_alloc(8, EM_EVENT_TYPE_SW, EM_POOL_DEFAULT);
    if (e != EM_EVENT_UNDEF) {
        *static_cast<int*>(em_event_pointer(e)) = value;
    }
    return e;
}

} // namespace skerry::test
