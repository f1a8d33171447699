// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <ostream>
#include <utility>

#include <fmt/format.h>

namespace cli {

namespace {

constexpr std::chrono::milliseconds redraw_interval{500};
constexpr const char* erase_line = "\r\033[K";

} // namespace

progress::progress(std::ostream& terminal, bool enabled, clock::duration patience)
    : terminal_(terminal),
      enabled_(enabled),
      patience_(patience),
      begin_(clock::now()) {
    if (enabled_) {
        redrawer_ = std::thread([this] { redraw_every_so_often(); });
    }
}

progress::~progress() {
    if (enabled_) {
        clear();
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
        }
        changed_.notify_one();
        redrawer_.join();
    }
}

void progress::stage(std::string text) {
    if (enabled_) {
        const std::lock_guard lock(mutex_);
        text_ = std::move(text);
        draw();
    }
}

void progress::clear() {
    if (enabled_) {
        const std::lock_guard lock(mutex_);
        text_.clear();
        if (std::exchange(drawn_, false)) {
            terminal_ << erase_line << std::flush;
        }
    }
}

void progress::redraw_every_so_often() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, redraw_interval, [this] { return ending_; })) {
        draw();
    }
}

void progress::draw() {
    const auto elapsed = clock::now() - begin_;
    if (text_.empty() || elapsed < patience_) {
        return;
    }
    drawn_ = true;
    terminal_ << erase_line
              << fmt::format("[{} s] {}", std::chrono::duration_cast<std::chrono::seconds>(elapsed).count(), text_)
              << std::flush;
}

} // namespace cli
