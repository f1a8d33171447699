// SPDX-License-Identifier: Apache-2.0
#include "base/port/call_stack.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <unistd.h>
#include <unwind.h>

#include "base/port/code.hpp"
#include "base/port/symbols.hpp"

#if __has_include(<elfutils/libdwfl.h>)
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#define SKERRY_KNOWS_LIBDW 1
#endif

namespace skerry::inline SKERRY_ABI::port {

namespace {

struct collected {
    std::span<const void*> to;
    std::size_t count = 0;
};

_Unwind_Reason_Code collect(_Unwind_Context* frame, void* to) {
    auto& found = *static_cast<collected*>(to);
    if (found.count == found.to.size()) {
        return _URC_END_OF_STACK;
    }
    found.to[found.count++] = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
    return _URC_NO_REASON;
}

// Whether a mangled name is of Skerry's or of the standard library's own code, or of something local to it.
bool is_internal(std::string_view symbol) noexcept {
    if (!symbol.starts_with("_Z")) {
        return false;
    }
    symbol.remove_prefix(std::min(symbol.find_first_not_of("ZNKVRO", 2), symbol.size()));
    return symbol.starts_with("6skerry") || symbol.starts_with("S") || symbol.starts_with("9__gnu_cxx");
}

bool is_internal_header(std::string_view path) noexcept {
    return path.find("include/skerry/") != std::string_view::npos || path.find("/c++/") != std::string_view::npos;
}

constinit std::mutex sources_mutex;

struct place {
    bool internal = false; // Skerry's or the standard library's, and all that was inlined there
    std::string text;      // empty: nothing is known of it
};

#ifdef SKERRY_KNOWS_LIBDW

// Debug information is read by libdw, and libdw is loaded when it is needed: a program that never asks goes without.
class program_source {
  public:
    program_source() {
        if (library_ == nullptr || !find_all()) {
            return;
        }
        callbacks_.find_elf = dwfl_.linux_proc_find_elf;
        callbacks_.find_debuginfo = dwfl_.standard_find_debuginfo;
        image_ = dwfl_.begin(&callbacks_);
        if (image_ != nullptr &&
            (dwfl_.linux_proc_report(image_, ::getpid()) != 0 || dwfl_.report_end(image_, nullptr, nullptr) != 0)) {
            dwfl_.end(image_);
            image_ = nullptr;
        }
    }
    program_source(const program_source&) = delete;
    program_source& operator=(const program_source&) = delete;
    ~program_source() {
        if (image_ != nullptr) {
            dwfl_.end(image_);
        }
    }

    [[nodiscard]] place find(std::uintptr_t address) const {
        Dwfl_Module* const module = image_ != nullptr ? dwfl_.addrmodule(image_, address) : nullptr;
        if (module == nullptr) {
            return {};
        }
        const char* const symbol = dwfl_.module_addrname(module, address);
        const std::string_view name = symbol != nullptr ? symbol : "";
        if (is_internal(name)) {
            return {.internal = true, .text = {}};
        }
        const char* file = nullptr;
        int line = 0;
        Dwarf_Addr bias = 0;
        if (Dwarf_Die* const unit = unit_of(module, address, bias)) {
            if (Dwarf_Line* const found = dwarf_.getsrc_die(unit, address - bias)) {
                file = dwarf_.linesrc(found, nullptr, nullptr);
                dwarf_.lineno(found, &line);
            }
            leave_inlined(unit, address - bias, file, line);
        }
        if (file == nullptr && name.empty()) {
            return {};
        }
        std::string text = file != nullptr ? std::string(file) + ":" + std::to_string(line) : describe_code(address);
        if (!name.empty()) {
            text += " (" + readable(symbol) + ")";
        }
        return {.internal = false, .text = std::move(text)};
    }

  private:
    // The unit that was compiled to this address. Not every compiler writes the table from addresses to units, and
    // where one is missing the table has its neighbour.
    [[nodiscard]] Dwarf_Die* unit_of(Dwfl_Module* module, std::uintptr_t address, Dwarf_Addr& bias) const {
        Dwarf_Die* unit = dwfl_.module_addrdie(module, address, &bias);
        if (unit == nullptr || dwarf_.haspc(unit, address - bias) != 1) {
            unit = nullptr;
            while ((unit = dwfl_.module_nextcu(module, unit, &bias)) != nullptr &&
                   dwarf_.haspc(unit, address - bias) != 1) {
            }
        }
        return unit;
    }

    // From code that was inlined out to the call of it, as long as that code is internal.
    void leave_inlined(Dwarf_Die* unit, Dwarf_Addr address, const char*& file, int& line) const {
        Dwarf_Die* seen = nullptr; // from the innermost on, but behind the first inlined one where that is defined
        if (dwarf_.getscopes(unit, address, &seen) <= 0) {
            return;
        }
        const std::unique_ptr<Dwarf_Die, decltype(&std::free)> innermost(seen, &std::free);
        Dwarf_Die* scopes = nullptr; // each around the one before
        const int count = dwarf_.getscopes_die(innermost.get(), &scopes);
        const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owned(scopes, &std::free);
        for (int i = 0; i < count; ++i) {
            Dwarf_Die& scope = scopes[i];
            if (dwarf_.tag(&scope) != DW_TAG_inlined_subroutine) {
                continue;
            }
            Dwarf_Attribute attribute;
            // Not everything has such a name in every compiler's tables, but its code stands in some file.
            const char* const symbol = dwarf_.formstring(dwarf_.attr_integrate(&scope, DW_AT_linkage_name, &attribute));
            if (symbol != nullptr ? !is_internal(symbol) : file == nullptr || !is_internal_header(file)) {
                return;
            }
            Dwarf_Word number = 0;
            Dwarf_Files* files = nullptr;
            if (dwarf_.formudata(dwarf_.attr(&scope, DW_AT_call_file, &attribute), &number) != 0 ||
                dwarf_.getsrcfiles(unit, &files, nullptr) != 0) {
                return;
            }
            const char* const caller = dwarf_.filesrc(files, number, nullptr, nullptr);
            if (caller == nullptr || dwarf_.formudata(dwarf_.attr(&scope, DW_AT_call_line, &attribute), &number) != 0) {
                return;
            }
            file = caller;
            line = static_cast<int>(number);
        }
    }

