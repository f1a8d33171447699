// SPDX-License-Identifier: Apache-2.0
#include "motion/film.hpp"
#include "support/dataflow.hpp"
#include "support/digest.hpp"
#include "support/preset.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>

#if !SKERRY_APP_SERIAL
#include "motion/machine.hpp"
#endif

namespace apps::SKERRY_APP_VARIANT {

namespace {

using motion::cell;
using motion::film;
using table = std::span<std::uint32_t>;

// Pixels of a picture's side, and cells of a block's.
constexpr presets sizes{{{64, 2}, {256, 4}, {512, 8}, {512, 4}}};
constexpr std::array<std::size_t, size_names.size()> cameras_of{2, 2, 4, 4};
constexpr std::array<std::size_t, size_names.size()> pictures_of{4, 10, 8, 8};

// How much of a cell of 8 x 8 pixels is not what it was, wherever within 2 pixels it has come from.
SKERRY_KERNEL(change, (const uint8_t* before, const uint8_t* now, uint32_t* changes, int32_t side, int32_t block), {
    int32_t blocks = side / 8 / block;
    int32_t b = (int32_t)(i / (block * block));
    int32_t c = (int32_t)(i % (block * block));
    int32_t row = 8 * (b / blocks * block + c / block);
    int32_t column = 8 * (b % blocks * block + c % block);
    int32_t least = 2147483647;
    for (int32_t y = row - 2; y <= row + 2; ++y) {
        for (int32_t x = column - 2; x <= column + 2; ++x) {
            if (y >= 0 && x >= 0 && y + 8 <= side && x + 8 <= side) {
                int32_t sum = 0;
                for (int32_t p = 0; p < 64; ++p) {
                    int32_t difference = (int32_t)now[(row + p / 8) * side + column + p % 8] -
                                         (int32_t)before[(y + p / 8) * side + x + p % 8];
                    sum += difference < 0 ? -difference : difference;
                }
                least = sum < least ? sum : least;
            }
        }
    }
    changes[i] = (uint32_t)least;
})

// A block of a table of sums, from the changes of its cells: each becomes the sum of what lies above and left of it.
void sum_up(std::span<const std::uint32_t> corner, std::span<const std::uint32_t> above,
            std::span<const std::uint32_t> left, table here, std::size_t block) {
    for (std::size_t y = 0; y < block; ++y) {
        for (std::size_t x = 0; x < block; ++x) {
            const std::uint32_t up = y != 0 ? here[(y - 1) * block + x] : above[(block - 1) * block + x];
            const std::uint32_t beside = x != 0 ? here[y * block + x - 1] : left[y * block + block - 1];
            const std::uint32_t both = y != 0 && x != 0 ? here[(y - 1) * block + x - 1]
                                       : y != 0         ? left[(y - 1) * block + block - 1]
                                       : x != 0         ? above[(block - 1) * block + x - 1]
                                                        : corner[block * block - 1];
            here[y * block + x] += up + beside - both;
        }
    }
}

/// Movement before several cameras. Each picture is an event, in the atomic queue of its camera; its receive function
/// compares it with the one before by a kernel, and sums the changes up by dataflow tasks.
class movement final : public instance {
  public:
    explicit movement(const options& o)
        : film_(motion::filmed(cameras_of[static_cast<std::size_t>(o.size)],
                               pictures_of[static_cast<std::size_t>(o.size)], chosen(sizes, o).n, block_of(o), o.seed)),
          cores_(o.cores),
          zeros_(film_.block * film_.block, 0),
          cameras_(film_.cameras, camera{std::vector<std::uint8_t>(film_.side * film_.side),
                                         std::vector<std::uint32_t>(film_.cells() * film_.cells())}),
          sums_(film_.cameras * film_.pictures * film_.blocks() * film_.blocks()) {
#if !SKERRY_APP_SERIAL
        start_machine(o);
#endif
    }

