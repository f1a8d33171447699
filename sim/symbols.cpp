// SPDX-License-Identifier: Apache-2.0
#include "sim/symbols.hpp"

#include <memory>

#include <elfutils/libdwfl.h>
#include <unistd.h>

#include "base/port/loaded_code.hpp"
#include "base/port/symbols.hpp"
#include "base/text.hpp"

namespace skerry_sim::detail {

namespace {

class program_image {
  public:
    program_image() {
        callbacks_.find_elf = dwfl_linux_proc_find_elf;
        callbacks_.find_debuginfo = dwfl_standard_find_debuginfo;
        dwfl_.reset(dwfl_begin(&callbacks_));
        if (dwfl_ != nullptr && (dwfl_linux_proc_report(dwfl_.get(), ::getpid()) != 0 ||
                                 dwfl_report_end(dwfl_.get(), nullptr, nullptr) != 0)) {
            dwfl_.reset();
        }
    }

    std::string describe(std::uint64_t address) const {
        skerry::detail::fixed_text<20> number;
        number << skerry::detail::hex{address};
        Dwfl_Module* const module = dwfl_ != nullptr ? dwfl_addrmodule(dwfl_.get(), address) : nullptr;
        if (module == nullptr) {
            return number.c_str();
        }
        std::string text = number.c_str();
        int line = 0;
        if (Dwfl_Line* const found = dwfl_module_getsrc(module, address)) {
            if (const char* const file = dwfl_lineinfo(found, nullptr, &line, nullptr, nullptr, nullptr)) {
                text = std::string(file) + ":" + std::to_string(line);
            }
        }
        if (const char* const name = dwfl_module_addrname(module, address)) {
            text += " (" + skerry::port::readable(name) + ")";
        }
        return text;
    }

  private:
    struct ender {
        void operator()(Dwfl* dwfl) const noexcept { dwfl_end(dwfl); }
    };

    Dwfl_Callbacks callbacks_{};
    std::unique_ptr<Dwfl, ender> dwfl_;
};

} // namespace

std::vector<std::string> source_lines(const std::vector<std::uint32_t>& return_addresses) {
    const auto start = skerry::port::loaded_code().front().begin;
    const program_image image;
    std::vector<std::string> lines;
    for (const std::uint32_t low : return_addresses) {
        // The program's code is within 4 GiB of its start.
        const std::uint64_t address = start + static_cast<std::uint32_t>(low - static_cast<std::uint32_t>(start));
        // The call lies before the address to which it returns.
        lines.push_back(low == 0 ? "the simulation's start" : image.describe(address - 1));
    }
    return lines;
}

} // namespace skerry_sim::detail
