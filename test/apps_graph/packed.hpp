// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#define ZLIB_CONST
#include <zlib.h>

namespace apps::testing_support {

/// As gzip packs it: one member.
inline std::string packed(std::string_view text) {
    constexpr int gzip_form = 16;
    z_stream state{};
    if (::deflateInit2(&state, 1, Z_DEFLATED, MAX_WBITS + gzip_form, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::runtime_error("zlib does not pack");
    std::string result(::deflateBound(&state, text.size()), '\0');
    state.next_in = reinterpret_cast<const Bytef*>(text.data());
    state.avail_in = static_cast<uInt>(text.size());
    state.next_out = reinterpret_cast<Bytef*>(result.data());
    state.avail_out = static_cast<uInt>(result.size());
    const int code = ::deflate(&state, Z_FINISH);
    result.resize(state.total_out);
    ::deflateEnd(&state);
    if (code != Z_STREAM_END) throw std::runtime_error("zlib does not pack");
    return result;
}

} // namespace apps::testing_support
