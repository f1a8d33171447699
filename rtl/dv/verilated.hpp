// SPDX-License-Identifier: Apache-2.0
#pragma once

// The hardware, simulated by Verilator, as a task manager: a write, and a read that takes a word, last one cycle.

#include <cstdint>
#include <memory>

#include "deps/nexus/device.hpp"

namespace nexus_dv {

using namespace skerry::detail;

// `Top`: what Verilator has made of the module `nexus`, for one set of parameters. `Context`: Verilator's
// VerilatedContext.
template <class Top, class Context>
class verilated final : public nexus_device {
  public:
    verilated() : top_(std::make_unique<Top>(&context_)) {
        context_.fatalOnError(false); // an assertion that fails is broken(), not the end of the program
        top_->rst_ni = 0;
        cycle();
        cycle();
        top_->rst_ni = 1;
        top_->eval();
    }
    ~verilated() override { top_->final(); }

    [[nodiscard]] std::uint64_t read(nexus_register from) noexcept override {
        top_->address_i = static_cast<std::uint8_t>(from);
        top_->read_i = from == nexus_register::ready_task;
        top_->eval();
        const std::uint64_t word = top_->data_o;
        if (top_->read_i != 0) {
            cycle();
            top_->read_i = 0;
            top_->eval();
        }
        return word;
    }
    void write(nexus_register to, std::uint64_t word) noexcept override {
        top_->address_i = static_cast<std::uint8_t>(to);
        top_->data_i = word;
        top_->write_i = 1;
        cycle();
        top_->write_i = 0;
        top_->eval();
    }
    std::uint64_t advance(std::uint64_t cycles) noexcept override {
        std::uint64_t passed = 0;
        for (; passed < cycles && top_->quiet_o == 0; ++passed) cycle();
        return passed;
    }

    // No task, no row and no word is inside.
    [[nodiscard]] bool empty() const { return top_->empty_o != 0; }
    // All cycles, those of writes and reads too.
    [[nodiscard]] std::uint64_t cycles() const { return cycles_; }
    // An assertion of the hardware has failed.
    [[nodiscard]] bool broken() { return context_.gotError(); }

  private:
    void cycle() noexcept {
        top_->clk_i = 0;
        top_->eval();
        top_->clk_i = 1;
        top_->eval();
        ++cycles_;
    }

    Context context_;
    std::unique_ptr<Top> top_;
    std::uint64_t cycles_ = 0;
};

} // namespace nexus_dv
