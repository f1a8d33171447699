#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""functions.py OUTPUT HEADER...: writes a source with functions() of functions.hpp, a row for each function that the headers declare:
its name, and a call of it with nothing, which is null, 0 and no handle."""
import pathlib
import re
import sys

DECLARATION = re.compile(r"EM_API\s+([^;{}()]*?)\b((?:skerry_)?em_\w+)\s*\(([^;{}]*)\)\s*;")

SOURCE = """#include <event_machine/helper/event_machine_debug.h>
#include <event_machine/helper/event_machine_helper.h>

#include "functions.hpp"

namespace skerry::test {

const std::vector<function>& functions() {
    static const std::vector<function> all = {
%s
    };
    return all;
}

} // namespace skerry::test
"""


def rows(text):
    for result, name, parameters in DECLARATION.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.S)):
        types = [] if parameters.strip() == "void" else [p.strip() for p in parameters.split(",")]
        given = ", ".join("{}" for t in types if t not in ("...", "va_list args"))
        if "va_list args" in types:
            continue  # the test calls it itself
        call = f"{name}({given})"
        answer = {"void": f"{call}; return answer{{}};", "em_status_t": f"return status({call});"}
        yield f'{{"{name}", [] {{ {answer.get(result.strip(), f"return value({call});")} }}}},'


def main():
    all_rows = [row for path in sys.argv[2:] for row in rows(pathlib.Path(path).read_text(encoding="utf-8"))]
    if len(all_rows) < 200:
        sys.exit(f"functions.py: only {len(all_rows)} declarations were understood")
    pathlib.Path(sys.argv[1]).write_text(SOURCE % "\n".join(all_rows), encoding="utf-8")


if __name__ == "__main__":
    main()