    std::string problem() const override {
        return std::to_string(film_.cameras) + " cameras, " + std::to_string(film_.pictures) + " pictures each, " +
               std::to_string(film_.side) + " x " + std::to_string(film_.side) + ", " +
               std::to_string(film_.blocks() * film_.blocks()) + " blocks";
    }

    void reset() override {
        for (camera& c : cameras_) std::ranges::fill(c.before, std::uint8_t{0});
        std::ranges::fill(sums_, 0U);
    }

    void run() override {
#if SKERRY_APP_SERIAL
        for (std::size_t number = 0; number < film_.pictures; ++number) {
            for (std::size_t at = 0; at < film_.cameras; ++at) look(at, number, film_.picture(at, number));
        }
#else
        sent_ += film_.cameras * film_.pictures;
        received_ += motion::by_events(film_, cores_, [this](std::size_t at, std::size_t number, auto pixels) {
            machine_->run([&] { look(at, number, pixels); });
        });
#endif
    }

    verdict check() const override {
        for (std::size_t at = 0; at < film_.cameras; ++at) {
            for (std::size_t number = 0; number < film_.pictures; ++number) {
                verdict v = motion::right_sums(
                    film_, number == 0 ? std::span<const std::uint8_t>() : film_.picture(at, number - 1),
                    film_.picture(at, number), sums_of(at, number));
                if (!v.ok) {
                    return {false,
                            "picture " + std::to_string(number) + " of camera " + std::to_string(at) + ": " + v.text};
                }
            }
        }
        const std::string text = std::to_string(film_.cameras * film_.pictures) + " pictures";
#if SKERRY_APP_SERIAL
        return {true, text};
#else
        return used(text);
#endif
    }

    void corrupt() override { ++sums_.back(); }

    std::optional<std::uint64_t> digest() const override { return digest_of(std::span<const std::uint32_t>(sums_)); }

    std::string print() const override {
        std::size_t most = 1;
        const auto all = [this](std::size_t i) {
            return i % film_.pictures == 0 ? 0 : sums_of(i / film_.pictures, i % film_.pictures).back();
        };
        for (std::size_t i = 0; i < film_.cameras * film_.pictures; ++i) most = all(i) > all(most) ? i : most;
        return "most movement: picture " + std::to_string(most % film_.pictures) + " of camera " +
               std::to_string(most / film_.pictures);
    }

  private:
    struct camera { // what belongs to its queue: no two cores look at it at a time
        std::vector<std::uint8_t> before;
        std::vector<std::uint32_t> changes;
    };

    // A block is a whole part of a picture.
    static std::size_t block_of(const options& o) {
        const std::size_t cells = chosen(sizes, o).n / cell;
        std::size_t block = std::min(chosen(sizes, o).granularity, cells);
        while (cells % block != 0) --block;
        return block;
    }

    std::span<const std::uint32_t> sums_of(std::size_t at, std::size_t number) const {
        const std::size_t blocks = film_.blocks() * film_.blocks();
        return std::span(sums_).subspan((at * film_.pictures + number) * blocks, blocks);
    }

    void compare(par::place where, camera& c, std::span<const std::uint8_t> now) {
        par::parallel_for(where, 0, c.changes.size(), change, par::in(c.before), par::in(now),
                          par::out(par::each(c.changes)), film_.side, film_.block);
    }

