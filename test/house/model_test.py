#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/model --faults accepts a page that is what the tests have found, and rejects every other."""

import json
import pathlib
import subprocess
import tempfile
import unittest

MODEL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "model"
TABLE = "\n| step | who | what |\n|---|---|---|\n"
READMES = {
    "src/sync/README.md": f"## The deque\nText.\n{TABLE}| P1, S1 | owner | puts |\n\n"
                          f"## Joins, latches, event counts{TABLE}| gate G1 | anybody | enters |\n"
                          f"## The owner's gate{TABLE}| E1 | owner | enters |\n"
                          f"## The handover ring{TABLE}| R1 | sender | looks |\n",
    "src/sched/README.md": f"## Memory of tasks{TABLE}| A1 | anybody | gives |\n## Counts ahead{TABLE}| C1 | anybody | takes |\n## Sleep{TABLE}| Z0 | sleeper | counts |\n"
                           f"## Waiting{TABLE}| F1 | thief | ends |\n## Requests to stop{TABLE}| T1 | anybody | asks |\n## A call passed on{TABLE}| R1 | sleeper | remembers |\n"
                           f"## Slots{TABLE}| K1 | visitor | takes |\n## Contexts{TABLE}| X1 | owner | enters |\n"
                           f"## Permits{TABLE}| H1 | worker | lends |\n"
                           f"## Reserve{TABLE}| V1 | anybody | tells |\n"
                           f"## Tasks from outside{TABLE}| Q1 | anybody | links |\n",
    "docs/design/0008-the-steal-contract.md": f"## Asymmetric, step by step (P1){TABLE}| A1 | thief | rings |\n"
                                              f"## Locked, step by step (P2){TABLE}| L1 | owner | pushes |\n"
                                              f"## Interrupt, step by step (P3){TABLE}| – | victim | masked |\n| I1 | thief | asks |\n",
    "src/frontend/README.md": f"## A future{TABLE}| U1 | executor | names itself |\n## Cells of slots{TABLE}| C1 | anybody | looks |\n",
    "src/deps/README.md": f"## Protocol{TABLE}| N1 | spawner | links |\n",
    "src/fabric/README.md": f"## A message{TABLE}| W1 | writer | waits |\n",
    "src/trace/README.md": f"## Writing{TABLE}| T1 | executor | stores |\n",
    "src/sync/deque.hpp": "x.store(1); // P1 -> S1\n",
    "src/sched/team.cpp": "x.store(1); // M1, and Z0\n",
    "src/coherence/arena.hpp": "x.load(); // A1\n",
    "src/runtime/flag.cpp": "x.store(1, memory_order::release);\n",
    "test/unit/CMakeLists.txt": "skerry_add_test(NAME unit_arena SOURCES arena_test.cpp)\n",
    "test/unit/arena_test.cpp": "TEST(Arena, IsThere) {}\n",
    "test/model/unseeded.toml": '[steps]\n"deque S1" = { why = "it is only read", tests = [] }\n'
                                '[same]\n"asymmetric A1" = ["deque P1", "sleep Z0"]\n[sources]\n'
                                'tickets = { files = ["src/sched/team"], labels = ["M1"], why = "another test does", tests = [] }\n'
                                'arena = { files = ["src/coherence/arena"], labels = ["A1"], why = "by a test", '
                                'tests = ["unit_arena", "unit_arena: Arena.IsThere"] }\n'
                                '[[unlabelled]]\nfiles = ["src/runtime/flag.cpp"]\nwhy = "a flag"\ntests = []\n',
}
STEPS = {"faults": ["deque P1", "gate G1", "owner gate E1", "handover ring R1"], "sched": ["sleep Z0", "leapfrog F1", "relay R1", "contexts X1", "queue Q1", "blocks A1", "counts C1", "stop T1"], "fabric": ["message W1"],
         "trace": ["trace T1"], "manycore": ["locked L1"], "manycore_sched": ["interrupt I1"],
         "slots": ["slots K1"], "permits": ["permits H1"], "reserve": ["reserve V1"], "deps": ["deps N1"],
         "frontend": ["future U1", "cells C1"]}


