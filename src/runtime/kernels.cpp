// SPDX-License-Identifier: Apache-2.0

// The devices of an engine: which back ends are asked, and which of what they find is used.

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <skerry/runtime.hpp>

#include "base/port/process.hpp"
#include "fabric/emulated/emulated.hpp"
#include "fabric/opencl/opencl.hpp"
#include "frontend/kernel/kernel_devices.hpp"
#include "runtime/device_list.hpp"
#include "runtime/engine.hpp"
#include "runtime/processes.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constexpr const char* setting = "skerry: options::devices (SKERRY_DEVICES)";

using rule = device_list::rule;

// Why a device that OpenCL has is not used; empty: it is.
std::string why_not(const device_list& list, const fabric::device_description& about, const std::string& name) {
    if (list.which == rule::all || (list.which == rule::listed && list.has(about.kind, name))) {
        return {};
    }
    if (list.which == rule::listed) {
        return "SKERRY_DEVICES does not name it";
    }
    return about.on_processors ? "it computes on this machine's processors; SKERRY_DEVICES=all takes it, too" : "";
}

template <class Make>
void open(found_device& to, const Make& make) {
    if (to.why_not.empty()) {
        try {
            to.opened = make();
        } catch (const std::exception& e) {
            to.why_not = e.what();
        }
    }
}

found_device described(const fabric::device_description& about, std::string name) {
    found_device d;
    d.name = std::move(name);
    d.description = about.description;
    d.driver = about.driver;
    d.bytes = about.bytes;
    return d;
}

void add_opencl(found_devices& to, const device_list& list) {
    const fabric::opencl::found there = fabric::opencl::find();
    for (std::size_t k = 0; k < there.devices.size(); ++k) {
        const fabric::opencl::candidate& c = there.devices[k];
        found_device& d = to.all.emplace_back(described(c.about, "opencl" + std::to_string(k)));
        d.why_not = why_not(list, c.about, d.name);
        open(d, [&c] { return fabric::opencl::open(c); });
    }
    if (there.devices.empty()) {
        found_device& d = to.all.emplace_back();
        d.name = "opencl";
        d.why_not = there.why_none;
    }
}

void add_emulated(found_devices& to, const device_list& list) {
    for (std::size_t k = 0; k < list.emulated.size(); ++k) {
        found_device& d = to.all.emplace_back();
        d.name = "emulated" + std::to_string(k);
        open(d, [&] { return fabric::emulated::make(list.emulated[k]); });
        if (d.opened != nullptr) {
            found_device about = described(d.opened->describe(), d.name);
            about.opened = std::move(d.opened);
            d = std::move(about);
        }
    }
}

found_devices find_devices(const std::string& wanted) {
    const device_list list = parse_devices(setting, wanted);
    found_devices found;
    const bool asks_opencl = list.which != rule::listed || std::ranges::any_of(list.names, [](const std::string& n) {
                                 return n.starts_with("opencl");
                             });
    if (asks_opencl) {
        add_opencl(found, list);
    }
    add_emulated(found, list);
    for (const std::string& name : list.names) {
        const auto is_it = [&name](const found_device& d) { // "opencl" is any of that kind
            const bool same_kind =
                d.name.starts_with(name) && d.name.find_first_not_of("0123456789", name.size()) == std::string::npos;
            return d.opened != nullptr && (d.name == name || (same_kind && (name.back() < '0' || name.back() > '9')));
        };
        if (std::ranges::none_of(found.all, is_it)) {
            found.mismatch = std::string(setting) + " is '" + wanted + "': there is no usable ";
            found.mismatch.append(name).append("; found: ");
            for (const found_device& d : found.all) {
                found.mismatch.append(&d == &found.all.front() ? "" : ", ").append(d.name);
                if (!d.why_not.empty()) {
                    found.mismatch.append(" (").append(d.why_not).append(")");
                }
            }
            found.mismatch.append(found.all.empty() ? "nothing" : "");
            break;
        }
    }
    return found;
}

// Devices do not work on after fork(), and the workers of several processes share the machine already.
std::string wanted_here(const options& o) {
    return port::process_generation() != 0 || processes::started_as(o.mpi).ranks > 1 ? "none" : o.devices;
}

class devices_of_engine final : public engine_part {
  public:
    explicit devices_of_engine(const options& o)
        : devices(&find_devices, wanted_here(o), o.device_memory == device_memory::automatic) {}

    [[nodiscard]] std::uint64_t kernel_iterations() const noexcept override { return devices.counted(); }

    kernel_devices devices;
};

} // namespace

kernel_devices& current_kernel_devices() {
    engine_part& part = engine::current().part(
        [](const options& o) -> std::unique_ptr<engine_part> { return std::make_unique<devices_of_engine>(o); });
    return static_cast<devices_of_engine&>(part).devices;
}

} // namespace skerry::inline SKERRY_ABI::detail

namespace skerry::inline SKERRY_ABI {

std::vector<device_statistics> current_devices() {
    std::vector<device_statistics> all;
    for (detail::device_report& r : detail::current_kernel_devices().report()) {
        device_statistics& d = all.emplace_back();
        d.name = std::move(r.found.name);
        d.description = std::move(r.found.description);
        d.driver = std::move(r.found.driver);
        d.memory = r.found.bytes;
        d.used = r.found.why_not.empty();
        d.why_not = std::move(r.found.why_not);
        d.launches = r.counts.launches;
        d.iterations = r.counts.iterations;
        d.bytes_in = r.counts.bytes_in;
        d.bytes_out = r.counts.bytes_out;
        d.failures = r.counts.failures;
    }
    return all;
}

} // namespace skerry::inline SKERRY_ABI
