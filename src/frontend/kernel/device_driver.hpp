// SPDX-License-Identifier: Apache-2.0
#pragma once

// One device and the thread that drives it. The thread builds kernels and runs the device's chunks of one loop at a
// time, whose caller has claimed the device for as long as the loop lasts.
//
// Thread safety: any thread, unless said otherwise.
//
// Invariants
//  1. Only the driver's thread calls the device, but for describe() and kick().
//  2. A loop that begin() was given is the driver's until its `done` is set, which is the last that the driver does to
//     it. It sets it under the lock, when it has no chunk of the loop and has freed the loop's memory.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/kernel_code.hpp>
#include <skerry/detail/frontend/kernel/argument.hpp>

#include "base/port/thread.hpp"
#include "fabric/device.hpp"
#include "frontend/kernel/transfers.hpp"
#include "sched/split.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// The rates of a side, for each kernel and class of lengths.
using rate_key = std::pair<const kernel_code*, unsigned>;

// What a device has done.
struct device_counts {
    std::uint64_t launches = 0;
    std::uint64_t iterations = 0;
    std::uint64_t bytes_in = 0;  // sent to it
    std::uint64_t bytes_out = 0; // brought home
    std::uint64_t failures = 0;  // kernels that it refused, chunks that it did not finish
};

// A loop under way on two sides.
struct shared_loop {
    const kernel_call& call;
    const transfer_plan& plan;

    // Guarded by the driver's lock.
    split shares;
    split_chunk next{};          // of the device, not begun
    split_chunk low{};           // of the workers, the first, not begun: the device cannot be so fast that it gets all
    bool done = false;           // the driver has let go of it
    std::uint64_t thrown_at = 0; // the first iteration of the chunk that threw
    std::exception_ptr thrown = {}; // of several the leftmost

    // Keeps the exception of the side's chunk, which begins there, unless one further left is there. Iterations that
    // are further left than the chunk still run: one of them may throw what the serial loop would have thrown.
    void fail(std::size_t side, std::uint64_t first, std::exception_ptr what) noexcept;
};

class device_driver {
  public:
    // `share`: no copies, if the device can do without. Starts the thread. Errors: std::system_error, std::bad_alloc.
    device_driver(std::unique_ptr<fabric::device> device, std::string name, bool share);
    device_driver(const device_driver&) = delete;
    device_driver& operator=(const device_driver&) = delete;
    // Waits for what is under way. Precondition: nobody has claimed the device.
    ~device_driver();

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const fabric::device_description& describe() const noexcept { return device_->describe(); }
    [[nodiscard]] device_counts counts() const;
    // Why it does no more; empty: it does.
    [[nodiscard]] std::string failure() const;

    // Takes the device for a loop if the kernel is built and nobody else has it. Else the kernel is built for later.
    // Errors: std::bad_alloc.
    [[nodiscard]] bool try_claim(const kernel_code& kernel);
    // The same, but waits for both. False: the device cannot run it. Ends, since builds and loops end.
    [[nodiscard]] bool claim(const kernel_code& kernel);
    // By whoever has claimed it. No loop of theirs is the driver's any more.
    void release();

    // The rest: by whoever has claimed the device.

    // Gives each side its first chunk, if it is to have any, and hands the loop to the driver. Errors: std::bad_alloc.
    void begin(shared_loop& loop);
    // The next chunk for the workers. Waits for the device if it depends on it. Empty: the loop is over.
    [[nodiscard]] split_chunk take_low(shared_loop& loop);
    void ended_low(shared_loop& loop, double took);
    // The workers' chunk has thrown the exception being handled.
    void failed_low(shared_loop& loop, const split_chunk& chunk);

    // What it is expected to take for a loop of so many iterations.
    [[nodiscard]] split_side expected(const kernel_code& kernel, std::uint64_t iterations) const;

  private:
    enum class build_state : std::uint8_t { asked, built, refused };
    struct rates {
        rate iteration;
        rate once;
    };
    // The loop's arrays on the device.
    struct arrays {
        std::vector<fabric::device_memory> pieces;
        bool ready = false;
    };

    static void run_thread(void* self);
    void work();
    void measure();
    void build(const kernel_code& kernel, std::unique_lock<std::mutex>& lock);
    void serve(shared_loop& loop, std::unique_lock<std::mutex>& lock);
    // What the chunk has thrown. Throws not_run, or what the device's functions throw: then it has written nothing.
    [[nodiscard]] std::exception_ptr run_chunk(shared_loop& loop, const split_chunk& chunk, arrays& there);
    void make_arrays(const shared_loop& loop, arrays& there);
    void free_arrays(arrays& there) noexcept;
    // Copies and waits. False: the device has failed.
    [[nodiscard]] bool move(const transfer_plan& plan, const arrays& there, fabric::direction way,
                            const std::vector<transfer>& what);
    [[nodiscard]] fabric::device_completion await();
    [[nodiscard]] bool usable(const kernel_code& kernel) const;
    [[nodiscard]] std::uint64_t offset_in(const shared_bytes& piece, const std::byte* at) const noexcept;
    // The device is used no more; said once.
    void failed(const std::string& why);

    // Constant.
    const std::unique_ptr<fabric::device> device_;
    const std::string name_;
    const bool share_;

    mutable std::mutex mutex_;
    std::condition_variable changed_; // a build or a chunk has ended, the device is free
    // Guarded by mutex_.
    std::map<const kernel_code*, build_state> kernels_;
    std::deque<const kernel_code*> to_build_;
    std::map<rate_key, rates> rates_;
    double chunk_ns_ = 0; // what a chunk takes beside its iterations
    shared_loop* loop_ = nullptr;
    device_counts counts_;
    std::string failure_;
    bool claimed_ = false;
    bool measured_ = false;
    bool stop_ = false;

    port::thread thread_; // last: it uses all of the above
};

} // namespace skerry::inline SKERRY_ABI::detail
