// SPDX-License-Identifier: Apache-2.0
#include "fabric/opencl/calls.hpp"

#include <optional>

#include "base/port/library.hpp"

namespace skerry::inline SKERRY_ABI::fabric::opencl {

namespace {

constexpr const char* loaders[] = {"libOpenCL.so.1", "libOpenCL.so"};

template <class Function>
void find(void* loader, Function& to, const char* name, std::string& missing) {
    to = reinterpret_cast<Function>(port::symbol_of(loader, name));
    if (to == nullptr) {
        missing = name;
    }
}

std::optional<calls> load(std::string& why) {
    std::string said;
    void* const loader = port::open_library(loaders, said);
    if (loader == nullptr) {
        why = "there is no OpenCL loader: " + said;
        return std::nullopt;
    }
    calls c{};
    std::string missing;
    find(loader, c.build_program, "clBuildProgram", missing);
    find(loader, c.create_buffer, "clCreateBuffer", missing);
    find(loader, c.create_command_queue, "clCreateCommandQueue", missing);
    find(loader, c.create_context, "clCreateContext", missing);
    find(loader, c.create_kernel, "clCreateKernel", missing);
    find(loader, c.create_program_with_binary, "clCreateProgramWithBinary", missing);
    find(loader, c.create_program_with_source, "clCreateProgramWithSource", missing);
    find(loader, c.enqueue_map_buffer, "clEnqueueMapBuffer", missing);
    find(loader, c.enqueue_kernel, "clEnqueueNDRangeKernel", missing);
    find(loader, c.enqueue_read, "clEnqueueReadBufferRect", missing);
    find(loader, c.enqueue_unmap, "clEnqueueUnmapMemObject", missing);
    find(loader, c.enqueue_write, "clEnqueueWriteBufferRect", missing);
    find(loader, c.finish, "clFinish", missing);
    find(loader, c.flush, "clFlush", missing);
    find(loader, c.get_device_ids, "clGetDeviceIDs", missing);
    find(loader, c.get_device_info, "clGetDeviceInfo", missing);
    find(loader, c.get_event_info, "clGetEventInfo", missing);
    find(loader, c.get_platform_ids, "clGetPlatformIDs", missing);
    find(loader, c.get_platform_info, "clGetPlatformInfo", missing);
    find(loader, c.get_build_info, "clGetProgramBuildInfo", missing);
    find(loader, c.get_program_info, "clGetProgramInfo", missing);
    find(loader, c.release_command_queue, "clReleaseCommandQueue", missing);
    find(loader, c.release_context, "clReleaseContext", missing);
    find(loader, c.release_event, "clReleaseEvent", missing);
    find(loader, c.release_kernel, "clReleaseKernel", missing);
    find(loader, c.release_memory, "clReleaseMemObject", missing);
    find(loader, c.release_program, "clReleaseProgram", missing);
    find(loader, c.set_argument, "clSetKernelArg", missing);
    find(loader, c.wait_for_events, "clWaitForEvents", missing);
    if (!missing.empty()) {
        why = "the OpenCL loader is older than 1.2: it has no " + missing;
        return std::nullopt;
    }
    return c;
}

} // namespace

const calls* find_calls(std::string& why) {
    struct loaded {
        std::string why;
        std::optional<calls> all = load(why);
    };
    static const loaded once;
    why = once.why;
    return once.all ? &*once.all : nullptr;
}

} // namespace skerry::inline SKERRY_ABI::fabric::opencl
