// SPDX-License-Identifier: Apache-2.0
#include "base/port/program_source.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include <dlfcn.h>
#include <unistd.h>

#include "base/port/code.hpp"
#include "base/port/symbols.hpp"

#if __has_include(<elfutils/libdwfl.h>)
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#define SKERRY_KNOWS_LIBDW 1
#endif

namespace skerry::inline SKERRY_ABI::port {

#ifdef SKERRY_KNOWS_LIBDW

namespace {

// Whether a mangled name is of Skerry's or of the standard library's own code, or of something local to it.
bool is_internal(std::string_view symbol) noexcept {
    if (!symbol.starts_with("_Z")) {
        return false;
    }
    symbol.remove_prefix(std::min(symbol.find_first_not_of("ZNKVRO", 2), symbol.size()));
    // Of the standard library too, or in its place: operators new and delete.
    return symbol.starts_with("6skerry") || symbol.starts_with("S") || symbol.starts_with("9__gnu_cxx") ||
           symbol.starts_with("nw") || symbol.starts_with("na") || symbol.starts_with("dl") || symbol.starts_with("da");
}

// Whether a file lies in the folder of sources in which `one` does, a file of base/port. A compiler that was given
// names from its folder on, as a compiler cache does, has that folder before them in its tables.
constexpr bool lies_beside(std::string_view path, std::string_view one) noexcept {
    const std::string_view sources = one.substr(0, one.rfind("base/port/"));
    return sources.starts_with('/') ? path.starts_with(sources) : path.find(sources) != std::string_view::npos;
}

// Whether a file is of Skerry's or of the standard library's, by where it stood when it was compiled. Sources that are
// compiled together have whole names, and their headers may have others.
bool is_internal_file(std::string_view path) noexcept {
    const std::size_t include = path.find("/include/");
    return lies_beside(path, __FILE__) || lies_beside(path, a_header_of_the_port) ||
           path.find("include/skerry/") != std::string_view::npos ||
           (include != std::string_view::npos && path.find("/c++/", include) != std::string_view::npos);
}

// Whether a mangled name is of a function of Skerry's that runs a task's own function.
bool runs_task(std::string_view symbol) noexcept {
    const auto names = [symbol](std::string_view name) { return symbol.find(name) != std::string_view::npos; };
    return is_internal(symbol) && symbol.starts_with("_Z") &&
           (names("10run_stolen") || names("14run_and_delete") || names("15run_and_release") ||
            names("15execute_spawned") || names("11run_watched") || names("11run_spawned"));
}

// Whether a function is of a sanitizer's, which a compiler may have put into the program itself: what the program calls
// instead of the system's.
bool is_sanitizer(std::string_view symbol) noexcept {
    constexpr std::array<std::string_view, 6> begins{"___interceptor_", "__interceptor_", "__asan_",
                                                     "__tsan_",         "__sanitizer_",   "__ubsan_"};
    constexpr std::array<std::string_view, 5> spaces{"6__asan", "6__tsan", "7__ubsan", "11__sanitizer",
                                                     "14__interception"};
    const auto starts = [&symbol](std::string_view b) { return symbol.starts_with(b); };
    if (std::ranges::any_of(begins, starts)) {
        return true;
    }
    if (!symbol.starts_with("_ZN")) {
        return false;
    }
    symbol.remove_prefix(3);
    return std::ranges::any_of(spaces, starts);
}

} // namespace

class program_source::tables {
  public:
    tables() {
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
    tables(const tables&) = delete;
    tables& operator=(const tables&) = delete;
    ~tables() {
        if (image_ != nullptr) {
            dwfl_.end(image_);
        }
    }

    // By its symbol alone.
    [[nodiscard]] bool runs_a_task(std::uintptr_t address) const {
        Dwfl_Module* const module = image_ != nullptr ? dwfl_.addrmodule(image_, address) : nullptr;
        const char* const symbol = module != nullptr ? dwfl_.module_addrname(module, address) : nullptr;
        return symbol != nullptr && runs_task(symbol);
    }

    // From the innermost inlined function outwards; one level at least.
    [[nodiscard]] std::vector<code_level> find(std::uintptr_t address) const {
        Dwfl_Module* const module = image_ != nullptr ? dwfl_.addrmodule(image_, address) : nullptr;
        if (module == nullptr) {
            return {{}};
        }
        const char* const path =
            dwfl_.module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
        const bool system = path != nullptr && is_system_module(path);
        std::vector<code_level> levels;
        place at;
        Dwarf_Addr bias = 0;
        Dwarf_Die* const unit = unit_of(module, address, bias);
        std::unique_ptr<Dwarf_Die, decltype(&std::free)> scopes(nullptr, &std::free);
        int count = 0;
        Dwarf_Die* function = nullptr;
        if (unit != nullptr) {
            // What the compiler has added has no line (0): that of what stands before it.
            constexpr Dwarf_Addr nearby = 64;
            for (Dwarf_Addr back = 0; at.line == 0 && back < nearby; ++back) {
                if (Dwarf_Line* const found = dwarf_.getsrc_die(unit, address - bias - back)) {
                    at.file = dwarf_.linesrc(found, nullptr, nullptr);
                    dwarf_.lineno(found, &at.line);
                }
            }
            count = scopes_of(unit, address - bias, scopes);
            for (int i = 0; i < count; ++i) {
                Dwarf_Die& scope = scopes.get()[i];
                const int tag = dwarf_.tag(&scope);
                if (tag == DW_TAG_subprogram) {
                    function = &scope;
                } else if (tag == DW_TAG_inlined_subroutine) {
                    levels.push_back(inlined(scope, at));
                    complete(levels.back(), scope, unit);
                    levels.back().system = system;
                    if (!to_call_of(scope, unit, at)) {
                        return levels;
                    }
                }
            }
        }
        GElf_Off behind_begin = 0;
        GElf_Sym unused{};
        const char* const symbol =
            dwfl_.module_addrinfo(module, address, &behind_begin, &unused, nullptr, nullptr, nullptr);
        code_level outermost = described(symbol != nullptr ? symbol : "", at, function);
        if (outermost.text.empty() && !outermost.internal && symbol != nullptr) {
            outermost.text = describe_code(address) + " (" + readable(symbol) + ")";
        }
        if (function != nullptr) {
            complete(outermost, *function, unit);
        } else if (unit != nullptr && symbol != nullptr && outermost.declaration.empty() && !outermost.text.empty()) {
            outermost.declaration = line_at(unit, address - bias - behind_begin);
        }
        outermost.system = system || (symbol != nullptr && is_sanitizer(symbol));
        levels.push_back(std::move(outermost));
        return levels;
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

    struct place {
        const char* file = nullptr;
        int line = 0;
    };

    // What lies around an address, each around the one before.
    [[nodiscard]] int scopes_of(Dwarf_Die* unit, Dwarf_Addr address,
                                std::unique_ptr<Dwarf_Die, decltype(&std::free)>& to) const {
        Dwarf_Die* seen = nullptr; // from the innermost on, but behind the first inlined one where that is defined
        if (dwarf_.getscopes(unit, address, &seen) <= 0) {
            return 0;
        }
        const std::unique_ptr<Dwarf_Die, decltype(&std::free)> innermost(seen, &std::free);
        Dwarf_Die* scopes = nullptr;
        const int count = dwarf_.getscopes_die(innermost.get(), &scopes);
        to.reset(scopes);
        return count;
    }

    // A function of which this is a place. `symbol`: mangled; empty: it has none.
    [[nodiscard]] code_level described(std::string_view symbol, const place& at, Dwarf_Die* function) const {
        code_level l{.internal = is_internal(symbol) || (at.file != nullptr && is_internal_file(at.file)),
                     .runs_task = runs_task(symbol),
                     .text = {},
                     .declaration = {}};
        if (l.internal || at.file == nullptr) {
            return l;
        }
        l.text = std::string(at.file) + ":" + std::to_string(at.line);
        if (!symbol.empty()) {
            l.text += " (" + readable(std::string(symbol).c_str()) + ")";
        }
        l.declaration = function != nullptr ? declaration_of(*function) : std::string();
        return l;
    }

    // Without a declaration in the tables, as a closure's class is missing with -g1, it is where the function's code
    // begins. Clang's -g1 has a function itself only where something is inlined into it: there its symbol says where.
    void complete(code_level& l, Dwarf_Die& function, Dwarf_Die* unit) const {
        if (l.declaration.empty() && !l.text.empty()) {
            l.declaration = first_line_of(function, unit);
        }
    }

    // Empty: that is not known.
    [[nodiscard]] std::string first_line_of(Dwarf_Die& function, Dwarf_Die* unit) const {
        Dwarf_Addr begin = 0;
        return dwarf_.entrypc(&function, &begin) == 0 ? line_at(unit, begin) : std::string();
    }

    // The line of the program's own code at an address of the unit's. Empty: that is not known.
    [[nodiscard]] std::string line_at(Dwarf_Die* unit, Dwarf_Addr begin) const {
        int line = 0;
        Dwarf_Line* const found = dwarf_.getsrc_die(unit, begin);
        const char* const file = found != nullptr ? dwarf_.linesrc(found, nullptr, nullptr) : nullptr;
        return file != nullptr && !is_internal_file(file) && dwarf_.lineno(found, &line) == 0
                   ? std::string(file) + ":" + std::to_string(line)
                   : std::string();
    }

    // What declares a function: that of which this is a copy, in its class if it has one. False: this itself.
    bool to_declaration(Dwarf_Die& of, Dwarf_Die& to) const {
        Dwarf_Attribute attribute;
        Dwarf_Die origin;
        if (dwarf_.formref_die(dwarf_.attr(&of, DW_AT_abstract_origin, &attribute), &origin) == nullptr) {
            origin = of;
        }
        if (dwarf_.formref_die(dwarf_.attr(&origin, DW_AT_specification, &attribute), &to) == nullptr) {
            to = origin;
        }
        return to.addr != of.addr;
    }

    // A closure's function has no line of its own, but its class has. Empty: that is not known.
    [[nodiscard]] std::string declaration_of(Dwarf_Die& function) const {
        Dwarf_Attribute attribute;
        Dwarf_Word line = 0;
        Dwarf_Die* found = &function;
        Dwarf_Die declared;
        std::unique_ptr<Dwarf_Die, decltype(&std::free)> around(nullptr, &std::free);
        if (dwarf_.formudata(dwarf_.attr_integrate(&function, DW_AT_decl_line, &attribute), &line) != 0) {
            to_declaration(function, declared);
            Dwarf_Die* scopes = nullptr;
            const int count = dwarf_.getscopes_die(&declared, &scopes);
            around.reset(scopes);
            if (count < 2 || dwarf_.formudata(dwarf_.attr(&scopes[1], DW_AT_decl_line, &attribute), &line) != 0) {
                return {};
            }
            found = &scopes[1];
        }
        const char* const file = dwarf_.decl_file(found);
        return file == nullptr || is_internal_file(file) ? std::string()
                                                         : std::string(file) + ":" + std::to_string(line);
    }

    // Of an inlined function: by where it was declared.
    [[nodiscard]] bool stands_in_internal_namespace(Dwarf_Die& scope) const {
        Dwarf_Attribute attribute;
        Dwarf_Die declared;
        if (!to_declaration(scope, declared)) {
            return false;
        }
        Dwarf_Die* around = nullptr;
        const int count = dwarf_.getscopes_die(&declared, &around);
        const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owned(around, &std::free);
        for (int i = count - 1; i >= 0; --i) { // the outermost namespace counts
            if (dwarf_.tag(&around[i]) == DW_TAG_namespace) {
                const char* const name = dwarf_.formstring(dwarf_.attr(&around[i], DW_AT_name, &attribute));
                const std::string_view space = name != nullptr ? name : "";
                return space == "skerry" || space == "std" || space == "__gnu_cxx";
            }
        }
        return false;
    }

    [[nodiscard]] code_level inlined(Dwarf_Die& scope, const place& at) const {
        Dwarf_Attribute attribute;
        // Not everything has such a name in every compiler's tables, but its code stands in some file.
        const char* const symbol = dwarf_.formstring(dwarf_.attr_integrate(&scope, DW_AT_linkage_name, &attribute));
        if (symbol == nullptr && stands_in_internal_namespace(scope)) {
            return {.internal = true, .text = {}, .declaration = {}};
        }
        code_level l = described(symbol != nullptr ? symbol : "", at, &scope);
        if (symbol == nullptr && !l.internal && !l.text.empty()) {
            if (const char* const name = dwarf_.formstring(dwarf_.attr_integrate(&scope, DW_AT_name, &attribute))) {
                l.text += std::string(" (") + name + ")";
            }
        }
        return l;
    }

    // From code that was inlined out to the call of it.
    [[nodiscard]] bool to_call_of(Dwarf_Die& scope, Dwarf_Die* unit, place& at) const {
        Dwarf_Attribute attribute;
        Dwarf_Word number = 0;
        Dwarf_Files* files = nullptr;
        if (dwarf_.formudata(dwarf_.attr(&scope, DW_AT_call_file, &attribute), &number) != 0 ||
            dwarf_.getsrcfiles(unit, &files, nullptr) != 0) {
            return false;
        }
        at.file = dwarf_.filesrc(files, number, nullptr, nullptr);
        if (at.file == nullptr || dwarf_.formudata(dwarf_.attr(&scope, DW_AT_call_line, &attribute), &number) != 0) {
            return false;
        }
        at.line = static_cast<int>(number);
        return true;
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
               find_one("dwfl_module_addrinfo", dwfl_.module_addrinfo) &&
               find_one("dwfl_module_nextcu", dwfl_.module_nextcu) && find_one("dwarf_haspc", dwarf_.haspc) &&
               find_one("dwarf_getsrc_die", dwarf_.getsrc_die) && find_one("dwarf_linesrc", dwarf_.linesrc) &&
               find_one("dwarf_lineno", dwarf_.lineno) && find_one("dwfl_module_addrdie", dwfl_.module_addrdie) &&
               find_one("dwarf_getscopes", dwarf_.getscopes) && find_one("dwarf_getscopes_die", dwarf_.getscopes_die) &&
               find_one("dwarf_tag", dwarf_.tag) && find_one("dwarf_attr", dwarf_.attr) &&
               find_one("dwarf_attr_integrate", dwarf_.attr_integrate) &&
               find_one("dwarf_formstring", dwarf_.formstring) && find_one("dwarf_formudata", dwarf_.formudata) &&
               find_one("dwarf_getsrcfiles", dwarf_.getsrcfiles) && find_one("dwarf_filesrc", dwarf_.filesrc) &&
               find_one("dwarf_decl_file", dwarf_.decl_file) && find_one("dwarf_formref_die", dwarf_.formref_die) &&
               find_one("dwarf_entrypc", dwarf_.entrypc) && find_one("dwfl_module_info", dwfl_.module_info);
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
        decltype(dwfl_module_addrinfo)* module_addrinfo;
        decltype(dwfl_module_nextcu)* module_nextcu;
        decltype(dwfl_module_addrdie)* module_addrdie;
        decltype(dwfl_module_info)* module_info;
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
        decltype(dwarf_decl_file)* decl_file;
        decltype(dwarf_formref_die)* formref_die;
        decltype(dwarf_entrypc)* entrypc;
    } dwarf_{};
    Dwfl_Callbacks callbacks_{};
    Dwfl* image_ = nullptr;
};

#else

class program_source::tables { // built where libdw's headers are missing
  public:
    [[nodiscard]] std::vector<code_level> find(std::uintptr_t) const { return {{}}; }
    [[nodiscard]] bool runs_a_task(std::uintptr_t) const { return false; }
};

#endif

program_source::program_source() : tables_(std::make_unique<tables>()) {}

program_source::~program_source() = default;

bool program_source::runs_a_task(std::uintptr_t address) const { return tables_->runs_a_task(address); }

std::vector<code_level> program_source::find(std::uintptr_t address) const { return tables_->find(address); }

// By name, for symbols of these may be missing. "[vdso: 123]" is what libdw calls that of process 123.
bool is_system_module(std::string_view path) noexcept {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    constexpr std::array<std::string_view, 17> libraries{
        "libc.so",    "libpthread.so", "libstdc++.so", "libc++.so",    "libc++abi.so", "libgcc_s.so",
        "libm.so",    "librt.so",      "ld-linux",     "ld-musl",      "linux-vdso",   "[vdso",
        "libasan.so", "libtsan.so",    "libubsan.so",  "libclang_rt.", "libskerry.so"};
    return std::ranges::any_of(libraries, [name](std::string_view l) { return name.starts_with(l); });
}

} // namespace skerry::inline SKERRY_ABI::port
