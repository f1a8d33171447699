// SPDX-License-Identifier: Apache-2.0
#pragma once

// The interface between a program of this folder and whoever runs it (the `skerry` command, the tests, the benchmark).
//
// A program is one source, compiled twice: against `skerry` (the parallel variant) and against `skerry::serial` (its
// serial elision, the reference for results and for speed). Each compilation yields one `entry`; the build generates
// the registry that pairs them up. apps/README.md says how to add a program.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace apps {

/// Presets. `tiny` is for tests (milliseconds, a debug build included), `small` for a sanitizer or a simulator,
/// `medium` for a measurement on a desktop (a few tenths of a second of serial work), `paper` is the input and the
/// granularity of Table III of "Efficiently Supporting Dynamic Task Parallelism on Heterogeneous Cache-Coherent
/// Systems"; of a program that is not in it, `medium` in finer tasks.
enum class size : unsigned char { tiny, small, medium, paper };

inline constexpr std::array<std::string_view, 4> size_names{"tiny", "small", "medium", "paper"};

constexpr std::string_view name_of(size s) noexcept { return size_names[static_cast<std::size_t>(s)]; }

struct options {
    apps::size size = apps::size::medium;
    std::string input{};                    ///< a file, or a name the program knows; empty: generate the preset's input
    std::uint64_t seed = 1;                 ///< of generated input
    std::size_t granularity = 0;            ///< 0: the preset's
    std::string from{};                     ///< where a path begins (a vertex number, or a word of a graph with words)
    std::string to{};                       ///< where it ends
    std::size_t train = 0;                  ///< 0: the preset's; how many images of the input are used
    std::vector<std::string> more_inputs{}; ///< behind `input`
    std::string output{};                   ///< a file for what comes out; empty: none
    std::size_t passes = 0;                 ///< over the input; 0: the preset's
    std::size_t cores = 0;                  ///< of an event machine; 0: the program's choice
    bool on_device = false;                 ///< kernels run on a device alone
    // Of a runtime that a program makes for itself; 0, or empty: as the environment says.
    unsigned workers = 0;
    std::string devices{};
};

/// How the paper's program makes its tasks (column PM of Table III).
enum class pattern : unsigned char { spawn_sync, parallel_for };

constexpr std::string_view name_of(pattern p) noexcept { return p == pattern::spawn_sync ? "ss" : "pf"; }

/// What a program shows. Several: more than one of them at once.
enum class system : unsigned char { fork_join, dataflow, events, kernels, several };

inline constexpr std::array<std::string_view, 5> system_names{"fork and join", "dataflow", "events", "kernels",
                                                              "several"};

constexpr std::string_view name_of(system s) noexcept { return system_names[static_cast<std::size_t>(s)]; }

/// Input and granularity of Table III; of a program that is not in it, empty.
struct paper_row {
    std::string_view input;
    std::size_t granularity;
    apps::pattern pattern;
};

/// All views are of static storage.
struct program_info {
    std::string_view name;    ///< as in Table III if it is there; what stands after the last '-' is accepted as well
    std::string_view summary; ///< one line, no full stop
    std::string_view example; ///< a command line that works
    paper_row paper{};
    bool takes_input = false;  ///< `options::input`
    bool takes_path = false;   ///< `options::from` and `options::to`
    bool takes_train = false;  ///< `options::train`
    bool takes_inputs = false; ///< `options::more_inputs`
    bool takes_output = false; ///< `options::output`
    bool takes_passes = false; ///< `options::passes`
    bool takes_cores = false;  ///< `options::cores`
    system of = system::fork_join;
    std::span<const std::string_view> real_inputs{}; ///< values of `options::input` that `skerry run all` adds

    constexpr bool has_kernels() const noexcept { return of == system::kernels; } ///< that can run on devices
    /// The thirteen of the paper, which are those of fork and join.
    constexpr bool in_table_iii() const noexcept { return !paper.input.empty(); }
};

/// The verdict of a check that shares no code with either variant's algorithm.
struct verdict {
    bool ok = false;
    std::string text; ///< what was verified, or the first thing found wrong
};

/// One prepared problem. The constructor generates or loads the input, untimed. Calls are made from one thread at a
/// time; a parallel variant is constructed and run inside the runtime that it shall use.
class instance {
  public:
    instance() = default;
    instance(const instance&) = delete;
    instance& operator=(const instance&) = delete;
    virtual ~instance() = default;

    /// What is solved, for the table: "3000000 elements, granularity 4096".
    virtual std::string problem() const = 0;

    /// Undoes what the last run left behind so that the next starts from the same state. Untimed.
    virtual void reset() {}

    /// The timed part. Called after `reset`, any number of times.
    virtual void run() = 0;

    /// Judges the result of the last `run`.
    virtual verdict check() const = 0;

    /// Damages the result of the last `run` the way a lost or doubled task would; `check` must then say no. For tests.
    virtual void corrupt() = 0;

    /// A hash of the result where every correct run has the same one, whatever the schedule; the two variants' are
    /// compared. Empty where correct results differ from run to run.
    virtual std::optional<std::uint64_t> digest() const { return std::nullopt; }

    /// The result for a person, e.g. a chain of words; no final newline. Empty: nothing worth printing.
    virtual std::string print() const { return {}; }
};

/// What one compilation of a program's source yields. Defined as `apps::SKERRY_APP_VARIANT::entry_NAME()`.
struct entry {
    program_info info;
    std::unique_ptr<instance> (*make)(const options&);
};

struct program {
    program_info info;
    std::unique_ptr<instance> (*parallel)(const options&);
    std::unique_ptr<instance> (*serial)(const options&);
};

/// Every program: those of Table III in its order, then the others.
std::span<const program> programs();

/// By full name or by what stands after its last '-'; null if there is none.
const program* find_program(std::string_view name);

/// The known name that is the fewest edits away; for error texts.
std::string_view nearest_program(std::string_view name);

/// An option that makes no sense for this program (`skerry` exits with 2).
class usage_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// An input that cannot be read or is malformed; the text names file, line and reason (`skerry` exits with 3).
class input_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A real input that is not installed; the text says what to install. `skerry run all` skips its rows and says so.
class input_missing : public input_error {
  public:
    using input_error::input_error;
};

} // namespace apps
