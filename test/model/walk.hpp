// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every walk over a world does alike: learns what its threads share, takes the machine's state and puts it back,
// and says how a failure came about.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "explorer.hpp"
#include "state_store.hpp"

namespace skerry::model {

class walk {
  public:
    walk(const scenario& s, const options& o) : scenario_(s), options_(o) {}
    walk(const walk&) = delete;
    walk& operator=(const walk&) = delete;

    // To the end, which is all that there is, or the first failure.
    result run();
    // Goes that way instead and prints it.
    result follow(const std::vector<transition>& way);

  protected:
    // Keeps one exploration within the memory of a small machine.
    static constexpr std::size_t byte_limit = std::size_t{6} << 30;

    ~walk() = default;

    // False if something thought local was not: to be done again, with the result as it was.
    virtual bool attempt() = 0;
    virtual std::string size_text() const = 0; // how much was walked

    void begin();
    // The numbers of the bytes that the components have now.
    const std::vector<std::uint32_t>& capture();
    void load(const std::uint32_t* wanted);
    void forget_current();
    // Goes the way again and writes down every operation, local ones too. Returns true.
    bool report(const std::string& kind, const std::string& text, const std::vector<transition>& way);

    engine& engine_ = engine::instance();
    const scenario& scenario_;
    options options_;
    result result_;
    component_store bytes_;

  private:
    void learn();

    std::vector<component> components_;
    std::vector<std::uint32_t> captured_; // their numbers
    std::uint64_t known_at_ = 0; // engine::changes() when all were captured or loaded: while it is that, they are that
};

// By states and by traces.
result walk_states(const scenario& s, const options& o);
result walk_traces(const scenario& s, const options& o);

} // namespace skerry::model
