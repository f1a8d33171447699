# SPDX-License-Identifier: Apache-2.0
"""Builds the programs: one CMake tree per compiler, one cargo package. What is missing is named, never an error; what
is there and does not build is an error."""

import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILERS = {"g++": ["g++"], "clang++": ["clang++-19", "clang++"]}
# Workloads that need a library which may not be there, and what to say then.
NEEDS = {"uts": "nettle-dev is not installed"}


class BuildError(Exception):
    pass


def output_of(command):
    """What a command prints, or an empty string if it is not there or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def run(command, what, cwd=ROOT):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, cwd=cwd)
    if done.returncode != 0:
        raise BuildError(f"{what} failed:\n{(done.stdout + done.stderr)[-4000:]}")
    return done.stdout


def target_of(peer, workload):
    return f"bench_{workload}_{peer.name}"


class Programs:
    """Where each peer's programs are. missing: {column label: why it is not measured}; absent: {workload: the same}."""

    def __init__(self, folder, jobs):
        self.folder, self.jobs = pathlib.Path(folder).resolve(), jobs
        self.trees, self.missing, self.targets, self.absent = {}, {}, {}, {}

    def build(self, peers, workloads, others=()):
        """workloads: what each peer has a program for, if it says nothing else. others: targets of the g++ tree that
        belong to no peer."""
        for tree in dict.fromkeys(peer.tree for peer in peers):
            wanted = [peer for peer in peers if peer.tree == tree]
            why = self._cargo() if tree == "cargo" else self._cmake(tree, wanted, workloads, others)
            for peer in wanted:
                if why or (tree != "cargo" and not self._has(tree, peer, workloads)):
                    self.missing[peer.label] = why or f"{peer.name} was not found by CMake for {tree}"

    def command(self, peer, program):
        """The beginning of the command line, or None if this peer is missing."""
        if peer.label in self.missing:
            return None
        if peer.tree == "cargo":
            return [self.trees["cargo"], program.removesuffix("_shared")]
        return [self.trees[peer.tree] / "bench" / target_of(peer, program)]

    def cli(self):
        """The skerry command of the g++ tree, or None."""
        return self._of_the_gcc_tree("cli", "skerry")

    def figure(self, target):
        """A program of the g++ tree that belongs to no peer, or None."""
        return self._of_the_gcc_tree("bench", target)

    def limits(self):
        return {name: self.trees[name] / "bench" / "bench_limits" for name in COMPILERS if name in self.trees}

    def _of_the_gcc_tree(self, folder, name):
        path = self.trees.get("g++", self.folder) / folder / name
        return path if path.exists() else None

    def _has(self, tree, peer, workloads):
        """Whether it is there at all; which programs it lacks, a row says."""
        return any(target_of(peer, workload) in self.targets[tree] for workload in peer.only or workloads
                   if workload not in self.absent)

    def _cmake(self, tree, peers, workloads, others):
        compiler = next((name for name in COMPILERS[tree] if shutil.which(name)), None)
        if compiler is None:
            return f"{' or '.join(COMPILERS[tree])} is not installed"
        folder = self.folder / tree
        run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
             f"-DCMAKE_CXX_COMPILER={compiler}", "-DSKERRY_BUILD_BENCH=ON", "-DSKERRY_INSTALL=OFF",
             *(f"-DSKERRY_BUILD_{part}={'ON' if tree == 'g++' else 'OFF'}" for part in ("CLI", "SIM"))],
            f"configuring for {compiler}")
        listed = run(["ninja", "-C", folder, "-t", "targets", "all"], "listing the targets")
        self.targets[tree] = set(re.findall(r"^(\w+): phony$", listed, re.MULTILINE))
        self.absent |= {workload: why for workload, why in NEEDS.items()
                        if workload in workloads and f"bench_{workload}_serial" not in self.targets[tree]}
        wanted = {target_of(peer, workload) for peer in peers for workload in peer.only or workloads}
        wanted |= set(others if tree == "g++" else ()) | {"bench_limits", "skerry_cli"}
        wanted &= self.targets[tree]
        run(["cmake", "--build", folder, "--parallel", str(self.jobs), "--target", *sorted(wanted)],
            f"building with {compiler}")
        self.trees[tree] = folder
        return None

    def _cargo(self):
        if not shutil.which("cargo"):
            return "cargo is not installed"
        command = ["cargo", "build", "--release", "--locked", "--target-dir", self.folder / "cargo"]
        package = ROOT / "bench" / "rayon"  # cargo reads its configuration from there upwards
        try:
            run(command + ["--offline"], "building with cargo", cwd=package)
        except BuildError:
            try:
                run(command, "building with cargo", cwd=package)
            except BuildError as error:
                return "cargo cannot build it: " + str(error).strip().splitlines()[-1].strip()
        self.trees["cargo"] = self.folder / "cargo" / "release" / "bench-rayon"
        return None
