// SPDX-License-Identifier: Apache-2.0
#include "harness/harness.hpp"
#include "skynet/skynet.hpp"

#include <string>

namespace {

using namespace bench;

result measure(const settings& how) {
    result got{"ms", {}, {}};
    auto* const sum = how.variant == "group" ? skynet::by_group : skynet::by_loop;
    got.samples = repeated(how, 1'000'000, [&](std::uint64_t leaves) {
        std::uint64_t computed = 0;
        const seconds passed = time([&] { computed = sum(unknown(leaves)); });
        if (computed != leaves * (leaves - 1) / 2) {
            got.wrong = "the leaves' sum is " + std::to_string(computed);
        }
        return passed.count() * 1e3;
    });
    return got;
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, {"skynet", {"loop", "group"}, 100'000'000, measure}); }
