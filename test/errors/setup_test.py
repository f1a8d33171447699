#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The messages of tools/setup that test/house/setup_test.py does not provoke."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SETUP = pathlib.Path(__file__).resolve().parents[2] / "tools" / "setup"


class Setup(unittest.TestCase):
    def run_setup(self, tools, group="run", **environment):
        with tempfile.TemporaryDirectory() as folder:
            for name, body in tools.items():
                path = pathlib.Path(folder) / name
                path.write_text(f"#!/bin/sh\n{body}\n")
                path.chmod(0o755)
            return subprocess.run([SETUP, group], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                                  env={"PATH": folder + ":" + os.environ["PATH"], "XDG_CACHE_HOME": folder,
                                       **environment})

    def test_no_place_for_a_temporary_file(self):
        done = self.run_setup({"dpkg-query": "exit 1", "id": "echo 0", "mktemp": "exit 1", "apt-get": "exit 9"})
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "setup: no temporary folder can be made\n")

    def test_no_place_for_the_images(self):
        done = self.run_setup({"dpkg-query": "printf installed", "apt-get": "exit 0", "dpkg-deb": "exit 0",
                               "sha256sum": "exit 0"}, XDG_CACHE_HOME="/proc/none")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "setup: /proc/none/skerry/digits.csv cannot be written\n")

    def test_no_place_for_arm64(self):
        done = self.run_setup({"dpkg-query": "printf installed", "apt-get": "exit 0", "dpkg-deb": "exit 0",
                               "tar": 'mkdir -p "$4/usr/share/doc"; cd "$4/usr/share/doc" && mkdir -p $(sed -n '
                                      f"'s/:arm64.*//p' {SETUP.parent}/packages.txt)"},
                              group="arm64", XDG_CACHE_HOME="/proc/none")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "setup: /proc/none/skerry/arm64 cannot be written\n")


if __name__ == "__main__":
    unittest.main()
