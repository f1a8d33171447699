// SPDX-License-Identifier: Apache-2.0
#pragma once

// The devices of one runtime. The first loop that may use one has them looked for, on a thread of their own.
//
// Thread safety: any thread, not at the same time as the destructor.

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/frontend/kernel/kernel_loop.hpp>

#include "base/port/thread.hpp"
#include "fabric/device.hpp"
#include "frontend/kernel/device_driver.hpp"

namespace skerry::inline SKERRY_ABI::detail {

struct found_device {
    std::string name;
    std::string description;
    std::string driver;
    std::uint64_t bytes = 0;
    std::string why_not;                    // it is not used; empty: it is
    std::unique_ptr<fabric::device> opened; // null: it is not used
};
struct found_devices {
    std::vector<found_device> all;
    std::string mismatch; // what was asked for and is not there; empty: nothing
};

// One device as the program sees it.
struct device_report {
    found_device found; // without `opened`
    device_counts counts;
};

class kernel_devices {
  public:
    // `find` looks for devices, once, and may take seconds. Its exception becomes a device that is not used.
    // `share`: no copies for devices that can do without.
    kernel_devices(found_devices (*find)(const std::string& wanted), std::string wanted, bool share);
    kernel_devices(const kernel_devices&) = delete;
    kernel_devices& operator=(const kernel_devices&) = delete;
    // Waits for what is under way. Precondition: no loop runs.
    ~kernel_devices();

    // A device for a loop, claimed for it; null: it runs on workers. For place::any nothing is waited for.
    // Errors: std::invalid_argument (place::device, and a device that was asked for is not there), std::bad_alloc,
    // std::system_error (no thread).
    [[nodiscard]] device_driver* claim(const kernel_code& kernel, place where);

    // Of the workers' iterations.
    [[nodiscard]] double expected(const kernel_code& kernel, std::uint64_t iterations) const;
    void measured(const kernel_code& kernel, std::uint64_t iterations, double iteration_ns);
    void count(std::uint64_t iterations) noexcept;
    [[nodiscard]] std::uint64_t counted() const noexcept;

    // All that were found; waits until they are. Errors: std::bad_alloc, std::system_error (no thread).
    [[nodiscard]] std::vector<device_report> report();

  private:
    static void run_search(void* self);
    void search();
    void begin_search();
    void wait_for_search();

    // Constant.
    found_devices (*const find_)(const std::string&);
    const std::string wanted_;
    const bool share_;

    mutable std::mutex mutex_;
    std::condition_variable found_; // the search is over, or the devices are to go
    // Guarded by mutex_. When the search is over, the first three change no more.
    std::vector<device_report> reports_;
    std::vector<std::unique_ptr<device_driver>> drivers_;
    std::string mismatch_;
    std::map<rate_key, rate> rates_;
    std::uint64_t iterations_ = 0;
    bool begun_ = false;
    bool over_ = false;
    bool stop_ = false;

    port::thread thread_;
};

// Those of the runtime around the caller, else of the default one. Errors: as those of the first construct.
[[nodiscard]] kernel_devices& current_kernel_devices();

} // namespace skerry::inline SKERRY_ABI::detail
