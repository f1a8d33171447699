// SPDX-License-Identifier: Apache-2.0

#include "axioms.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace skerry::model::axiomatic {

namespace {

// A relation over at most 32 events: row[a] has bit b if a is before b.
class relation {
  public:
    void add(unsigned a, unsigned b) { rows_[a] |= 1U << b; }
    bool has(unsigned a, unsigned b) const { return (rows_[a] >> b & 1U) != 0; }
    bool reflects() const {
        for (unsigned a = 0; a < 32; ++a) {
            if (has(a, a)) {
                return true;
            }
        }
        return false;
    }
    relation closed() const {
        relation r = *this;
        for (unsigned k = 0; k < 32; ++k) {
            for (unsigned a = 0; a < 32; ++a) {
                r.rows_[a] |= r.has(a, k) ? r.rows_[k] : 0;
            }
        }
        return r;
    }
    // This one, then the other.
    relation then(const relation& other) const {
        relation r;
        for (unsigned a = 0; a < 32; ++a) {
            for (unsigned b = 0; b < 32; ++b) {
                r.rows_[a] |= has(a, b) ? other.rows_[b] : 0;
            }
        }
        return r;
    }
    relation operator|(const relation& other) const {
        relation r = *this;
        for (unsigned a = 0; a < 32; ++a) {
            r.rows_[a] |= other.rows_[a];
        }
        return r;
    }

  private:
    std::array<std::uint32_t, 32> rows_{};
};

struct event {
    kind what = kind::store;
    unsigned variable = 0;
    int operand = 0;
    memory_order order = memory_order::relaxed;
    unsigned thread = 0;
    bool reads = false;
    bool writes = false; // of a comparison: when it succeeds
    // Of one candidate:
    unsigned source = 0;
    int read = 0;
    int written = 0;
};

bool acquires(const event& e) { return e.order == memory_order::acquire || e.order == memory_order::acq_rel; }
bool releases(const event& e) { return e.order == memory_order::release || e.order == memory_order::acq_rel; }
bool sequential(const event& e) { return e.order == memory_order::seq_cst; }

class enumeration {
  public:
    enumeration(const program& p, unsigned variables, excluded what)
        : threads_(p.size()),
          variables_(variables),
          excluded_(what) {
        for (unsigned v = 0; v < variables; ++v) {
            events_.push_back({.variable = v, .thread = ~0U, .writes = true});
        }
        for (unsigned t = 0; t < p.size(); ++t) {
            for (const instruction& in : p[t]) {
                const bool access = in.what != kind::fence;
                events_.push_back({.what = in.what,
                                   .variable = access ? in.variable : ~0U,
                                   .operand = in.value,
                                   .order = in.order,
                                   .thread = t,
                                   .reads = access && in.what != kind::store,
                                   .writes = access && in.what != kind::load});
            }
        }
        for (unsigned a = 0; a < events_.size(); ++a) {
            for (unsigned b = 0; b < events_.size(); ++b) {
                const bool initial = events_[a].thread == ~0U && events_[b].thread != ~0U;
                if (initial || (a < b && events_[a].thread == events_[b].thread && events_[a].thread != ~0U)) {
                    before_.add(a, b);
                }
            }
        }
    }

    std::set<std::string> run() {
        choose_source(0);
        return found_;
    }

  private:
    unsigned size() const { return static_cast<unsigned>(events_.size()); }

    void choose_source(unsigned e) {
        while (e < size() && !events_[e].reads) {
            ++e;
        }
        if (e == size()) {
            check_sources();
            return;
        }
        for (unsigned w = 0; w < size(); ++w) {
            if (w != e && events_[w].variable == events_[e].variable && events_[w].what != kind::load) {
                events_[e].source = w;
                choose_source(e + 1);
            }
        }
    }

    // Values follow from who reads whom, unless a value would be its own cause.
    bool evaluate() {
        std::uint32_t known = 0;
        for (unsigned round = 0; round <= size(); ++round) {
            for (unsigned e = 0; e < size(); ++e) {
                event& x = events_[e];
                if ((known >> e & 1U) != 0 || (x.reads && (known >> x.source & 1U) == 0)) {
                    continue;
                }
                x.read = x.reads ? events_[x.source].written : 0;
                x.written = x.what == kind::add ? x.read + x.operand : x.operand;
                x.writes = x.what != kind::load && x.what != kind::fence && (x.what != kind::compare || x.read == 0);
                known |= 1U << e;
            }
        }
        return std::popcount(known) == static_cast<int>(size()) &&
               std::all_of(events_.begin(), events_.end(),
                           [this](const event& x) { return !x.reads || events_[x.source].writes; });
    }

    bool is_update(unsigned e) const { return events_[e].reads && events_[e].writes; }

