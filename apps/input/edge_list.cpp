// SPDX-License-Identifier: Apache-2.0
#include "input/formats.hpp"
#include "input/line_fields.hpp"
#include "input/lines.hpp"
#include "input/numbering.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace apps::input {
namespace {

using graph::buffer;
using graph::vertex;
using graph::weight;

/// What the first line of an edge says about all.
struct line_form {
    std::size_t begin = 0;    ///< behind the titles
    std::size_t columns = 0;  ///< up to the last that is not empty
    bool first_empty = false; ///< nothing stands before the first separator
    char separator = ' ';
    bool attributes = false;
};

/// The form of a line, and whether it is one of titles: none of its fields is a number.
bool read_form(std::string_view line, line_form& form) {
    form.columns = 0;
    form.attributes = false;
    form.separator = separator_of(line);
    // With blanks between, they could as well be the first of many names.
    bool titles = form.separator != ' ' || line.find('\t') != std::string_view::npos;
    line_fields fields(line, form.separator);
    // A tab before the first title is none before a number: those may be indented.
    form.first_empty = form.separator == ' ' && line.starts_with('\t');
    for (std::size_t i = 0; !fields.at_end(); ++i) {
        const std::string_view f = fields.next();
        form.first_empty = form.first_empty || (i == 0 && f.empty());
        if (f.empty()) continue;
        double x = 0;
        titles = titles && !read_real(f, x) && f.front() != '{';
        form.attributes = form.attributes || (i == 2 && f.front() == '{');
        form.columns = i + 1;
    }
    return titles;
}

line_form form_of(const text& t) {
    line_form form;
    std::optional<line_form> titles;
    for (cursor c(t.bytes(), {0, t.bytes().size()}); !c.at_end();) {
        const bool entry = states_entry(c);
        const bool words = entry && read_form(c.rest_of_line(), form);
        if (entry && (!words || titles)) {
            // pandas and R write an index before the columns of a table, unless they are told not to. Their title for
            // it is empty, or there is none.
            if (titles && (titles->first_empty || (titles->columns < form.columns && !form.attributes)))
                t.fail(titles->begin - 1, "the titles leave out a column; if it is the index, write the table without "
                                          "it (pandas: index=False, R: row.names=FALSE)");
            return form;
        }
        c.next_line();
        if (!words) continue;
        form.begin = c.at();
        titles = form;
    }
    t.fail(t.bytes().size(), "the file has no edge");
}

/// The number in what numpy shows for one: np.float64(3.0). Else the word itself.
std::string_view without_type(std::string_view word) {
    const std::size_t bracket = word.find('(');
    if (!word.starts_with("np.") || !word.ends_with(')') || bracket == std::string_view::npos) return word;
    return word.substr(bracket + 1, word.size() - bracket - 2);
}

/// One edge, and whether its vertices fit into `Id`.
template <class Id>
struct entry {
    Id from = 0;
    Id to = 0;
    weight value = 1;
    bool fits = true;
};

class entry_reader {
  public:
    entry_reader(std::string_view bytes, const line_form& form, bool weights)
        : bytes_(bytes),
          form_(form),
          weights_(weights) {}

    template <class Id>
    flaw read(std::string_view line, entry<Id>& e) const {
        line_fields fields(line, form_.separator);
        for (Id* const end : {&e.from, &e.to}) {
            const std::string_view word = fields.next();
            constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
            std::uint64_t value = 0;
            if (!read_number(word, most, value)) return at(word, "vertex: " + why_no_number(word, 0, most));
            e.fits = e.fits && value <= std::numeric_limits<Id>::max();
            *end = static_cast<Id>(value);
        }
        std::string_view word = fields.next();
        if (form_.attributes && word.starts_with('{')) {
            const attributes all = read_attributes(word);
            if (!all.closed) return at(word, "the attributes do not end on this line");
            if (weights_ && !all.weight.empty()) {
                if (std::string reason = take_weight(without_type(all.weight), true, e.value); !reason.empty())
                    return at(all.weight, "weight: " + reason);
            }
            word = {};
        } else if (!form_.attributes && form_.columns > 2) {
            if (std::string reason = take_weight(word, weights_, e.value); !reason.empty())
                return at(word, "weight: " + reason);
            word = {};
            if (form_.columns > 3) {
                const std::string_view time = fields.next();
                weight unused = 0;
                if (std::string reason = take_weight(time, false, unused); !reason.empty())
                    return at(time, "time: " + reason);
            }
        }
        if (word.empty()) word = fields.more();
        return word.empty() ? flaw() : at(word, quoted(word) + " is too much on this line");
    }

  private:
    flaw at(std::string_view word, std::string reason) const {
        return {static_cast<std::size_t>(word.data() - bytes_.data()), std::move(reason)};
    }

    std::string_view bytes_;
    const line_form& form_;
    bool weights_;
};

/// Reads all lines. Whether each vertex fits into `Id`; if not, what was read is of no use.
template <class Id>
bool read_lines(const text& t, const entry_lines& lines, const entry_reader& reader, buffer<Id>& from, buffer<Id>& to,
                buffer<weight>& weights) {
    std::vector<char> fits(lines.blocks().size(), 1);
    parse_blocks(t, lines.blocks(), [&](std::size_t b) {
        return lines.each(b, [&](std::size_t i, const cursor& c) -> flaw {
            entry<Id> e;
            if (flaw f = reader.read(c.rest_of_line(), e)) return f;
            from[i] = e.from;
            to[i] = e.to;
            if (!weights.empty()) weights[i] = e.value;
            if (!e.fits) fits[b] = 0;
            return {};
        });
    });
    return std::ranges::find(fits, 0) == fits.end();
}

} // namespace

parsed_graph parse_edge_list(const text& t, const parse_options& o) {
    const line_form form = form_of(t);
    const entry_lines lines(t, form.begin, o.block_bytes);
    const entry_reader reader(t.bytes(), form, o.weights);
    graph::edge_list e;
    if (o.weights) e.weights = lines.weights(false);
    e.from = buffer<vertex>(lines.size());
    e.to = buffer<vertex>(lines.size());
    if (read_lines(t, lines, reader, e.from, e.to, e.weights)) {
        number_vertices(t, e);
    } else {
        buffer<std::uint64_t> from(lines.size());
        buffer<std::uint64_t> to(lines.size());
        read_lines(t, lines, reader, from, to, e.weights);
        number_vertices(t, e, from, to);
    }
    return {std::move(e), graph::direction::directed};
}

} // namespace apps::input
