// SPDX-License-Identifier: Apache-2.0
// How fast the machine tiny4-gwb is simulated: 10 queens, whose accesses nearly all hit, and the product of two
// matrices of 256 x 256, of which a private cache of 4 KB holds little; each on one core and on all four. Prints one
// line of JSON for each, the least and the median of several samples, by the processor time they took.
//
// What counts as an instruction is the simulator's to say: each access, each word that is copied, and so many others
// for each basic block whatever its length. The lines say how many, and give the accesses beside them.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <time.h>

#include "sim/program.hpp"
#include "sim/simulation.hpp"

namespace {

constexpr unsigned samples = 7;
constexpr unsigned most_cores = 64;

// Static, so that the program touches no page that the system places, and cycles are the same in every run.
unsigned used_cores;

struct alignas(64) count {
    std::uint64_t n = 0;
};
count solutions[most_cores];

constexpr int queens = 10;
constexpr std::uint64_t right_solutions = 724; // OEIS A000170

constexpr int order = 256;
constexpr int leaf = 32;
double a[order * order];
double b[order * order];
double c[order * order];

bool safe(const char* board, int row) {
    for (int i = 0; i < row; ++i) {
        const int apart = board[row] - board[i];
        if (apart == 0 || apart == row - i || apart == i - row) {
            return false;
        }
    }
    return true;
}

// A copy of the board for each placement, as a task would have it.
std::uint64_t place(const char* board, int row) {
    if (row == queens) {
        return 1;
    }
    char next[16];
    std::memcpy(next, board, static_cast<std::size_t>(row));
    std::uint64_t sum = 0;
    for (int column = 0; column < queens; ++column) {
        next[row] = static_cast<char>(column);
        if (safe(next, row)) {
            sum += place(next, row + 1);
        }
    }
    return sum;
}

// Every `used_cores`-th placement of the first two queens.
void nqueens(unsigned core) {
    std::uint64_t sum = 0;
    for (unsigned pair = core; pair < queens * queens; pair += used_cores) {
        const char board[16] = {static_cast<char>(pair / queens), static_cast<char>(pair % queens)};
        if (safe(board, 1)) {
            sum += place(board, 2);
        }
    }
    solutions[core].n = sum;
}

// z (m rows, p columns) += x (m, n) * y (n, p), halving the longest side.
void multiply(const double* x, const double* y, double* z, int m, int n, int p) {
    if (m + n + p <= 3 * leaf) {
        for (int i = 0; i < m; ++i) {
            for (int j = 0; j < p; ++j) {
                double sum = 0;
                for (int k = 0; k < n; ++k) {
                    sum += x[i * order + k] * y[k * order + j];
                }
                z[i * order + j] += sum;
            }
        }
    } else if (m >= n && m >= p) {
        const int half = m / 2 * order;
        multiply(x, y, z, m / 2, n, p);
        multiply(x + half, y, z + half, m - m / 2, n, p);
    } else if (n >= p) {
        multiply(x, y, z, m, n / 2, p);
        multiply(x + n / 2, y + n / 2 * order, z, m, n - n / 2, p);
    } else {
        multiply(x, y, z, m, n, p / 2);
        multiply(x, y + p / 2, z + p / 2, m, n, p - p / 2);
    }
}

// A band of the result's rows.
void matmul(unsigned core) {
    const int rows = order / static_cast<int>(used_cores);
    const int first = static_cast<int>(core) * rows * order;
    multiply(a + first, b, c + first, rows, order, order);
}

template <void (*Kernel)(unsigned)>
void on_used_cores(void* /*unused*/) {
    for (unsigned core = 1; core < used_cores; ++core) {
        skerry_sim::start_thread([](void*) { Kernel(skerry_sim::self()); }, nullptr);
    }
    Kernel(0);
    for (unsigned core = 1; core < used_cores; ++core) {
        skerry_sim::join_thread(core);
    }
}

void fill() {
    for (int i = 0; i < order * order; ++i) {
        a[i] = i % 7;
        b[i] = i % 5;
        c[i] = 0;
    }
    for (count& s : solutions) {
        s.n = 0;
    }
}

bool queens_are_right() {
    std::uint64_t sum = 0;
    for (const count& s : solutions) {
        sum += s.n;
    }
    return sum == right_solutions;
}

// Small whole numbers: the sums are exact in any order.
bool product_is_right() {
    for (int i = 0; i < order; i += 51) {
        for (int j = 0; j < order; j += 17) {
            double sum = 0;
            for (int k = 0; k < order; ++k) {
                sum += a[i * order + k] * b[k * order + j];
            }
            if (c[i * order + j] != sum) {
                return false;
            }
        }
    }
    return true;
}

// One host thread simulates: its processor time is what an otherwise idle machine would take.
double processor_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class kernel {
  public:
    kernel(const char* name, void (*body)(void*), bool (*right)(), unsigned on) noexcept
        : name_(name),
          body_(body),
          right_(right),
          on_(on) {}

    void sample(skerry_sim::simulation& machine) {
        fill();
        used_cores = on_;
        const double begin = processor_seconds();
        last_ = machine.run(body_, nullptr);
        const double passed = processor_seconds() - begin;
        if (!right_()) {
            throw std::runtime_error(std::string(name_) + ": the result is wrong");
        }
        if (!last_.stale_sites.empty()) {
            throw std::runtime_error(last_.stale_sites.front().text());
        }
        rates_.push_back(static_cast<double>(last_.total.instructions) / passed / 1e6);
    }

    void print(std::uint64_t block) {
        std::sort(rates_.begin(), rates_.end());
        const double instructions = static_cast<double>(last_.total.instructions);
        const double accesses = static_cast<double>(last_.total.loads + last_.total.stores);
        const double median = rates_[rates_.size() / 2];
        std::printf("{\"step\": \"%s simulated on %u of %u cores\", \"unit\": \"million instructions/s\", "
                    "\"least\": %.4g, \"median\": %.4g, \"most\": %.4g, \"instructions\": %.0f, "
                    "\"counted\": \"accesses, and %llu others a basic block\", \"accesses\": %.0f, "
                    "\"median_million_accesses\": %.4g, \"hits\": %.4f, \"cycles\": %llu}\n",
                    name_, on_, static_cast<unsigned>(last_.cores.size()), rates_.front(), median, rates_.back(),
                    instructions, static_cast<unsigned long long>(block), accesses, median * accesses / instructions,
                    static_cast<double>(last_.total.hits()) / accesses,
                    static_cast<unsigned long long>(last_.total.cycles));
    }

  private:
    const char* name_;
    void (*body_)(void*);
    bool (*right_)();
    unsigned on_;
    skerry_sim::statistics last_;
    std::vector<double> rates_;
};

} // namespace

int main() {
    try {
        skerry_sim::simulation machine(skerry_sim::read_machine(BENCH_MACHINES "/tiny4-gwb.toml"));
        kernel kernels[] = {
            {"nqueens(10)", on_used_cores<nqueens>, queens_are_right, 1},
            {"nqueens(10)", on_used_cores<nqueens>, queens_are_right, 4},
            {"matmul(256)", on_used_cores<matmul>, product_is_right, 1},
            {"matmul(256)", on_used_cores<matmul>, product_is_right, 4},
        };
        for (unsigned s = 0; s < samples; ++s) {
            for (kernel& k : kernels) {
                k.sample(machine);
            }
        }
        for (kernel& k : kernels) {
            k.print(static_cast<std::uint64_t>(machine.machine().cores.block_cycles));
        }
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "bench_simulator: %s\n", e.what());
        return 1;
    }
}
