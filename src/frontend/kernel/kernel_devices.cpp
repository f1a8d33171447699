// SPDX-License-Identifier: Apache-2.0
#include "frontend/kernel/kernel_devices.hpp"

#include <stdexcept>
#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constexpr std::size_t stack_bytes = std::size_t{8} << 20; // drivers of devices are foreign code

} // namespace

kernel_devices::kernel_devices(found_devices (*find)(const std::string&), std::string wanted, bool share)
    : find_(find),
      wanted_(std::move(wanted)),
      share_(share) {}

kernel_devices::~kernel_devices() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    found_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void kernel_devices::run_search(void* self) { static_cast<kernel_devices*>(self)->search(); }

void kernel_devices::search() {
    std::vector<device_report> reports;
    std::vector<std::unique_ptr<device_driver>> drivers;
    std::string mismatch;
    try {
        found_devices found = find_(wanted_);
        mismatch = std::move(found.mismatch);
        for (found_device& d : found.all) {
            std::unique_ptr<fabric::device> opened = std::move(d.opened);
            if (opened != nullptr) {
                try {
                    drivers.push_back(std::make_unique<device_driver>(std::move(opened), d.name, share_));
                } catch (const std::exception& e) {
                    d.why_not = e.what();
                }
            }
            reports.push_back({std::move(d), {}});
        }
    } catch (const std::exception& e) { // no memory, or a driver of devices that throws
        mismatch = std::string("skerry: no devices were found: ") + e.what();
    }
    std::unique_lock lock(mutex_);
    reports_ = std::move(reports);
    drivers_ = std::move(drivers);
    mismatch_ = std::move(mismatch);
    over_ = true;
    found_.notify_all();
    // Nobody joins a thread of the default runtime: it must not end before the process.
    found_.wait(lock, [this] { return stop_; });
}

void kernel_devices::begin_search() {
    const std::lock_guard lock(mutex_);
    if (!begun_) {
        thread_.start(stack_bytes, "skerry devices", &run_search, this, std::nullopt, port::name_for::report);
        begun_ = true;
    }
}

void kernel_devices::wait_for_search() {
    begin_search();
    std::unique_lock lock(mutex_);
    found_.wait(lock, [this] { return over_; });
}

device_driver* kernel_devices::claim(const kernel_code& kernel, place where) {
    if (wanted_ == "none") {
        return nullptr;
    }
    if (where == place::any) {
        begin_search();
        const std::lock_guard lock(mutex_);
        for (const auto& driver : drivers_) {
            if (driver->try_claim(kernel)) {
                return driver.get();
            }
        }
        return nullptr;
    }
    wait_for_search();
    if (!mismatch_.empty()) {
        throw std::invalid_argument(mismatch_);
    }
    for (const auto& driver : drivers_) { // one that is free, if there is one
        if (driver->try_claim(kernel)) {
            return driver.get();
        }
    }
    for (const auto& driver : drivers_) {
        if (driver->claim(kernel)) {
            return driver.get();
        }
    }
    return nullptr;
}

double kernel_devices::expected(const kernel_code& kernel, std::uint64_t iterations) const {
    const std::lock_guard lock(mutex_);
    const auto found = rates_.find({&kernel, size_class(iterations)});
    return found == rates_.end() ? 0 : found->second.median();
}

void kernel_devices::measured(const kernel_code& kernel, std::uint64_t iterations, double iteration_ns) {
    const std::lock_guard lock(mutex_);
    rates_[{&kernel, size_class(iterations)}].add(iteration_ns);
}

void kernel_devices::count(std::uint64_t iterations) noexcept {
    const std::lock_guard lock(mutex_);
    iterations_ += iterations;
}

std::uint64_t kernel_devices::counted() const noexcept {
    const std::lock_guard lock(mutex_);
    return iterations_;
}

std::vector<device_report> kernel_devices::report() {
    std::vector<device_report> all;
    if (wanted_ == "none") {
        return all;
    }
    wait_for_search();
    const std::lock_guard lock(mutex_);
    for (const device_report& r : reports_) {
        device_report& copy = all.emplace_back();
        copy.found.name = r.found.name;
        copy.found.description = r.found.description;
        copy.found.driver = r.found.driver;
        copy.found.bytes = r.found.bytes;
        copy.found.why_not = r.found.why_not;
        for (const auto& driver : drivers_) {
            if (driver->name() == r.found.name) {
                copy.counts = driver->counts();
                if (const std::string failure = driver->failure(); !failure.empty()) {
                    copy.found.why_not = failure;
                }
            }
        }
    }
    return all;
}

} // namespace skerry::inline SKERRY_ABI::detail
