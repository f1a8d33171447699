#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plain_calls_test.py OBJDUMP ARCHIVE: no object of the engine calls memcpy, memmove or memset.

They are the engine's own hooks: called from inside it, an access of the program would lead to one that is none. Looks
at the relocations of the code, since most such calls are the compiler's and stand in no source.
"""

import re
import subprocess
import sys

HOOKS = {name + kin for name in ("memcpy", "memmove", "memset") for kin in ("", "@plt", "@PLT")}
PLAIN = {"skerry_plain_" + name for name in ("memcpy", "memmove", "memset")}


def targets(dump):
    """(object, section, symbol) for each relocation in code."""
    name = section = None
    for line in dump.splitlines():
        if found := re.match(r"(?:.*[(/])?([^(/\s]+\.o)\)?:\s+file format", line):
            name = found.group(1)
        elif found := re.match(r"RELOCATION RECORDS FOR \[(\S+)\]", line):
            section = found.group(1)
        elif section and section.startswith(".text") and (found := re.match(r"[0-9a-f]+\s+R_\S+\s+(\S+)", line)):
            yield name, section, re.sub(r"[+-]0x[0-9a-f]+$", "", found.group(1))


def main():
    objdump, archive = sys.argv[1:]
    dump = subprocess.run([objdump, "-r", archive], check=True, capture_output=True, text=True).stdout
    seen = list(targets(dump))
    plain = {name for name, _, symbol in seen if symbol in PLAIN}
    broken = sorted({f"{name}: {section} calls {symbol}" for name, section, symbol in seen if symbol in HOOKS})
    for line in broken:
        print(line)
    # The hooks' own file and at least one that uses memset: else this looks at the wrong thing and finds nothing.
    if not {"memory_hooks.cpp.o", "engine.cpp.o"} <= plain:
        print(f"no call of the plain functions in memory_hooks.cpp or engine.cpp; seen in {sorted(plain)}")
        return 1
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
