// SPDX-License-Identifier: Apache-2.0

#include "replay.hpp"

#include <cstdio>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "explorer.hpp"

namespace skerry::model {

namespace {

std::string command = "TEST"; // what runs the current test alone
unsigned explorations = 0;    // begun since the test began
unsigned wanted = 0;          // which of them is replayed; 0: none, or it has been
std::vector<transition> wanted_way;

std::vector<transition> parse(const std::string& steps) {
    std::vector<transition> way;
    std::istringstream in(steps);
    for (std::string word; std::getline(in, word, ',');) {
        char kind = 0;
        unsigned thread = 0;
        unsigned alternative = 0;
        unsigned count = 1;
        const bool good = std::sscanf(word.c_str(), "%c%u.%u*%u", &kind, &thread, &alternative, &count) >= 3 ||
                          std::sscanf(word.c_str(), "%c%u*%u", &kind, &thread, &count) >= 2;
        if (!good || thread >= max_threads || std::strchr("sfw", kind) == nullptr) {
            throw std::runtime_error("--replay: not a step: '" + word + "'");
        }
        transition t;
        t.thread = static_cast<std::uint8_t>(thread);
        t.kind = kind == 's' ? transition_kind::step : kind == 'f' ? transition_kind::flush : transition_kind::spurious;
        t.alternative = static_cast<std::uint16_t>(alternative);
        way.insert(way.end(), count, t);
    }
    return way;
}

} // namespace

void begin_test(const std::string& run_alone) {
    command = run_alone;
    explorations = 0;
}

void set_replay(const std::string& token) {
    unsigned exploration = 0;
    int length = 0;
    if (std::sscanf(token.c_str(), "%u:%n", &exploration, &length) != 1 || length == 0 || exploration == 0) {
        throw std::runtime_error("--replay: '" + token +
                                 "' does not begin with the number of an exploration, as '1:s0'");
    }
    wanted_way = parse(token.substr(static_cast<std::size_t>(length)));
    wanted = exploration;
    explorations = 0;
}

std::string end_replay() {
    const unsigned left = std::exchange(wanted, 0);
    return left == 0 ? ""
                     : "--replay: there is no exploration " + std::to_string(left) + ", the test has " +
                           std::to_string(explorations);
}

std::optional<std::vector<transition>> count_exploration() {
    if (++explorations != wanted) {
        return std::nullopt;
    }
    wanted = 0;
    return std::move(wanted_way);
}

std::string replay_token(const std::vector<engine::log_line>& lines) {
    std::string text;
    for (std::size_t i = 0; i < lines.size();) {
        std::size_t same = i + 1;
        while (same < lines.size() && std::strcmp(lines[same].token, lines[i].token) == 0) {
            ++same;
        }
        text += (text.empty() ? "" : ",") + std::string(lines[i].token);
        if (same - i > 1) {
            text += "*" + std::to_string(same - i);
        }
        i = same;
    }
    return std::to_string(explorations) + ":" + text;
}

std::string replay_command(const std::string& token) { return command + " '--replay=" + token + "'"; }

} // namespace skerry::model
