// SPDX-License-Identifier: Apache-2.0

#include "program.hpp"

#include <algorithm>
#include <string_view>

namespace random_programs {

namespace {

constexpr footprint ones(unsigned first, unsigned count) noexcept { return (bit(count) - 1) << first; }

footprint region_alone(unsigned r) noexcept {
    return ones(plain_words + r * region_words, region_words) | ones(words + r * region_bits, region_bits);
}

void add_to_index(const std::vector<statement>& list, std::vector<const statement*>& index) {
    for (const statement& s : list) {
        index[s.id] = &s;
        add_to_index(s.first, index);
        add_to_index(s.second, index);
    }
}

// All children of one task, wherever in its body they are spawned.
void children_of(const std::vector<statement>& list, std::vector<const statement*>& children) {
    for (const statement& s : list) {
        if (s.what == statement::kind::spawn) {
            children.push_back(&s);
        } else {
            children_of(s.first, children);
            children_of(s.second, children);
        }
    }
}

void compare(const statement& a, const statement& b, traits& t) {
    for (const access& x : a.accesses) {
        for (const access& y : b.accesses) {
            if ((touched(x) & touched(y)) != 0) {
                t.conflicts |= writes(x.how) || writes(y.how);
                t.overlaps |= !same_name(x, y);
            }
        }
    }
}

void look_at(const std::vector<statement>& list, bool within_task, traits& t) {
    for (const statement& s : list) {
        t.fails |= s.what == statement::kind::fail;
        t.forks |= s.what == statement::kind::fork;
        t.waits_on |= s.what == statement::kind::wait_on;
        for (const access& a : s.accesses) {
            t.uses_regions |=
                a.what == access::kind::region || a.what == access::kind::slot || a.what == access::kind::sub;
        }
        const bool task = s.what == statement::kind::spawn;
        t.tasks += task ? 1 : 0;
        t.nested |= task && within_task;
        look_at(s.first, within_task || task, t);
        look_at(s.second, within_task, t);
    }
}

void compare_children(const std::vector<statement>& body, traits& t) {
    std::vector<const statement*> children;
    children_of(body, children);
    for (std::size_t i = 0; i < children.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            compare(*children[k], *children[i], t);
        }
        compare_children(children[i]->first, t);
    }
}

void remove(std::vector<statement>& list, const std::vector<std::uint32_t>& ids) {
    std::erase_if(list, [&ids](const statement& s) { return std::ranges::find(ids, s.id) != ids.end(); });
    for (statement& s : list) {
        remove(s.first, ids);
        remove(s.second, ids);
    }
}

std::uint32_t number_from(std::vector<statement>& list, std::uint32_t next) {
    for (statement& s : list) {
        s.id = next++;
        next = number_from(s.first, next);
        next = number_from(s.second, next);
        s.end = next;
    }
    return next;
}

std::string number(unsigned n) { return std::to_string(n); }

std::string text_of(const access& a) {
    std::string name;
    switch (a.what) {
    case access::kind::range:
        if (a.first < cells) {
            name = "cell[" + number(a.first) + "]";
        } else if (a.first < plain_words) {
            name = "array[" + number(a.first - cells) + ".." + number(a.first - cells + a.count) + ")";
        } else {
            const unsigned n = a.first - plain_words;
            name = "region[" + number(n / region_words) + "].word[" + number(n % region_words) + ".." +
                   number(n % region_words + a.count) + ")";
        }
        break;
    case access::kind::region: name = "region[" + number(a.first) + "]"; break;
    case access::kind::slot: name = "*region[" + number(a.first) + "].slot[" + number(a.count) + "]"; break;
    case access::kind::sub: name = "region[" + number(a.first) + "].sub"; break;
    case access::kind::list: name = "list"; break;
    case access::kind::shelf: name = "shelf"; break;
    }
    constexpr std::string_view modes[] = {"in(", "out(", "inout("};
    return std::string(modes[static_cast<std::size_t>(a.how)]) + name + ")";
}

std::string text_of(const std::vector<access>& list) {
    std::string text;
    for (const access& a : list) {
        text += (text.empty() ? "" : ", ") + text_of(a);
    }
    return text;
}

void write(const std::vector<statement>& list, const std::string& indent, std::string& text) {
    for (const statement& s : list) {
        const std::string place = "region[" + number(s.region) + "].";
        const std::string slot = place + "slot[" + number(s.slot) + "]";
        text += indent + (s.caught ? "try { " : "");
        const auto block = [&](const std::vector<statement>& inner, const char* end) {
            text += "\n";
            write(inner, indent + "    ", text);
            text += indent + end;
        };
        switch (s.what) {
        case statement::kind::spawn:
            text += "spawn([] {";
            if (s.first.empty()) {
                text += " touch }";
            } else {
                text += " touch";
                block(s.first, "}");
            }
            text += (s.accesses.empty() ? "" : ", ") + text_of(s.accesses) + ");";
            break;
        case statement::kind::touch: text += "touch(" + text_of(s.accesses) + ");"; break;
        case statement::kind::wait: text += "taskwait();"; break;
        case statement::kind::wait_on: text += "taskwait_on(" + text_of(s.accesses) + ");"; break;
        case statement::kind::finish:
            text += "finish([] {";
            block(s.first, "});");
            break;
        case statement::kind::fork:
            text += "parallel_invoke([] {";
            block(s.first, "}, [] {");
            block(s.second, "});");
            break;
        case statement::kind::make:
            text += slot + " = region.make" + (s.size == 0 ? "<witness>()" : "(" + number(s.size) + ")") + ";";
            break;
        case statement::kind::destroy: text += "destroy(" + slot + ");"; break;
        case statement::kind::create_sub: text += place + "sub = region.create();"; break;
        case statement::kind::destroy_sub: text += place + "sub.destroy_all();"; break;
        case statement::kind::scribble: text += "scribble(" + text_of(s.accesses) + ");"; break;
        case statement::kind::fail: text += "throw \"s" + number(s.id) + "\";"; break;
        }
        text += std::string(s.caught ? " } catch (...) {}" : "") + "  // s" + number(s.id) + "\n";
    }
}

} // namespace

