# SPDX-License-Identifier: Apache-2.0
"""The machine a result belongs to, and how busy it was with other things meanwhile."""

import os
import pathlib
import platform
import re
import resource

from build import COMPILERS, output_of
from rows import MANY


def _processor():
    """What tells one kind of processor from another."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    fields = dict(re.findall(r"^(model name|cpu family|model)\s*:\s*(.*)$", text, re.MULTILINE))
    known = {"processor": fields.get("model name", platform.machine())}
    if "cpu family" in fields and "model" in fields:
        known |= {"family": int(fields["cpu family"]), "model": int(fields["model"])}
    return known


def _package(name):
    return output_of(["dpkg-query", "-W", "-f", "${Version}", name])


def processors():
    return len(os.sched_getaffinity(0))


def worker_counts():
    """How many workers are measured here if nobody says."""
    return [1, 2] + ([MANY] if processors() >= MANY else [])


def public_release(release):
    """Without what whoever built the kernel called it: the numbers are what others can look up."""
    numbers = re.match(r"\d+(?:\.\d+)*(?:-(?:rc)?\d+)*(?![\w.])", release)
    return numbers[0] if numbers else release


def describe():
    versions = {name: output_of([spelled, "--version"]).split("\n")[0]
                for name, spellings in COMPILERS.items() for spelled in spellings[:1]}
    versions["rustc"] = output_of(["rustc", "--version"])
    versions |= {"oneTBB": _package("libtbb-dev"), "libomp": _package("libomp-19-dev"), "libgomp": _package("libgomp1"),
                 "nettle": _package("nettle-dev"), "DPDK": _package("libdpdk-dev")}
    return _processor() | {
        "processors": processors(),
        "kernel": f"{platform.system()} {public_release(platform.release())}",
        "system": _system(),
        "versions": {name: version for name, version in versions.items() if version},
    }


def _system():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return ""


def commit():
    """(short hash, whether the tree differs from it; results do not count)"""
    changed = output_of(["git", "status", "--porcelain", "--", ".", ":!bench/results"])
    return output_of(["git", "rev-parse", "--short=12", "HEAD"]) or "unknown", bool(changed)


class OtherLoad:
    """Processors that something else than our children used while this was open."""

    def __enter__(self):
        self._begin = self._sample()
        return self

    def __exit__(self, *_):
        passed, busy, ours = (end - begin for end, begin in zip(self._sample(), self._begin))
        self.processors = max(0.0, (busy - ours) / passed) if passed > 0 else 0.0

    @staticmethod
    def _sample():
        ticks = [int(field) for field in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
        user, nice, system, _idle, _wait, interrupts, soft_interrupts, stolen = ticks
        busy = (user + nice + system + interrupts + soft_interrupts + stolen) / os.sysconf("SC_CLK_TCK")
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return os.times().elapsed, busy, children.ru_utime + children.ru_stime
