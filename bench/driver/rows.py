# SPDX-License-Identifier: Apache-2.0
"""What is measured: the rows of the fork-join comparison, its peers, and what a row must hold at the gate."""

import dataclasses
import math


@dataclasses.dataclass(frozen=True)
class Peer:
    """A program to run. label names the column; tree says which build it is from: a compiler, or cargo."""

    label: str
    name: str
    tree: str
    side_by_side: bool = False  # as many copies of it as there are workers, at the same time
    only: tuple = ()  # workloads that it has a program for, if not for all


PEERS = [
    Peer("serial g++", "serial", "g++"),
    Peer("serial clang++", "serial", "clang++"),
    Peer("Skerry g++", "skerry", "g++"),
    Peer("Skerry clang++", "skerry", "clang++"),
    Peer("oneTBB", "tbb", "g++"),
    Peer("rayon", "rayon", "cargo"),
    Peer("libomp", "openmp", "clang++"),
    Peer("libgomp", "openmp", "g++"),
]
SERIAL = ["serial g++", "serial clang++"]
COPIES = [Peer("copies g++", "serial", "g++", True), Peer("copies clang++", "serial", "clang++", True)]
ELISIONS = [Peer("elision g++", "elision", "g++", True, ("nqueens", "uts")),
            Peer("elision clang++", "elision", "clang++", True, ("nqueens", "uts"))]
BUILT = PEERS + ELISIONS  # copies run the programs of peers
SKERRY = ["Skerry g++", "Skerry clang++"]
DECIDING = ["oneTBB", "rayon"]  # the rivals that the gate compares with
RIVALS = DECIDING + ["libomp", "libgomp"]


@dataclasses.dataclass(frozen=True)
class Row:
    """sizes: the problem's size for each peer name, "" for the rest: a slow peer gets a small one, costs are per unit.
    statistic: what counts. Other work on the machine only ever lengthens a computation, so there the least is the
    truth; waking and sleeping are chance, so there it is the median. of_copies: the least share that Skerry reaches of
    what as many serial copies side by side do as there are workers, in the median of the passes; 0: no goal; None: they
    are not measured. passes: of each round over the peers. without: peer names that have no such program. gated: whether
    the gate compares with rivals and goals; else the row is shown, and only must be measured and right.
    """

    name: str
    program: str
    unit: str
    variant: str = ""
    sizes: dict = dataclasses.field(default_factory=dict)
    repeat: int = 5
    statistic: str = "min"
    at_optimum: bool = False  # both sides can only be as good as possible: a ratio up to 1.02 holds
    of_copies: float | None = None
    passes: int = 1
    without: tuple = ()
    gated: bool = True

    def peers(self, workers, among=tuple(PEERS)):
        """Those that are measured on so many workers."""
        copies = COPIES + ELISIONS if self.of_copies is not None and workers > 1 else []
        return [peer for peer in [*among, *copies] if peer.name not in self.without]


FIB_SIZES = {"": 30, "rayon": 27, "tbb": 24, "openmp": 20}  # a few ms each: less than a time slice
GROUP_SIZES = {"": 22, "serial": 30, "openmp": 20}
FIB_REPEAT = 100  # some tenths of a second each: what disturbs a second processor often lasts for longer than 25 do
# Passes over the peers in a round, of rows that are held against copies: a virtual machine can be 5 % faster for some
# seconds and then not, and of a peer's runs in one pass all or none fall into those. A pass is a process, too, and
# those of one program differ (design note 0029): many passes of few runs tell more.
PASSES = 4
# The programs by which task libraries are publicly compared.
PUBLIC = "public: "


def _public(name, program, variant, size):
    """One size for all: seconds each, so a run is not repeated within a round."""
    return Row(PUBLIC + name, program, "ms", variant, {"": size}, repeat=1, without=("openmp",), gated=False)


def _shown_fib(name, program, variant, without=()):
    return Row(name, program, "ns/fork", variant, FIB_SIZES, repeat=FIB_REPEAT, without=without, gated=False)


