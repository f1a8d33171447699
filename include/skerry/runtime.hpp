// SPDX-License-Identifier: Apache-2.0
#pragma once

// The machine that tasks run on: how many workers, and what they have done.
//
// Most programs need nothing from here: the first parallel construct starts a default runtime with the options of the
// environment, which lives to the end of the process.

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/misuse.hpp>
#include <skerry/detail/core/task_function.hpp>
#include <skerry/detail/frontend/forkjoin/finish_frame.hpp>
#include <skerry/detail/frontend/forkjoin/fork.hpp>
#include <skerry/detail/sched/stopping.hpp>
#include <skerry/detail/sync/machine.hpp>
#include <skerry/region.hpp>

namespace skerry::inline SKERRY_ABI {

namespace detail {
class engine;
}

// How thieves take tasks from workers that do not answer.
enum class steal_mode : std::uint8_t {
    automatic,  // asymmetric where the kernel has the expedited membarrier, else locked
    asymmetric, // an error where the kernel refuses
    locked,     // a lock on every push and pop
    interrupt,  // a user-level interrupt to the victim's core; an error where cores have none, as on all real machines
};

// Whether a device that can work in the program's own memory does so.
enum class device_memory : std::uint8_t {
    automatic, // it does, and nothing is copied
    // "private", which is a word of C++: it has copies, as a device with a memory of its own
    private_, // NOLINT(readability-identifier-naming)
};

// What decides which dataflow task may run next.
enum class task_manager_kind : std::uint8_t {
    software,    // the runtime itself
    nexus_model, // a model of the hardware task manager Nexus++ orders the tasks of one scope
};

// What a runtime is made of. Each member has one environment variable and, in the `skerry` command, one flag.
struct options {
    unsigned workers = 0;                          // SKERRY_WORKERS; 0: as many as cpuset and cgroup quota allow
    bool pin = false;                              // SKERRY_PIN: each worker stays on its own logical CPU
    std::size_t stack_size = std::size_t{8} << 20; // SKERRY_STACK_SIZE, bytes per worker
    unsigned max_slots = 1024;                     // SKERRY_MAX_SLOTS: threads inside the runtime at a time
    unsigned blocking_threads = 256;          // SKERRY_BLOCKING_THREADS: at most this many stand in for blocked ones
    steal_mode steal = steal_mode::automatic; // SKERRY_STEAL
    bool guard_accesses = true;    // SKERRY_GUARD_ACCESSES: debug builds close to a task of another process what it has
                                   // not declared; release builds never do
    std::string mpi = "automatic"; // SKERRY_MPI: whose ranks a program joins that mpirun has started: automatic,
                                   // openmpi, mpich, off, or the path of a shared object made of skerry_mpi.c
    double watchdog_seconds = 0;   // SKERRY_WATCHDOG: report longer waits and tasks; 0: never
    std::string trace{};           // SKERRY_TRACE: file for what every worker did, for Perfetto; empty: none
    std::size_t trace_memory = std::size_t{8} << 20; // SKERRY_TRACE_MEMORY, bytes per slot for its newest events
    std::string devices = "auto"; // SKERRY_DEVICES: which run kernels. "auto": all but those that compute on this
                                  // machine's processors; "none"; "all"; or a list with commas of kinds (opencl),
                                  // names (opencl0), and emulated:speed=0.25:memory=64M:latency=50us
    skerry::device_memory device_memory = skerry::device_memory::automatic; // SKERRY_DEVICE_MEMORY
    task_manager_kind task_manager = task_manager_kind::software; // SKERRY_TASK_MANAGER: software or nexus-model. Of a
                                                                  // program of several processes: software

    // The defaults, with what the environment says. Errors: std::invalid_argument names the variable, its value and
    // what is accepted.
    static SKERRY_EXPORT options from_environment();
};

// Sums over all workers since the runtime began. Exact when it is idle.
struct statistics {
    std::uint64_t tasks = 0;        // taken from a deque or queue; a branch run in place by its own worker is none
    std::uint64_t steals_asked = 0; // polite requests
    std::uint64_t steals_granted = 0;
    std::uint64_t steals_refused = 0;    // there was nothing that the thief may take
    std::uint64_t steals_asymmetric = 0; // of those granted: forced, because the owner did not answer
    std::uint64_t sleeps = 0;
    std::uint64_t wakes = 0;
    std::uint64_t overlaps = 0;         // names of objects that appeared and overlapped others: the slow path of spawn
    std::uint64_t deque_high_water = 0; // most slots of one deque seen in use when its owner answered a request
    std::uint64_t slots_high_water = 0; // slots made
    std::uint64_t threads_high_water = 0; // threads of the runtime at a time
    std::uint64_t kernel_iterations = 0;  // iterations of kernels that workers have run, and no device
    // Spawned where options::task_manager is not software: tasks that it has ordered, and those that software has.
    std::uint64_t managed_tasks = 0;
    std::uint64_t unmanaged_tasks = 0;
};

// What one of those that run tasks has done since the runtime began: a worker of this process, or another process.
struct executor_statistics {
    std::string name; // "worker 0", "process 1"
    // The coherent memory over which it runs: the process's number; of cores whose caches are kept by software, the
    // core's.
    unsigned domain = 0;
    std::uint64_t tasks = 0;
    std::uint64_t stolen = 0; // of those, taken from another executor
};

// A team of workers of its own. Runtimes may be nested and may stand side by side.
//
// Thread safety: all members from any thread; not at the same time as the destructor.
class SKERRY_EXPORT runtime {
  public:
    // Starts workers - 1 threads; the calling thread of run() is the missing one.
    // Errors: std::invalid_argument (an option out of range), std::system_error (no threads), std::bad_alloc.
    explicit runtime(const options& o = options::from_environment());
    runtime(const runtime&) = delete;
    runtime& operator=(const runtime&) = delete;
    // Finishes what was submitted, then stops the workers. Precondition: no thread is inside run().
    ~runtime();

