// SPDX-License-Identifier: Apache-2.0

// Looks for a number whose hash begins with 20 zero bits. Many tasks search at the same time; the first that finds one
// calls off the others.
#include <atomic>
#include <cstdint>
#include <cstdio>

#include <skerry/skerry.hpp>

std::uint64_t hash(std::uint64_t x) { // splitmix64
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

bool wanted(std::uint64_t x) { return hash(x) >> 44 == 0; }

int main() {
    constexpr std::uint64_t piece = 1 << 16, pieces = 1 << 12;
    std::atomic<std::uint64_t> found = 0, looked_at = 0;
    skerry::task_group search;
    for (std::uint64_t p = 0; p < pieces; ++p)
        search.run([&, p] {
            for (std::uint64_t x = p * piece + 1; x <= (p + 1) * piece; ++x) {
                if (x % 1024 == 0 && skerry::stop_requested()) return; // a task that runs has to ask
                if (!wanted(x)) continue;
                found = x;
                search.cancel(); // tasks that have not begun are skipped
                return;
            }
            looked_at += piece;
        });
    const bool cancelled = search.wait() == skerry::group_status::cancelled;
    std::printf("hash(%ju) = %016jx; %ju of %ju numbers were looked at\n", std::uintmax_t{found},
                std::uintmax_t{hash(found)}, std::uintmax_t{looked_at}, std::uintmax_t{piece * pieces});
    return cancelled && wanted(found) && looked_at < piece * pieces ? 0 : 1;
}
