// SPDX-License-Identifier: Apache-2.0
#include "sim/fabric/fabric_sim.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/panic.hpp"
#include "base/port/child.hpp"
#include "fabric/numbering.hpp"
#include "sim/messages.hpp"
#include "sim/program.hpp"

namespace skerry::inline SKERRY_ABI::fabric::sim {

namespace {

// Thread safety: as fabric.hpp says; the thread of one core drives it. The machine keeps all that is under way.
class core_endpoint final : public endpoint {
  public:
    core_endpoint(std::span<const unsigned> cores, unsigned self) : peers_(cores.size()) {
        about_.name = "sim";
        about_.self = self;
        about_.peers = static_cast<unsigned>(cores.size());
        about_.request_credits = skerry_sim::message_slots(lane(kind::request));
        about_.reply_credits = skerry_sim::message_slots(lane(kind::reply));
        about_.bulk_copy = true;
        about_.kick = true;
        about_.failure_detection = true;
        std::transform(cores.begin(), cores.end(), peers_.begin(), [](unsigned core) { return peer_side{core}; });
    }

    ~core_endpoint() override {
        if (skerry_sim::simulated()) { // else the machine is gone, and the network with it
            driver();
            skerry_sim::detach_core();
        }
    }

    [[nodiscard]] const capabilities& describe() const noexcept override { return about_; }

    void on_message(receiver& to) override { receiver_ = &to; }
    void on_failure(const std::function<void(const failure&)>& handler) override { failed_ = handler; }

    [[nodiscard]] post_result post(unsigned to, kind k, const message& m) override {
        peer_side& p = side(to);
        skerry_sim::packet out{};
        out.words[0] = p.numbers.next(m.tag, k);
        std::copy(std::begin(m.words), std::end(m.words), out.words + 1);
        switch (skerry_sim::send(p.core, lane(k), out)) {
        case skerry_sim::send_result::gone: return post_result::gone;
        case skerry_sim::send_result::full: return post_result::full;
        case skerry_sim::send_result::sent: break;
        }
        p.numbers.sent(k);
        return post_result::sent;
    }

    std::size_t poll(std::size_t budget) override {
        driver();
        if (polling_) {
            detail::panic("fabric: poll() inside a receiver");
        }
        polling_ = true;
        const leave_poll at_end{polling_};
        skerry_sim::look_for_messages();
        skerry_sim::finish_copies();
        std::size_t handled = 0;
        for (unsigned i = 0; i < about_.peers; ++i) {
            handled += serve((first_ + i) % about_.peers, budget - handled);
        }
        if (++first_ >= about_.peers) {
            first_ = 0;
        }
        return handled;
    }

    void copy(unsigned peer, direction way, std::span<const extent> extents, token done) override {
        const peer_side& p = side(peer);
        const auto piece = [](const void* extents_of, std::size_t i) {
            const extent& e = static_cast<const extent*>(extents_of)[i];
            return skerry_sim::copy_piece{e.here, reinterpret_cast<void*>(e.there), e.bytes};
        };
        skerry_sim::start_copy(p.core, way == direction::push, piece, extents.data(), extents.size(),
                               {done.context, done.word});
    }

    [[nodiscard]] std::optional<completion> completed() override {
        driver();
        const auto finished = skerry_sim::take_finished_copy();
        if (!finished) {
            return std::nullopt;
        }
        return completion{{finished->token.context, finished->token.word}, finished->arrived};
    }

    void kick(unsigned peer) override { skerry_sim::kick_core(at(peer).core); }

    bool wait(std::uint64_t deadline_ns, turn* /*mine*/) override { // there is no other thread on this core
        driver();
        if (polling_) {
            detail::panic("fabric: wait() inside a receiver");
        }
        return skerry_sim::wait_for_news(deadline_ns); // a cycle is a nanosecond
    }

  private:
    struct peer_side {
        unsigned core = 0;
        bool told = false;
        numbering numbers{};
    };

    struct leave_poll {
        bool& polling;
        ~leave_poll() { polling = false; }
    };

    static unsigned lane(kind k) noexcept { return static_cast<unsigned>(index(k)); }

    peer_side& at(unsigned peer) {
        if (peer >= about_.peers) {
            detail::panic("fabric: there is no peer ", peer, " among ", about_.peers);
        }
        return peers_[peer];
    }

    void driver() {
        if (skerry_sim::self() != peers_[about_.self].core) {
            detail::panic("fabric: the endpoint of core ", peers_[about_.self].core, " is driven by core ",
                          skerry_sim::self());
        }
    }

    peer_side& side(unsigned peer) {
        driver();
        return at(peer);
    }

    std::size_t serve(unsigned from, std::size_t budget) {
        peer_side& p = peers_[from];
        if (p.told) {
            return 0;
        }
        std::size_t handled = drain(from, kind::reply, budget);
        handled += drain(from, kind::request, budget - handled);
        if (handled == budget) {
            return handled;
        }
        const skerry_sim::end_of_core end = skerry_sim::end_of(p.core);
        if (end != skerry_sim::end_of_core::none) {
            p.told = true;
            skerry_sim::note_end(p.core);
        }
        if (end == skerry_sim::end_of_core::killed) {
            ++handled;
            if (failed_) {
                failed_({from, true, port::signal_kill});
            }
        }
        return handled;
    }

    std::size_t drain(unsigned from, kind k, std::size_t budget) {
        std::size_t handled = 0;
        skerry_sim::packet in{};
        while (handled < budget && skerry_sim::receive(peers_[from].core, lane(k), in)) {
            const auto note = static_cast<std::uint32_t>(in.words[0]);
            peers_[from].numbers.check(from, k, note);
            ++handled;
            message m;
            m.sequence = numbering::number_of(note);
            m.tag = numbering::tag_of(note);
            std::copy(in.words + 1, in.words + skerry_sim::packet_words, std::begin(m.words));
            if (receiver_ == nullptr) {
                detail::panic("fabric: a message came before on_message()");
            }
            receiver_->receive(from, k, m);
        }
        return handled;
    }

    capabilities about_;
    std::vector<peer_side> peers_;
    receiver* receiver_ = nullptr;
    std::function<void(const failure&)> failed_;
    unsigned first_ = 0; // whom poll() serves first
    bool polling_ = false;
};

static_assert(skerry_sim::packet_words == message_words + 1 && sizeof(skerry_sim::packet) == message_bytes);
static_assert(skerry_sim::message_lanes == kinds);

} // namespace

std::vector<std::unique_ptr<endpoint>> make(std::span<const unsigned> cores) {
    if (!skerry_sim::has_messages()) {
        throw std::runtime_error(
            "skerry: sim: this machine has no message network; its description needs a section [fabric]");
    }
    for (const unsigned core : cores) {
        if (core >= skerry_sim::cores()) {
            throw std::runtime_error("skerry: sim: an endpoint was asked for on core " + std::to_string(core) +
                                     ", but the machine has " + std::to_string(skerry_sim::cores()) + " cores");
        }
    }
    std::vector<std::unique_ptr<endpoint>> result;
    result.reserve(cores.size());
    for (unsigned i = 0; i < cores.size(); ++i) {
        result.push_back(std::make_unique<core_endpoint>(cores, i));
    }
    skerry_sim::attach_cores(cores);
    return result;
}

std::vector<std::unique_ptr<endpoint>> make(unsigned count) {
    std::vector<unsigned> cores(count);
    std::iota(cores.begin(), cores.end(), 0U);
    return make(cores);
}

} // namespace skerry::inline SKERRY_ABI::fabric::sim
