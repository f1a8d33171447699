// SPDX-License-Identifier: Apache-2.0
#include "fabric/emulated/emulated.hpp"

#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include <skerry/detail/sync/machine.hpp>

#include "base/panic.hpp"
#include "base/port/clock.hpp"
#include "base/port/futex.hpp"
#include "base/port/thread.hpp"
#include "core/inside_kernel.hpp"
#include "fabric/device_bell.hpp"
#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::fabric::emulated {

namespace {

using detail::machine;

constexpr unsigned char never_sent = 0xA5;
constexpr std::size_t stack_bytes = std::size_t{1} << 20;

struct operation {
    const detail::kernel_code* kernel = nullptr; // null: a copy
    direction way = direction::push;
    std::vector<device_extent> extents;
    device_range range;
    std::vector<const void*> values;    // as the body takes them
    std::vector<std::byte*> pointers;   // which values[] point to
    std::vector<std::uint64_t> numbers; // likewise
    token done;
    bool stop = false;
};

class emulated_device final : public device {
  public:
    explicit emulated_device(const settings& s) : settings_(s) {
        about_.kind = "emulated";
        about_.description = "a thread of this machine with memory of its own";
        about_.driver = "skerry";
        about_.bytes = s.memory;
        about_.launch_ns = s.latency_ns;
        thread_.start(
            stack_bytes, "skerry device", [](void* self) { static_cast<emulated_device*>(self)->work(); }, this);
    }
    ~emulated_device() override {
        operation last;
        last.stop = true;
        queue(std::move(last));
        thread_.join();
    }

    [[nodiscard]] const device_description& describe() const noexcept override { return about_; }

    [[nodiscard]] device_memory alloc(std::size_t bytes) override {
        if (bytes > settings_.memory - used_) {
            throw std::bad_alloc();
        }
        auto fresh = std::make_unique_for_overwrite<std::byte[]>(bytes);
        std::memset(fresh.get(), never_sent, bytes);
        pieces_.emplace(++newest_, piece{std::move(fresh), bytes});
        used_ += bytes;
        return {newest_};
    }

    void free(device_memory memory) noexcept override {
        const auto found = pieces_.find(memory.id);
        if (found == pieces_.end()) {
            detail::panic("fabric: there is no memory ", memory.id, " on the device");
        }
        used_ -= found->second.bytes;
        pieces_.erase(found);
    }

    void build(const detail::kernel_code& /*kernel*/) override {} // the host's compiler has

    void copy(direction way, std::span<const device_extent> extents, token done) override {
        operation o;
        o.way = way;
        o.done = done;
        o.extents.assign(extents.begin(), extents.end());
        for (device_extent& e : o.extents) { // from here on an address
            const std::size_t reach = e.rows == 0 ? 0 : (e.rows - 1) * e.pitch_there + e.bytes;
            e.offset = reinterpret_cast<std::uintptr_t>(place(e.there, e.offset, reach));
        }
        queue(std::move(o));
    }

    void launch(const detail::kernel_code& kernel, device_range range, std::span<const device_argument> arguments,
                token done) override {
        operation o;
        o.kernel = &kernel;
        o.range = range;
        o.done = done;
        o.pointers.resize(kernel.count);
        o.numbers.resize(kernel.count);
        o.values.resize(kernel.count);
        for (std::size_t k = 0; k < kernel.count; ++k) {
            const device_argument& a = arguments[k];
            if (kernel.parameters[k].pointer) {
                o.pointers[k] = a.memory.id == 0 ? nullptr : place(a.memory, a.offset, 0);
                o.values[k] = static_cast<const void*>(&o.pointers[k]);
            } else {
                std::memcpy(&o.numbers[k], a.value, detail::bytes_of(kernel.parameters[k].kind));
                o.values[k] = &o.numbers[k];
            }
        }
        queue(std::move(o)); // moving a vector leaves its elements where they are
    }

    [[nodiscard]] std::optional<device_completion> completed() override {
        const std::lock_guard lock(mutex_);
        if (ended_.empty()) {
            return std::nullopt;
        }
        device_completion first = std::move(ended_.front());
        ended_.pop_front();
        return first;
    }

    bool wait(std::uint64_t deadline_ns) override {
        return driver_.wait(deadline_ns, [this] {
            const std::lock_guard lock(mutex_);
            return !ended_.empty();
        });
    }

    void kick() noexcept override { driver_.kick(); }

    [[nodiscard]] std::string failure() const override { return {}; }

  private:
    struct piece {
        std::unique_ptr<std::byte[]> begin;
        std::size_t bytes;
    };

    std::byte* place(device_memory memory, std::uint64_t offset, std::size_t bytes) const {
        const auto found = pieces_.find(memory.id);
        if (found == pieces_.end() || offset > found->second.bytes || bytes > found->second.bytes - offset) {
            detail::panic("fabric: ", bytes, " bytes from ", offset, " are not in memory ", memory.id,
                          " of the device");
        }
        return found->second.begin.get() + offset;
    }

    void queue(operation o) {
        {
            const std::lock_guard lock(mutex_);
            queued_.push_back(std::move(o));
        }
        worker_.ring();
    }

    void work() {
        for (;;) {
            static_cast<void>(worker_.wait(port::forever, [this] {
                const std::lock_guard lock(mutex_);
                return !queued_.empty();
            }));
            operation next;
            {
                const std::lock_guard lock(mutex_);
                next = std::move(queued_.front());
                queued_.pop_front();
            }
            if (next.stop) {
                return;
            }
            device_completion end{next.done, true, run(next)};
            {
                const std::lock_guard lock(mutex_);
                ended_.push_back(std::move(end));
            }
            driver_.ring();
        }
    }

    std::exception_ptr run(const operation& o) const {
        if (o.kernel == nullptr) {
            for (const device_extent& e : o.extents) {
                for (std::size_t r = 0; e.bytes != 0 && r < e.rows; ++r) {
                    std::byte* const here = static_cast<std::byte*>(e.here) + r * e.pitch_here;
                    std::byte* const there = reinterpret_cast<std::byte*>(e.offset) + r * e.pitch_there;
                    std::memcpy(o.way == direction::push ? there : here, o.way == direction::push ? here : there,
                                e.bytes);
                }
            }
            return {};
        }
        if (settings_.latency_ns != 0) {
            port::sleep_ns(settings_.latency_ns);
        }
        std::exception_ptr thrown;
        const std::uint64_t begin = port::now_ns();
        try {
            const detail::inside_kernel here;
            o.kernel->host(o.range.first, o.range.last, o.values.data());
        } catch (...) {
            thrown = std::current_exception();
        }
        const auto took = static_cast<double>(port::now_ns() - begin);
        if (settings_.speed < 1) {
            port::sleep_ns(static_cast<std::uint64_t>(took / settings_.speed - took));
        }
        return thrown;
    }

    // Constant.
    const settings settings_;
    device_description about_;

    // The driver's.
    std::map<std::uint64_t, piece> pieces_;
    std::uint64_t newest_ = 0;
    std::size_t used_ = 0;

    device_bell worker_; // where the device's thread sleeps
    device_bell driver_; // where the driver does

    // Guarded by mutex_.
    detail::mutex<machine> mutex_;
    std::deque<operation> queued_;
    std::deque<device_completion> ended_;

    port::thread thread_;
};

} // namespace

std::unique_ptr<device> make(const settings& s) { return std::make_unique<emulated_device>(s); }

} // namespace skerry::inline SKERRY_ABI::fabric::emulated
