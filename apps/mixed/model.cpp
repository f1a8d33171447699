// SPDX-License-Identifier: Apache-2.0
#include "mixed/model.hpp"

#include "support/digest.hpp"

#include <array>
#include <functional>

namespace apps::mixed {

namespace {

using cells = std::array<std::uint64_t, cells_per_lane>;

std::uint64_t stepped(std::uint64_t x, std::uint64_t by) { return scatter(x + by); }
std::uint64_t joined(std::uint64_t x, std::uint64_t y) { return scatter(x ^ y); }

std::uint64_t total(const plan& p, std::size_t lane) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < p.items; ++i) sum += worked(item(p, lane, i), p.rounds);
    return sum;
}

void nest(cells& c) {
    for (std::uint64_t& x : c) x = stepped(x, 1);
    for (std::size_t i = 1; i < c.size(); ++i) c[i] = joined(c[i - 1], c[i]);
    c[0] ^= c[3];
}

void finish_all(cells& c) {
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = stepped(c[i], i + 2);
    c[0] ^= c[1] ^ c[2] ^ c[3];
}

void look_ahead(cells& c) {
    c[1] = stepped(c[1], 6);
    c[2] = scatter(c[0]);
    c[3] = c[1];
}

void fail(cells& c) {
    c[2] = stepped(c[2], 16);
    c[0] = 17;
    c[3] = joined(c[0], c[3]);
}

} // namespace

std::uint64_t hash_of(std::span<const std::uint64_t> values) { return digest_of(values); }

std::vector<outcome> expected(const plan& p) {
    std::vector<cells> lanes(p.lanes, cells{});
    std::vector<outcome> all;
    const auto after = [&](const char* name, const std::string& arrived) {
        std::vector<std::uint64_t> values;
        for (const cells& c : lanes) values.insert(values.end(), c.begin(), c.end());
        all.push_back({name, arrived, hash_of(values)});
    };
    const auto each = [&](const char* name, const std::string& arrived,
                          const std::function<void(cells&, std::size_t)>& change) {
        for (std::size_t lane = 0; lane < p.lanes; ++lane) change(lanes[lane], lane);
        after(name, arrived);
    };
    each("fork and join in tasks", "", [&](cells& c, std::size_t lane) { c[0] = total(p, lane); });
    each("tasks in tasks", "", [](cells& c, std::size_t) { nest(c); });
    each("tasks from branches", "", [](cells& c, std::size_t lane) {
        c[0] = stepped(c[0], lane);
        c[1] = joined(c[0], c[1]);
    });
    each("finish around all", "", [](cells& c, std::size_t lane) {
        c[0] = stepped(c[0], 11);
        c[1] = stepped(c[1], 12);
        if (lane == 0) c[2] = stepped(c[2], 13);
    });
    each("finish in tasks", "", [](cells& c, std::size_t) { finish_all(c); });
    each("futures in tasks", "", [](cells& c, std::size_t) { look_ahead(c); });
    each("exception of a task", named(place::task, 0), [](cells& c, std::size_t) { fail(c); });
    each("exception of a branch", named(place::branch, 0), [](cells& c, std::size_t) { fail(c); });
    each("exception of an async", named(place::async, 0), [](cells& c, std::size_t) { fail(c); });
    each("exception of a future", named(place::future, 0), [](cells& c, std::size_t) { fail(c); });
    each("exception of a group", named(place::group, 0), [](cells& c, std::size_t) { fail(c); });
    each("exception of a finish", named(place::finish, 0), [](cells& c, std::size_t) { fail(c); });
    each("exception of a branch's task", named(place::task, 0), [](cells& c, std::size_t) { fail(c); });
    each("exception of an async's task", named(place::task, 0), [](cells& c, std::size_t) { fail(c); });
    each("exception of a nested task", named(place::task, 0),
         [](cells& c, std::size_t) { c = {18, 18, 18, stepped(c[3], 14)}; });
    each("exception at finish", named(place::task, 0), [](cells& c, std::size_t lane) {
        if (lane == 0) c = {18, stepped(c[1], 15), c[2], c[3]};
    });
    each("groups called off", "", [](cells& c, std::size_t) {
        c[0] = stepped(stepped(c[0], 8), 9);
        c[2] = stepped(c[2], 10);
        c[3] = stepped(c[3], 19);
    });
    return all;
}

verdict compare(std::span<const outcome> found, const plan& p) {
    const std::vector<outcome> right = expected(p);
    if (found.size() != right.size()) {
        return {false, std::to_string(found.size()) + " stages, not " + std::to_string(right.size())};
    }
    std::size_t exceptions = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
        if (found[i].stage != right[i].stage)
            return {false, "'" + found[i].stage + "' stands for '" + right[i].stage + "'"};
        if (found[i].arrived != right[i].arrived) {
            return {false, right[i].stage + ": '" + found[i].arrived + "' arrived, not '" + right[i].arrived + "'"};
        }
        if (found[i].hash != right[i].hash) return {false, right[i].stage + ": the lanes hold wrong values"};
        exceptions += right[i].arrived.empty() ? 0U : 1U;
    }
    return {true, std::to_string(right.size()) + " stages as planned, " + std::to_string(exceptions) +
                      " exceptions where they belong"};
}

} // namespace apps::mixed
