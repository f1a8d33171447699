// SPDX-License-Identifier: Apache-2.0
#pragma once

// Devices that run kernels and post no messages, in the words of fabric.hpp. One contract; each back end says in
// describe() what it has of it.
//
//   alloc(bytes), share(here, bytes) -> memory      memory of the device; free(memory)
//   build(kernel)                                   before its first launch
//   copy(direction, extents, token)                 completed() gives the token back later
//   launch(kernel, range, arguments, token)         likewise
//   wait(deadline), kick()                          sleeping and waking
//   failure()                                       why the device can do no more
//
// Order: copies and launches take effect in the order of the calls, and their tokens come back in it.
//
// Thread safety: one thread drives a device and calls everything but describe() and kick(), which any thread may call.
// Re-entry: no function of a device runs code of the caller, but for launch() of a device that runs kernels on the
// host: that runs the body, on a thread of the device.
//
// Errors: what the back end lacks throws not_available. A wrong memory or extent is a panic.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/kernel_code.hpp>

#include "fabric/fabric.hpp"

namespace skerry::inline SKERRY_ABI::fabric {

// Constant after construction.
struct device_description {
    std::string kind;            // "emulated", "opencl"
    std::string description;     // the device, as its driver calls it
    std::string driver;          // which, and its version
    std::uint64_t bytes = 0;     // of memory; 0: not known
    bool shares_memory = false;  // share() is there
    bool on_processors = false;  // computes on the processors of this machine
    std::uint64_t launch_ns = 0; // what a launch takes beside the kernel, as far as the device knows it
};

// A piece of the device's memory.
struct device_memory {
    std::uint64_t id = 0; // 0: none
};

// `rows` runs of `bytes` bytes, here and in the device's memory, each so many bytes behind the one before.
struct device_extent {
    void* here = nullptr;
    device_memory there;
    std::uint64_t offset = 0; // into `there`
    std::size_t bytes = 0;
    std::size_t rows = 1;
    std::size_t pitch_here = 0;
    std::size_t pitch_there = 0;
};

// One argument of a launch, for one parameter of the kernel.
struct device_argument {
    device_memory memory;        // of a pointer: into which memory
    std::uint64_t offset = 0;    // and how many bytes behind its beginning
    const void* value = nullptr; // of a number: where it stands, during the call
};

// Iterations first to last - 1.
struct device_range {
    long first = 0;
    long last = 0;
};

struct device_completion {
    token done;
    bool arrived = false;      // false: the copy or the launch has failed, and what it has written is undefined
    std::exception_ptr thrown; // by a body; then it has not run for the iterations behind that one
};

// The device's compiler has refused a kernel.
class build_error : public std::runtime_error {
  public:
    // The first error of the compiler's log, one line.
    explicit build_error(const std::string& first_error) : std::runtime_error(first_error) {}
};

class device {
  public:
    // Waits for what is under way.
    virtual ~device() = default;
    device(const device&) = delete;
    device& operator=(const device&) = delete;

    [[nodiscard]] virtual const device_description& describe() const noexcept = 0;

    // Memory of the device, its content undefined. Precondition: bytes != 0. Errors: std::bad_alloc.
    [[nodiscard]] virtual device_memory alloc(std::size_t bytes) = 0;
    // The caller's memory as the device's: copies of it move nothing, but have to be asked for. It stays until free().
    // Errors: std::bad_alloc; not_available unless describe().shares_memory.
    [[nodiscard]] virtual device_memory share(void* here, std::size_t bytes);
    // Precondition: nothing that is under way uses it.
    virtual void free(device_memory memory) noexcept = 0;

    // Makes the kernel ready to be launched; at once, if it is. Errors: build_error, std::bad_alloc.
    virtual void build(const detail::kernel_code& kernel) = 0;

    // Begins a copy of all extents. The bytes on both sides stay valid and, the sources, unchanged until the token is
    // back. Errors: std::bad_alloc.
    virtual void copy(direction way, std::span<const device_extent> extents, token done) = 0;

    // Begins the kernel's iterations of the range. Preconditions: it is built; the range is not empty; there is an
    // argument for each parameter. Errors: std::bad_alloc.
    virtual void launch(const detail::kernel_code& kernel, device_range range,
                        std::span<const device_argument> arguments, token done) = 0;

    // The oldest token that has come back, if any.
    [[nodiscard]] virtual std::optional<device_completion> completed() = 0;

    // Sleeps until completed() has something to give or somebody has kicked: true. False: the deadline passed
    // (port::now_ns(); port::forever for none). A kick before the call counts. A back end whose driver cannot be
    // woken sees a kick when what is under way has ended.
    virtual bool wait(std::uint64_t deadline_ns) = 0;
    virtual void kick() noexcept = 0;

    // Empty: none. A device that has failed gives all tokens back, as not arrived.
    [[nodiscard]] virtual std::string failure() const = 0;

  protected:
    device() = default;
};

} // namespace skerry::inline SKERRY_ABI::fabric