footprint touched(const access& a) noexcept {
    switch (a.what) {
    case access::kind::range: return ones(a.first, a.count);
    case access::kind::region:
        return a.first == 0 ? region_alone(0) | region_alone(1) | region_alone(2) : region_alone(a.first);
    case access::kind::slot: return slot_bit(a.first, a.count);
    case access::kind::sub: return sub_bit(a.first);
    case access::kind::list: return ones(cells, array_words) | title_bit;
    case access::kind::shelf: return ones(cells, array_words) | title_bit | shelf_bit;
    }
    return 0;
}

bool same_name(const access& a, const access& b) noexcept {
    return a.what == b.what && a.first == b.first && a.count == b.count;
}

void number_statements(program& p) { p.statements = number_from(p.body, 0); }

bool may_go(const statement& s) noexcept {
    switch (s.what) {
    case statement::kind::spawn:
    case statement::kind::touch:
    case statement::kind::make:
    case statement::kind::destroy:
    case statement::kind::create_sub:
    case statement::kind::destroy_sub:
    case statement::kind::scribble:
    case statement::kind::fail: return true;
    default: return false;
    }
}

program without(const program& p, const std::vector<std::uint32_t>& ids) {
    program smaller = p;
    remove(smaller.body, ids);
    number_statements(smaller);
    return smaller;
}

std::vector<const statement*> program::index() const {
    std::vector<const statement*> all(statements, nullptr);
    add_to_index(body, all);
    return all;
}

traits traits_of(const program& p) {
    traits t;
    look_at(p.body, false, t);
    compare_children(p.body, t);
    return t;
}

std::string text_of(const program& p) {
    std::string text;
    for (const unsigned each : p.history) {
        text += (text.empty() ? "// history: " : " ") + number(each);
    }
    text += text.empty() ? "" : "\n";
    write(p.body, "", text);
    return text;
}

} // namespace random_programs
