// SPDX-License-Identifier: Apache-2.0
#include "input/wordnet.hpp"

#include "program.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

namespace apps::input {

using graph::vertex;

/// A pointer as it stands in the file: which file it points into, and where.
struct wordnet::raw_pointer {
    std::string_view offset_word;
    std::uint32_t offset;
    std::uint8_t file;
    std::array<char, 2> symbol;
};

struct wordnet::parsed_block {
    std::vector<std::uint32_t> offsets;
    std::vector<std::uint32_t> words_of;    ///< how many words each synset has
    std::vector<std::uint32_t> pointers_of; ///< how many pointers each synset has
    std::vector<std::string_view> words;
    std::vector<raw_pointer> pointers;
};

namespace {

constexpr std::size_t verbs = 1;
constexpr std::size_t no_file = 4;

/// The file that holds a part of speech; "s" is an adjective satellite.
std::size_t file_of(std::string_view part_of_speech) {
    if (part_of_speech == "n") return 0;
    if (part_of_speech == "v") return verbs;
    if (part_of_speech == "a" || part_of_speech == "s") return 2;
    if (part_of_speech == "r") return 3;
    return no_file;
}

/// All the characters of a word of 1 to 8 as a number to that base.
bool read_field(std::string_view word, int base, std::uint32_t& value) {
    const char* const begin = word.data();
    const char* const end = begin + word.size();
    const auto r = std::from_chars(begin, end, value, base);
    return word.size() <= 8 && r.ec == std::errc() && r.ptr == end;
}

std::string_view without_marker(std::string_view word) {
    const std::size_t marker = word.ends_with(')') ? word.rfind('(') : std::string_view::npos;
    return marker == std::string_view::npos || marker == 0 ? word : word.substr(0, marker);
}

bool same_entry(std::string_view a, std::string_view b) {
    const auto fold = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == ' ' ? '_' : c;
    };
    return std::ranges::equal(a, b, {}, fold, fold);
}

/// Reads the fields of one line; keeps what is wrong with the first bad one.
class line_reader {
  public:
    explicit line_reader(cursor& c) : cursor_(c) {}

    std::string_view next(const char* what) {
        const std::string_view w = cursor_.word_of_line();
        if (w.empty()) fail(w, std::string("the line ends before the ") + what);
        return w;
    }

    /// The gloss begins with a bar; no field is one.
    std::string_view word(const char* what) {
        const std::string_view w = next(what);
        if (w == "|") fail(w, std::string("the gloss begins before the ") + what);
        return w;
    }

    std::uint32_t number(const char* what, int base = 10) {
        const std::string_view w = word(what);
        std::uint32_t value = 0;
        if (!flaw_ && !read_field(w, base, value)) fail(w, std::string(what) + ": " + quoted(w) + " is not a number");
        return value;
    }

    std::size_t file(const char* what) {
        const std::string_view w = word(what);
        const std::size_t f = file_of(w);
        if (!flaw_ && f == no_file) fail(w, std::string(what) + ": " + quoted(w) + " is none of n, v, a, s, r");
        return f;
    }

    void expect(std::string_view mark, const char* what) {
        const std::string_view w = next(what);
        if (w != mark) fail(w, quoted(w) + " stands where the " + what + " should begin");
    }

    /// The sentences that a verb fits into.
    void frames() {
        const std::uint32_t count = number("number of frames");
        for (std::uint32_t i = 0; i != count && !failed(); ++i) {
            expect("+", "next frame");
            number("frame");
            number("word of the frame", 16);
        }
    }

    void fail(std::string_view where, std::string reason) {
        if (!flaw_) flaw_ = {cursor_.offset_of(where), std::move(reason)};
    }

    bool failed() const { return static_cast<bool>(flaw_); }
    flaw& first_flaw() { return flaw_; }

