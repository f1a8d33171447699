// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs a lambda on one of the machines that the tests share. What the lambda captures lies on the host's stack; it is
// copied into static data first, so that the simulated program touches nothing that the system places.

#include <filesystem>
#include <utility>

#include <gtest/gtest.h>

#include "sim/program.hpp"
#include "sim/simulation.hpp"

namespace skerry_test {

inline skerry_sim::machine_description machine(const char* name) {
    return skerry_sim::read_machine(std::filesystem::path(SKERRY_MACHINES) / name);
}
inline skerry_sim::machine_description gwb() { return machine("tiny4-gwb.toml"); }
inline skerry_sim::machine_description mesi() { return machine("tiny4-mesi.toml"); }

// As GPU-WB's, with another protocol.
inline skerry_sim::machine_description gwt() {
    skerry_sim::machine_description m = gwb();
    m.l1.protocol = skerry_sim::protocol_named("gpu-wt");
    m.l1.write_buffer = 8;
    return m;
}

template <class F>
skerry_sim::statistics simulate(F body, const skerry_sim::settings& set = {},
                                const skerry_sim::machine_description& on = gwb()) {
    alignas(64) static unsigned char place[(sizeof(F) + 63) / 64 * 64];
    F* const kept = new (place) F(std::move(body));
    struct ender {
        F* f;
        ~ender() { f->~F(); }
    } const at_end{kept};
    skerry_sim::simulation simulation(on, set);
    return simulation.run([](void* f) { (*static_cast<F*>(f))(); }, static_cast<void*>(kept));
}

// Starts f(core) on each other core, calls it here too, and waits for all.
template <class F>
void on_all_cores(F& f) {
    for (unsigned i = 1; i < skerry_sim::cores(); ++i) {
        skerry_sim::start_thread([](void* p) { (*static_cast<F*>(p))(skerry_sim::self()); }, &f);
    }
    f(0U);
    for (unsigned i = 1; i < skerry_sim::cores(); ++i) {
        skerry_sim::join_thread(i);
    }
}

} // namespace skerry_test