class Model(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.faults = {test: [{"name": f"is_found/no_{step[-2:]}", "step": step, "kind": "require", "memory": "", "equivalent": "",
                               "says": "T0: lost", "steps": "7"} for step in steps] for test, steps in STEPS.items()}
        for name, text in READMES.items():
            self.put(name, text)
        self.write_results()
        self.assertEqual(self.model("--write").returncode, 0)

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def write_results(self):
        for test, cases in self.faults.items():
            suite = {"name": "seeded/fault", "testsuite": cases}
            self.put(f"results/model_{test}.json", json.dumps({"testsuites": [suite]}))

    def unseeded(self, old, new):
        self.put("test/model/unseeded.toml", READMES["test/model/unseeded.toml"].replace(old, new, 1))

    def model(self, *options):
        return subprocess.run([MODEL, "--faults", "--root", self.root, "--results", self.root / "results", *options],
                              capture_output=True, text=True)

    def assert_broken(self, part):
        self.write_results()
        done = self.model()
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn(part, done.stdout)

    def test_the_page_of_these_results(self):
        self.assertEqual(self.model().returncode, 0)
        page = (self.root / "docs/faults.md").read_text()
        self.assertIn("22 faults, 22 caught. 0 more changes", page)
        self.assertIn("| deque P1 | no P1 | `model_faults` | lost | 7 |", page)
        self.assertIn("| deque S1 | it is only read |", page)
        self.assertIn("| asymmetric A1 | those of deque P1, sleep Z0 | | | |", page)
        self.assertIn("| tickets M1 | another test does |", page)
        self.assertIn("| `src/runtime/flag.cpp` | a flag |", page)
        self.assertIn("| arena A1 | by a test (`unit_arena`, `unit_arena: Arena.IsThere`) |", page)

    def test_a_fault_that_is_found_otherwise(self):
        self.faults["sched"][0]["steps"] = "8"
        self.assert_broken("| 7 |', should be '| sleep Z0 | no Z0 | `model_sched` | lost | 8 |'")

    def test_a_page_with_a_line_more(self):
        with (self.root / "docs/faults.md").open("a") as page:
            page.write("more\n")
        self.assert_broken("is 'more'")

    def test_no_page(self):
        (self.root / "docs/faults.md").unlink()
        self.assert_broken("docs/faults.md:1: ")

    def test_a_change_that_is_no_fault(self):
        self.faults["trace"].append({**self.faults["trace"][0], "name": "is_found/same", "kind": "", "says": "", "steps": "0",
                                     "equivalent": "it is written again", "memory": "C++"})
        self.assert_broken("22 faults, 22 caught. 1 more changes")
        self.model("--write")
        self.assertIn("| trace T1 | same | `model_trace` | it is written again (C++ order) |",
                      (self.root / "docs/faults.md").read_text())

    def test_a_step_whose_only_change_is_no_fault(self):
        self.faults["trace"][0].update(kind="", equivalent="it is written again", steps="0")
        self.assert_broken("src/trace/README.md: no fault breaks trace T1")

    def test_a_test_that_has_failed(self):
        self.faults["fabric"][0]["failures"] = [{"failure": "not found"}]
        self.assert_broken("model_fabric: seeded/fault.is_found/no_W1 has failed")

    def test_a_test_that_has_not_run(self):
        del self.faults["fabric"]
        (self.root / "results/model_fabric.json").unlink()
        self.assert_broken("no result of model_fabric")

    def test_a_step_without_a_fault(self):
        del self.faults["faults"][0]
        self.assert_broken("src/sync/README.md: no fault breaks deque P1")

    def test_a_reason_for_a_step_with_a_fault(self):
        self.faults["faults"][0]["step"] = "deque S1"
        self.unseeded("[same]", '"deque P1" = { why = "-", tests = [] }\n[same]')
        self.assert_broken("deque S1 has a fault")

    def test_a_reason_for_no_step(self):
        self.unseeded("[same]", '"deque S9" = { why = "-", tests = [] }\n[same]')
        self.assert_broken("no README numbers deque S9")

    def test_another_name_of_no_step(self):
        self.unseeded("[sources]", '"asymmetric A9" = ["deque P1"]\n[sources]')
        self.assert_broken("no README numbers asymmetric A9")

    def test_another_name_without_a_fault(self):
        self.unseeded('"sleep Z0"', '"deque S1"')
        self.assert_broken("asymmetric A1 is to be deque S1, which has no fault")

    def test_a_step_under_neither_name(self):
        self.unseeded('"asymmetric A1" = ["deque P1", "sleep Z0"]', "")
        self.assert_broken("no fault breaks asymmetric A1")

    def test_a_reason_by_no_test(self):
        self.unseeded('"unit_arena",', '"unit_region",')
        self.assert_broken("no test unit_region")

    def test_a_reason_by_no_case(self):
        self.unseeded("IsThere", "IsGone")
        self.assert_broken("no case Arena.IsGone of unit_arena")

    def test_a_fault_of_no_step(self):
        self.faults["faults"].append({**self.faults["faults"][0], "step": "deque P7"})
        self.assert_broken("is to break deque P7, which no README numbers")

    def test_a_label_that_no_table_has(self):
        self.put("src/sync/deque.hpp", "x.store(1); // P1 -> S8\n")
        self.assert_broken("src/sync/deque.hpp: step S8 stands in no table")

    def test_a_label_of_a_table_of_others(self):
        self.put("src/sync/gate.hpp", "x.store(1); // P1\n")
        self.assert_broken("src/sync/gate.hpp: step P1 stands in no table")

    def test_a_label_outside_of_all_tables(self):
        self.put("src/deep/below/thing.hpp", "x.store(1); // P1\n")
        self.assert_broken("src/deep/below/thing.hpp: step P1 stands in no table")

    def test_a_label_of_two_steps(self):
        self.unseeded('"M1"', '"M1", "Z0"')
        self.assert_broken("src/sched/team.cpp: Z0 is sleep Z0 and tickets Z0")

    def test_a_label_that_no_source_has(self):
        self.put("src/sched/team.cpp", "x.store(1); // Z0\n")
        self.assert_broken("no source has M1 of tickets")

    def test_atomic_operations_without_labels(self):
        self.put("src/runtime/other.cpp", "x.fetch_add(1, memory_order::relaxed); // relaxed\n")
        self.assert_broken("src/runtime/other.cpp: its atomic operations are steps of no table")

    def test_a_reason_for_a_file_without_atomic_operations(self):
        self.put("src/runtime/flag.cpp", "f(); // memory_order::release\n")
        self.assert_broken("no atomic operations, or labels, in src/runtime/flag.cpp")

    def test_a_readme_without_its_table(self):
        self.put("src/trace/README.md", "## Writing\nText.\n")
        self.assert_broken("src/trace/README.md: no section 'Writing' with a table")


if __name__ == "__main__":
    unittest.main()
