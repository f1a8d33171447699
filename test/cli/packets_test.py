#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`skerry run packets`: its flags, the files that it takes and writes, those that it refuses, its trace.

packets_test.py SKERRY [unittest arguments]
"""
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import cases
from cases import command, skerry


def checksum(data):
    data += bytes(len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total > 0xffff:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def udp(source, payload, ttl=64):
    """A packet of IPv4, from 10.0.0.<source> to 10.0.1.1."""
    ends = bytes([10, 0, 0, source, 10, 0, 1, 1])
    length = 8 + len(payload)
    over = checksum(ends + struct.pack(">HHHHHH", 17, length, 4000, 5000, length, 0) + payload)
    datagram = struct.pack(">HHHH", 4000, 5000, length, over) + payload
    header = struct.pack(">BBHHHBBH", 0x45, 0, 20 + length, 1, 0, ttl, 17, 0) + ends
    return header[:10] + struct.pack(">H", checksum(header)) + header[12:] + datagram


def key(number, sequence, timestamp):
    return struct.pack(">BBHII", 0x80, 101, sequence, timestamp, 7) + bytes([number, 10, 0, 160])


ETHERNET = bytes(12) + b"\x08\x00"
ARP = bytes(12) + b"\x08\x06" + bytes(28)


def capture(path, frames, link=1):
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHIIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, link))
        for i, frame in enumerate(frames):
            out.write(struct.pack("<IIII", 1_700_000_000, i * 20_000, len(frame), len(frame)) + frame)
    return str(path)


def frames_of(path):
    data = pathlib.Path(path).read_bytes()
    found, at = [], 24
    while at < len(data):
        size = struct.unpack_from("<I", data, at + 8)[0]
        found.append(data[at + 16:at + 16 + size])
        at += 16 + size
    return struct.unpack_from("<I", data, 20)[0], found


class packets(command):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.calls = [ETHERNET + udp(i % 3, key(i // 30, i, 1000 * (i // 30))) for i in range(240)]
        self.path = capture(self.name("calls.pcap"), self.calls + [ARP, ETHERNET + udp(9, b"x", ttl=1)])

    def name(self, name):
        return os.path.join(self.folder.name, name)

    def test_flags_reach_the_program(self):
        done = skerry("run", "packets", "--input", self.path, "--input", self.path, "--passes", "3", "--cores", "2", "--repeat", "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("packets: 484 packets of 2 files, 3 passes\n", done.stdout)
        self.assertIn("in 1452, out 1446, dropped: cut 0, of a wrong length 0, of a wrong checksum 0, with TTL spent 6\n", done.stdout)
        self.assertEqual(re.findall(r"(?m)^keys  calls.pcap (10.0.0.\d):4000 > 10.0.1.1:5000 (.*)$", done.stdout),
                         2 * [(f"10.0.0.{i}", "01234567") for i in range(3)])
        for flags in (["--passes", "0"], ["--passes", "1000001"], ["--output", ""]):
            self.expect_error(2, flags[0], "run", "packets", *flags)
        self.expect_error(2, "cilk5-nq takes no --output (it was 'x')", "run", "nq", "--output", "x")
        self.expect_error(2, "cilk5-nq takes no --passes (it was 3)", "run", "nq", "--passes", "3")
        self.expect_error(2, "--copies does not go with --output, which each copy would write", "run", "packets", "--input", self.path,
                          "--output", self.name("out"), "--copies", "2")

    def test_output_is_that_of_the_elision_byte_for_byte(self):
        written = {}
        for back_end, cores in (("serial", 1), ("threads", 1), ("threads", 2), ("threads", 4)):
            out = self.name("out.pcap")
            done = skerry("run", "packets", "--input", self.path, "--passes", "7", "--cores", str(cores), "--output", out, "--on",
                          back_end, "--repeat", "1")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            written[back_end, cores] = pathlib.Path(out).read_bytes()
        self.assertEqual(len(set(written.values())), 1)
        link, frames = frames_of(out)
        self.assertEqual(link, 1)
        self.assertEqual(len(frames), 7 * 241)
        for i, frame in enumerate(frames):
            number, went_in = i // 241, (self.calls + [ARP])[i % 241]
            if went_in == ARP:
                self.assertEqual(frame, ARP)
                continue
            self.assertEqual(frame[:22], went_in[:22])
            self.assertEqual(frame[22], 63)
            self.assertEqual(frame[28:30], struct.pack(">H", (went_in[28] * 256 + went_in[29] + number) % 65536))
            self.assertEqual(checksum(frame[14:34]), 0)
            self.assertEqual(checksum(frame[26:34] + struct.pack(">HH", 17, len(frame) - 34) + frame[34:]), 0)
            self.assertEqual(frame[42:], went_in[42:])

    def test_each_file_of_a_key_has_it(self):
        done = skerry("run", "packets", "--size", "tiny", "--repeat", "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        keys = dict(re.findall(r"(?m)^keys  dtmf_2833_(\w+).pcap .* (\S+)$", done.stdout))
        self.assertEqual(keys, {**{str(i): str(i) for i in range(10)}, "star": "*", "pound": "#"})
        self.assertRegex(done.stdout, r"(?m)^rtp   g711a.pcap 10.1.3.143:5000 > 10.1.6.18:2006 source dee0ee8f packets 236 lost 0 ")
        self.assertIn("both variants agree", done.stdout)
        self.expect_error(3, "test_loopback.pcap: its link is another than that of ", "run", "packets", "--output", self.name("out"))

    def test_bad_files(self):
        whole = pathlib.Path(self.path).read_bytes()
        for name, content, said in (("cut.pcap", whole[:-1], "truncated dump file"), ("empty.pcap", b"", "truncated dump file"),
                                    ("text.pcap", b"no capture, but long enough to be one", "unknown file format"),
                                    ("without.pcap", whole[:24], "there is no packet")):
            pathlib.Path(self.name(name)).write_bytes(content)
            self.expect_error(3, f"{self.name(name)}: {said}", "run", "packets", "--input", self.path, "--input", self.name(name))
        self.expect_error(3, f"{self.name('none')}: No such file or directory", "run", "packets", "--input", self.name("none"))
        self.expect_error(3, f"{self.folder.name}: this is no regular file", "run", "packets", "--input", self.folder.name)
        usb = capture(self.name("usb.pcap"), [ARP], link=189)
        self.expect_error(3, f"{usb}: packets of link USB_LINUX", "run", "packets", "--input", usb)
        other = capture(self.name("raw.pcap"), [udp(1, b"x")], link=101)
        self.expect_error(3, f"{other}: its link is another than that of {self.path}, and --output writes one file of one link", "run",
                          "packets", "--input", self.path, "--input", other, "--output", self.name("out"))
        self.expect_error(2, f"--output {self.path}: this is an input, too", "run", "packets", "--input", self.path, "--output", self.path)
        self.assertEqual(pathlib.Path(self.path).read_bytes(), whole)
        self.expect_error(4, "/dev/full: No space left on device", "run", "packets", "--input", self.path, "--output", "/dev/full")
        self.expect_error(4, "/nowhere/at/all: No such file or directory", "run", "packets", "--input", self.path, "--output",
                          "/nowhere/at/all")

    def test_a_trace_shows_what_the_cores_do(self):
        for on in ((), ("--on", "threads")):
            path = self.name("trace.json")
            done = skerry("run", "packets", "--input", self.path, "--passes", "2", "--cores", "2", "--repeat", "1", "--trace", path, *on)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            events = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["traceEvents"]
            slices = {e["name"].rsplit("::", 1)[-1] for e in events if e["ph"] == "B"}
            self.assertLessEqual({"handle_some", "count_some", "end_pass"}, slices)
            sends = [e for e in events if e["ph"] == "i" and e["cat"] == "send"]
            taken = [e for e in events if e["ph"] == "i" and e["cat"] == "take_queue"]
            # 242 packets are sent, 241 go out, 240 are of flows, and one event ends the pass: in both passes of both runs.
            self.assertEqual(len(sends), 2 * 2 * (242 + 241 + 240 + 1))
            self.assertEqual({e["name"] for e in taken}, {"queue taken"})
            self.assertLessEqual(len(taken), 2 * 2 * (242 + 240 + 1)) # up to 32 events each
            self.assertGreater(len(taken), 2 * 2 * (242 + 240 + 1) / 32)
            self.assertGreater(len({e["args"]["queue"] for e in taken}), 2)

    def test_a_terminal_sees_how_far_it_is(self):
        ours, its = pty.openpty()
        running = subprocess.Popen([cases.SKERRY, "run", "packets", "--input", self.path, "--passes", "1000000", "--on", "threads"],
                                   stdout=subprocess.DEVNULL, stderr=its)
        os.close(its)
        try:
            said = b""
            while not re.search(rb"packets: \d+ of 242000000 have gone out or were dropped", said):
                said += os.read(ours, 4096)
        finally:
            running.kill()
            running.wait(timeout=60)
            os.close(ours)


if __name__ == "__main__":
    cases.SKERRY = sys.argv.pop(1)
    unittest.main()
