# SPDX-License-Identifier: Apache-2.0
"""What is built, and what is said of the machine."""

import unittest

import made_up  # noqa: F401: the path of the driver

import build
import machine
from rows import BUILT, PEERS, ROWS


class Building(unittest.TestCase):
    def test_everything_that_is_run_is_built(self):
        built = {(peer.tree, build.target_of(peer, workload)) for peer in BUILT
                 for workload in peer.only or {row.program for row in ROWS}}
        run = {(peer.tree, build.target_of(peer, row.program)) for row in ROWS for workers in (1, 2)
               for peer in row.peers(workers)}
        self.assertLessEqual(run, built)

    def test_a_compiler_that_is_not_installed_is_named(self):
        old = build.COMPILERS["g++"]
        self.addCleanup(build.COMPILERS.__setitem__, "g++", old)
        build.COMPILERS["g++"] = ["no-such-compiler"]
        programs = build.Programs("/nonexistent", 1)
        programs.build([peer for peer in PEERS if peer.tree == "g++"], {"fib"})
        self.assertEqual(programs.missing["oneTBB"], "no-such-compiler is not installed")
        self.assertIsNone(programs.command(next(p for p in PEERS if p.label == "oneTBB"), "fib"))

    def test_a_peer_that_lacks_a_program_is_there(self):
        peer = next(p for p in PEERS if p.label == "libgomp")
        programs = build.Programs("/nonexistent", 1)
        for targets, there in (({"bench_fib_openmp"}, True), ({"bench_fib_tbb", "bench_matmul_tbb"}, False)):
            programs.targets["g++"] = targets
            self.assertEqual(programs._has("g++", peer, {"fib", "matmul"}), there)

    def test_the_machine_is_described(self):
        described = machine.describe()
        self.assertTrue(described["processor"])
        self.assertGreaterEqual(described["processors"], 1)
        self.assertRegex(described["kernel"], r"^Linux [\d.]+(-(rc)?\d+)*$")

    def test_a_kernel_goes_by_its_numbers(self):
        for release, public in {"6.18.44": "6.18.44", "6.18.44-cloud-v6": "6.18.44", "6.19.0-rc3-local": "6.19.0-rc3",
                                "6.1.0-18-amd64": "6.1.0-18", "5.15.90.1-microsoft-standard-WSL2": "5.15.90.1",
                                "6.18.44+": "6.18.44", "6.1.0-0.deb11.7-amd64": "6.1.0", "custom": "custom"}.items():
            with self.subTest(release):
                self.assertEqual(machine.public_release(release), public)


if __name__ == "__main__":
    unittest.main()