    void check_sources() {
        if (!evaluate()) {
            return;
        }
        from_ = relation{};
        for (unsigned e = 0; e < size(); ++e) {
            if (events_[e].reads) {
                from_.add(events_[e].source, e);
            }
        }
        if (excluded_ != excluded::nothing && (before_ | from_).closed().reflects()) {
            return;
        }
        happens_ = (before_ | synchronises()).closed();
        if (happens_.reflects()) {
            return;
        }
        orders_.assign(variables_, {});
        for (unsigned v = 0; v < variables_; ++v) {
            std::vector<unsigned> stores;
            for (unsigned e = variables_; e < size(); ++e) {
                if (events_[e].writes && events_[e].variable == v) {
                    stores.push_back(e);
                }
            }
            std::sort(stores.begin(), stores.end());
            do {
                std::vector<unsigned> order = {v};
                order.insert(order.end(), stores.begin(), stores.end());
                if (coherent(order)) {
                    orders_[v].push_back(order);
                }
            } while (std::next_permutation(stores.begin(), stores.end()));
        }
        std::vector<std::vector<unsigned>> chosen;
        choose_orders(chosen);
    }

    // From a release store, or a store behind a release fence, by way of read-modify-writes, to a load with acquire, or
    // before an acquire fence.
    relation synchronises() const {
        relation r;
        for (unsigned reader = 0; reader < size(); ++reader) {
            if (!events_[reader].reads) {
                continue;
            }
            for (unsigned w = events_[reader].source;; w = events_[w].source) {
                for (unsigned a = 0; a < size(); ++a) {
                    const bool out = (a == w && (releases(events_[w]) || sequential(events_[w]))) ||
                                     (events_[a].what == kind::fence && before_.has(a, w) &&
                                      (releases(events_[a]) || sequential(events_[a])));
                    for (unsigned b = 0; b < size() && out; ++b) {
                        // A comparison that fails reads relaxed.
                        const bool failed = events_[b].what == kind::compare && !events_[b].writes;
                        const bool in = (b == reader && !failed && (acquires(events_[b]) || sequential(events_[b]))) ||
                                        (events_[b].what == kind::fence && before_.has(reader, b) &&
                                         (acquires(events_[b]) || sequential(events_[b])));
                        if (in) {
                            r.add(a, b);
                        }
                    }
                }
                if (!is_update(w)) {
                    break;
                }
            }
        }
        return r;
    }

    // mo, fr and rf of one variable.
    relation communicates(const std::vector<unsigned>& order) const {
        relation r;
        for (std::size_t i = 0; i < order.size(); ++i) {
            for (unsigned e = 0; e < size(); ++e) {
                if (events_[e].reads && events_[e].source == order[i]) {
                    r.add(order[i], e);
                    for (std::size_t j = i + 1; j < order.size(); ++j) {
                        if (e != order[j]) {
                            r.add(e, order[j]);
                        }
                    }
                }
            }
            for (std::size_t j = i + 1; j < order.size(); ++j) {
                r.add(order[i], order[j]);
            }
        }
        return r;
    }

    bool coherent(const std::vector<unsigned>& order) const {
        for (std::size_t i = 1; i < order.size(); ++i) {
            if (is_update(order[i]) && events_[order[i]].source != order[i - 1]) {
                return false; // atomicity
            }
        }
        return !happens_.then(communicates(order).closed()).reflects();
    }

    void choose_orders(std::vector<std::vector<unsigned>>& chosen) {
        if (chosen.size() == variables_) {
            if (fences_agree(chosen)) {
                note(chosen);
            }
            return;
        }
        for (const auto& order : orders_[chosen.size()]) {
            chosen.push_back(order);
            choose_orders(chosen);
            chosen.pop_back();
        }
    }

    // psc of fences: [F]; (hb | hb; eco; hb); [F] has no circle.
    bool fences_agree(const std::vector<std::vector<unsigned>>& chosen) const {
        relation eco;
        for (const auto& order : chosen) {
            eco = eco | communicates(order);
        }
        const relation all = happens_ | happens_.then(eco.closed()).then(happens_);
        relation between;
        for (unsigned a = 0; a < size(); ++a) {
            for (unsigned b = 0; b < size(); ++b) {
                if (events_[a].what == kind::fence && sequential(events_[a]) && events_[b].what == kind::fence &&
                    sequential(events_[b]) && all.has(a, b)) {
                    between.add(a, b);
                }
            }
        }
        return !(excluded_ == excluded::with_fences ? between | before_ | from_ : between).closed().reflects();
    }

    void note(const std::vector<std::vector<unsigned>>& chosen) {
        std::string text;
        for (unsigned t = 0; t < threads_; ++t) {
            for (const event& e : events_) {
                text += e.thread == t && e.reads ? std::to_string(e.read) : "";
            }
            text += "|";
        }
        for (const auto& order : chosen) {
            text += " " + std::to_string(events_[order.back()].written);
        }
        found_.insert(text);
    }

    std::size_t threads_;
    unsigned variables_;
    excluded excluded_;
    std::vector<event> events_;
    relation before_;
    relation from_;
    relation happens_;
    std::vector<std::vector<std::vector<unsigned>>> orders_;
    std::set<std::string> found_;
};

} // namespace

std::set<std::string> outcomes(const program& p, unsigned variables, excluded what) {
    return enumeration(p, variables, what).run();
}

} // namespace skerry::model::axiomatic
