// SPDX-License-Identifier: Apache-2.0
#pragma once

// OpenCL's functions, as the ICD loader has them.

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <string>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::fabric::opencl {

struct calls {
    decltype(&::clBuildProgram) build_program;
    decltype(&::clCreateBuffer) create_buffer;
    decltype(&::clCreateCommandQueue) create_command_queue;
    decltype(&::clCreateContext) create_context;
    decltype(&::clCreateKernel) create_kernel;
    decltype(&::clCreateProgramWithBinary) create_program_with_binary;
    decltype(&::clCreateProgramWithSource) create_program_with_source;
    decltype(&::clEnqueueMapBuffer) enqueue_map_buffer;
    decltype(&::clEnqueueNDRangeKernel) enqueue_kernel;
    decltype(&::clEnqueueReadBufferRect) enqueue_read;
    decltype(&::clEnqueueUnmapMemObject) enqueue_unmap;
    decltype(&::clEnqueueWriteBufferRect) enqueue_write;
    decltype(&::clFinish) finish;
    decltype(&::clFlush) flush;
    decltype(&::clGetDeviceIDs) get_device_ids;
    decltype(&::clGetDeviceInfo) get_device_info;
    decltype(&::clGetEventInfo) get_event_info;
    decltype(&::clGetPlatformIDs) get_platform_ids;
    decltype(&::clGetPlatformInfo) get_platform_info;
    decltype(&::clGetProgramBuildInfo) get_build_info;
    decltype(&::clGetProgramInfo) get_program_info;
    decltype(&::clReleaseCommandQueue) release_command_queue;
    decltype(&::clReleaseContext) release_context;
    decltype(&::clReleaseEvent) release_event;
    decltype(&::clReleaseKernel) release_kernel;
    decltype(&::clReleaseMemObject) release_memory;
    decltype(&::clReleaseProgram) release_program;
    decltype(&::clSetKernelArg) set_argument;
    decltype(&::clWaitForEvents) wait_for_events;
};

// Opens the loader at the first call; null: there is none, and `why` says so. Thread safety: any thread.
[[nodiscard]] const calls* find_calls(std::string& why);

} // namespace skerry::inline SKERRY_ABI::fabric::opencl
