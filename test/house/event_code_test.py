#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A core at home that allocates, sends to a queue of its own, receives and frees comes upon no fence and no locked
operation, in all that these functions call while nobody asks.

    event_code_test.py PROGRAM       a program that is linked with the event machine
"""

import platform
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else ""
LOCKED = re.compile(r"^\s+[0-9a-f]+:\s+(?:[ls]fence|mfence|lock\b|xchg\s.*\()", re.MULTILINE)
CALL = re.compile(r"^\s+[0-9a-f]+:\s+(?:call|jmp)\w*\s+[0-9a-f]+ <(.*?)(?:\+0x[0-9a-f]+)?>$", re.MULTILINE)
# em_send() with its short way, a receive function's call and what comes next, and the caches of pools.
ROOTS = ("em_alloc", "em_free", "em_send", "event_machine::send_from_home", "dispatcher::receive_plain",
         "event_machine::goes_on_at_home", "event_machine::received_at_home", "event_machine::choose_at_home",
         "event_pool::take_cached", "event_pool::give_cached")
# What is called only when somebody asks or waits, when something is wrong, when a cache is empty or full, for others'
# queues, at every 16th choice, when the row of plain receive functions ends, and with verification, hooks or traces.
NOT_NOW = re.compile(
    r"::(?:wake|await_open|fence_inside|fence_outside|end_at_home|lend|give_back|receive_borrowed|send_away_from_home|"
    r"exchange_mail|choose_among|fill|pass_on|fetch|bring_back|give_shared|take_shared|take_anywhere|send_only|"
    r"send_verified|end_frame|end_context|begin_verified|take_back)\(|::each_of_some<|root_frame::|refuse|event_error|"
    r"::tell_|trace_sink<|trace_sends|event_state::note|em_event_group_processing_end|std::__exception_ptr::|"
    r"std::current_exception|^(?:__|_Unwind)|@plt")


def functions(program):
    """By name: its code. What the compiler has put aside as unlikely is not looked at."""
    text = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", program], check=True, capture_output=True,
                          text=True).stdout
    found = {}
    for body in re.split(r"\n\n", text):
        head = re.match(r"[0-9a-f]+ <(.*)>:\n", body)
        if head and "[clone .cold" not in head[1]:
            found[head[1]] = body
    return found


def named(all_functions, name):
    return [f for f in all_functions if re.search(rf"(?:^|::){re.escape(name)}(?:\(|$)", f)]


def reached(all_functions, names):
    """Those and what they call, but for what is not called now."""
    seen, next_ones = set(), list(names)
    while next_ones:
        one = next_ones.pop()
        if one not in seen:
            seen.add(one)
            next_ones += [f for f in CALL.findall(all_functions[one]) if f in all_functions and not NOT_NOW.search(f)]
    return seen


@unittest.skipUnless(platform.machine() == "x86_64", "names instructions of x86-64")
class EventCode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.all = functions(PROGRAM)

    def test_nothing_waits_for_other_processors(self):
        roots = {root: named(self.all, root) for root in ROOTS}
        for must in ("em_alloc", "em_free", "em_send", "dispatcher::receive_plain", "event_machine::choose_at_home"):
            self.assertTrue(roots[must], f"{must} is there")
        for one in sorted(reached(self.all, [f for found in roots.values() for f in found])):
            with self.subTest(function=one):
                self.assertIsNone(LOCKED.search(self.all[one]))

    def test_it_would_be_found(self):
        for slow in ("event_machine::pass_on", "event_pool::take_shared", "event_machine::lend"):
            with self.subTest(function=slow):
                found = named(self.all, slow)
                self.assertTrue(found)
                self.assertTrue(any(LOCKED.search(self.all[f]) for f in reached(self.all, found)))


if __name__ == "__main__":
    unittest.main()
