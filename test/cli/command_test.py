# SPDX-License-Identifier: Apache-2.0
"""The skerry command as a user meets it: exit status, what is printed where, error texts, the JSON's shape.

command_test.py SKERRY [unittest arguments]
"""
import gzip
import itertools
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
import unittest

import cases
from cases import BEYOND, DATAFLOW, EVENTS, KERNELS, LONG, SEVERAL, TABLE_III, as_the_flags_say, command, skerry


class help_and_list(command):
    def test_help_shows_an_example_and_the_exit_status(self):
        for arguments in (["--help"], ["run", "--help"], ["list", "--help"], ["info", "--help"], ["launch", "--help"]):
            done = skerry(*arguments)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(done.stderr, "")
            self.assertRegex(done.stdout, r"Examples?:\n  skerry ")
        self.assertIn("Exit status:\n  0", skerry("--help").stdout)
        self.assertIn("Exit status:\n  0", skerry("run", "--help").stdout)

    def test_version(self):
        self.assertRegex(skerry("--version").stdout, r"^skerry \d+\.\d+\.\d+\n$")

    def test_list_has_table_iii_in_its_order(self):
        done = skerry("list")
        self.assertEqual(done.returncode, 0)
        names = [line.split()[0] for line in done.stdout.splitlines() if line.startswith(("cilk5-", "ligra-"))]
        self.assertEqual(names, TABLE_III)
        rows = json.loads(skerry("list", "--json").stdout)
        self.assertEqual([row["program"] for row in rows if "paper" in row], TABLE_III)
        self.assertEqual(rows[0]["paper"], {"input": "3000000", "granularity": 4096, "pattern": "ss"})

    def test_list_has_the_programs_of_declared_accesses_behind(self):
        lines = skerry("list").stdout.splitlines()
        begin = lines.index("Dataflow: tasks that declare what they touch:") + 1
        self.assertEqual([line.split()[0] for line in lines[begin:begin + len(DATAFLOW)]], DATAFLOW)
        rows = json.loads(skerry("list", "--json").stdout)
        begin = lines.index("Events:") + 1
        self.assertEqual([line.split()[0] for line in lines[begin:begin + len(EVENTS)]], EVENTS)
        begin = lines.index("Kernels, on workers and devices:") + 1
        self.assertEqual([line.split()[0] for line in lines[begin:begin + len(KERNELS)]], KERNELS)
        begin = lines.index("Several systems in one program:") + 1
        self.assertEqual([line.split()[0] for line in lines[begin:begin + len(SEVERAL)]], SEVERAL)
        self.assertEqual([row["program"] for row in rows if row["has_kernels"]], KERNELS)
        self.assertEqual([row["program"] for row in rows if "paper" not in row],
                         DATAFLOW + EVENTS + KERNELS + SEVERAL)
        self.assertEqual([(row["program"], row["system"]) for row in rows],
                         [(name, system) for system, names in (("fork and join", TABLE_III), ("dataflow", DATAFLOW),
                                                               ("events", EVENTS), ("kernels", KERNELS), ("several", SEVERAL))
                          for name in names])

    def test_info_tells_the_workers(self):
        self.assertRegex(skerry("info", SKERRY_WORKERS="3").stdout, r"(?m)^workers +3\b")
        document = json.loads(skerry("info", "--json", SKERRY_WORKERS="3").stdout)
        self.assertEqual(document["workers"], 3)
        self.assertEqual(document["workers_from"], "SKERRY_WORKERS")

    def test_info_tells_what_is_there_of_mpi_and_the_simulator(self):
        beside = pathlib.Path(cases.SKERRY).with_name("skerry-sim")
        found = json.loads(skerry("info", "--json").stdout)["simulator"]
        self.assertEqual(found is not None, beside.exists())
        with tempfile.TemporaryDirectory() as folder:
            alone = pathlib.Path(folder, "skerry")
            alone.write_bytes(pathlib.Path(cases.SKERRY).read_bytes())
            alone.chmod(0o755)
            text = subprocess.run([alone, "info"], capture_output=True, text=True, timeout=60, check=True,
                                  env={**os.environ, "PATH": "/none", "SKERRY_DEVICES": "none"}).stdout
            self.assertIn(f"\nsimulator none: there is no {folder}/skerry-sim\n", text)
            self.assertRegex(text, r"\nMPI +openmpi: .*; no mpirun \(package openmpi-bin\)\n +mpich: .*; no mpirun \(package mpich\)\n")
            done = subprocess.run([alone, "run", "systems", "--size", "tiny"], capture_output=True, text=True, timeout=240, check=False,
                                  env={**os.environ, "PATH": "/none"})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"\nranks +not run: --on mpi:2: there is no MPI to do it with; openmpi: no mpirun "
                                          r"\(package openmpi-bin\); mpich: no mpirun \(package mpich\)\n +skerry run digits ")
            self.assertRegex(done.stdout, r"\nmanycore +not run: --on sim:tiny-64/hcc-gwb: there is no .*: this Skerry was built "
                                          r"without its simulator\n")
        mpis = json.loads(skerry("info", "--json", PATH="/none").stdout)["mpi"]
        self.assertEqual([(m["name"], m["launcher"], m["packages"]) for m in mpis],
                         [("openmpi", None, ["openmpi-bin", "libopenmpi-dev"]), ("mpich", None, ["mpich", "libmpich-dev"])])

    def test_info_tells_the_limit_that_decides(self):
        only = min(os.sched_getaffinity(0))
        document = json.loads(skerry("info", "--json", SKERRY_WORKERS="",
                                     before=lambda: os.sched_setaffinity(0, {only})).stdout)
        self.assertEqual(document["workers"], 1)
        self.assertEqual(document["cpus"], [only])
        self.assertTrue(document["limits"])
        for limit in document["limits"]:
            self.assertEqual(set(limit), {"where", "text", "cpus"})
        self.assertIn(document["workers_from"], [limit["where"] for limit in document["limits"]])
        self.assertGreaterEqual(document["cores"], 1)


