// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/panic.hpp"
#include "base/port/clock.hpp"
#include "base/port/futex.hpp"
#include "base/port/thread.hpp"
#include "fabric/device_bell.hpp"
#include "fabric/opencl/calls.hpp"
#include "fabric/opencl/opencl.hpp"
#include "fabric/opencl/program_cache.hpp"
#include "fabric/opencl/source.hpp"

namespace skerry::inline SKERRY_ABI::fabric::opencl {

namespace {

constexpr const char* build_options = "-cl-std=CL1.2";
constexpr std::uint64_t between_looks_ns = 20'000; // where a wait has a deadline, which OpenCL's has not

std::string failed(const char* call, cl_int status) {
    return std::string(call) + " failed with " + std::to_string(status);
}

void check(const char* call, cl_int status) {
    if (status == CL_OUT_OF_HOST_MEMORY || status == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
        status == CL_OUT_OF_RESOURCES || status == CL_INVALID_BUFFER_SIZE) {
        throw std::bad_alloc();
    }
    if (status != CL_SUCCESS) {
        throw std::runtime_error("skerry: opencl: " + failed(call, status));
    }
}

template <class Get, class Handle>
std::string text_of(Get get, Handle handle, cl_uint what) {
    std::size_t bytes = 0;
    if (get(handle, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) {
        return {};
    }
    std::string text(bytes, '\0');
    if (get(handle, what, bytes, text.data(), nullptr) != CL_SUCCESS) {
        return {};
    }
    text.resize(bytes - 1); // a zero byte ends it
    return text;
}

template <class Number>
Number number_of(const calls& cl, cl_device_id device, cl_uint what) {
    Number value{};
    static_cast<void>(cl.get_device_info(device, what, sizeof value, &value, nullptr));
    return value;
}

// The first line of a compiler's log that tells of an error; the first line, if none does.
std::string first_error(std::string_view log) {
    const std::size_t at = log.find("error:");
    const std::size_t begin = at == std::string_view::npos ? 0 : log.rfind('\n', at) + 1;
    return std::string(log.substr(begin, log.find('\n', begin) - begin));
}

class opencl_device final : public device {
  public:
    opencl_device(const calls& cl, const candidate& which)
        : cl_(cl),
          about_(which.about),
          device_(static_cast<cl_device_id>(which.device)) {
        cl_int status = CL_SUCCESS;
        context_ = cl_.create_context(nullptr, 1, &device_, nullptr, nullptr, &status);
        check("clCreateContext", status);
        queue_ = cl_.create_command_queue(context_, device_, 0, &status); // in order
        if (status != CL_SUCCESS) {
            cl_.release_context(context_);
            check("clCreateCommandQueue", status);
        }
    }
    ~opencl_device() override {
        cl_.finish(queue_);
        for (const pending& p : pending_) {
            cl_.release_event(p.last);
        }
        for (const auto& [code, kernel] : kernels_) {
            cl_.release_kernel(kernel);
        }
        for (const auto& [id, memory] : pieces_) {
            cl_.release_memory(memory.buffer);
        }
        cl_.release_command_queue(queue_);
        cl_.release_context(context_);
    }

    [[nodiscard]] const device_description& describe() const noexcept override { return about_; }

    [[nodiscard]] device_memory alloc(std::size_t bytes) override { return make(CL_MEM_READ_WRITE, bytes, nullptr); }

    [[nodiscard]] device_memory share(void* here, std::size_t bytes) override {
        return about_.shares_memory ? make(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, here)
                                    : device::share(here, bytes);
    }

    void free(device_memory memory) noexcept override {
        cl_.release_memory(at(memory).buffer);
        pieces_.erase(memory.id);
    }

    void build(const detail::kernel_code& code) override {
        if (kernels_.contains(&code)) {
            return;
        }
        const std::string source = source_of(code);
        const std::string key = about_.description + "\n" + about_.driver + "\n" + build_options + "\n" + source;
        cl_program program = from_cache(key);
        const bool cached = program != nullptr;
        if (!cached) {
            program = from_source(source);
        }
        cl_int status = CL_SUCCESS;
        cl_kernel const kernel = cl_.create_kernel(program, entry_name, &status);
        if (status == CL_SUCCESS) {
            kernels_.emplace(&code, kernel);
            if (!cached) {
                keep(key, program);
            }
        }
        cl_.release_program(program);
        check("clCreateKernel", status);
    }

    void copy(direction way, std::span<const device_extent> extents, token done) override {
        cl_event last = nullptr;
        cl_int status = CL_SUCCESS;
        for (const device_extent& e : extents) {
            if (status != CL_SUCCESS || e.bytes == 0 || e.rows == 0) {
                continue;
            }
            const piece& there = at(e.there);
            const std::size_t reach = (e.rows - 1) * e.pitch_there + e.bytes;
            if (e.offset > there.bytes || reach > there.bytes - e.offset) {
                detail::panic("fabric: ", reach, " bytes from ", e.offset, " are not in memory ", e.there.id,
                              " of the device");
            }
            if (last != nullptr) {
                cl_.release_event(last);
                last = nullptr;
            }
            status = there.shared ? show(way, there, e.offset, reach, last) : move(way, there, e, last);
        }
        begun(last, status, way == direction::push ? "a copy to the device" : "a copy from the device", done);
    }

    void launch(const detail::kernel_code& code, device_range range, std::span<const device_argument> arguments,
                token done) override {
        const auto found = kernels_.find(&code);
        if (found == kernels_.end() || range.first >= range.last) {
            detail::panic("fabric: launch() of a kernel that is not built, or of no iterations");
        }
        cl_uint number = 0;
        cl_int status = CL_SUCCESS;
        const auto set = [&](std::size_t bytes, const void* value) {
            const cl_int result = cl_.set_argument(found->second, number++, bytes, value);
            status = status == CL_SUCCESS ? result : status;
        };
        const cl_long first = range.first;
        const cl_long last_iteration = range.last;
        set(sizeof first, &first);
        set(sizeof last_iteration, &last_iteration);
        for (std::size_t k = 0; k < code.count; ++k) {
            const device_argument& a = arguments[k];
            if (code.parameters[k].pointer) {
                const cl_mem buffer = a.memory.id == 0 ? nullptr : at(a.memory).buffer;
                const auto offset = static_cast<cl_long>(a.offset);
                set(sizeof(cl_mem), buffer == nullptr ? nullptr : static_cast<const void*>(&buffer));
                set(sizeof offset, &offset);
            } else {
                set(detail::bytes_of(code.parameters[k].kind), a.value);
            }
        }
        cl_event last = nullptr;
        if (status == CL_SUCCESS) {
            const std::size_t group = group_size;
            const auto iterations = static_cast<std::size_t>(range.last) - static_cast<std::size_t>(range.first);
            const std::size_t items = (iterations + group - 1) / group * group;
            status = cl_.enqueue_kernel(queue_, found->second, 1, nullptr, &items, &group, 0, nullptr, &last);
        }
        begun(last, status, "a launch", done);
    }

    [[nodiscard]] std::optional<device_completion> completed() override {
        if (pending_.empty() || !over(pending_.front())) {
            return std::nullopt;
        }
        const pending first = pending_.front();
        pending_.pop_front();
        if (first.last != nullptr) {
            cl_int status = CL_COMPLETE;
            cl_.get_event_info(first.last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
            cl_.release_event(first.last);
            if (status < 0) {
                fail(failed(first.what, status));
            }
        }
        return device_completion{first.done, failure_.empty(), nullptr};
    }

    bool wait(std::uint64_t deadline_ns) override {
        if (pending_.empty()) {
            return bell_.wait(deadline_ns, [] { return false; });
        }
        if (deadline_ns == port::forever && !over(pending_.front())) {
            static_cast<void>(cl_.wait_for_events(1, &pending_.front().last));
            return true;
        }
        while (!over(pending_.front())) {
            if (port::now_ns() >= deadline_ns) {
                return false;
            }
            port::sleep_ns(between_looks_ns);
        }
        return true;
    }

    void kick() noexcept override { bell_.kick(); }

    [[nodiscard]] std::string failure() const override { return failure_; }

  private:
    struct piece {
        cl_mem buffer;
        std::size_t bytes;
        bool shared;
    };
    // One copy or launch. The queue is in order: its last command ends last.
    struct pending {
        cl_event last; // null: it ended when it was begun
        token done;
        const char* what;
    };

    device_memory make(cl_mem_flags flags, std::size_t bytes, void* here) {
        cl_int status = CL_SUCCESS;
        cl_mem const buffer = cl_.create_buffer(context_, flags, bytes, here, &status);
        check("clCreateBuffer", status);
        try {
            pieces_.emplace(++newest_, piece{buffer, bytes, here != nullptr});
        } catch (...) {
            cl_.release_memory(buffer);
            throw;
        }
        return {newest_};
    }

    const piece& at(device_memory memory) const {
        const auto found = pieces_.find(memory.id);
        if (found == pieces_.end()) {
            detail::panic("fabric: there is no memory ", memory.id, " on the device");
        }
        return found->second;
    }

    cl_int move(direction way, const piece& there, const device_extent& e, cl_event& last) {
        const std::size_t pitch_there = e.rows == 1 ? e.bytes : e.pitch_there;
        const std::size_t pitch_here = e.rows == 1 ? e.bytes : e.pitch_here;
        const std::size_t origin_there[3] = {e.offset % pitch_there, e.offset / pitch_there, 0};
        const std::size_t origin_here[3] = {0, 0, 0};
        const std::size_t region[3] = {e.bytes, e.rows, 1};
        return way == direction::push
                   ? cl_.enqueue_write(queue_, there.buffer, CL_FALSE, origin_there, origin_here, region, pitch_there,
                                       0, pitch_here, 0, e.here, 0, nullptr, &last)
                   : cl_.enqueue_read(queue_, there.buffer, CL_FALSE, origin_there, origin_here, region, pitch_there, 0,
                                      pitch_here, 0, e.here, 0, nullptr, &last);
    }

    // Has one side see what the other has written to memory that both have.
    cl_int show(direction way, const piece& there, std::size_t offset, std::size_t bytes, cl_event& last) {
        cl_int status = CL_SUCCESS;
        void* const mapped = cl_.enqueue_map_buffer(
            queue_, there.buffer, CL_FALSE, way == direction::push ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_READ,
            offset, bytes, 0, nullptr, nullptr, &status);
        return status != CL_SUCCESS ? status : cl_.enqueue_unmap(queue_, there.buffer, mapped, 0, nullptr, &last);
    }

    void begun(cl_event last, cl_int status, const char* what, token done) {
        if (status != CL_SUCCESS) {
            fail(failed(what, status));
            static_cast<void>(cl_.finish(queue_)); // a part of it may have begun
        }
        static_cast<void>(cl_.flush(queue_));
        pending_.push_back({last, done, what});
    }

    bool over(const pending& p) const {
        if (p.last == nullptr) {
            return true;
        }
        cl_int status = CL_COMPLETE;
        const cl_int asked =
            cl_.get_event_info(p.last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
        return asked != CL_SUCCESS || status <= CL_COMPLETE;
    }

    void fail(std::string why) {
        if (failure_.empty()) {
            failure_ = std::move(why);
        }
    }

    cl_program from_cache(const std::string& key) {
        const std::vector<unsigned char> binary = cached_program(key);
        if (binary.empty()) {
            return nullptr;
        }
        const unsigned char* bytes = binary.data();
        const std::size_t size = binary.size();
        cl_int status = CL_SUCCESS;
        cl_program const program =
            cl_.create_program_with_binary(context_, 1, &device_, &size, &bytes, nullptr, &status);
        if (status != CL_SUCCESS) {
            return nullptr;
        }
        if (cl_.build_program(program, 1, &device_, build_options, nullptr, nullptr) != CL_SUCCESS) {
            cl_.release_program(program);
            return nullptr;
        }
        return program;
    }

    cl_program from_source(const std::string& source) {
        const char* text = source.c_str();
        cl_int status = CL_SUCCESS;
        cl_program const program = cl_.create_program_with_source(context_, 1, &text, nullptr, &status);
        check("clCreateProgramWithSource", status);
        status = cl_.build_program(program, 1, &device_, build_options, nullptr, nullptr);
        if (status != CL_SUCCESS) {
            const auto log = [this](cl_program of, cl_program_build_info what, std::size_t bytes, void* to,
                                    std::size_t* got) { return cl_.get_build_info(of, device_, what, bytes, to, got); };
            const std::string said = text_of(log, program, CL_PROGRAM_BUILD_LOG);
            cl_.release_program(program);
            throw build_error(said.empty() ? failed("clBuildProgram", status) : first_error(said));
        }
        return program;
    }

    void keep(const std::string& key, cl_program program) {
        std::size_t size = 0;
        if (cl_.get_program_info(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS ||
            size == 0) {
            return;
        }
        std::vector<unsigned char> binary(size);
        unsigned char* to = binary.data();
        if (cl_.get_program_info(program, CL_PROGRAM_BINARIES, sizeof(unsigned char*), static_cast<void*>(&to),
                                 nullptr) == CL_SUCCESS) {
            keep_program(key, binary);
        }
    }

    // Constant.
    const calls& cl_;
    const device_description about_;
    cl_device_id device_;
    cl_context context_ = nullptr;
    cl_command_queue queue_ = nullptr;

    // The driver's.
    std::map<const detail::kernel_code*, cl_kernel> kernels_;
    std::map<std::uint64_t, piece> pieces_;
    std::deque<pending> pending_;
    std::uint64_t newest_ = 0;
    std::string failure_;

    device_bell bell_;
};

} // namespace

found find() {
    found result;
    const calls* const cl = find_calls(result.why_none);
    if (cl == nullptr) {
        return result;
    }
    // PoCL 3.1 reads descriptions that another thread's first call has not filled in yet: of several runtimes one looks
    // at a time. A child of fork() never gets here, so it cannot inherit the lock.
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    cl_uint count = 0;
    if (cl->get_platform_ids(0, nullptr, &count) != CL_SUCCESS || count == 0) {
        result.why_none = "the OpenCL loader finds no driver (no ICD is installed)";
        return result;
    }
    std::vector<cl_platform_id> platforms(count);
    static_cast<void>(cl->get_platform_ids(count, platforms.data(), nullptr));
    for (cl_platform_id const platform : platforms) {
        cl_uint n = 0;
        const cl_int status = cl->get_device_ids(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &n);
        const std::string driver = text_of(cl->get_platform_info, platform, CL_PLATFORM_NAME) + " " +
                                   text_of(cl->get_platform_info, platform, CL_PLATFORM_VERSION);
        if (status != CL_SUCCESS || n == 0) {
            result.why_none = "the OpenCL driver " + driver + " has no device, or can write no cache (" +
                              failed("clGetDeviceIDs", status) + ")";
            continue;
        }
        std::vector<cl_device_id> devices(n);
        static_cast<void>(cl->get_device_ids(platform, CL_DEVICE_TYPE_ALL, n, devices.data(), nullptr));
        for (cl_device_id const device : devices) {
            candidate& c = result.devices.emplace_back();
            c.device = device;
            c.about.kind = "opencl";
            c.about.description = text_of(cl->get_device_info, device, CL_DEVICE_NAME);
            c.about.driver = driver + ", " + text_of(cl->get_device_info, device, CL_DRIVER_VERSION);
            c.about.bytes = number_of<cl_ulong>(*cl, device, CL_DEVICE_GLOBAL_MEM_SIZE);
            c.about.shares_memory = number_of<cl_bool>(*cl, device, CL_DEVICE_HOST_UNIFIED_MEMORY) != CL_FALSE;
            c.about.on_processors =
                (number_of<cl_device_type>(*cl, device, CL_DEVICE_TYPE) & cl_device_type{CL_DEVICE_TYPE_CPU}) != 0;
        }
    }
    return result;
}

std::unique_ptr<device> open(const candidate& which) {
    std::string why;
    const calls* const cl = find_calls(why);
    if (cl == nullptr) {
        throw std::runtime_error("skerry: opencl: " + why);
    }
    return std::make_unique<opencl_device>(*cl, which);
}

} // namespace skerry::inline SKERRY_ABI::fabric::opencl
