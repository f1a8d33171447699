// SPDX-License-Identifier: Apache-2.0
#pragma once

// Programs of every construct inside every other, made up from a seed: a tree whose leaves have values or throw, and
// whose nodes are constructs that add up their children.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tree.hpp"

namespace skerry_test {

// What a leaf throws.
struct failure {};

// Counts the tasks inside a construct; when the construct has ended, in whatever way, none may be left.
class census {
  public:
    explicit census(std::atomic<unsigned>& left_behind) noexcept : left_behind_(left_behind) {}
    census(const census&) = delete;
    census& operator=(const census&) = delete;
    ~census() { left_behind_ += inside_; }

    class member {
      public:
        explicit member(census& c) noexcept : inside_(c.inside_) { ++inside_; }
        member(const member&) = delete;
        member& operator=(const member&) = delete;
        ~member() { --inside_; }

      private:
        std::atomic<unsigned>& inside_;
    };

  private:
    std::atomic<unsigned>& left_behind_;
    std::atomic<unsigned> inside_{0};
};

struct settings {
    bool throws = false;
    bool cancels = false;
    bool regions = true;
};

class program {
  public:
    explicit program(settings s) noexcept : set(s) {}

    // What the program gives, and whether a leaf of it throws.
    std::uint64_t serial(std::uint64_t seed, unsigned depth) const;
    bool fails(std::uint64_t seed, unsigned depth) const;

    std::uint64_t run(std::uint64_t seed, unsigned depth);

    // How many kinds of constructs there are, and which one stands at the root.
    static std::size_t kinds() noexcept;
    std::size_t kind_of(std::uint64_t seed) const noexcept;

    const settings set;
    std::atomic<unsigned> left_behind{0};
    std::atomic<const char*> wrong{nullptr}; // what a construct gave that it should not

  private:
    bool leaf_throws(std::uint64_t seed) const;
};

// A construct's place in a program. A copy is the same place.
class node {
  public:
    node(program& in, std::uint64_t s, unsigned depth) noexcept;

    // Runs child i.
    std::uint64_t operator()(unsigned i) const;

    // The census of the construct's tasks, and what else may be wrong with it.
    std::atomic<unsigned>& left_behind() const noexcept { return in_->left_behind; }
    void expect(bool right, const char* otherwise) const noexcept {
        if (!right) {
            in_->wrong = otherwise;
        }
    }
    const settings& set() const noexcept { return in_->set; }

    std::uint64_t seed;
    unsigned children; // 1 to most_children

    static constexpr unsigned most_children = 4;

  private:
    program* in_;
    unsigned depth_;
};

// The constructs, each as a function that adds up a node's children.
using kind = std::uint64_t (*)(const node& at);
extern const std::span<const kind> fork_kinds; // the first starts threads
extern const std::span<const kind> algorithm_kinds;
extern const std::span<const kind> dataflow_kinds; // the last makes regions

std::uint64_t in_branches(const node& at);

} // namespace skerry_test