class launch(command):
    def test_each_process_knows_its_rank(self):
        done = skerry("launch", "-n", "3", "sh", "-c", "echo $SKERRY_RANK of $SKERRY_RANKS")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "skerry launch: the 3 processes never met, and each has run the whole program: it calls "
                             "run() of no skerry::runtime, where they meet, or has more rights than its caller and "
                             "reads no variable\n"))
        self.assertEqual(sorted(done.stdout.splitlines()), ["0 of 3", "1 of 3", "2 of 3"])

    def test_arguments_are_the_programs(self):
        for command_line in (["-n", "1", "echo", "--help", "-n", "7"], ["-n1", "--", "echo", "--help", "-n", "7"],
                             ["--processes=1", "echo", "--help", "-n", "7"]):
            done = skerry("launch", *command_line)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "--help -n 7\n", ""))

    def test_the_exit_status_is_that_of_the_first_that_failed(self):
        done = skerry("launch", "-n", "2", "sh", "-c", "exit 7")
        self.assertEqual(done.returncode, 7)
        self.assertRegex(done.stderr, r"^skerry launch: process [01] ended with exit status 7\n$")

    def test_a_killed_process_is_named(self):
        done = skerry("launch", "-n", "2", "sh", "-c", "test $SKERRY_RANK = 0 || kill -9 $$")
        self.assertEqual(done.returncode, 128 + 9)
        self.assertEqual(done.stderr, "skerry launch: process 1 was killed by signal 9\n")

    def test_mistakes(self):
        self.expect_error(2, "launch: PROGRAM is required; see 'skerry launch --help'", "launch", "-n", "2")
        self.expect_error(2, "--processes", "launch", "-n", "0", "true")
        self.expect_error(2, "--processes", "launch", "-n", "65", "true")
        self.expect_error(4, "cannot start '/nowhere': No such file or directory", "launch", "/nowhere")


