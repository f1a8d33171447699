// SPDX-License-Identifier: Apache-2.0

// Jacobi's iteration: in each round every value becomes the mean of its four neighbours. The table is cut into strips
// of rows, each in a region of its own. A strip's task has that region, finds the strip by a plain pointer, and reads
// the rows of its neighbours that lie next to it.

#include <array>
#include <cstddef>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#include <skerry/dataflow.hpp>
#include <skerry/region.hpp>

namespace {

using skerry::in, skerry::inout, skerry::out;

constexpr std::size_t columns = 256;
using row = std::array<float, columns>;

struct strip {
    std::span<row> now;
    std::span<row> next;
};

// [task]
// One round of a strip. All of it lies in its region, so a plain pointer leads there.
void round_of(skerry::region&, const row& above, const row& below, row& first, row& last, strip* s) {
    const std::size_t rows = s->now.size();
    for (std::size_t r = 0; r < rows; ++r) {
        const row& north = r == 0 ? above : s->now[r - 1];
        const row& south = r + 1 == rows ? below : s->now[r + 1];
        s->next[r] = s->now[r];
        for (std::size_t c = 1; c + 1 < columns; ++c) {
            s->next[r][c] = (north[c] + south[c] + s->now[r][c - 1] + s->now[r][c + 1]) / 4;
        }
    }
    std::swap(s->now, s->next);
    first = s->now.front(); // for the neighbours' next round
    last = s->now.back();
}
// [/task]

// What the neighbours of a strip read lies apart, twice: one is read while the other is written.
struct edges {
    row* first;
    row* last;
};

float middle_after(int rounds) {
    constexpr std::size_t strips = 8;
    constexpr std::size_t rows = 32; // of a strip
    skerry::region table = skerry::root_region().create();
    skerry::region apart = table.create();
    std::vector<skerry::region> homes;
    std::vector<strip*> parts;
    std::vector<std::array<edges, 2>> by_turns;
    row* const cold = apart.make<row>(); // zeros: the border below
    row* const hot = apart.make<row>();  // the border above
    hot->fill(100.0F);
    for (std::size_t i = 0; i < strips; ++i) {
        skerry::region home = table.create();
        homes.push_back(home);
        parts.push_back(home.make<strip>(home.make_array<row>(rows), home.make_array<row>(rows)));
        auto& both = by_turns.emplace_back();
        for (edges& e : both) e = {apart.make<row>(), apart.make<row>()};
    }
    // [rounds]
    for (int round = 0; round < rounds; ++round) {
        const std::size_t turn = static_cast<std::size_t>(round) % 2;
        for (std::size_t i = 0; i < strips; ++i) {
            const row& above = i == 0 ? *hot : *by_turns[i - 1][turn].last;
            const row& below = i + 1 == strips ? *cold : *by_turns[i + 1][turn].first;
            const edges& mine = by_turns[i][1 - turn];
            skerry::spawn(round_of, inout(homes[i]), in(above), in(below), out(*mine.first), out(*mine.last), parts[i]);
        }
    }
    skerry::taskwait();
    // [/rounds]
    const float found = parts[0]->now[3][columns / 2];
    table.destroy_all();
    return found;
}

} // namespace

int main() {
    const float after_few = middle_after(4);
    const float after_many = middle_after(400);
    std::printf("row 4 after 4 rounds: %.3f, after 400: %.3f\n", static_cast<double>(after_few),
                static_cast<double>(after_many));
    return after_few > 0 && after_many > after_few && after_many < 100 ? 0 : 1;
}
