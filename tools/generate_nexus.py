# SPDX-License-Identifier: Apache-2.0
"""What tools/generate makes of spec/nexus.toml: a C++ header, a package in SystemVerilog, a page."""
import textwrap
import tomllib

WORD_BITS = 64


class Bad(Exception):
    pass


def need(entry, where, *keys):
    for key in keys:
        if key not in entry or entry[key] == "":
            raise Bad(f"{where}: '{key}' is missing")


def read(path):
    """The spec, checked."""
    with open(path, "rb") as file:
        spec = tomllib.load(file)
    need(spec, path.name, "word", "register", "size")
    words = {}
    for word in spec["word"]:
        where = f"{path.name}: word {word.get('name', '?')}"
        need(word, where, "name", "meaning", "field")
        if word["name"] in words:
            raise Bad(f"{where}: it is there twice")
        words[word["name"]] = word
        end, names = 0, set()
        for field in word["field"]:
            here = f"{where}: field {field.get('name', '?')}"
            need(field, here, "name", "low", "bits", "meaning")
            if field["name"] in names:
                raise Bad(f"{here}: it is there twice")
            names.add(field["name"])
            if field["bits"] < 1 or field["low"] < end or field["low"] + field["bits"] > WORD_BITS:
                raise Bad(f"{here}: its bits are another's, or not in the word")
            end = field["low"] + field["bits"]
            if any(not 0 <= v < 1 << field["bits"] for v in field.get("values", {}).values()):
                raise Bad(f"{here}: a value has more than {field['bits']} bits")
    offsets = set()
    for register in spec["register"]:
        where = f"{path.name}: register {register.get('name', '?')}"
        need(register, where, "name", "offset", "access", "word", "meaning")
        if register["access"] not in ("read", "write"):
            raise Bad(f"{where}: no access '{register['access']}'")
        if register["word"] not in words:
            raise Bad(f"{where}: no word '{register['word']}'")
        if register["offset"] % 8 or register["offset"] in offsets:
            raise Bad(f"{where}: its offset is another's, or no multiple of 8")
        offsets.add(register["offset"])
    for size in spec["size"]:
        need(size, f"{path.name}: size {size.get('name', '?')}", "name", "value", "unit")
    return spec


def sentence(text):
    return text[0].upper() + text[1:] + "."


def comment(text, indent=""):
    return textwrap.wrap(text, 116, initial_indent=indent + "// ", subsequent_indent=indent + "// ")


def bits(field):
    high = field["low"] + field["bits"] - 1
    return str(high) if field["bits"] == 1 else f"{high}:{field['low']}"


def kind(field):
    """The type of a field, and of the enumeration that names its values."""
    if "values" in field:
        return f"nexus_{field['name']}"
    if field["bits"] == 1:
        return "bool"
    return f"std::uint{next(b for b in (8, 16, 32, 64) if field['bits'] <= b)}_t"


def zero(field):
    if "values" in field:
        return f"nexus_{field['name']}::{next(iter(field['values']))}"
    return "false" if field["bits"] == 1 else "0"


def header(spec):
    out = ["// SPDX-License-Identifier: Apache-2.0",
           "// Written by tools/generate from spec/nexus.toml; change that file.", "#pragma once", "",
           "#include <cstdint>", "", "#include <skerry/detail/base/abi.hpp>", "",
           "namespace skerry::inline SKERRY_ABI::detail {", "",
           "// The registers of a task manager, by their offset in bytes.", "enum class nexus_register : std::uint8_t {"]
    for register in spec["register"]:
        out += [*comment(f"{register['access'].capitalize()}: {register['meaning']}.", "    "),
                f"    {register['name']} = 0x{register['offset']:02x},"]
    out += ["};", "", "// Table I of the paper."]
    out += [f"inline constexpr std::uint32_t nexus_{s['constant']} = {s['value']};" for s in spec["size"] if "constant" in s]
    for word in spec["word"]:
        for field in word["field"]:
            if "values" in field:
                values = ", ".join(f"{n} = {v}" for n, v in field["values"].items())
                out += ["", *comment(sentence(f"{field['name']} of the {word['name']} word: {field['meaning']}")),
                        f"enum class nexus_{field['name']} : std::uint8_t {{ {values} }};"]
        name = f"nexus_{word['name']}_word"
        out += ["", *comment(sentence(f"{word['name']}: {word['meaning']}")), f"struct {name} {{"]
        for field in word["field"]:
            out += [*comment(f"{'Bit' if field['bits'] == 1 else 'Bits'} {bits(field)}: {field['meaning']}.", "    "), f"    {kind(field)} {field['name']} = {zero(field)};"]
        out += [""]
        for field in word["field"]:
            out += [f"    static constexpr std::uint64_t most_{field['name']} = 0x{(1 << field['bits']) - 1:x};"]
        out += ["", "    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {", "        std::uint64_t word = 0;"]
        for f in word["field"]:
            value = f"static_cast<std::uint64_t>({f['name']}) & most_{f['name']}"
            out += [f"        word |= ({value}) << {f['low']};" if f["low"] else f"        word |= {value};"]
        out += ["        return word;", "    }",
                f"    [[nodiscard]] static constexpr {name} unpack(std::uint64_t word) noexcept {{", f"        {name} w;"]
        for f in word["field"]:
            value = f"(word >> {f['low']}) & most_{f['name']}" if f["low"] else f"word & most_{f['name']}"
            out += [f"        w.{f['name']} = " + (f"({value}) != 0;" if kind(f) == "bool" else
                                                  f"{value};" if kind(f) == "std::uint64_t" else f"static_cast<{kind(f)}>({value});")]
        out += ["        return w;", "    }", f"    friend constexpr bool operator==(const {name}&, const {name}&) = default;", "};"]
    out += ["", "} // namespace skerry::inline SKERRY_ABI::detail"]
    return "\n".join(out) + "\n"