class mistakes(command):
    def test_command_line(self):
        self.expect_error(2, "A subcommand is required")
        self.expect_error(2, "there is no command 'frob'; the commands are info, launch, list, reproduce and run", "frob")
        self.expect_error(2, "PROGRAM is required", "run")
        self.expect_error(2, "--bogus", "run", "nq", "--bogus")
        self.expect_error(2, "extra", "run", "nq", "extra")

    def test_unknown_program_names_the_nearest(self):
        self.expect_error(2, "no program 'cilk5-mn'; did you mean 'cilk5-mm'?", "run", "cilk5-mn")
        self.expect_error(2, "no program 'radi'; did you mean 'ligra-radii'?", "run", "radi")
        self.expect_error(2, "no program ''", "run", "")

    def test_values(self):
        self.expect_error(2, "huge", "run", "nq", "--size", "huge")
        self.expect_error(2, "--repeat", "run", "nq", "--repeat", "0")
        self.expect_error(2, "--workers", "run", "nq", "--workers", "0")
        self.expect_error(2, "--workers", "run", "nq", "--workers", "-1")
        self.expect_error(2, "--seed", "run", "nq", "--seed", "x")
        self.expect_error(2, "--granularity", "run", "nq", "--granularity", "0")
        self.expect_error(2, "--train", "run", "digits", "--train", "0")
        self.expect_error(2, "--train 1798 is out of range", "run", "digits", "--train", "1798")
        self.expect_error(2, "SKERRY_WORKERS", "run", "nq", "--size", "tiny", SKERRY_WORKERS="many")
        self.expect_error(2, "SKERRY_WORKERS", "info", SKERRY_WORKERS="many")

    def test_flags_of_the_runtime(self):
        self.expect_error(2, "foo not in {automatic,asymmetric,locked,interrupt}", "run", "nq", "--steal", "foo")
        self.expect_error(2, "--stack-size", "run", "nq", "--stack-size", "large")
        self.expect_error(2, "--max-slots", "run", "nq", "--max-slots", "-1")
        self.expect_error(2, "--watchdog", "run", "nq", "--watchdog", "-1")
        self.expect_error(2, "--trace-memory", "run", "nq", "--trace-memory", "much")
        self.expect_error(2, "trace_memory is 100", "run", "nq", "--trace-memory", "100")
        self.expect_error(2, "--blocking-threads", "run", "nq", "--blocking-threads", "x")
        self.expect_error(2, "--pin", "run", "nq", "--pin=perhaps")

    def test_too_little_memory(self):
        if os.environ.get("SKERRY_SANITIZED"):
            self.skipTest("a sanitizer's shadow memory does not fit any limit")
        limit = 400 << 20
        self.expect_error(4, "out of memory", "run", "mt", "--size", "paper", "--workers", "1",
                          before=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    def test_options_of_other_programs(self):
        self.expect_error(2, "cilk5-nq takes no --input (it was 'x')", "run", "nq", "--input", "x")
        self.expect_error(2, "cilk5-nq takes neither --from nor --to", "run", "nq", "--from", "dog")
        self.expect_error(2, "cilk5-nq takes no --train (it was 5)", "run", "nq", "--train", "5")
        self.expect_error(2, "not with 'all'", "run", "all", "--input", "x")
        self.expect_error(2, "not with 'all'", "run", "all", "--train", "5")
        self.expect_error(2, "motion needs a task manager: leave --task-manager software out\n", "run", "motion",
                          "--task-manager", "software")
        self.expect_error(2, "--on hybrid: motion takes a device by itself, on threads; --devices says which\n", "run", "motion",
                          "--on", "hybrid")

    def test_packed_input(self):
        lines = b"% sym positive\n568770231 12 1 1082040961\n12 7 1 1082040961\n"
        with tempfile.NamedTemporaryFile() as file:
            file.write(gzip.compress(b"\xef\xbb\xbf" + lines))
            file.flush()
            done = skerry("run", "bfs", "--input", file.name, "--from", "568770231", "--to", "7", "--repeat", "1")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("2 steps from 568770231 to 7:\n  568770231\n  -> 12\n  -> 7\n", done.stdout)
        images = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"), "skerry", "digits.csv")
        with tempfile.NamedTemporaryFile() as file:
            file.write(gzip.compress(images.read_bytes()))
            file.flush()
            plain, packed = (skerry("run", "digits", "--train", "100", "--repeat", "1", "--json", "--input", name)
                             for name in (images, file.name))
            self.assertEqual((packed.returncode, packed.stderr), (0, ""))
            self.assertEqual(*(json.loads(done.stdout)["rows"][0]["output"] for done in (plain, packed)))

    def test_an_empty_name_is_none(self):
        for flag in ("--input", "--from", "--to"):
            self.expect_error(2, f"{flag}: the name is empty", "run", "bfs", flag, "")
        self.expect_error(2, "--input: the name is empty", "run", "digits", "--input", "")

    def test_a_directory(self):
        with tempfile.TemporaryDirectory() as folder:
            self.expect_error(3, f"{folder}: a directory; give a file", "run", "bfs", "--input", folder)
            self.expect_error(3, f"{folder}: a directory; give a file", "run", "digits", "--input", folder)

    def test_bad_input(self):
        self.expect_error(3, "/nowhere/at/all", "run", "bfs", "--input", "/nowhere/at/all")
        self.expect_error(3, "/nowhere/at/all", "run", "digits", "--input", "/nowhere/at/all")
        self.expect_error(3, "/nowhere/skerry/digits.csv: not found", "run", "digits", XDG_CACHE_HOME="/nowhere")
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("0," * 64 + "7\n" + "0," * 64 + "x\n")
            file.flush()
            self.expect_error(3, f"{file.name}:2: label: 'x' is not a whole number", "run", "digits", "--input", file.name)


class running(command):
    def test_one_program_for_a_person(self):
        done = skerry("run", "nq", "--size", "tiny", "--workers", "2", "--repeat", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")  # no terminal, no progress
        self.assertIn("cilk5-nq: 6 queens", done.stdout)
        self.assertIn("2 workers", done.stdout)
        self.assertIn("check     ok: 4 solutions", done.stdout)

    def test_one_program_as_json(self):
        done = skerry("run", "cs", "--size", "tiny", "--workers", "2", "--repeat", "3", "--seed", "9", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual({key: document[key] for key in ("size", "seed", "workers", "repeat")},
                         {"size": "tiny", "seed": 9, "workers": 2, "repeat": 3})
        (row,) = document["rows"]
        self.assertEqual(row["program"], "cilk5-cs")
        self.assertEqual(row["input"], "generated")
        self.assertIs(row["check"]["ok"], True)
        for variant in ("serial", "skerry"):
            runs = sorted(row[variant]["runs_s"])
            self.assertEqual(len(runs), 3)
            self.assertEqual(row[variant]["min_s"], runs[0])
            self.assertEqual(row[variant]["median_s"], runs[1])
        statistics = row["statistics"]
        self.assertEqual(statistics["threads_high_water"], 1)  # and the one inside run()
        self.assertLessEqual(statistics["steals_granted"], statistics["tasks"])
        self.assertLessEqual(statistics["steals_asymmetric"], statistics["steals_granted"])
        self.assertAlmostEqual(row["speed_up"], row["serial"]["median_s"] / row["skerry"]["median_s"])

    def test_copies_side_by_side(self):
        done = skerry("run", "cs", "--size", "tiny", "--repeat", "3", "--copies", "2", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        (row,) = json.loads(done.stdout)["rows"]
        runs = sorted(row["copies"]["runs_s"])
        self.assertEqual(len(runs), 3)
        self.assertGreater(runs[0], 0)
        self.assertEqual((row["copies"]["min_s"], row["copies"]["median_s"]), (runs[0], runs[1]))
        done = skerry("run", "nq", "--size", "tiny", "--copies", "3")
        self.assertRegex(done.stdout, r"(?m)^  copies    .* of 5\), until the last has ended$")
        self.assertNotIn("copies", skerry("run", "nq", "--size", "tiny").stdout)
        self.expect_error(2, "--copies does not go with --on", "run", "digits", "--on", "serial", "--copies", "2")
        self.expect_error(2, "--copies", "run", "nq", "--copies", "0")

    def test_flags_of_the_runtime(self):
        for flags in (["--no-pin"], ["--steal", "locked"], ["--guard-accesses"], ["--no-guard-accesses"]):
            done = skerry("run", "nq", "--size", "tiny", "--repeat", "1", "--workers", "2", *flags)
            self.assertEqual(done.returncode, 0, (flags, done.stderr))

    def test_limits_reach_the_runtime(self):
        for flags, message in BEYOND:
            self.expect_error(2, message, "run", "nq", "--size", "tiny", "--workers", "2", *flags)

    def test_threads_are_what_the_flags_say(self):
        self.while_it_runs(lambda processes: as_the_flags_say(processes[0]), "run", "list", *LONG)

    def test_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.json")
            done = skerry("run", "cs", "--size", "small", "--repeat", "1", "--workers", "2", "--trace", path,
                          "--trace-memory", "1M")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                events = json.load(file)["traceEvents"]
        names = {e["args"]["name"] for e in events if e.get("name") == "thread_name"}
        self.assertIn("worker 0", names)
        self.assertTrue(any(e["ph"] == "B" and e["cat"] == "start" for e in events))
        self.expect_error(4, "cannot open the trace file '/nowhere/at/all'", "run", "nq", "--size", "tiny", "--trace",
                          "/nowhere/at/all")

    def test_granularity_and_size_reach_the_program(self):
        done = skerry("run", "cs", "--size", "tiny", "--granularity", "100", "--repeat", "1")
        self.assertIn("20000 keys, granularity 100", done.stdout)
        done = skerry("run", "nq", "--size", "paper", "--repeat", "1")
        self.assertIn("10 queens, granularity 3 rows", done.stdout)

    def test_train_reaches_the_program(self):
        done = skerry("run", "digits", "--train", "60", "--granularity", "16", "--repeat", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("60 images, 5 folds, tiles of 16", done.stdout)
        self.assertRegex(done.stdout, r"accuracy [\d.]+ %, weights [0-9a-f]{16}\n")

    def test_all(self):
        done = skerry("run", "all", "--size", "tiny", "--repeat", "1", "--workers", "2", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)["rows"]
        generated = [row["program"] for row in rows if row["input"] == "generated"]
        self.assertEqual(generated, TABLE_III + DATAFLOW + EVENTS + KERNELS + SEVERAL)
        self.assertEqual({row["program"] for row in rows if row["in_table_iii"]}, set(TABLE_III))
        self.assertEqual({row["program"] for row in rows if row["system"] == "fork and join"}, set(TABLE_III))
        self.assertTrue(all("skipped" in row or row["check"]["ok"] for row in rows))
        done = skerry("run", "all", "--size", "tiny", "--repeat", "1", XDG_CACHE_HOME="/nowhere", SKERRY_DEVICES="none")
        self.assertEqual(done.returncode, 0, done.stderr)
        table = done.stdout
        self.assertRegex(table, r"(?m)^digits .* skipped: /nowhere/skerry/digits.csv: not found;")
        self.assertRegex(table, r"(?m)^packets .* skipped: /nowhere/skerry/captures: no captures;")
        self.assertRegex(table, r"(?m)^knn .* skipped: /nowhere/skerry/digits.csv: not found;")
        for name in TABLE_III + ["list", "mixed", "array-add", "motion"]:
            self.assertRegex(table, rf"(?m)^{name} .* ok$")
        self.assertRegex(table, r"all \d+ checks passed")
        groups = re.findall(r"(?m)^(fork and join|dataflow|events|kernels|several):$", table)
        self.assertEqual(groups, ["fork and join", "dataflow", "events", "kernels", "several"])
        self.assertRegex(table, r"(?s)\nfork and join:\ncilk5-cs .*\ndataflow:\ndigits .*\nevents:\npackets .*\nkernels:\narray-add "
                                r".*\nseveral:\nmotion ")


class back_ends(command):
    def test_one_result_on_all(self):
        self.with_simulator()
        for program in DATAFLOW:
            with self.subTest(program):
                serial, threads, processes, simulated = self.rows(program, "serial", "threads", "processes:2",
                                                                  "sim:tiny4-gwb")
                self.assertEqual(serial["executors"], [])
                self.assertEqual([e["name"] for e in threads["executors"]], ["worker 0"])
                self.assertIn("process 0, worker 0", [e["name"] for e in processes["executors"]])
                self.assertEqual([e["name"] for e in simulated["executors"]], [f"core {i}" for i in range(4)])
                self.assertEqual([row["cycles"] != 0 for row in (serial, threads, processes, simulated)],
                                 [False, False, False, True])
                self.assertEqual([row["seconds"] != 0 for row in (serial, threads, processes)], [True] * 3)

    def traced(self, program, back_end, *flags, size="tiny", **variables):
        """The row of a traced run, and the events of its trace."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.json")
            done = skerry("run", program, "--size", size, "--repeat", "1", *self.of_each(1, back_end), "--on", back_end,
                          "--trace", path, "--json", *flags, **variables)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(path, encoding="utf-8") as file:
                return json.loads(done.stdout)["rows"][0], json.load(file)["traceEvents"]

    def kinds(self, events, process=0):
        return {e["cat"] for e in events if e["pid"] == process and "cat" in e}

    def expect_names_and_order(self, events):
        """Each task that was spawned and began in one process: spawn <= ready <= start <= end. Returns how many."""
        spawn, ready, stacks, seen = {}, {}, {}, 0
        for e in sorted((e for e in events if "ts" in e), key=lambda e: e["ts"]):  # stable
            task = e.get("args", {}).get("task")
            if e["ph"] == "i" and e["cat"] == "spawn":
                spawn[task] = e
            elif e["ph"] == "i" and e["cat"] == "ready":
                self.assertTrue(task not in spawn or spawn[task]["ts"] <= e["ts"])
                ready[task] = e
            elif e["ph"] == "B":
                stacks.setdefault((e["pid"], e["tid"]), []).append(e)
                if task in ready:
                    seen += 1
                    self.assertLessEqual(ready[task]["ts"], e["ts"])
                    if task in spawn:
                        self.assertEqual(spawn[task]["args"]["code"], e["name"])
            elif e["ph"] == "E":
                stacks[e["pid"], e["tid"]].pop()
        self.assertEqual(sum(map(len, stacks.values())), 0)
        return seen

    def test_traces_of_processes(self):
        row, events = self.traced("digits", "processes:2")
        names = {e["args"]["name"] for e in events if e.get("name") == "process_name"}
        self.assertEqual(names, {f"process {i}: skerry runtime with 1 worker" for i in range(2)})
        self.assertLessEqual({"spawn", "ready", "start", "enter"}, self.kinds(events, 0))
        self.assertLessEqual({"ready", "start", "steal", "wait", "transfer"}, self.kinds(events, 1))
        ran = {e["name"] for e in events if e["ph"] == "B" and e["cat"] == "start"}
        for kernel in ("potrf", "trsm", "gemm"):
            self.assertTrue(any(kernel in name for name in ran), (kernel, ran))
        self.assertGreater(self.expect_names_and_order(events), 0)
        self.assertEqual({e["args"]["way"] for e in events if e["ph"] == "b"}, {"pull", "push"})

    def pushes(self, *flags, **variables):
        """Whether process 1 of a run sends back what it has written. It may get no task; a few such runs are none."""
        for _ in range(20):
            _, events = self.traced("digits", "processes:2", *flags, **variables)
            if "start" in self.kinds(events, 1):
                return any(e["args"]["way"] == "push" for e in events if e["ph"] == "b")
        return self.fail("process 1 ran nothing in 20 runs")

    def test_the_guard_goes_to_all_processes(self):
        # Only debug builds have one; what a process that has one has written is sent back.
        pushed = self.pushes("--guard-accesses", SKERRY_GUARD_ACCESSES="off")
        self.assertEqual(self.pushes(SKERRY_GUARD_ACCESSES="on"), pushed)
        self.assertFalse(self.pushes(SKERRY_GUARD_ACCESSES="off"))

    def test_traces_of_simulated_cores(self):
        self.with_simulator()
        row, events = self.traced("digits", "sim:tiny4-gwb")
        self.assertEqual(self.rows("digits", "sim:tiny4-gwb")[0], row)  # to the cycle
        self.assertEqual([e["args"]["name"] for e in events if e.get("name") == "thread_name"], [f"core {i}" for i in range(4)])
        self.assertLessEqual({"spawn", "ready", "start", "steal", "wait", "sleep", "publish", "discard"}, self.kinds(events))
        ran = [e["name"] for e in events if e["ph"] == "B" and e["cat"] == "start"]
        for kernel in ("potrf", "trsm", "gemm"):
            self.assertTrue(any(kernel in name for name in ran), (kernel, set(ran)))
        self.assertGreater(self.expect_names_and_order(events), 0)
        steps = {(e["cat"], e["args"]["step"]) for e in events if e.get("cat") in ("publish", "discard")}
        self.assertLessEqual({("publish", "turn_passed"), ("discard", "turn_taken"), ("publish", "reply_sent"),
                              ("discard", "request_taken")}, steps)

    def test_flags_go_to_all_processes(self):
        self.while_it_runs(lambda processes: len(processes) == 3 and all(map(as_the_flags_say, processes[1:])),
                           "run", "list", "--on", "processes:2", *LONG)
        for flags, message in BEYOND:
            done = skerry("run", "list", "--size", "tiny", "--workers", "2", "--on", "processes:2", *flags)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(set(line[:len(message.rstrip())] for line in done.stderr.splitlines()), {message.rstrip()})

    def test_the_environment_goes_to_all_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.json")
            done = skerry("run", "list", "--size", "tiny", "--repeat", "1", "--on", "processes:2", SKERRY_WORKERS="3",
                          SKERRY_TRACE=path)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(path, encoding="utf-8") as file:
                events = json.load(file)["traceEvents"]
        self.assertEqual({e["args"]["name"] for e in events if e.get("name") == "process_name"},
                         {f"process {i}: skerry runtime with 3 workers" for i in range(2)})

    def test_flags_that_no_back_end_has_a_use_for(self):
        for flags in (["--workers", "1"], ["--pin"], ["--no-pin"], ["--stack-size", "1M"], ["--max-slots", "99"],
                      ["--blocking-threads", "9"], ["--guard-accesses"], ["--no-guard-accesses"], ["--watchdog", "30"],
                      ["--devices", "none"], ["--device-memory", "private"],
                      ["--task-manager", "nexus-model"]):
            for on in ("serial", "sim:tiny4-gwb", "serial,sim:tiny4-gwb"):
                self.expect_error(2, f"{flags[0]}: --on {on} has no use for it; threads, processes:N and mpi:N have\n", "run", "list",
                                  "--size", "tiny", "--on", on, *flags)
        self.expect_error(2, "--steal: --on serial has no use for it; threads, processes:N, mpi:N and sim:MACHINE have\n", "run",
                          "list", "--size", "tiny", "--on", "serial", "--steal", "locked")

    def test_flags_that_some_back_ends_have_a_use_for(self):
        self.with_simulator()
        for flags, on in ((["--workers", "1", "--pin", "--max-slots", "99"], "serial,threads"),
                          (["--watchdog", "30"], "sim:tiny4-gwb,processes:2"), (["--steal", "locked"], "serial,sim:tiny4-gwb")):
            done = skerry("run", "list", "--size", "tiny", "--repeat", "1", "--on", on, *flags)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_one_trace_at_a_time(self):
        self.expect_error(2, "--trace t.json: each back end writes a file of its own, and --on names 2; trace one at a time",
                          "run", "list", "--size", "tiny", "--on", "threads,processes:2", "--trace", "t.json")

    def test_each_simulated_core_has_its_share(self):
        self.with_simulator()
        for program, machine, steal in itertools.product(("digits", "list"), ("sim:tiny4-gwb", "sim:tiny4-mesi"),
                                                         ("interrupt", "locked")):
            with self.subTest(program, machine=machine, steal=steal):
                (row,) = self.rows(program, machine, flags=["--steal", steal])
                tasks = [e["tasks"] for e in row["executors"]]
                self.assertEqual(len(tasks), 4)
                self.assertGreaterEqual(min(tasks), sum(tasks) / 4 * 0.25)
                # The core that takes the whole run from outside need steal nothing, whichever that is.
                self.assertLessEqual([e["stolen"] for e in row["executors"]].count(0), 1)

    def test_a_simulation_is_the_same_to_the_cycle(self):
        self.with_simulator()
        for program in ("digits", "list"):
            self.assertEqual(self.rows(program, "sim:tiny4-gwb"), self.rows(program, "sim:tiny4-gwb"))

    def test_a_program_of_loops_on_simulated_cores(self):
        self.with_simulator()
        for program in ("ligra-bfs", "bfs"):
            serial, simulated = self.rows(program, "serial", "sim:tiny4-gwb")
            self.assertTrue(simulated["check"]["ok"])
            self.assertGreater(sum(e["stolen"] for e in simulated["executors"]), 0)
        for seed in range(2, 22): # each is another order of steals
            self.rows("ligra-bfs", "sim:tiny4-gwb", flags=["--seed", str(seed)])

    def test_mixed_is_its_elision_under_each_protocol(self):
        self.with_simulator()
        for machine, steal in itertools.product(("sim:tiny4-gwb", "sim:tiny4-mesi"), ("interrupt", "locked")):
            with self.subTest(machine=machine, steal=steal):
                serial, simulated = self.rows("mixed", "serial", machine, flags=["--steal", steal])
                self.assertGreater(sum(e["stolen"] for e in simulated["executors"]), 0)

    def expect_spread(self, program, back_end, executors, has_spread, **how):
        """Other work on the machine may keep a worker from the processors for most of a run, so one run of five must do;
        what does not spread does so in none."""
        runs = []
        while len(runs) < 5 and (not runs or not has_spread(program, runs[-1])):
            (row,) = self.rows(program, back_end, **how)
            runs.append(row["executors"])
            self.assertEqual(len(row["executors"]), executors)
        self.assertTrue(has_spread(program, runs[-1]), runs)

    def test_each_worker_has_its_share(self):
        for program, size, repeat in (("digits", "medium", 1), ("list", "medium", 10)):
            with self.subTest(program):
                self.expect_spread(program, "threads", 2, self.workers_have_spread, size=size, repeat=repeat, workers=2)

    def workers_have_spread(self, program, executors):
        tasks = [e["tasks"] for e in executors]
        return min(tasks) >= sum(tasks) / len(tasks) * 0.25 and sum(e["stolen"] for e in executors) > 0

    def test_each_process_has_its_share(self):
        for program, processes, size, repeat in (("digits", 2, "medium", 1), ("list", 2, "small", 20),
                                                 ("list", 3, "medium", 4)):
            with self.subTest(program, processes=processes):
                self.expect_spread(program, f"processes:{processes}", processes, self.processes_have_spread, size=size, repeat=repeat)

    def processes_have_spread(self, program, executors):
        tasks = [e["tasks"] for e in executors]
        shared = min(tasks) >= sum(tasks) / len(tasks) * 0.25 and all(e["stolen"] > 0 for e in executors[1:])
        if program != "list":
            return shared
        # What is spawned over there is stolen back.
        return shared and executors[0]["stolen"] > 0 and all(e["tasks"] > e["stolen"] for e in executors[1:])

    def test_every_construct_sends(self):
        # Its tasks are mostly a few instructions, which it pays to keep: some still go, each time.
        for processes in (2, 3):
            (row,) = self.rows("mixed", f"processes:{processes}", size="medium", repeat=3)
            self.assertEqual(len(row["executors"]), processes)
            self.assertTrue(all(e["stolen"] > 0 for e in row["executors"][1:]), row["executors"])

    def test_each_kind_of_task_of_mixed_is_sent(self):
        # All that it spawns may go; what begins where it was not spawned has gone. Some go rarely: several runs.
        kinds = {"fill", "work", "total", "nest", "finish_all", "look_ahead", "call_off", "step", "join", "set",
                 "fail_in_body", "fail_in_branch", "fail_in_async", "fail_in_future", "fail_in_child",
                 "fail_in_group", "fail_in_finish", "fail_in_task_of_branch", "fail_in_task_of_async"}
        own = re.compile(r"apps::parallel::mixed_tasks::(\w+)")
        sent, spawned_by_it = set(), set()
        for _ in range(20):
            _, events = self.traced("mixed", "processes:2", size="medium")
            spawns = [e for e in events if e.get("cat") == "spawn"]
            spawned_by_it |= {name.group(1) for e in spawns if (name := own.fullmatch(e["args"]["code"]))}
            here = {(e["pid"], e["args"]["task"]) for e in spawns}
            begun = [e for e in events if e["ph"] == "B" and e["cat"] == "start"]
            sent |= {name.group(1) for e in begun
                     if (e["pid"], e["args"]["task"]) not in here and (name := own.fullmatch(e["name"]))}
            if kinds <= sent:
                break
        self.assertEqual(spawned_by_it, kinds)
        self.assertLessEqual(kinds, sent)

    def test_for_a_person(self):
        done = skerry("run", "digits", "--size", "tiny", "--repeat", "1", "--on", "serial,processes:2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^serial +[\d.]+ s  [0-9a-f]{16}  ok: ")
        self.assertRegex(done.stdout, r"(?m)^processes:2 +[\d.]+ s  [0-9a-f]{16}  ok: ")
        self.assertRegex(done.stdout, r"(?m)^ +tasks run in 2 runs \(of those stolen\): process 0, worker 0: \d+ \(\d+\)")
        self.assertTrue(done.stdout.endswith("all 2 results are the same, bit for bit\n"), done.stdout)

    def test_what_the_simulator_refuses(self):
        self.with_simulator()
        done = skerry("run", "list", "--size", "tiny", "--on", "sim:nothing")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "skerry-sim: there is no description of a machine 'nothing'; there are formic16, tiny-64, "
                                      "tiny4-gwb, tiny4-mesi\n")
        done = skerry("run", "list", "--size", "tiny", "--on", "sim:tiny-64/nothing")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("there is no configuration 'nothing'; there are dts-mesi, hcc-dts-gwb, hcc-dts-gwt, hcc-gwb, "
                      "hcc-gwt, mesi\n", done.stderr)
        done = skerry("run", "list", "--size", "tiny", "--on", "sim:tiny-64/hcc-gwb", "--steal", "interrupt")
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertIn("this machine has no user-level interrupts", done.stderr)
        done = skerry("run", "list", "--size", "tiny", "--on", "sim:tiny4-gwb", "--steal", "asymmetric")
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertIn("the caches of this machine are not coherent", done.stderr)
        done = skerry("run", "list", "--size", "tiny", "--on", "sim:tiny4-gwb", "--trace", "/nowhere/at/all")
        self.assertIn("skerry-sim: cannot write the trace to '/nowhere/at/all': No such file or directory\n", done.stderr)
        done = subprocess.run([pathlib.Path(cases.SKERRY).with_name("skerry-sim"), "tiny4-gwb", "list", "--steal", "foo"],
                              capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", "skerry-sim: --steal is automatic, asymmetric, locked or interrupt\n"))


if __name__ == "__main__":
    cases.SKERRY = sys.argv.pop(1)
    unittest.main()