  private:
    cursor& cursor_;
    flaw flaw_;
};

struct relation_name {
    std::string_view symbol;
    std::string_view name;
    std::string_view inverse;
};

/// wninput(5WN).
constexpr std::array relation_names{
    relation_name{"!", "antonym", "antonym"},
    relation_name{"@", "hypernym", "hyponym"},
    relation_name{"@i", "class", "instance"},
    relation_name{"~", "hyponym", "hypernym"},
    relation_name{"~i", "instance", "class"},
    relation_name{"#m", "group it belongs to", "member"},
    relation_name{"#s", "thing made of it", "substance"},
    relation_name{"#p", "whole", "part"},
    relation_name{"%m", "member", "group it belongs to"},
    relation_name{"%s", "substance", "thing made of it"},
    relation_name{"%p", "part", "whole"},
    relation_name{"=", "attribute", "attribute"},
    relation_name{"+", "derived form", "derived form"},
    relation_name{";c", "topic", "term of the topic"},
    relation_name{"-c", "term of the topic", "topic"},
    relation_name{";r", "region", "term of the region"},
    relation_name{"-r", "term of the region", "region"},
    relation_name{";u", "usage", "term of the usage"},
    relation_name{"-u", "term of the usage", "usage"},
    relation_name{"*", "entailed act", "entailing act"},
    relation_name{">", "effect", "cause"},
    relation_name{"^", "see also", "see also"},
    relation_name{"$", "verb of the group", "verb of the group"},
    relation_name{"&", "similar", "similar"},
    relation_name{"<", "verb", "participle"},
    relation_name{"\\", "noun or adjective", "derived word"},
};

const relation_name* find_relation(std::array<char, 2> symbol) {
    const std::string_view s(symbol.data(), symbol[1] == 0 ? 1 : 2);
    const auto found = std::ranges::find(relation_names, s, &relation_name::symbol);
    return found == relation_names.end() ? nullptr : &*found;
}

std::vector<text> open_files(const std::string& folder) {
    const std::filesystem::path path(folder);
    if (!std::filesystem::exists(path / wordnet::file_names[0])) {
        throw input_missing((path / wordnet::file_names[0]).string() +
                            ": not found; WordNet's data files are in Debian's package wordnet-base");
    }
    std::vector<text> files;
    files.reserve(std::size(wordnet::file_names));
    for (const std::string_view name : wordnet::file_names) files.emplace_back((path / name).string());
    return files;
}

} // namespace

bool wordnet::is_in(const std::string& folder) {
    return std::ranges::any_of(file_names, [&](std::string_view name) {
        std::error_code unknown; // what cannot be looked at is left to who opens it
        return exists(std::filesystem::path(folder) / name, unknown);
    });
}

wordnet::wordnet(const std::string& folder, std::size_t block_bytes) : wordnet(open_files(folder), block_bytes) {}

wordnet::wordnet(std::vector<text> files, std::size_t block_bytes)
    : files_(std::move(files)),
      first_word_{0},
      first_pointer_{0} {
    std::vector<raw_pointer> raw;
    std::array<std::size_t, no_file + 1> first_raw{};
    for (std::size_t f = 0; f != no_file; ++f) {
        const text& t = files_.at(f);
        if (!t.bytes().ends_with('\n')) t.fail(t.bytes().size(), "truncated: the last line does not end");
        const std::vector<block> blocks = blocks_of_lines(t.bytes(), 0, block_bytes);
        std::vector<parsed_block> parsed(blocks.size());
        parse_blocks(t, blocks, [&](std::size_t b) { return parse_block(t, f, blocks[b], parsed[b]); });
        for (const parsed_block& p : parsed) {
            append(p);
            raw.insert(raw.end(), p.pointers.begin(), p.pointers.end());
        }
        first_synset_[f + 1] = offset_.size();
        first_raw[f + 1] = raw.size();
    }
    if (offset_.empty()) files_[0].fail(0, "the four files have no synset");

    pointers_.resize(raw.size());
    for (std::size_t f = 0; f != no_file; ++f) {
        constexpr std::size_t pointers_per_block = 1024;
        std::vector<block> blocks;
        for (std::size_t i = first_raw[f]; i < first_raw[f + 1]; i += pointers_per_block)
            blocks.push_back({i, std::min(i + pointers_per_block, first_raw[f + 1])});
        parse_blocks(files_[f], blocks, [&](std::size_t b) { return resolve(files_[f], raw, blocks[b]); });
    }
}

