#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/setup with stand-ins for dpkg-query, apt-get, sudo and id."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

SETUP = pathlib.Path(__file__).resolve().parents[2] / "tools" / "setup"
NEEDED = ["bash", "sh", "awk", "cat", "dirname", "grep", "mktemp", "rm", "env", "tail"]


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin = pathlib.Path(folder.name)
        self.calls = self.bin / "calls"
        for name in NEEDED:
            (self.bin / name).symlink_to(shutil.which(name))
        self.stand_in("id", "echo 0")
        self.missing("")
        self.stand_in("apt-get", f'echo "apt-get $*" >>{self.calls}')

    def stand_in(self, name, body):
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def missing(self, names):
        self.stand_in("dpkg-query", f'case " {names} " in *" $3 "*) exit 1 ;; esac; printf installed')

    def run_setup(self, *groups):
        return subprocess.run([self.bin / "bash", SETUP, *groups], env={"PATH": str(self.bin)}, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL)

    def called(self):
        return self.calls.read_text() if self.calls.exists() else ""

    def test_nothing_missing_touches_nothing(self):
        done = self.run_setup()
        self.assertEqual((done.returncode, done.stdout, done.stderr, self.called()), (0, "", "", ""))

    def test_installs_what_is_missing_and_says_why(self):
        self.missing("libhwloc-dev ninja-build")
        done = self.run_setup("run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("missing: libhwloc-dev (the machine's topology", done.stdout)
        self.assertIn("installing with apt-get: ninja-build libhwloc-dev", done.stdout)
        self.assertRegex(self.called(), r"(?s)update.*install --yes --no-install-recommends ninja-build libhwloc-dev")

    def test_other_groups_are_left_alone(self):
        self.missing("gcovr")
        self.assertEqual((self.run_setup("run", "test").returncode, self.called()), (0, ""))
        self.assertEqual(self.run_setup("ci").returncode, 0)
        self.assertIn("gcovr", self.called())

    def test_goes_through_sudo_when_not_root(self):
        self.missing("cmake")
        self.stand_in("id", "echo 1000")
        self.stand_in("sudo", f'echo sudo >>{self.calls}; exec "$@"')
        done = self.run_setup("run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("installing with sudo apt-get: cmake", done.stdout)
        self.assertTrue(self.called().startswith("sudo\napt-get"), self.called())

    def test_neither_root_nor_sudo(self):
        self.missing("cmake")
        self.stand_in("id", "echo 1000")
        done = self.run_setup("run")
        self.assertEqual((done.returncode, self.called()), (1, ""))
        self.assertEqual(done.stderr, "setup: neither root nor sudo, and these packages are missing: cmake\n")

    def test_no_network(self):
        self.missing("cmake ccache")
        self.stand_in("apt-get", "echo \"E: Failed to fetch: Temporary failure resolving 'somewhere'\" >&2; exit 100")
        done = self.run_setup("run")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "setup: no network, or the package sources do not have them; "
                                      "these packages are missing: cmake ccache\n")

    def test_another_failure_shows_what_apt_said(self):
        self.missing("cmake")
        self.stand_in("apt-get", "echo 'E: the disk is full' >&2; exit 100")
        done = self.run_setup("run")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.splitlines()[-2:], ["E: the disk is full", "setup: apt-get could not install: cmake"])

    def test_unknown_group(self):
        done = self.run_setup("everything")
        self.assertEqual((done.returncode, done.stderr), (1, "setup: no group 'everything' in tools/packages.txt\n"))

    def test_not_debian(self):
        (self.bin / "dpkg-query").unlink()
        done = self.run_setup()
        self.assertEqual((done.returncode, self.called()), (0, ""))
        self.assertIn("tools/packages.txt lists what the build needs", done.stdout)


if __name__ == "__main__":
    unittest.main()
