// SPDX-License-Identifier: Apache-2.0
#include "fabric/sequential/sequential.hpp"

#include <deque>
#include <vector>

#include <skerry/detail/sync/machine.hpp>

#include "base/panic.hpp"
#include "fabric/own_segment.hpp"
#include "fabric/ring_endpoint.hpp"

namespace skerry::inline SKERRY_ABI::fabric::sequential {

namespace {

using detail::machine;

capabilities about() noexcept {
    capabilities result;
    result.name = "sequential";
    result.bulk_copy = true;
    result.fetch = true;
    result.shared_addresses = true;
    result.launch = true;
    result.kick = true;
    return result;
}

// Holds the memory that the endpoint, a later base, refers to.
struct holder {
    own_segment<machine> words{1};
};

class loop : holder, public ring_endpoint<machine> {
  public:
    loop() : ring_endpoint(holder::words.view(), about()) {}

    std::size_t poll(std::size_t budget) override {
        const std::size_t handled = ring_endpoint::poll(budget);
        if (!launched_.empty()) {
            const launched next = std::move(launched_.front());
            launched_.pop_front();
            next.what.code(next.extents, next.what.arguments);
            finish(next.done, true);
        }
        return handled;
    }

    void launch(unsigned peer, const kernel& what, std::span<const extent> extents, token done) override {
        if (peer != 0) {
            detail::panic("fabric: there is no peer ", peer, " among 1");
        }
        launched_.push_back({what, {extents.begin(), extents.end()}, done});
    }

    bool wait(std::uint64_t deadline_ns, turn* mine) override {
        return !launched_.empty() || ring_endpoint::wait(deadline_ns, mine);
    }

    [[nodiscard]] bool left_over() override { return !launched_.empty() || ring_endpoint::left_over(); }

  private:
    struct launched {
        kernel what;
        std::vector<extent> extents;
        token done;
    };
    std::deque<launched> launched_;
};

} // namespace

std::unique_ptr<endpoint> make() { return std::make_unique<loop>(); }

} // namespace skerry::inline SKERRY_ABI::fabric::sequential
