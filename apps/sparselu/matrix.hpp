// SPDX-License-Identifier: Apache-2.0
#pragma once

// The matrices that the program factors: square, of blocks, most of which hold nothing but zeros. They are strictly
// dominated by their diagonals, so an LU factorisation needs no pivots.

#include "graph/csr.hpp"
#include "program.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace apps::sparselu {

/// Thread safety: constant after construction.
class matrix {
  public:
    /// `blocks` to a side, each of `side` rows and columns, in the pattern of the benchmark sparselu of the Barcelona
    /// OpenMP Tasks Suite: the blocks on the diagonal and next to it, and those in even rows and columns of which the
    /// smaller number is a multiple of three.
    matrix(std::size_t blocks, std::size_t side, std::uint64_t seed);

    /// Laplacian plus identity of a part of a graph: of the first blocks * side vertices that a search in breadth
    /// first meets, from the hub on, and from the least that it has not met. Throws input_error, with `name`, if the
    /// graph has fewer.
    matrix(std::size_t blocks, std::size_t side, const graph::csr& g, const std::string& name);

    std::size_t blocks() const noexcept { return blocks_; }
    std::size_t side() const noexcept { return side_; }

    /// Whether the block holds anything but zeros.
    bool has(std::size_t i, std::size_t j) const noexcept { return has_[i * blocks_ + j] != 0; }

    /// Its elements, row by row.
    void fill(std::size_t i, std::size_t j, std::span<double> block) const;

  private:
    std::size_t blocks_;
    std::size_t side_;
    std::uint64_t seed_ = 0;
    std::vector<std::uint8_t> has_;
    std::vector<double> least_diagonal_; ///< for each row of blocks of generated matrices
    std::vector<std::size_t> first_;     ///< of each row of a graph's, in columns_; empty: it is generated
    std::vector<std::uint32_t> columns_; ///< of the neighbours that are in the part
};

/// The matrix that the options choose: generated, or of the graph that --input names: wordnet, or a file. Throws
/// input_missing or input_error.
matrix chosen_matrix(const options& o, std::size_t blocks, std::size_t side);

} // namespace apps::sparselu
