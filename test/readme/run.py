#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test/readme/run.py [--without WORD]...: does what README says in an empty Debian 12, compares what it sees, and times it.

It makes the root of such a system by debootstrap, with nothing but make, puts the committed tree into it, and runs each
command that stands behind `$ ` in README, in their order. Of what README shows behind a command each line has to come, in
order; a number stands for any number. It needs root, the network, and up to an hour; --without leaves out the commands that
contain a word. Not a part of CI.
"""

import argparse
import contextlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def commands(readme):
    """(command, lines that README shows behind it) of each."""
    found, block = [], None  # the word behind the fence of the block that we are in
    for line in readme.splitlines():
        if line.startswith("```"):
            block = line[3:] if block is None else None
        elif block == "" and line.startswith("$ "):
            found.append((line[2:], []))
        elif block == "" and found:
            found[-1][1].append(line)
    return found


def like(shown):
    """Matches what a line shows, with any numbers."""
    return re.compile(re.sub(r"\d+", r"[\\d.]+", re.escape(shown.strip()).replace(r"\.", ".")))


def missing(shown, said):
    """The first line that README shows and that did not come, in order."""
    lines = iter(said.splitlines())
    return next((line for line in shown if line.strip() and not any(like(line).search(each) for each in lines)), None)


@contextlib.contextmanager
def empty_system():
    root = pathlib.Path(tempfile.mkdtemp(prefix="skerry-readme-"))
    root.chmod(0o755)  # other users have a root folder, too
    mounted = []
    try:
        subprocess.run(["debootstrap", "--variant=minbase", "--include=make,ca-certificates", "bookworm", root,
                        *mirror()], check=True, stdout=subprocess.DEVNULL)
        shutil.copytree("/etc/apt", root / "etc/apt", dirs_exist_ok=True, symlinks=True)
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        for folder in ("proc", "sys", "dev"):
            subprocess.run(["mount", "--rbind", f"/{folder}", root / folder], check=True)
            subprocess.run(["mount", "--make-rslave", root / folder], check=True)
            mounted.append(root / folder)
        (root / "skerry").mkdir()
        archive = subprocess.run(["git", "-C", ROOT, "archive", "HEAD"], check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", root / "skerry"], input=archive, check=True)
        yield root
    finally:
        left = [folder for folder in mounted if subprocess.run(["umount", "--recursive", folder], check=False).returncode != 0]
        if left:
            print(f"readme: {root} is left as it is, since {left[0]} is still mounted", file=sys.stderr)
        else:
            shutil.rmtree(root)


def mirror():
    """Where this system's own packages are from."""
    text = "\n".join(path.read_text() for path in pathlib.Path("/etc/apt").rglob("*") if path.suffix in (".list", ".sources"))
    found = re.findall(r"^(?:URIs: *|deb (?:\[[^]]*\] )?)(https?://\S+)", text, re.M)
    return found[:1]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--without", action="append", default=[], metavar="WORD")
    left_out = arguments.parse_args().without
    wrong = 0
    with empty_system() as root:
        for command, shown in commands((ROOT / "README.md").read_text()):
            if any(word in command for word in left_out):
                print(f"readme: left out: {command}")
                continue
            print(f"readme: $ {command}", flush=True)
            began = time.monotonic()
            done = subprocess.run(["chroot", root, "/usr/bin/env", "-i", "HOME=/root", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
                                   "bash", "-c", f"cd /skerry && {command}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            print(f"readme: took {time.monotonic() - began:.0f} s", flush=True)
            gone = missing(shown, done.stdout)
            if done.returncode != 0 or gone is not None:
                wrong += 1
                print(done.stdout[-4000:])
                print(f"readme: status {done.returncode}" + (f"; this line did not come: {gone}" if gone else ""))
    print(f"readme: {wrong} commands did not do what README says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
