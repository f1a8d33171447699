#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/setup with stand-ins for dpkg-query, apt-get, sudo and id."""

import gzip
import hashlib
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

SETUP = pathlib.Path(__file__).resolve().parents[2] / "tools" / "setup"
NEEDED = ["bash", "sh", "awk", "cat", "dirname", "find", "grep", "mktemp", "rm", "env", "tail", "cp", "mv", "mkdir", "tar", "gzip",
          "gunzip", "sha256sum"]
MEMBER = "usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz"


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        self.calls = self.bin / "calls"
        self.images = self.folder / "cache" / "skerry" / "digits.csv"
        self.images.parent.mkdir(parents=True)
        self.images.write_text("fetched before")
        self.captures = self.images.parent / "captures"
        self.captures.mkdir()
        self.photographs = self.images.parent / "photographs"
        self.photographs.mkdir()
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

    def run_setup(self, *groups, **environment):
        environment = {"PATH": str(self.bin), "XDG_CACHE_HOME": str(self.folder / "cache"), **environment}
        return subprocess.run([self.bin / "bash", SETUP, *groups], env=environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)

    def package_with(self, content):
        """apt-get download gives a package, which is a tar with the images; dpkg-deb prints it as it is."""
        path = self.folder / "package" / MEMBER
        path.parent.mkdir(parents=True)
        path.write_bytes(gzip.compress(content))
        with tarfile.open(self.folder / "package.tar", "w") as package:
            package.add(path, "./" + MEMBER)
        self.stand_in("apt-get", f"""echo "apt-get $*" >>{self.calls}
case " $* " in *" download python3-sklearn "*) cp {self.folder}/package.tar python3-sklearn_1_all.deb ;; esac""")
        self.stand_in("dpkg-deb", '[ "$1" = --fsys-tarfile ] && cat "$2"')

    def arm64_packages(self):
        lines = (SETUP.parent / "packages.txt").read_text().splitlines()
        return [name.removesuffix(":arm64") for name in (line.split()[0] for line in lines) if name.endswith(":arm64")]

    def unpacked(self):
        """The folders that each arm64 package is known by, empty."""
        root = self.folder / "cache" / "skerry" / "arm64"
        for name in self.arm64_packages():
            (root / "usr" / "share" / "doc" / name).mkdir(parents=True)
        return root

    def arm64_archive(self):
        """apt-get download gives packages, each a tar with its name, a library and a link to that."""
        made = self.folder / "archive"
        for name in self.arm64_packages():
            tree = self.folder / "tree" / name / "usr"
            (tree / "share" / "doc" / name).mkdir(parents=True)
            (tree / "lib").mkdir()
            (tree / "lib" / f"{name}.so.1").write_text(name)
            (tree / "lib" / f"{name}.so").symlink_to(f"{name}.so.1")
            made.mkdir(exist_ok=True)
            with tarfile.open(made / f"{name}_1_arm64.deb", "w") as package:
                package.add(tree, "./usr")
        self.stand_in("apt-get", f"""echo "apt-get $*" >>{self.calls}
case " $* " in *" download "*) cp {made}/*.deb . ;; esac""")
        self.stand_in("dpkg-deb", '[ "$1" = --fsys-tarfile ] && cat "$2"')

    def called(self):
        return self.calls.read_text() if self.calls.exists() else ""

    def test_nothing_missing_touches_nothing(self):
        self.unpacked()
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
        self.missing("clang-tidy-19")
        self.assertEqual((self.run_setup("run", "test").returncode, self.called()), (0, ""))
        self.assertEqual(self.run_setup("ci").returncode, 0)
        self.assertIn("clang-tidy-19", self.called())

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

    def test_fetches_the_images_and_only_once(self):
        self.images.unlink()
        self.package_with(b"0,1,2\n")
        known = hashlib.sha256(b"0,1,2\n").hexdigest()
        setup = self.folder / "setup"
        setup.write_text(re.sub("(?m)^images_sum=.*", "images_sum=" + known, SETUP.read_text()))
        shutil.copy(SETUP.parent / "packages.txt", self.folder)
        for expected in (f"setup: fetching the images of digits from Debian's package python3-sklearn into {self.images}\n"
                         "setup: done\n", ""):
            done = subprocess.run([self.bin / "bash", setup, "run"], capture_output=True, text=True, check=False,
                                  env={"PATH": str(self.bin), "HOME": "/nowhere", "XDG_CACHE_HOME": str(self.folder / "cache")})
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, expected, ""))
        self.assertEqual(self.images.read_bytes(), b"0,1,2\n")
        self.assertEqual(sorted(self.images.parent.iterdir()), [self.captures, self.images, self.photographs])
        self.assertEqual(self.called().count("download"), 1)
        self.assertNotIn("update", self.called())

    def test_images_lie_in_the_home_folder_without_a_cache_of_its_own(self):
        done = self.run_setup("run", XDG_CACHE_HOME="", HOME=str(self.folder))
        self.assertIn(f"into {self.folder}/.cache/skerry/digits.csv", done.stdout)

    def test_images_are_of_group_run(self):
        self.images.unlink()
        self.assertEqual((self.run_setup("test").returncode, self.called()), (0, ""))

    def test_images_that_are_others(self):
        self.images.unlink()
        self.package_with(b"0,1,2\n")
        done = self.run_setup("run")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "setup: the images of digits cannot be had: "
                                      "python3-sklearn holds none, or others than these\n")
        self.assertFalse(self.images.exists())

    def test_images_without_network(self):
        self.images.unlink()
        self.stand_in("apt-get", f'echo "apt-get $*" >>{self.calls}; exit 100')
        done = self.run_setup("run")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "setup: the images of digits cannot be had: apt-get finds no python3-sklearn"
                                      f"; connect, or put digits.csv of scikit-learn at {self.images}\n")
        self.assertRegex(self.called(), r"(?s)download.*update.*download")

    def test_images_need_no_root(self):
        self.images.unlink()
        self.stand_in("id", "echo 1000")
        self.package_with(b"0,1,2\n")
        self.assertIn("or others than these", self.run_setup("run").stderr)
        self.assertNotIn("update", self.called())

    def package_with_photographs(self):
        """As package_with; djpeg prints what it is given."""
        tree = self.folder / "package" / "usr/lib/python3/dist-packages/sklearn/datasets/images"
        tree.mkdir(parents=True)
        for name in ("china", "flower"):
            (tree / f"{name}.jpg").write_text(name)
        self.package_with(b"0,1,2\n")
        with tarfile.open(self.folder / "package.tar", "w") as package:
            package.add(self.folder / "package" / "usr", "./usr")
        self.stand_in("djpeg", 'for last in "$@"; do :; done; cat "$last"')

    def test_fetches_the_photographs_and_only_once(self):
        self.photographs.rmdir()
        self.package_with_photographs()
        known = hashlib.sha256(b"chinaflower").hexdigest()
        setup = self.folder / "setup"
        setup.write_text(re.sub("(?m)^photographs_sum=.*", "photographs_sum=" + known, SETUP.read_text()))
        shutil.copy(SETUP.parent / "packages.txt", self.folder)
        for expected in (f"setup: fetching two photographs from Debian's package python3-sklearn into {self.photographs}\n"
                         "setup: done\n", ""):
            done = subprocess.run([self.bin / "bash", setup, "run"], capture_output=True, text=True, check=False,
                                  env={"PATH": str(self.bin), "XDG_CACHE_HOME": str(self.folder / "cache")})
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, expected, ""))
        self.assertEqual({p.name: p.read_text() for p in self.photographs.iterdir()}, {"china.ppm": "china", "flower.ppm": "flower"})

    def test_photographs_that_are_others(self):
        self.photographs.rmdir()
        self.package_with_photographs()
        done = self.run_setup("run")
        self.assertEqual((done.returncode, done.stderr), (1, "setup: the photographs cannot be had: "
                                                             "python3-sklearn holds none, or others than these\n"))
        self.assertFalse(self.photographs.exists())

    def packages_with_captures(self):
        """Two packages, each with captures somewhere, and another file."""
        made = self.folder / "captures_of"
        for package, names in (("sip-tester", ["b.pcap", "call.xml"]), ("golang-github-google-gopacket-dev", ["a.pcap"])):
            tree = made / package / "usr" / "share"
            tree.mkdir(parents=True)
            for name in names:
                (tree / name).write_text(name)
            with tarfile.open(made / f"{package}_1_all.deb", "w") as archive:
                archive.add(tree.parent, "./usr")
        self.stand_in("apt-get", f"""echo "apt-get $*" >>{self.calls}
for last in "$@"; do :; done
case " $* " in *" download "*) cp {made}/${{last}}_1_all.deb . ;; esac""")
        self.stand_in("dpkg-deb", '[ "$1" = --fsys-tarfile ] && cat "$2"')

    def test_fetches_the_captures_and_only_once(self):
        self.captures.rmdir()
        self.packages_with_captures()
        known = hashlib.sha256(b"a.pcapb.pcap").hexdigest()
        setup = self.folder / "setup"
        setup.write_text(re.sub("(?m)^captures_sum=.*", "captures_sum=" + known, SETUP.read_text()))
        shutil.copy(SETUP.parent / "packages.txt", self.folder)
        for expected in ("setup: fetching the captures of packets from Debian's packages sip-tester "
                         f"golang-github-google-gopacket-dev into {self.captures}\nsetup: done\n", ""):
            done = subprocess.run([self.bin / "bash", setup, "run"], capture_output=True, text=True, check=False,
                                  env={"PATH": str(self.bin), "XDG_CACHE_HOME": str(self.folder / "cache")})
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, expected, ""))
        self.assertEqual(sorted(path.name for path in self.captures.iterdir()), ["a.pcap", "b.pcap"])
        self.assertEqual(self.called().count("download"), 2)

    def test_captures_that_are_others(self):
        self.captures.rmdir()
        self.packages_with_captures()
        done = self.run_setup("run")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "setup: the captures of packets cannot be had: sip-tester "
                                      "golang-github-google-gopacket-dev hold none, or others than these\n")
        self.assertFalse(self.captures.exists())

    def test_captures_without_network(self):
        self.captures.rmdir()
        self.stand_in("apt-get", f'echo "apt-get $*" >>{self.calls}; exit 100')
        self.assertEqual(self.run_setup("run").stderr, "setup: the captures of packets cannot be had: apt-get finds no "
                                                       f"sip-tester; connect, or put files .pcap into {self.captures}\n")

    def test_images_without_a_place(self):
        done = self.run_setup("run", XDG_CACHE_HOME="")
        self.assertEqual((done.returncode, self.called()), (1, ""))
        self.assertEqual(done.stderr, "setup: neither HOME nor XDG_CACHE_HOME says where what is fetched shall lie\n")

    def test_unpacks_what_is_for_arm64_without_root_and_only_once(self):
        self.stand_in("id", "echo 1000")
        self.arm64_archive()
        root = self.folder / "cache" / "skerry" / "arm64"
        names = self.arm64_packages()
        self.assertIn("libhwloc-dev", names)
        first = self.run_setup("arm64")
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        self.assertIn("setup: missing for arm64: libhwloc-dev (the machine's topology)\n", first.stdout)
        self.assertIn(f"setup: unpacking arm64 packages into {root}: {' '.join(names)}\n", first.stdout)
        for name in names:
            self.assertEqual((root / "usr" / "lib" / f"{name}.so").read_text(), name)
        self.assertEqual(sorted(p.name for p in root.parent.iterdir()), ["arm64", "captures", "digits.csv", "photographs"])
        update, download = self.called().splitlines()
        for call in (update, download): # not the system's lists, nor its architecture
            self.assertRegex(call, r"-o APT::Architecture=arm64 .*-o Dir::State::Lists=(?!/var)\S")
        self.assertTrue(download.endswith(" download " + " ".join(names)), download)
        second = self.run_setup("arm64")
        self.assertEqual((second.returncode, second.stdout, len(self.called().splitlines())), (0, "", 2))

    def test_unpacks_all_anew_where_one_is_missing(self):
        root = self.unpacked()
        (root / "usr" / "share" / "doc" / "libudev1").rmdir()
        (root / "left").touch()
        self.arm64_archive()
        done = self.run_setup("arm64")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("missing for arm64: libhwloc", done.stdout)
        self.assertEqual((root / "usr" / "lib" / "libhwloc15.so").read_text(), "libhwloc15")
        self.assertFalse((root / "left").exists())

    def test_arm64_is_a_group_of_its_own(self):
        self.assertEqual((self.run_setup("run", "test", "ci", "bench").returncode, self.called()), (0, ""))

    def test_arm64_without_network(self):
        self.stand_in("apt-get", "exit 100")
        done = self.run_setup("arm64")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "setup: no network, or the package sources do not have them for arm64: "
                                      + " ".join(self.arm64_packages()) + "\n")

    def test_an_arm64_package_that_is_none_leaves_what_was_there(self):
        root = self.unpacked()
        (root / "usr" / "share" / "doc" / "libudev1").rmdir()
        self.arm64_archive()
        (self.folder / "archive" / "libhwloc15_1_arm64.deb").write_text("torn")
        done = self.run_setup("arm64")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "setup: the arm64 package libhwloc15 cannot be unpacked\n"))
        self.assertTrue((root / "usr" / "share" / "doc" / "libhwloc15").is_dir())

    def test_arm64_without_a_place(self):
        done = self.run_setup("arm64", XDG_CACHE_HOME="")
        self.assertEqual((done.returncode, self.called()), (1, ""))
        self.assertEqual(done.stderr, "setup: neither HOME nor XDG_CACHE_HOME says where what is fetched shall lie\n")

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
