#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The faults of faults.py, and whether random programs over processes (test/random) find them.

    random_faults.py run RUNNER [--seconds S]   runs random programs with each fault switched on, and without

It fails as search.py says: every fault that is not listed here has to be found.
"""

import argparse
import sys

import faults
import search

# These change no result, and no memory that is counted.
UNSEEN = {
    "arena: pages of its own are opened with others'": "early, and in a race with who takes them: it comes to the same",
    "crossing: an idle worker brings nothing": "costs time only",
    "copies: what is lent is still kept": "bytes are brought while they are written, and again before anybody reads them",
}
RARE = {
    "crossing: copies are held when a task comes home": "three processes, of which the third has an old copy: found once a "
    "minute",
}
# Found soon by these crews of test/random/processes.cpp.
CREWS = {
    "crossing: not kept again by one that comes back": 3,
    "crossing: what cannot be brought is taken for brought": 6,
}
# What finds these is shrunk, one by a wrong result and one by the death of a process; to so many statements.
SMALL = {
    "crossing: a pull leaves out the last byte": 25,
    "unpack: no memory for the contents": 25,
}


# Programs over processes have no ranks, events, kernels and task managers.
ELSEWHERE = {name for name, fault in faults.FAULTS.items() if fault.executable not in (faults.UNITS, faults.PROGRAMS)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    search.arguments(parser.add_subparsers(dest="command", required=True).add_parser("run"))
    return search.run(parser.parse_args(), faults.FAULTS, unseen=UNSEEN, rare=RARE, small=SMALL,
                      forms=CREWS, elsewhere=ELSEWHERE)


if __name__ == "__main__":
    sys.exit(main())
