// SPDX-License-Identifier: Apache-2.0
#include "fabric/opencl/source.hpp"

#include <string_view>

namespace skerry::inline SKERRY_ABI::fabric::opencl {

namespace {

// What the host has under these names. C's abs() is signed, OpenCL's is not.
constexpr std::string_view prelude = R"(#pragma OPENCL FP_CONTRACT OFF
typedef char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef uchar uint8_t; typedef ushort uint16_t; typedef uint uint32_t; typedef ulong uint64_t;
#define SKERRY_GLOBAL __global
#define sqrtf(x) sqrt((float)(x))
#define cbrtf(x) cbrt((float)(x))
#define expf(x) exp((float)(x))
#define logf(x) log((float)(x))
#define log2f(x) log2((float)(x))
#define sinf(x) sin((float)(x))
#define cosf(x) cos((float)(x))
#define tanf(x) tan((float)(x))
#define asinf(x) asin((float)(x))
#define acosf(x) acos((float)(x))
#define atanf(x) atan((float)(x))
#define atan2f(y, x) atan2((float)(y), (float)(x))
#define powf(x, y) pow((float)(x), (float)(y))
#define fabsf(x) fabs((float)(x))
#define floorf(x) floor((float)(x))
#define ceilf(x) ceil((float)(x))
#define roundf(x) round((float)(x))
#define fmodf(x, y) fmod((float)(x), (float)(y))
#define fminf(x, y) fmin((float)(x), (float)(y))
#define fmaxf(x, y) fmax((float)(x), (float)(y))
#define fmaf(x, y, z) fma((float)(x), (float)(y), (float)(z))
static int skerry_abs(int x) { return x < 0 ? -x : x; }
#undef abs
#define abs(x) skerry_abs(x)
)";

std::string_view type_name(detail::element_kind kind) noexcept {
    constexpr std::string_view names[] = {"char", "short", "int",   "long",   "uchar", "ushort",
                                          "uint", "ulong", "float", "double", "void"};
    return names[static_cast<std::size_t>(kind)];
}

bool in_name(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

} // namespace

std::string parameter_name(const char* parameter_list, std::size_t number) {
    std::string_view rest = parameter_list;
    rest = rest.substr(1, rest.size() - 2); // without the parentheses
    for (; number != 0; --number) {
        rest.remove_prefix(rest.find(',') + 1);
    }
    rest = rest.substr(0, rest.find(','));
    while (!rest.empty() && !in_name(rest.back())) {
        rest.remove_suffix(1);
    }
    std::size_t length = 0;
    while (length < rest.size() && in_name(rest[rest.size() - 1 - length])) {
        ++length;
    }
    return std::string(rest.substr(rest.size() - length));
}

std::string source_of(const detail::kernel_code& kernel) {
    const detail::kernel_text& body = kernel.opencl.text != nullptr ? kernel.opencl : kernel.body;
    std::string declared;
    std::string taken;
    std::string passed;
    for (std::size_t k = 0; k < kernel.count; ++k) {
        const detail::kernel_parameter& p = kernel.parameters[k];
        const std::string number = std::to_string(k);
        std::string type = p.pointer ? "__global " : "";
        type.append(p.pointer && p.constant ? "const " : "").append(type_name(p.kind)).append(p.pointer ? "*" : "");
        declared.append(", ").append(type).append(" ").append(parameter_name(kernel.parameter_list, k));
        if (p.pointer) {
            taken.append(", __global char* skerry_m").append(number).append(", long skerry_o").append(number);
            passed.append(", (").append(type).append(")(skerry_m").append(number).append(" + skerry_o");
            passed.append(number).append(")");
        } else {
            taken.append(", ").append(type).append(" skerry_v").append(number);
            passed.append(", skerry_v").append(number);
        }
    }
    std::string source(prelude);
    source += "static void skerry_body(const long i" + declared + ")\n#line " + std::to_string(body.line) + " \"" +
              body.file + "\"\n" + body.text + "\n";
    source += "__kernel __attribute__((reqd_work_group_size(" + std::to_string(group_size) + ", 1, 1)))\nvoid " +
              entry_name + "(long skerry_first, long skerry_last" + taken + ") {\n" +
              "    const long i = skerry_first + (long)get_global_id(0);\n    if (i < skerry_last) skerry_body(i" +
              passed + ");\n}\n";
    return source;
}

} // namespace skerry::inline SKERRY_ABI::fabric::opencl
