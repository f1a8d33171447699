#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_layers accepts a good tree, and rejects a tree broken in each way with file, line and rule."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = LICENCE + "#pragma once\n"

GOOD = {
    "src/base/text.hpp": HEADER + "#include <cstddef>\ninline std::size_t length() { return 1; }\n",
    "src/base/port/system.cpp": LICENCE + '#include <unistd.h>\n#include "base/text.hpp"\nint own() { return getpid(); }\n',
    "src/base/port/count.cpp": LICENCE + "int count(int* x) { return __atomic_load_n(x, __ATOMIC_RELAXED); }\n",
    "include/skerry/detail/base/abi.hpp": HEADER,
    "include/skerry/detail/base/port/pause.hpp": HEADER + 'inline void pause() { asm volatile("nop"); }\n',
    "include/skerry/detail/sync/native.hpp": HEADER + "#include <skerry/detail/base/abi.hpp>\n"
                                             "inline int load(const int* x) { return __atomic_load_n(x, 0); }\n",
    "src/sync/gate.hpp": HEADER + '#include <skerry/detail/sync/native.hpp>\n#include "base/text.hpp"\n',
    "src/sched/worker.cpp": LICENCE + '#include "sync/gate.hpp"\n// std::atomic and mmap( may be talked about\n'
                            'const char* text = "std::atomic /* not a comment";\n',
    "include/skerry/detail/frontend/forkjoin/fork.hpp": HEADER + "#include <skerry/detail/sync/native.hpp>\n",
    "include/skerry/range.hpp": HEADER + "#include <skerry/detail/base/abi.hpp>\n",
    "include/skerry/forkjoin.hpp": HEADER + "#include <skerry/range.hpp>\n"
                                   "#include <skerry/detail/frontend/forkjoin/fork.hpp>\n",
    "include/skerry/detail/sched/options.hpp": HEADER + "#include <skerry/range.hpp>\n",
    "apps/sum/sum.hpp": HEADER + "#include <skerry/forkjoin.hpp>\n#include <atomic>\n",
    "apps/sum/sum.cpp": LICENCE + '#include "sum/sum.hpp"\n',
    "cli/main.cpp": LICENCE + '#include "sum/sum.hpp"\n',
    "test/unit/gate_test.cpp": LICENCE + '#include "sync/gate.hpp"\n',
    "docs/guide.md": "No licence line is asked of prose.\n",
}