    // Runs f as root task on the calling thread and waits for everything begun in it. Its exception, or the first of a
    // task begun in it, comes back here. Constructs called inside use this runtime.
    template <detail::task_function F>
    auto run(F&& f) -> std::invoke_result_t<F&> {
        const entry inside(*this);
        const detail::section_of<F> shown(detail::body_name<std::remove_reference_t<F>>);
        return detail::finish_with_result<detail::root_frame>(f);
    }
    // Any other call: what is wrong with it.
    template <class... A>
        requires(sizeof...(A) != 1 || !(detail::task_function<A> && ...))
    auto run(A&&...) {
        detail::explain_call<A...>();
    }

    // The region around all that this runtime's tasks make; made at the first call, destroyed with the runtime.
    // Errors: std::bad_alloc.
    [[nodiscard]] region root_region();

    [[nodiscard]] statistics stats() const noexcept;
    // Those that have run a task. Exact when the runtime is idle. Errors: std::bad_alloc.
    [[nodiscard]] std::vector<executor_statistics> executors() const;
    [[nodiscard]] unsigned workers() const noexcept;

  private:
    class SKERRY_EXPORT entry {
      public:
        explicit entry(runtime& r);
        entry(const entry&) = delete;
        entry& operator=(const entry&) = delete;
        ~entry();

      private:
        detail::engine& engine_;
    };

    detail::machine::atomic<detail::engine*> engine_; // the first run() in the child of a fork puts its own there
};

// One place where a limit on CPUs was looked for.
struct cpu_limit_source {
    double cpus;       // infinity: none there
    std::string where; // a file, or a call
    std::string text;  // what it said
};

// An MPI whose ranks a program can join.
struct mpi_description {
    std::string name; // "openmpi", "mpich"
    std::string path; // of the shared object that calls it; empty: there is none
};

// What Skerry sees of this machine.
struct machine_description {
    unsigned workers;           // what options::workers = 0 comes to
    std::vector<unsigned> cpus; // logical CPUs this process may run on
    std::vector<cpu_limit_source> limits;
    std::string decided_by; // the tightest limit's `where`
    unsigned packages, cores, numa_nodes;
    bool topology_known; // false: hwloc could not tell, all CPUs count as equally far
    bool membarrier;     // asymmetric steals are possible
    std::vector<mpi_description> mpis{};
    std::vector<std::string> mpi_folders{}; // where the shared objects are sought
    unsigned processes = 1;                 // of the program that this one is a part of, as its launcher says
};
[[nodiscard]] SKERRY_EXPORT machine_description describe_machine();

// Every slot number is below this, also those of foreign threads. Of the runtime around the caller, else the default
// one. Errors as of the first construct: the default runtime may have to be started.
[[nodiscard]] SKERRY_EXPORT unsigned max_slots();

namespace this_worker {
// The number of the slot that the calling thread holds: constant during a task, below max_slots(), and nobody else's
// meanwhile. Outside a parallel region: max_slots().
[[nodiscard]] SKERRY_EXPORT unsigned slot();
} // namespace this_worker

// Counts of the runtime around the caller, else the default one.
[[nodiscard]] SKERRY_EXPORT statistics current_statistics();

// One device and what it has done since the runtime began.
struct device_statistics {
    std::string name;             // "opencl0", "emulated1"; "opencl" if there is none of that kind
    std::string description;      // as its driver calls it
    std::string driver;           // which, and its version
    std::uint64_t memory = 0;     // bytes; 0: not known
    bool used = false;            // kernels may run there
    std::string why_not;          // else
    std::uint64_t launches = 0;   // of kernels
    std::uint64_t iterations = 0; // of kernels
    std::uint64_t bytes_in = 0;   // sent to it
    std::uint64_t bytes_out = 0;  // brought home
    std::uint64_t failures = 0;   // kernels that it refused, launches that it did not finish
};

// The devices of the runtime around the caller, else of the default one: those that kernels may run on, and others with
// the reason. Waits until devices have been looked for, which may take seconds; nothing is looked for if
// options::devices is "none". Errors: as those of the first construct; std::bad_alloc.
[[nodiscard]] SKERRY_EXPORT std::vector<device_statistics> current_devices();

// Whether the running task was asked to stop: a group around it was cancelled, or it is a part of a search that has a
// match further left. For long tasks to look at now and then. False outside tasks.
[[nodiscard]] inline bool stop_requested() noexcept { return detail::is_stopping(); }

} // namespace skerry::inline SKERRY_ABI
