// SPDX-License-Identifier: Apache-2.0
#include "input/picture.hpp"
#include "jacobi/table.hpp"
#include "jacobi/tasks.hpp"
#include "support/dataflow.hpp"
#include "support/digest.hpp"
#include "support/preset.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace apps::SKERRY_APP_VARIANT {

namespace {

using namespace jacobi_tasks;

// Rows, and those of a strip. At size paper they are Myrmics': 4,096 rows of 1,024 in 14 regions, 16 rounds.
constexpr presets sizes{{{24, 6}, {192, 16}, {1200, 100}, {4096, 293}}};
constexpr std::array<std::size_t, size_names.size()> columns_of{36, 288, 1800, 1024};
constexpr std::array<std::size_t, size_names.size()> rounds_of{4, 16, 32, 16};

/// Jacobi's iteration on a table with a fixed border, in strips of rows that lie in regions of their own (Lyberis et
/// al., "Myrmics", VI-B). The rows that neighbours read lie apart, twice, so that a strip may be a round ahead.
class iteration final : public instance {
  public:
    explicit iteration(const options& o)
        : before_(jacobi::chosen_table(o, chosen(sizes, o).n, columns_of[static_cast<std::size_t>(o.size)])),
          height_(chosen(sizes, o).granularity),
          rounds_(rounds_of[static_cast<std::size_t>(o.size)]),
          home_(par::root_region().create()),
          edges_(home_.create()),
          north_(edge()),
          south_(edge()) {
        for (std::size_t row = 1; row + 1 < before_.rows; row += height_) {
            part& p = parts_.emplace_back(part{home_.create(), nullptr, {}, row});
            const std::size_t rows = std::min(height_, before_.rows - 1 - row);
            const std::size_t values = rows * before_.columns;
            p.rows = p.home.make<strip>(strip{p.home.make_array<float>(values).data(),
                                              p.home.make_array<float>(values).data(), rows, before_.columns});
            for (auto& turn : p.edges) turn = {edge(), edge()};
        }
    }

    ~iteration() override { home_.destroy_all(); }

    std::string problem() const override {
        return std::to_string(before_.rows) + " x " + std::to_string(before_.columns) + " values, " +
               std::to_string(parts_.size()) + " regions, " + std::to_string(rounds_) + " rounds";
    }

    void reset() override {
        copy_row(0, north_);
        copy_row(before_.rows - 1, south_);
        for (const part& p : parts_) {
            std::copy_n(before_.row(p.first_row), p.rows->rows * before_.columns, p.rows->now);
            copy_row(p.first_row, p.edges[0].first);
            copy_row(p.first_row + p.rows->rows - 1, p.edges[0].last);
        }
    }

    void run() override {
        using par::in, par::inout, par::out;
        for (std::size_t round = 0; round < rounds_; ++round) {
            const std::size_t turn = round % 2;
            for (std::size_t i = 0; i < parts_.size(); ++i) {
                part& p = parts_[i];
                const line above = i == 0 ? north_ : parts_[i - 1].edges[turn].last;
                const line below = i + 1 == parts_.size() ? south_ : parts_[i + 1].edges[turn].first;
                par::spawn(step, inout(p.home), in(above), in(below), out(p.edges[1 - turn].first),
                           out(p.edges[1 - turn].last), p.rows);
            }
        }
        par::taskwait();
    }

    verdict check() const override {
        return jacobi::means(before_, rounds_, [this](std::size_t r) { return row(r); });
    }

    /// As if the last round of the last strip had been lost.
    void corrupt() override {
        strip& s = *parts_.back().rows;
        std::swap(s.now, s.next);
    }

    std::optional<std::uint64_t> digest() const override {
        std::uint64_t all = 0;
        for (std::size_t r = 0; r < before_.rows; ++r) {
            all = scatter(all ^ digest_of(const_line(row(r), before_.columns)));
        }
        return all;
    }

    std::string print() const override {
        std::array<char, 64> text{};
        std::snprintf(text.data(), text.size(), "in the middle: %.3f",
                      row(before_.rows / 2)[before_.columns / 2] / 8.0);
        return text.data();
    }

  private:
    struct edge_pair {
        line first;
        line last;
    };
    struct part {
        par::region home;
        strip* rows;
        std::array<edge_pair, 2> edges; // by turns
        std::size_t first_row;
    };

    line edge() { return edges_.make_array<float>(before_.columns); }
    void copy_row(std::size_t r, line to) const { std::copy_n(before_.row(r), before_.columns, to.begin()); }
    const float* row(std::size_t r) const {
        if (r == 0) return north_.data();
        if (r + 1 == before_.rows) return south_.data();
        const part& p = parts_[(r - 1) / height_];
        return p.rows->now + (r - p.first_row) * before_.columns;
    }

    jacobi::table before_;
    std::size_t height_;
    std::size_t rounds_;
    par::region home_;
    par::region edges_;
    line north_;
    line south_;
    std::vector<part> parts_;
};

} // namespace

entry entry_jacobi() {
    return {{.name = "jacobi",
             .summary = "means of neighbours in a photograph, strips of rows in regions",
             .example = "skerry run jacobi --input flower",
             .takes_input = true,
             .of = system::dataflow},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<iteration>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