def camel(*names):
    return "".join(p.capitalize() for n in names for p in n.split("_"))


def package(spec):
    out = ["// SPDX-License-Identifier: Apache-2.0",
           "// Written by tools/generate from spec/nexus.toml; change that file.",
           "// Each field of a word has its lowest bit (Lsb) and its number of bits (Width).",
           "// A package has what some of its users need, and others do not.",
           "// verilator lint_off UNUSEDPARAM", "package nexus_words;"]
    for word in spec["word"]:
        out += ["", *comment(sentence(f"{word['name']}: {word['meaning']}"), "  ")]
        for field in word["field"]:
            name = camel(word["name"], field["name"])
            out += [f"  localparam int unsigned {name}Lsb = {field['low']};",
                    f"  localparam int unsigned {name}Width = {field['bits']};"]
            out += [f"  localparam bit [{field['bits'] - 1}:0] {name}{camel(n)} = {v};" for n, v in field.get("values", {}).items()]
    out += ["", "  // Registers, by their offset in bytes."]
    out += [f"  localparam bit [7:0] Register{camel(r['name'])} = 8'h{r['offset']:02x};" for r in spec["register"]]
    out += ["", "  // Table I of the paper."]
    out += [f"  localparam int unsigned {camel(s['constant'])} = {s['value']};" for s in spec["size"] if "constant" in s]
    return "\n".join([*out, "endpackage", "// verilator lint_on UNUSEDPARAM"]) + "\n"


def page(spec):
    out = ["<!-- Written by tools/generate from spec/nexus.toml; change that file. -->", "# Words of the task manager Nexus++", "",
           "For who writes a driver, or changes the model or the hardware. A task manager is three FIFOs of 64-bit words, each with a",
           "register for its words and one for its state. [The driver's side](../src/deps/nexus/README.md) and [the",
           "hardware](../rtl/README.md) say what they do with them.", "",
           "## Registers", "| register | offset | access | word | meaning |", "|---|---|---|---|---|"]
    out += [f"| `{r['name']}` | 0x{r['offset']:02x} | {r['access']} | {r['word']} | {r['meaning']} |" for r in spec["register"]]
    out += ["", "## Words", "Bits that are not named are 0.", "", "| word | bits | field | meaning |", "|---|---|---|---|"]
    for word in spec["word"]:
        out += [f"| **{word['name']}** | | | {word['meaning']} |"]
        for field in word["field"]:
            values = ": " + ", ".join(f"{v} `{n}`" for n, v in field["values"].items()) if "values" in field else ""
            out += [f"| | {bits(field)} | `{field['name']}` | {field['meaning']}{values} |"]
    out += ["", "## Sizes", "Table I of the paper. The sizes of the model and of the hardware are parameters; these are the usual ones.", "",
            "| table | size | bits of an entry |", "|---|---|---|"]
    out += [f"| {s['name']} | {s['value']} {s['unit']} | {s.get('bits', '–')} |" for s in spec["size"]]
    return "\n".join(out) + "\n"


def outputs(root):
    """{path: text} of everything that is generated."""
    spec = read(root / "spec" / "nexus.toml")
    return {root / "src/deps/nexus/words.hpp": header(spec), root / "rtl/rtl/nexus_words.sv": package(spec),
            root / "docs/nexus.md": page(spec)}
