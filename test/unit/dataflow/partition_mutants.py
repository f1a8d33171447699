#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults seeded into what the table of names does with parts of arrays; called as test/random/mutants.py is."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "random"))
import mutants  # noqa: E402

NAMES = mutants.NAMES
mutants.FAULTS = {
    "parts of two partitions taken for disjoint": [
        (NAMES, "return overlap(box_of(a), box_of(b));",
         "return !(@ && a.kind == b.kind) && overlap(box_of(a), box_of(b));")],
    "part and object taken for disjoint": [
        (NAMES, "if (a.kind == b.kind && a.part->of == b.part->of) {",
         "if (@ && a.kind != b.kind) return false;\n        if (a.kind == b.kind && a.part->of == b.part->of) {")],
    "partitions of one array not noticed": [
        (NAMES, "fresh->alone = other->alone = false;", "if (!@) fresh->alone = other->alone = false;")],
    "object on an array not noticed": [
        (NAMES, "each->alone && !meets(a, *each);", "each->alone && (@ || !meets(a, *each));")],
    "object that was there before not noticed": [
        (NAMES, "[&](const entry&) { fresh->alone = false; }", "[&](const entry&) { fresh->alone = @; }")],
    "first place that is met left out": [
        (NAMES, "first[d] = met.first / t.tile[d];", "first[d] = (met.first + (@ && met.first < met.last ? 1 : 0)) / t.tile[d];")],
    "last place that is met left out": [
        (NAMES, "last[d] = met.last / t.tile[d];", "last[d] = (met.last - (@ && met.first < met.last ? 1 : 0)) / t.tile[d];")],
}
mutants.MUST_DIFFER = tuple(name for name in mutants.FAULTS if name.endswith("taken for disjoint"))

if __name__ == "__main__":
    sys.exit(mutants.main())
