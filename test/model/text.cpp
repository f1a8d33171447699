// SPDX-License-Identifier: Apache-2.0

// Names and words for what happens in the machine.

#include <cstring>
#include <string_view>

#include "engine.hpp"
#include "testing_pause.hpp"

namespace skerry::model {

namespace {

const char* word(action a) {
    switch (a) {
    case action::none: return "nothing";
    case action::load: return "load";
    case action::store: return "store";
    case action::exchange: return "exchange";
    case action::compare_exchange: return "compare_exchange";
    case action::compare_exchange_weak: return "compare_exchange_weak";
    case action::add: return "add";
    case action::bit_and: return "and";
    case action::bit_or: return "or";
    case action::bit_xor: return "xor";
    case action::full_fence: return "full_fence";
    case action::fence: return "fence";
    case action::light_fence: return "light_fence";
    case action::heavy_fence: return "heavy_fence begins";
    case action::heavy_fence_end: return "heavy_fence ends";
    case action::futex_wait: return "futex_wait";
    case action::futex_wake: return "futex_wake";
    case action::choose: return "choose";
    case action::plain_load: return "plain load";
    case action::plain_store: return "plain store";
    case action::publish: return "publish";
    case action::discard: return "discard";
    case action::mask: return "mask interrupts";
    case action::unmask: return "unmask interrupts";
    case action::on_interrupt: return "set the handler";
    case action::interrupt: return "interrupt";
    case action::interrupt_end: return "the interrupt is answered";
    case action::thread_end: return "end";
    }
    return "?";
}

} // namespace

// GCC gives the whole signature, Clang the bare name.
bool request::in(std::string_view name) const {
    if (function == nullptr) {
        return false;
    }
    const std::string_view whole(function);
    for (std::size_t at = whole.find(name); at != std::string_view::npos; at = whole.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || whole[at - 1] == ':' || whole[at - 1] == ' ') && (end == whole.size() || whole[end] == '(')) {
            return true;
        }
    }
    return false;
}

void engine::label(const void* p, std::size_t size, std::string_view name) {
    const testing_pause pause(*this);
    names_.push_back({reinterpret_cast<std::uintptr_t>(p), size, std::string(name)});
}

void engine::outcome(std::string_view text) {
    const testing_pause pause(*this);
    outcomes.insert(std::string(text));
}

void engine::reached(std::string_view text) {
    const testing_pause pause(*this);
    goals.insert(std::string(text));
}

std::string engine::name_of(std::uintptr_t address) const {
    if (!inside(address)) {
        return "outside";
    }
    const named* best = nullptr;
    for (const named& n : names_) {
        if (address >= n.begin && address < n.begin + n.size && (best == nullptr || n.size < best->size)) {
            best = &n;
        }
    }
    if (best != nullptr) {
        return address == best->begin ? best->name : best->name + "+" + std::to_string(address - best->begin);
    }
    const std::size_t offset = address - reinterpret_cast<std::uintptr_t>(arena_.data());
    if (offset >= heaps * heap_size) {
        const std::size_t at = offset - heaps * heap_size;
        return "stack of T" + std::to_string(at / stack_size) + "+" + std::to_string(at % stack_size);
    }
    const std::size_t h = offset / heap_size;
    return (h == 0 ? "world" : "heap of T" + std::to_string(h - 1)) + "+" + std::to_string(offset % heap_size);
}

std::uintptr_t engine::place_of(std::string_view name) const {
    for (const named& n : names_) {
        if (n.name == name) {
            return n.begin;
        }
    }
    return 0;
}

std::string engine::value_text(std::uint64_t value, unsigned size) const {
    if (size == 8 && inside(value)) {
        return "&" + name_of(value);
    }
    const bool negative = size == 8 && value > ~std::uint64_t{0} - 1000;
    return negative ? std::to_string(static_cast<std::int64_t>(value)) : std::to_string(value);
}

std::string engine::request_text(const request& r) const {
    std::string text = word(r.what);
    if (r.size != 0) {
        text += " " + (inside(r.address) ? name_of(r.address) : "address " + std::to_string(r.address));
    }
    switch (r.what) {
    case action::load:
    case action::plain_load:
    case action::full_fence:
    case action::fence:
    case action::light_fence:
    case action::heavy_fence:
    case action::heavy_fence_end:
    case action::mask:
    case action::unmask:
    case action::on_interrupt:
    case action::thread_end:
    case action::none: break;
    case action::publish:
    case action::discard:
        text += r.operand >> 8 == 0 ? " all" : " " + name_of(r.expected);
        text += ", step " + std::to_string(r.operand & 0xff);
        break;
    case action::interrupt:
    case action::interrupt_end: text += " T" + std::to_string(r.operand); break;
    case action::compare_exchange:
    case action::compare_exchange_weak:
        text += " " + value_text(r.expected, r.size) + " by " + value_text(r.operand, r.size);
        break;
    case action::futex_wait: text += " while " + value_text(r.expected, r.size); break;
    case action::choose: text += " of " + std::to_string(r.operand); break;
    default: text += " " + value_text(r.operand, r.size == 0 ? 8 : r.size); break;
    }
    if (r.file != nullptr) {
        const char* slash = std::strrchr(r.file, '/');
        text += std::string("  [") + (slash == nullptr ? r.file : slash + 1) + ":" + std::to_string(r.line) + "]";
    }
    return text;
}

void engine::write_log(unsigned t, const char* token, const std::string& text) {
    if (log == nullptr) {
        return;
    }
    const testing_pause pause(*this);
    log_line line{};
    const std::string_view given(token);
    const std::string full = std::string(1, given[0]) + std::to_string(t) + std::string(given.substr(1));
    std::strncpy(line.token, full.c_str(), sizeof line.token - 1);
    line.text = "T" + std::to_string(t) + " " + std::string(text.c_str());
    log->push_back(std::move(line));
}

std::string engine::describe_threads() const {
    std::string text;
    for (unsigned t = 0; t < threads_; ++t) {
        const control& c = of(t);
        text += "T" + std::to_string(t) + " ";
        switch (c.state) {
        case thread_state::finished: text += "has ended"; break;
        case thread_state::waiting: text += "sleeps on " + name_of(c.waiting_on); break;
        case thread_state::ready: text += "stands before " + request_text(c.pending); break;
        }
        for (std::size_t i = 0; i < buffers_[t].count; ++i) {
            const entry& e = buffers_[t].entries[i];
            text += i == 0 ? "; still to reach memory: " : ", ";
            text += name_of(e.address) + " = " + value_text(e.value, e.size);
        }
        for (std::size_t i = 0; i < dirty_words(t); ++i) {
            const cached_word& w = *dirty_word_at(t, i);
            text += i == 0 ? "; in its cache only: " : ", ";
            text += name_of(w.address) + " = " + value_text(w.value, w.size);
        }
        text += "\n";
    }
    return weak() ? text + describe_views() : text;
}

} // namespace skerry::model
