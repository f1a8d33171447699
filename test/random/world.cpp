// SPDX-License-Identifier: Apache-2.0

#include "world.hpp"

namespace random_programs {

namespace {

void add_dynamic(const directory& d, std::vector<std::span<word>>& pieces) {
    for (word* const w : d.slot) {
        if (w != nullptr) {
            pieces.emplace_back(w, 1);
        }
    }
    if (d.in_sub != nullptr) {
        pieces.emplace_back(d.in_sub, 1);
    }
}

} // namespace

std::span<word> layout::range(const access& a) const noexcept {
    if (a.first < plain_words) {
        return {plain + a.first, a.count};
    }
    const unsigned n = a.first - plain_words;
    object& o = *region[n / region_words].objects[n % region_words / 2];
    return {o.data() + n % 2, a.count};
}

std::vector<std::span<word>> layout::pieces(const access& a) const {
    std::vector<std::span<word>> all;
    switch (a.what) {
    case access::kind::range: all.push_back(range(a)); break;
    case access::kind::region:
        for (unsigned r = a.first; r < (a.first == 0 ? regions : a.first + 1); ++r) {
            for (object* const o : region[r].objects) {
                all.emplace_back(*o);
            }
            add_dynamic(*region[r].contents, all);
        }
        break;
    case access::kind::slot:
        if (word* const w = region[a.first].contents->slot[a.count]) {
            all.emplace_back(w, 1);
        }
        break;
    case access::kind::sub:
        if (in_sub != nullptr) {
            all.emplace_back(in_sub, 1);
        }
        break;
    }
    return all;
}

world::world(std::size_t statements, std::uint32_t program)
    : statements_(statements),
      home_(skerry::root_region().create()),
      where_{} {
    where_.program = program;
    where_.plain = home_.make_array<word>(plain_words).data();
    where_.log = statements != 0 ? home_.make_array<word>(statements).data() : nullptr;
    for (unsigned r = 0; r < regions; ++r) {
        auto& here = where_.region[r];
        here.handle = (r == 0 ? home_ : where_.region[0].handle).create();
        for (object*& o : here.objects) {
            o = here.handle.make<object>();
        }
        here.contents = here.handle.make<directory>();
    }
    word next = 0;
    for (unsigned i = 0; i < words; ++i) {
        where_.range({access::kind::range, mode::out, i, 1})[0] = mixed(++next);
    }
}

world::~world() { home_.destroy_all(); }

std::vector<word> world::contents() const {
    std::vector<word> all(where_.plain, where_.plain + plain_words);
    for (const auto& r : where_.region) {
        for (const object* const o : r.objects) {
            all.insert(all.end(), o->begin(), o->end());
        }
        for (const word* const w : r.contents->slot) {
            all.push_back(w != nullptr ? *w : 0);
        }
        all.push_back(r.contents->in_sub != nullptr ? *r.contents->in_sub : 0);
    }
    return all;
}

} // namespace random_programs
