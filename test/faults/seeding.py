# SPDX-License-Identifier: Apache-2.0
"""Sources with faults in them, all in one program, of which a run switches at most one on."""

import argparse
import pathlib
import sys

HEAD = """extern int skerry_fault; // which fault is switched on; 0: none
static inline bool fault_is(int which) { return skerry_fault == which; }
"""


def write(sources, output, faults):
    """Copies of the sources that `faults` edits: {name: [(file, text, replacement), ...]}. In a replacement @ stands for
    "this fault is switched on"; each text stands exactly once in its file, and in no other fault."""
    files = {file for edits in faults.values() for file, _, _ in edits}
    originals = {file: (sources / file).read_text(encoding="utf-8") for file in files}
    texts = dict(originals)
    for k, (name, edits) in enumerate(faults.items(), start=1):
        for file, text, replacement in edits:
            if originals[file].count(text) != 1 or texts[file].count(text) != 1:
                sys.exit(f"'{name}': its text must stand once in {file}, and in no other fault:\n{text}")
            texts[file] = texts[file].replace(text, replacement.replace("@", f"fault_is({k})"))
    for file, text in texts.items():
        path = output / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD + text, encoding="utf-8")


def commands(text):
    """A parser with `write SOURCES OUTPUT`, and its still empty command `run`."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    both = parser.add_subparsers(dest="command", required=True)
    writing = both.add_parser("write")
    writing.add_argument("sources", type=pathlib.Path)
    writing.add_argument("output", type=pathlib.Path)
    return parser, both.add_parser("run")