    void look(std::size_t at, std::size_t number, std::span<const std::uint8_t> now) {
        using par::in, par::inout;
        camera& c = cameras_[at];
        compare(number == 0 ? par::place::device : par::place::any, c, now); // few loops leave it all to the policy
        const std::size_t area = zeros_.size();
        const std::size_t blocks = film_.blocks();
        const auto block = [&](std::size_t row, std::size_t column) { // numbered from 1, with zeros around
            return row == 0 || column == 0 ? table(zeros_)
                                           : table(c.changes).subspan(((row - 1) * blocks + column - 1) * area, area);
        };
        for (std::size_t row = 1; row <= blocks; ++row) {
            for (std::size_t column = 1; column <= blocks; ++column) {
                par::spawn(sum_up, in(block(row - 1, column - 1)), in(block(row - 1, column)),
                           in(block(row, column - 1)), inout(block(row, column)), film_.block);
            }
        }
        par::taskwait();
        const std::size_t first = (at * film_.pictures + number) * blocks * blocks;
        for (std::size_t i = 0; i < blocks * blocks; ++i) sums_[first + i] = c.changes[(i + 1) * area - 1];
        std::ranges::copy(now, c.before.begin());
    }

#if !SKERRY_APP_SERIAL
    // Cores of an event machine belong to the default runtime. The loops and tasks of a receive function run in a
    // runtime of the program's own, which has a task manager and a device, whatever the default one has.
    void start_machine(const options& o) {
        if (skerry::describe_machine().processes > 1) {
            throw usage_error("motion: it runs in one process, as its events and its task manager do");
        }
        skerry::options with = skerry::options::from_environment();
        if (o.workers != 0) with.workers = o.workers;
        if (!o.devices.empty()) with.devices = o.devices;
        with.task_manager = skerry::task_manager_kind::nexus_model;
        with.trace.clear(); // the runtime around writes one
        machine_ = std::make_unique<skerry::runtime>(with);
        if (!device()) {
            with.devices = "emulated";
            machine_ = std::make_unique<skerry::runtime>(with);
        }
        machine_->run(
            [this] { compare(skerry::place::device, cameras_[0], film_.picture(0, 0)); }); // builds the kernel
        by_workers_ = machine_->stats().kernel_iterations;
        by_device_ = device().value_or(skerry::device_statistics{}).iterations;
    }

    std::optional<skerry::device_statistics> device() const {
        const auto all = machine_->run([] { return skerry::current_devices(); });
        const auto used = std::ranges::find_if(all, &skerry::device_statistics::used);
        return used == all.end() ? std::nullopt : std::optional(*used);
    }

    // Whether all that is mixed here has had its part. `text`: what is right so far.
    verdict used(const std::string& text) const {
        const skerry::statistics done = machine_->stats();
        const auto by = device();
        const std::uint64_t on_device = by ? by->iterations - by_device_ : 0;
        const std::uint64_t on_workers = done.kernel_iterations - by_workers_;
        const std::string told = text + "; " + std::to_string(received_) + " events, " + std::to_string(on_device) +
                                 " iterations on " + (by ? by->name : "no device") + " and " +
                                 std::to_string(on_workers) + " on workers, " + std::to_string(done.managed_tasks) +
                                 " tasks ordered by the task manager and " + std::to_string(done.unmanaged_tasks) +
                                 " by software";
        const std::uint64_t kernels = sent_ * cameras_[0].changes.size();
        const std::uint64_t tasks = sent_ * film_.blocks() * film_.blocks();
        return {received_ == sent_ && received_ != 0 && on_device != 0 && on_workers + on_device == kernels &&
                    done.managed_tasks != 0 && done.managed_tasks + done.unmanaged_tasks == tasks,
                told};
    }
#endif

    film film_;
    [[maybe_unused]] std::size_t cores_;
    std::vector<std::uint32_t> zeros_;
    std::vector<camera> cameras_;
    std::vector<std::uint32_t> sums_; // of each picture of each camera, at the end of each block
#if !SKERRY_APP_SERIAL
    std::unique_ptr<skerry::runtime> machine_;
    std::uint64_t by_workers_ = 0; // iterations before anything was timed
    std::uint64_t by_device_ = 0;
    std::uint64_t sent_ = 0; // in all runs
    std::uint64_t received_ = 0;
#endif
};

} // namespace

entry entry_motion() {
    return {{.name = "motion",
             .summary = "movement before cameras: events, a kernel, and tasks",
             .example = "skerry run motion --on serial,threads",
             .takes_cores = true,
             .of = system::several},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<movement>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
