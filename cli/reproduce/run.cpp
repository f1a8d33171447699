// SPDX-License-Identifier: Apache-2.0

// Compiled for simulated cores, as the library and the programs beside it.

#include "reproduce/run.hpp"

#include <memory>
#include <stdexcept>

#include <skerry/interest.hpp>
#include <skerry/runtime.hpp>

#include "sim/program.hpp"

namespace cli {

namespace {

const reproduced_program& program_of(const reproduced_run& run) {
    for (const reproduced_program& p : reproduced_programs()) {
        if (p.parallel().info.name == run.program) {
            return p;
        }
    }
    throw std::invalid_argument(run.program); // the host has looked
}

void judge(reproduced_run& run, const apps::instance& instance) {
    run.problem = instance.problem();
    const apps::verdict v = instance.check();
    run.ok = v.ok;
    run.verdict = v.text;
}

} // namespace

void run_reproduced(void* argument) {
    reproduced_run& run = *static_cast<reproduced_run*>(argument);
    const reproduced_program& program = program_of(run);
    skerry::options o;
    o.workers = run.serial ? 1 : skerry_sim::cores(); // what reads and checks graphs is parallel in both variants
    o.steal = run.interrupts ? skerry::steal_mode::interrupt : skerry::steal_mode::locked;
    skerry::runtime workers(o);
    std::unique_ptr<apps::instance> instance;
    workers.run([&] {
        instance = (run.serial ? program.serial : program.parallel)().make(run.options);
        instance->reset();
    });
    workers.run([&] { skerry::region_of_interest([&] { instance->run(); }); });
    for (const skerry::executor_statistics& e : workers.executors()) {
        run.tasks += e.tasks;
        run.stolen += e.stolen;
    }
    judge(run, *instance);
    workers.run([&] { instance.reset(); });
}

} // namespace cli
