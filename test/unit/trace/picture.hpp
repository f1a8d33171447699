// SPDX-License-Identifier: Apache-2.0
#pragma once

// A trace as a viewer reads it: parsed, ordered by time, slices matched. Whatever a viewer would drop is a failure.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace skerry_test {

struct slice {
    std::string name, category;
    double begin = 0, end = 0;
    std::size_t depth = 0;
    bool unfinished = false;
    nlohmann::json args;
};

class picture {
  public:
    using track = std::pair<std::uint32_t, std::uint32_t>; // process, thread

    explicit picture(const std::string& text) {
        const nlohmann::json document = nlohmann::json::parse(text);
        std::multimap<double, const nlohmann::json*> by_time; // what has the same time stays in order
        for (const nlohmann::json& e : document.at("traceEvents")) {
            by_time.emplace(time(e), &e);
        }
        for (const auto& [when, e] : by_time) {
            take(*e);
        }
        for (const auto& [where, stack] : open_) {
            EXPECT_TRUE(stack.empty()) << "a slice of thread " << where.second << " never closes";
        }
        EXPECT_TRUE(transfers_.empty()) << "a transfer never closes";
        for (const auto* arrows : {&flows, &dependences}) {
            for (const auto& [id, ends] : *arrows) {
                const track nowhere{none, none};
                EXPECT_NE(ends.first, nowhere) << "flow " << id << " has no begin";
                EXPECT_NE(ends.second, nowhere) << "flow " << id << " has no end";
                EXPECT_FALSE(arrows == &flows && dependences.contains(id)) << "two arrows of one id";
            }
        }
    }

    [[nodiscard]] std::vector<slice> of(const std::string& category) const {
        std::vector<slice> found;
        for (const auto& [where, all] : slices) {
            std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                         [&](const slice& s) { return s.category == category; });
        }
        return found;
    }
    [[nodiscard]] std::size_t count(const std::string& category, track where) const {
        const auto found = slices.find(where);
        return found == slices.end()
                   ? 0
                   : static_cast<std::size_t>(std::count_if(found->second.begin(), found->second.end(),
                                                            [&](const slice& s) { return s.category == category; }));
    }

    std::map<track, std::vector<slice>> slices; // in the order of their ends
    std::map<track, std::string> threads;
    std::map<std::uint32_t, std::string> processes;
    std::vector<nlohmann::json> instants;
    std::vector<slice> transfers;
    std::map<std::uint64_t, std::pair<track, track>> flows;       // from, to
    std::map<std::uint64_t, std::pair<track, track>> dependences; // likewise

  private:
    static constexpr std::uint32_t none = UINT32_MAX;
    static double time(const nlohmann::json& e) { return e.value("ts", -1e300); }

    void take(const nlohmann::json& e) {
        const std::string phase = e.at("ph");
        const track where{e.at("pid"), e.at("tid")};
        if (phase == "M") {
            if (e.at("name") == "process_name") {
                processes[where.first] = e.at("args").at("name");
            } else if (e.at("name") == "thread_name") {
                threads[where] = e.at("args").at("name");
            }
            return;
        }
        const double at = e.at("ts");
        auto& stack = open_[where];
        const auto args = e.value("args", nlohmann::json::object());
        if (phase == "B") {
            slice s;
            s.name = e.at("name");
            s.category = e.at("cat");
            s.begin = at;
            s.depth = stack.size();
            s.args = args;
            stack.push_back(s);
        } else if (phase == "E") {
            ASSERT_FALSE(stack.empty()) << "an end without a begin";
            slice s = stack.back();
            stack.pop_back();
            s.end = at;
            s.unfinished = args.value("unfinished", false);
            ASSERT_LE(s.begin, s.end);
            slices[where].push_back(s);
        } else if (phase == "i") {
            instants.push_back(e);
        } else if (phase == "s" || phase == "f") {
            ASSERT_FALSE(stack.empty()) << "an arrow that touches no slice is not shown";
            auto& ends = (e.at("cat") == "dependence" ? dependences : flows)
                             .try_emplace(e.at("id"), track{none, none}, track{none, none})
                             .first->second;
            auto& end = phase == "s" ? ends.first : ends.second;
            ASSERT_EQ(end, (track{none, none})) << "two arrows of one id";
            end = where;
            ASSERT_TRUE(phase == "s" || ends.first != (track{none, none})) << "an arrow ends before it begins";
            ASSERT_TRUE(phase == "s" || e.at("bp") == "e");
        } else if (phase == "b") {
            slice s;
            s.begin = at;
            s.args = args;
            ASSERT_TRUE(transfers_.emplace(e.at("id"), s).second) << "two transfers of one id";
        } else if (phase == "e") {
            const auto found = transfers_.find(e.at("id"));
            ASSERT_NE(found, transfers_.end()) << "the end of a transfer without its begin";
            found->second.end = at;
            found->second.unfinished = args.value("unfinished", false);
            transfers.push_back(found->second);
            transfers_.erase(found);
        } else {
            FAIL() << "phase " << phase;
        }
    }

    std::map<track, std::vector<slice>> open_;
    std::map<std::uint64_t, slice> transfers_;
};

} // namespace skerry_test
