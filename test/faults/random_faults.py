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

MEMORY = "costs memory that no program counts"
TIME = "costs time only"
CHECK = "a check that a correct program does not need"

UNSEEN = {
    "extents: the block beside": "for the message that names what was touched undeclared",
    "arena: the other half of a large page is lost": MEMORY,
    "arena: pages of its own are opened with others'": MEMORY,
    "arena: pages do not go back to their source": MEMORY,
    "source: pages that are here are denied": CHECK,
    "region: a destroyed object's block is lost": MEMORY,
    "region: empty pages are kept": MEMORY,
    "region: a destructor stays noted": "its place is used again only by what has no destructor",
    "pack: free blocks are not sent": MEMORY,
    "format: damage is not seen": CHECK,
    "unpack: full pages seem to have room": TIME,
    "crossing: an idle worker brings nothing": TIME,
    "crossing: kept of what is looked into by one that comes": "no task changes a container, only its elements",
    "crossing: what cannot be brought is taken for brought": "no process dies while it keeps something",
    "exposure: nothing is closed again": CHECK,
    "exposure: what is declared in may be written": CHECK,
    "exposure: what was made in a region stays open": CHECK,
    "inputs: sums are not compared": CHECK,
}
RARE = {
    "arena: a large object's pages are not found": "one program in thousands names its far end in a guarded process",
    "source: a gap grows by one page too many": "the page behind a gap has to be in use, and then be given twice",
    "unpack: pages that the region has left are kept": "pages have to be given back elsewhere and come again",
    "crossing: not kept again by one that comes back": "one program in thousands, and a thief in time",
    "crossing: copies are held when a task comes home": "three processes, and a third that has an old copy",
    "copies: what is lent is still kept": "an idle worker has to bring bytes while another process writes them",
}
# What finds these is shrunk, one by a wrong result and one by the death of a process; to so many statements.
SMALL = {
    "crossing: a pull leaves out the last byte": 25,
    "unpack: no memory for the contents": 25,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    search.arguments(parser.add_subparsers(dest="command", required=True).add_parser("run"))
    return search.run(parser.parse_args(), faults.FAULTS, unseen=UNSEEN, rare=RARE, small=SMALL)


if __name__ == "__main__":
    sys.exit(main())
