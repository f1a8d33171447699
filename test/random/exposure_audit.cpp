// SPDX-License-Identifier: Apache-2.0

#include "exposure_audit.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/port/memory.hpp"
#include "coherence/arena.hpp"
#include "coherence/exposure.hpp"
#include "coherence/extents.hpp"
#include "coherence/region_tree.hpp"

namespace random_programs {

namespace {

using right = skerry::detail::exposure::right;

bool looks = false;
std::chrono::milliseconds patience{0};
std::list<hold> holds;
struct made_object {
    const word* at;
    skerry::detail::region_id in;
};
std::vector<made_object> made;
std::uint32_t made_in = 0; // the number of the program

std::uintptr_t page_of(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) / skerry::port::page_size();
}

bool covers(std::span<const skerry::detail::page_range> pages, const void* address) {
    const auto& a = skerry::detail::arena::instance();
    const auto number = (reinterpret_cast<std::uintptr_t>(address) - a.place().address) / skerry::detail::page_bytes;
    return std::ranges::any_of(
        pages, [number](skerry::detail::page_range r) { return r.first <= number && number < r.first + r.count; });
}

std::vector<skerry::detail::page_range> pages_now(const skerry::region& of) {
    std::vector<skerry::detail::page_range> all;
    for (const auto id : skerry::detail::subtree(skerry::detail::region_id{of.id()})) {
        const auto some = skerry::detail::pages_of(id);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

bool covers(const held_piece& h, const void* address) {
    if (h.region) {
        return covers(pages_now(*h.region), address);
    }
    return !h.words.empty() && page_of(h.words.data()) <= page_of(address) &&
           page_of(address) <= page_of(&h.words.back());
}

right declared(const void* address) {
    right best = right::none;
    for (const hold& each : holds) {
        for (const held_piece& h : each.pieces) {
            if (best != right::write && covers(h, address)) {
                best = h.written ? right::write : right::read;
            }
        }
        if (covers(each.written, address)) {
            best = right::write;
        } else if (best == right::none && covers(each.read, address)) {
            best = right::read;
        }
    }
    return best;
}

// A task that waits here has the region and has lent it: what came into it since it began may be open, too.
bool may_be_lent(const void* address) {
    return skerry::detail::region_of(address) == skerry::detail::region_id::none &&
           std::ranges::any_of(holds, [](const hold& h) { return !h.written.empty(); });
}

// What the system allows. By calls of the system that change nothing there; not by the sanitizers' forms of them, which
// look at the memory.
right allowed(const word* address) {
    static const std::array<int, 2> ends = [] {
        std::array<int, 2> both{};
        if (::pipe2(both.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
            throw std::system_error(errno, std::generic_category(), "pipe");
        }
        return both;
    }();
    if (::syscall(SYS_write, ends[1], address, 1) != 1) {
        return right::none;
    }
    char unread = 0;
    static_cast<void>(::read(ends[0], &unread, 1));
    std::uint32_t nobody_sleeps_here = 0;
    const long written = ::syscall(SYS_futex, &nobody_sleeps_here, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0, address,
                                   FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0)); // an atomic "or" of no bits
    return written == -1 ? right::read : right::write;
}

bool is_open(const word* address) {
    const right may = declared(address);
    return may != right::write && allowed(address) > may;
}

// A copy that arrives meanwhile opens pages for its own time, and the books of a region that comes back are not whole.
void expect_closed(const word* address, const char* what) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (is_open(address)) {
        if (std::chrono::steady_clock::now() > end) {
            const std::string text = std::string(what) + " is open though it is not declared so";
            std::fprintf(stderr, "%s: %p\n", text.c_str(),
                         static_cast<const void*>(address)); // the error may be caught
            throw std::logic_error(text);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

} // namespace

exposure_audit::exposure_audit(std::vector<held_piece> held, const layout& l, bool spawns)
    : stays_(spawns),
      hold_(holds.end()) {
    if (!looks || skerry::detail::exposure::active() == nullptr) {
        return;
    }
    std::erase_if(holds, [&l](const hold& h) { return h.program != l.program; });
    if (std::exchange(made_in, l.program) != l.program) {
        made.clear();
    }
    hold_ = holds.insert(holds.end(), {l.program, std::move(held)});
    for (const held_piece& h : hold_->pieces) {
        if (h.region) {
            const auto pages = pages_now(*h.region);
            auto& known = h.written ? hold_->written : hold_->read;
            known.insert(known.end(), pages.begin(), pages.end());
        }
    }
    expect_closed(l.cell, "a cell");
    expect_closed(l.element, "an element");
    for (const auto& r : l.region) {
        expect_closed(r.objects[0]->data(), "an object of a region");
    }
    for (const made_object& m : made) {
        if (skerry::detail::region_of(m.at) == m.in) { // else the page may be anybody's
            expect_closed(m.at, "what was made here");
        }
    }
    for (const held_piece& h : hold_->pieces) {
        if (!h.region && !h.words.empty() && !may_be_lent(h.words.data())) {
            expect_closed(h.words.data(), "what a task has declared");
        }
    }
}

exposure_audit::~exposure_audit() {
    if (hold_ != holds.end() && !stays_) {
        holds.erase(hold_);
    }
}

void made_here(std::span<const word> words_there) {
    if (looks) {
        made.push_back({&words_there.back(), skerry::detail::region_of(&words_there.back())});
    }
}

void audit_exposure(std::chrono::milliseconds most_for_an_arrival) {
    looks = true;
    patience = most_for_an_arrival;
}

} // namespace random_programs