# Name of the case: (file, its text, line, rule, part of the message).
BROKEN = {
    "a lower floor includes a higher one":
        ("src/sync/up.cpp", LICENCE + '\n#include "sched/queue.hpp"\n', 3, "climbs", "sync may not include sched"),
    "a header of detail includes a higher floor":
        ("include/skerry/detail/core/up.hpp", HEADER + "#include <skerry/detail/frontend/forkjoin/fork.hpp>\n",
         3, "climbs", "core may not include frontend/forkjoin"),
    "a public header leads to a higher floor":
        ("src/sched/up.cpp", LICENCE + "#include <skerry/forkjoin.hpp>\n", 2, "climbs",
         "through include/skerry/detail/frontend/forkjoin/fork.hpp"),
    "an include of a sibling":
        ("src/sync/across.cpp", LICENCE + '#include "trace/writer.hpp"\n', 2, "sibling", "sync may not include trace"),
    "a folder that is no floor":
        ("src/attic/old.cpp", LICENCE, 1, "unknown-floor", "tools/floors.toml"),
    "an installed header includes a private one":
        ("include/skerry/leak.hpp", HEADER + '#include "base/text.hpp"\n', 3, "private-include", "cannot see src/"),
    "a program includes detail":
        ("apps/sum/deep.cpp", LICENCE + "#include <skerry/detail/sync/native.hpp>\n", 2, "private-include",
         "apps may not include include/skerry/detail/sync/native.hpp"),
    "the command includes a private header":
        ("cli/deep.cpp", LICENCE + '#include "base/text.hpp"\n', 2, "private-include", "cli may not include src/base/text.hpp"),
    "the library includes a program":
        ("src/runtime/up.cpp", LICENCE + '#include "../../apps/sum/sum.hpp"\n', 2, "private-include", "apps/sum/sum.hpp"),
    "an include that names nothing":
        ("src/sched/lost.cpp", LICENCE + '#include "sched/nowhere.hpp"\n', 2, "missing-include", "sched/nowhere.hpp"),
    "an atomic header outside sync":
        ("src/sched/raw.cpp", LICENCE + "#include <atomic>\n", 2, "raw-atomic", "<atomic>"),
    "an atomic outside sync":
        ("src/sched/raw.cpp", LICENCE + '#include "sync/gate.hpp"\nstd::atomic<int> x;\n', 3, "raw-atomic", "std::atomic"),
    "an atomic builtin outside sync":
        ("src/sched/raw.cpp", LICENCE + "int f(int* x) { return __atomic_load_n(x, 0); }\n", 2, "raw-atomic", "__atomic_load_n"),
    "a system header outside the port":
        ("src/base/files.cpp", LICENCE + "#include <cstdio>\n#include <sys/mman.h>\n", 3, "system-code", "<sys/mman.h>"),
    "a processor header outside the port":
        ("src/sync/vector.cpp", LICENCE + "#include <immintrin.h>\n", 2, "system-code", "<immintrin.h>"),
    "a system call outside the port":
        ("src/sched/call.cpp", LICENCE + "long f() { return ::syscall(1); }\n", 2, "system-code", "syscall("),
    "hwloc outside the port":
        ("src/sched/topology.cpp", LICENCE + "#include <hwloc.h>\n", 2, "system-code", "<hwloc.h>"),
    "inline assembly outside the port":
        ("include/skerry/detail/sync/fence.hpp", HEADER + 'inline void f() { asm volatile("mfence"); }\n', 3,
         "system-code", "asm volatile"),
    "a file that is too long":
        ("src/base/long.cpp", LICENCE + "\n" * 800, 801, "too-long", "801 lines"),
    "a source without a licence line":
        ("src/base/bare.cpp", "int x;\n", 1, "no-licence", "SPDX"),
    "a script without a licence line":
        ("tools/bare", "#!/bin/sh\n", 1, "no-licence", "SPDX"),
    "a header that needs another before it":
        ("src/base/needs.hpp", HEADER + "inline std::size_t two() { return 2; }\n", 3, "stands-alone", "std"),
}

# Targets of includes above.
EXTRA = {
    "src/sched/queue.hpp": HEADER,
    "src/trace/writer.hpp": HEADER,
}


class Layers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "tools").mkdir()
        shutil.copy(REPOSITORY / "tools" / "floors.toml", self.root / "tools")
        for name, text in {**GOOD, **EXTRA}.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def check(self):
        return subprocess.run([REPOSITORY / "tools" / "check_layers", "--root", self.root], capture_output=True, text=True)

    def test_good_tree(self):
        done = self.check()
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_broken_trees(self):
        self.check()  # remembers the good headers, so that each case compiles only its own
        for case, (name, text, line, rule, part) in BROKEN.items():
            with self.subTest(case):
                self.write(name, text)
                done = self.check()
                (self.root / name).unlink()
                self.assertEqual(done.returncode, 1)
                said = done.stdout.splitlines()
                self.assertTrue(all(s.startswith(name + ":") for s in said), done.stdout)
                self.assertTrue(any(s.startswith(f"{name}:{line}: {rule}: ") and part in s for s in said), done.stdout)

    def test_what_a_light_header_reaches_is_in_its_list(self):
        self.write("include/skerry/range.hpp", HEADER + "#include <cstddef>\n#include <functional>\n")
        done = self.check()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "include/skerry/range.hpp:4: heavy-include: #include <functional>: not in what "
                                      "include/skerry/forkjoin.hpp may reach\n")

    def test_the_memory_of_headers_sees_what_they_include(self):
        self.assertEqual(self.check().returncode, 0)
        self.assertIn("(0 compiled)", self.check().stderr)
        self.write("include/skerry/detail/base/abi.hpp", HEADER + "not C++\n")
        done = self.check()
        self.assertEqual(done.returncode, 1)
        self.assertIn("include/skerry/forkjoin.hpp:1: stands-alone", done.stdout)


if __name__ == "__main__":
    unittest.main()