flaw wordnet::parse_block(const text& t, std::size_t file, block b, parsed_block& into) {
    for (cursor c(t.bytes(), b); !c.at_end(); c.next_line()) {
        const std::size_t begin = c.at();
        // The files begin with the licence, each line of it behind two spaces.
        if (t.bytes().substr(begin, 2) == "  ") continue;
        line_reader line(c);
        const std::uint32_t offset = line.number("offset of the synset");
        if (!line.failed() && offset != begin) {
            line.fail(t.bytes().substr(begin), "the synset says it begins at byte " + std::to_string(offset) +
                                                   ", it begins at " + std::to_string(begin));
        }
        line.number("number of the lexicographer's file");
        if (line.file("type of the synset") != file) {
            line.fail(t.bytes().substr(begin), "a synset of another part of speech");
        }
        const std::uint32_t words = line.number("number of words", 16);
        if (words == 0) line.fail(t.bytes().substr(begin), "a synset without words");
        for (std::uint32_t i = 0; i != words && !line.failed(); ++i) {
            into.words.push_back(without_marker(line.word("next word")));
            line.number("lexical number", 16);
        }
        const std::uint32_t pointers = line.number("number of pointers");
        for (std::uint32_t i = 0; i != pointers && !line.failed(); ++i) {
            const std::string_view symbol = line.word("next pointer");
            if (symbol.size() > 2) line.fail(symbol, quoted(symbol) + " is no pointer symbol");
            const std::string_view target = line.word("target of the pointer");
            raw_pointer p{target, 0, 0, {symbol.empty() ? '\0' : symbol[0], symbol.size() == 2 ? symbol[1] : '\0'}};
            if (!line.failed() && !read_field(target, 10, p.offset))
                line.fail(target, "target of the pointer: " + quoted(target) + " is not a number");
            p.file = static_cast<std::uint8_t>(line.file("part of speech"));
            line.number("source and target words", 16);
            into.pointers.push_back(p);
        }
        if (file == verbs) line.frames();
        line.expect("|", "gloss");
        if (line.failed()) return line.first_flaw();
        into.offsets.push_back(offset);
        into.words_of.push_back(words);
        into.pointers_of.push_back(pointers);
    }
    return {};
}

void wordnet::append(const parsed_block& b) {
    offset_.insert(offset_.end(), b.offsets.begin(), b.offsets.end());
    word_.insert(word_.end(), b.words.begin(), b.words.end());
    for (const std::uint32_t count : b.words_of) first_word_.push_back(first_word_.back() + count);
    for (const std::uint32_t count : b.pointers_of) first_pointer_.push_back(first_pointer_.back() + count);
}

flaw wordnet::resolve(const text& t, const std::vector<raw_pointer>& raw, block range) {
    for (std::size_t i = range.begin; i != range.end; ++i) {
        const raw_pointer& p = raw[i];
        const auto at = [&](std::size_t synset) { return offset_.begin() + static_cast<std::ptrdiff_t>(synset); };
        const auto last = at(first_synset_[p.file + std::size_t{1}]);
        const auto found = std::lower_bound(at(first_synset_[p.file]), last, p.offset);
        if (found == last || *found != p.offset) {
            return {static_cast<std::size_t>(p.offset_word.data() - t.bytes().data()),
                    "a pointer to " + quoted(p.offset_word) + " of " + files_[p.file].name() +
                        ", where no synset begins"};
        }
        pointers_[i] = {static_cast<vertex>(found - offset_.begin()), p.symbol};
    }
    return {};
}

graph::edge_list wordnet::edges() const {
    graph::edge_list e;
    e.vertices = synsets();
    e.from = graph::buffer<vertex>(pointers());
    e.to = graph::buffer<vertex>(pointers());
    skerry::parallel_for(std::size_t{0}, synsets(), [&](std::size_t v) {
        for (std::size_t i = first_pointer_[v]; i != first_pointer_[v + 1]; ++i) {
            e.from[i] = static_cast<vertex>(v);
            e.to[i] = pointers_[i].to;
        }
    });
    return e;
}

std::span<const std::string_view> wordnet::words(vertex synset) const {
    return {word_.data() + first_word_[synset], word_.data() + first_word_[synset + std::size_t{1}]};
}

std::vector<vertex> wordnet::find(std::string_view word) const {
    std::vector<vertex> found;
    for (vertex v = 0; v != synsets(); ++v) {
        if (std::ranges::any_of(words(v), [&](std::string_view w) { return same_entry(w, word); })) found.push_back(v);
    }
    return found;
}

std::string_view wordnet::relation(vertex from, vertex to) const {
    const auto symbol_between = [&](vertex u, vertex v) -> const relation_name* {
        for (std::size_t i = first_pointer_[u]; i != first_pointer_[u + std::size_t{1}]; ++i) {
            if (pointers_[i].to == v) return find_relation(pointers_[i].symbol);
        }
        return nullptr;
    };
    if (const relation_name* r = symbol_between(from, to)) return r->name;
    if (const relation_name* r = symbol_between(to, from)) return r->inverse;
    return {};
}

std::string readable(std::string_view word) {
    std::string result(word);
    std::ranges::replace(result, '_', ' ');
    return result;
}

} // namespace apps::input