ROWS = [
    Row("fib, plain lambda", "fib", "ns/fork", "plain", FIB_SIZES, repeat=FIB_REPEAT),
    Row("fib, `[&]`", "fib", "ns/fork", "reference", FIB_SIZES, repeat=FIB_REPEAT),
    Row("fib, `[&]`, results returned", "fib", "ns/fork", "captured", FIB_SIZES, repeat=FIB_REPEAT),
    Row("fib, three values captured", "fib", "ns/fork", "values", FIB_SIZES, repeat=FIB_REPEAT),
    Row("fib in a shared library", "fib_shared", "ns/fork", "plain", FIB_SIZES, repeat=FIB_REPEAT),
    Row("fib, class-type result", "fib", "ns/fork", "object", FIB_SIZES, repeat=FIB_REPEAT),
    Row("fib, a group of tasks for each fork", "fib", "ns/fork", "group", GROUP_SIZES, repeat=FIB_REPEAT),
    Row("fib that throws if it overflows", "fib", "ns/fork", "throwing", FIB_SIZES, repeat=FIB_REPEAT),
    _shown_fib("fib of another shape", "fib", "initialised"),
    _shown_fib("fib, plain lambda, -O2", "fib_o2", "plain", without=("rayon",)),
    _shown_fib("fib, `[&]`, -O2", "fib_o2", "reference", without=("rayon",)),
    _shown_fib("fib of another shape, -O2", "fib_o2", "initialised", without=("rayon",)),
    Row("empty `parallel_for`, grain 1", "loop", "ns/iteration", sizes={"": 300_000, "openmp": 30_000}, repeat=20),
    Row("region entry from main", "region", "us/region", sizes={"": 2_000, "rayon": 200, "openmp": 200},
        repeat=50, statistic="median"),
    Row("hostage: 64 x 1 ms, leaf of 100 ms", "hostage", "ms", repeat=3, statistic="median", at_optimum=True),
    Row("idle, the second after work", "idle", "CPUs", "after", repeat=1, statistic="median", at_optimum=True),
    Row("1,000 regions of fib(16) a second", "idle", "CPUs", "tiny", repeat=1, statistic="median"),
    Row("nqueens 12", "nqueens", "ms", "compared", repeat=5, of_copies=0.97, passes=PASSES),
    Row("nqueens 12, bit masks", "nqueens", "ms", "bits", repeat=5, of_copies=0.0),
    Row("UTS T1 (SHA-1)", "uts", "ms", repeat=1, of_copies=0.97, passes=2 * PASSES, without=("rayon",)),
    Row("sort 1e7 u32, comparison", "sort", "ms", "comparison", repeat=2),
    Row("sort 1e7 u32, radix", "sort", "ms", "radix", repeat=4),
    _public("fib 39", "fib", "whole", 39),
    _public("skynet 1e8, by loop", "skynet", "loop", 100_000_000),
    _public("skynet 1e8, by group", "skynet", "group", 100_000_000),
    _public("nqueens 14", "nqueens", "compared", 14),
    _public("matmul 2048", "matmul", "quadrants", 2048),
]
IN_README = [*(row.name for row in ROWS if row.name.startswith(PUBLIC)), "fib, a group of tasks for each fork"]


@dataclasses.dataclass(frozen=True)
class Bound:
    """A value that Skerry must not exceed, and one that it must reach, apart from what decides against each rival. times:
    what the bound counts in, the least value of these columns; none: in the row's unit."""

    row: str
    at_most: float
    says: str
    columns: tuple = tuple(SKERRY)
    workers: tuple = (1, 2)
    times: tuple = ()
    at_least: float = -math.inf

    def holds(self, found):
        return self.at_least <= found <= self.at_most


def _times_serial(row, at_most, columns=tuple(SKERRY), workers=(1,)):
    return Bound(row, at_most, f"<= {at_most:.3g} x serial", columns, workers, tuple(SERIAL))


BOUNDS = [
    _times_serial("fib, plain lambda", 1.5, ("Skerry g++",)),
    _times_serial("fib, plain lambda", 2.1, ("Skerry clang++",)),
    _times_serial("fib, plain lambda", 0.8, workers=(2,)),
    _times_serial("fib, `[&]`", 2.6),
    _times_serial("fib, `[&]`, results returned", 2.6),
    _times_serial("fib, three values captured", 2.6),
    _times_serial("fib in a shared library", 2.6),
    _times_serial("fib, class-type result", 2.6),
    _times_serial("fib that throws if it overflows", 2.6),
    _times_serial("empty `parallel_for`, grain 1", 2.0),
    _times_serial("sort 1e7 u32, radix", 1 / 26, workers=(2,)),
    Bound("region entry from main", 0.9, "<= 0.9 x the fastest rival", times=tuple(RIVALS)),
    Bound("hostage: 64 x 1 ms, leaf of 100 ms", 102.0, "within 2 % of 100 ms", workers=(2,)),
    Bound("idle, the second after work", 0.005, "0.00 CPUs"),
    Bound("1,000 regions of fib(16) a second", 0.12, "<= 0.12 CPUs"),
]
# Of the time of a program on one worker over that of its serial elision: the geometric mean of all, and the worst.
PROGRAMS_MEAN, PROGRAMS_WORST = 1.03, 1.10
# On more workers, what a program reaches of as many copies of its elision side by side: the geometric mean, and some.
PROGRAMS_OF_COPIES = 0.95
PROGRAM_OF_COPIES = {"cilk5-cs": 0.97, "cilk5-lu": 0.97, "cilk5-mm": 0.97, "cilk5-mt": 0.97}
# Speed-up by workers, the geometric mean of all programs, where there are so many processors.
MANY, EFFICIENCY_OF_MANY = 16, 0.9
COMPILE_ROW = "compile a file that forks once"
COMPILE_SECONDS = 0.10  # more than a file that includes <atomic> alone
# Ten loops, three reductions and a sort in one file: compiled by g++, of oneTBB's time and of its code.
ALGORITHMS_ROW = "compile ten loops, three reductions and a sort"
ALGORITHMS_SECONDS, ALGORITHMS_TEXT = 1.3, 1.5
OPTIMUM_SLACK = 1.02
NOTHING = 0.005  # CPUs: two digits show it as 0.00