    template <class Function>
    [[nodiscard]] bool find_one(const char* name, Function*& to) const {
        to = reinterpret_cast<Function*>(::dlsym(library_.get(), name));
        return to != nullptr;
    }
    [[nodiscard]] bool find_all() {
        return find_one("dwfl_begin", dwfl_.begin) && find_one("dwfl_end", dwfl_.end) &&
               find_one("dwfl_linux_proc_report", dwfl_.linux_proc_report) &&
               find_one("dwfl_report_end", dwfl_.report_end) &&
               find_one("dwfl_linux_proc_find_elf", dwfl_.linux_proc_find_elf) &&
               find_one("dwfl_standard_find_debuginfo", dwfl_.standard_find_debuginfo) &&
               find_one("dwfl_addrmodule", dwfl_.addrmodule) &&
               find_one("dwfl_module_addrname", dwfl_.module_addrname) &&
               find_one("dwfl_module_nextcu", dwfl_.module_nextcu) && find_one("dwarf_haspc", dwarf_.haspc) &&
               find_one("dwarf_getsrc_die", dwarf_.getsrc_die) && find_one("dwarf_linesrc", dwarf_.linesrc) &&
               find_one("dwarf_lineno", dwarf_.lineno) && find_one("dwfl_module_addrdie", dwfl_.module_addrdie) &&
               find_one("dwarf_getscopes", dwarf_.getscopes) && find_one("dwarf_getscopes_die", dwarf_.getscopes_die) &&
               find_one("dwarf_tag", dwarf_.tag) && find_one("dwarf_attr", dwarf_.attr) &&
               find_one("dwarf_attr_integrate", dwarf_.attr_integrate) &&
               find_one("dwarf_formstring", dwarf_.formstring) && find_one("dwarf_formudata", dwarf_.formudata) &&
               find_one("dwarf_getsrcfiles", dwarf_.getsrcfiles) && find_one("dwarf_filesrc", dwarf_.filesrc);
    }

    struct close {
        void operator()(void* library) const noexcept { ::dlclose(library); }
    };
    const std::unique_ptr<void, close> library_{::dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL)};
    struct {
        decltype(dwfl_begin)* begin;
        decltype(dwfl_end)* end;
        decltype(dwfl_linux_proc_report)* linux_proc_report;
        decltype(dwfl_report_end)* report_end;
        decltype(dwfl_linux_proc_find_elf)* linux_proc_find_elf;
        decltype(dwfl_standard_find_debuginfo)* standard_find_debuginfo;
        decltype(dwfl_addrmodule)* addrmodule;
        decltype(dwfl_module_addrname)* module_addrname;
        decltype(dwfl_module_nextcu)* module_nextcu;
        decltype(dwfl_module_addrdie)* module_addrdie;
    } dwfl_{};
    struct {
        decltype(dwarf_haspc)* haspc;
        decltype(dwarf_getsrc_die)* getsrc_die;
        decltype(dwarf_linesrc)* linesrc;
        decltype(dwarf_lineno)* lineno;
        decltype(dwarf_getscopes)* getscopes;
        decltype(dwarf_getscopes_die)* getscopes_die;
        decltype(dwarf_tag)* tag;
        decltype(dwarf_attr)* attr;
        decltype(dwarf_attr_integrate)* attr_integrate;
        decltype(dwarf_formstring)* formstring;
        decltype(dwarf_formudata)* formudata;
        decltype(dwarf_getsrcfiles)* getsrcfiles;
        decltype(dwarf_filesrc)* filesrc;
    } dwarf_{};
    Dwfl_Callbacks callbacks_{};
    Dwfl* image_ = nullptr;
};

#else

class program_source { // built where libdw's headers are missing
  public:
    [[nodiscard]] place find(std::uintptr_t) const { return {}; }
};

#endif

} // namespace

std::mutex& program_sources_mutex() noexcept { return sources_mutex; }

std::size_t call_stack(std::span<const void*> to) noexcept {
    collected found{.to = to};
    _Unwind_Backtrace(&collect, &found);
    return found.count;
}

std::string place_of_call(std::span<const void* const> return_addresses) {
    const std::lock_guard lock(sources_mutex);
    const program_source source;
    std::string text;
    for (const void* const address : return_addresses) {
        const auto call = reinterpret_cast<std::uintptr_t>(address) - 1; // it lies before where it returns
        const place found = source.find(call);
        if (found.internal) {
            continue;
        }
        text += text.empty() ? "" : ", called by ";
        text += found.text.empty() ? describe_code(call) : found.text;
        if (!found.text.empty()) {
            break;
        }
    }
    return text;
}

} // namespace skerry::inline SKERRY_ABI::port
