// SPDX-License-Identifier: Apache-2.0

// A loop over a kernel: on the workers, or on both sides.

#include <skerry/detail/frontend/algorithm/forking.hpp>
#include <skerry/detail/frontend/kernel/kernel_loop.hpp>
#include <skerry/detail/sched/stopping.hpp>

#include "base/port/clock.hpp"
#include "core/inside_kernel.hpp"
#include "frontend/kernel/device_driver.hpp"
#include "frontend/kernel/kernel_devices.hpp"
#include "frontend/kernel/transfers.hpp"
#include "sched/split.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// What it takes the workers to begin and end a chunk together.
constexpr double workers_chunk_ns = 5000;

// Iterations from `base` on.
struct worker_run {
    host_run loop;
    std::uint64_t base;

    void operator()(std::uint64_t from, std::uint64_t to) const {
        const inside_kernel here;
        loop(base + from, base + to);
    }
    void operator()(std::uint64_t k) const { (*this)(k, k + 1); }
};

void run_on_workers(const kernel_call& call, const split_chunk& chunk, grain g) {
    run_pieces<forking>(worker_run{{call}, chunk.first}, chunk.size(), g);
}

class claimed_device {
  public:
    explicit claimed_device(device_driver& driver) noexcept : driver_(driver) {}
    claimed_device(const claimed_device&) = delete;
    claimed_device& operator=(const claimed_device&) = delete;
    ~claimed_device() { driver_.release(); }

    [[nodiscard]] device_driver* operator->() const noexcept { return &driver_; }

  private:
    device_driver& driver_;
};

// False: the loop cannot be split, and nothing has run.
bool run_on_both(const kernel_call& call, place where, grain g, kernel_devices& home, device_driver& driver) {
    const claimed_device device(driver);
    const transfer_plan plan(call);
    const bool alone = where == place::device;
    if (!alone && !plan.can_split()) {
        return false;
    }
    const std::uint64_t n = call.iterations();
    const split_side workers{home.expected(*call.code, n), concurrency() > 1 ? workers_chunk_ns : 0, 0};
    shared_loop loop{.call = call, .plan = plan, .shares = split(n, workers, device->expected(*call.code, n))};
    if (alone) {
        loop.shares.leave(split::low); // but for what the device gives back
    }
    device->begin(loop);
    for (;;) {
        const split_chunk chunk = device->take_low(loop);
        if (chunk.empty()) {
            break;
        }
        try {
            const std::uint64_t begin = port::now_ns();
            run_on_workers(call, chunk, g);
            const auto took = static_cast<double>(port::now_ns() - begin);
            device->ended_low(loop, took);
            home.count(chunk.size());
            home.measured(*call.code, n, took / static_cast<double>(chunk.size()));
        } catch (...) {
            device->failed_low(loop, chunk);
        }
    }
    if (loop.thrown != nullptr) {
        std::rethrow_exception(loop.thrown);
    }
    return true;
}

} // namespace

void run_kernel(const kernel_call& call, place where, grain g) {
    throw_if_stopping();
    if (!inside_kernel::here()) {
        kernel_devices& home = current_kernel_devices();
        device_driver* const driver = where == place::cpu ? nullptr : home.claim(*call.code, where);
        if (driver != nullptr && run_on_both(call, where, g, home, *driver)) {
            return;
        }
        home.count(call.iterations());
    }
    run_on_workers(call, {0, call.iterations()}, g);
}

} // namespace skerry::inline SKERRY_ABI::detail
