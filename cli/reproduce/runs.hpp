// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs of another program, several at a time, whose rows stay: a row is a file in a folder, complete or not there.
// Whoever asks again for the same rows gets them from the folder, as long as what made them is the same: the program,
// its arguments, and the files that it reads.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace cli {

struct wanted_row {
    std::string name;                                        ///< of its file, without the ending
    std::vector<std::string> arguments;                      ///< of the program; --row-to FILE is added
    std::filesystem::path read;                              ///< a file that the program reads
    std::function<bool(const nlohmann::ordered_json&)> fits; ///< whether that is this row, with all that is needed
};

/// What is told after each run: how many of those to do are done, and how long this one took.
using after_run = std::function<void(const wanted_row&, std::size_t done, std::size_t to_do, double seconds)>;

class kept_rows {
  public:
    /// Makes the folder, and holds its lock from here on. Throws std::runtime_error that names it if it cannot be made
    /// or locked, or if another process holds the lock.
    kept_rows(std::filesystem::path folder, std::filesystem::path program);
    ~kept_rows();
    kept_rows(const kept_rows&) = delete;
    kept_rows& operator=(const kept_rows&) = delete;

    /// Makes those that are not there, up to `jobs` at a time. A run that ends with another status than done or a
    /// failed check leaves no row, and the others go on. Throws std::runtime_error if a row cannot be written, or would
    /// not be: those that are there stay.
    void make(std::span<const wanted_row> rows, unsigned jobs, const after_run& after);

    /// The row; null: there is none that the same program made of the same arguments and file, and that fits.
    nlohmann::ordered_json read(const wanted_row& row) const;

    /// Replaces a file of the folder beside the rows, as a whole or not at all. Throws std::runtime_error that names
    /// it.
    void write(const std::string& name, const std::string& text) const;

    const std::filesystem::path& folder() const noexcept { return folder_; }

  private:
    std::filesystem::path file_of(const std::string& name) const { return folder_ / "runs" / (name + ".json"); }
    void keep(const wanted_row& row, const std::filesystem::path& made) const;
    std::string key_of(const wanted_row& row) const;

    std::filesystem::path folder_;
    std::filesystem::path program_;
    std::uint64_t program_hash_ = 0;
    int lock_ = -1; ///< of a file in the folder; the kernel gives the lock back when this process ends
};

} // namespace cli
