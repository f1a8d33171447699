# SPDX-License-Identifier: Apache-2.0
"""The kept results: one file for each suite and machine, the newest, with a line for each row."""

import json
import pathlib
import re

from build import ROOT

FOLDER = ROOT / "bench" / "results"


def machine_name(machine):
    """Of one kind of machine, as a part of a file's name: `amd-epyc-25-17-2-cpus`."""
    name = re.sub(r"\(r\)|\(tm\)|processor|cpu", "", machine["processor"].lower())
    parts = [name, machine.get("family", ""), machine.get("model", ""), f"{machine['processors']}-cpus"]
    return re.sub(r"[^a-z0-9]+", "-", " ".join(str(part) for part in parts)).strip("-")


def path_of(result, folder=FOLDER):
    return pathlib.Path(folder) / f"{result['suite']}-{machine_name(result['machine'])}.json"


def _lines(value):
    """JSON, of a list of objects with a line for each."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(json.dumps(entry) for entry in value) + "\n]"
    return json.dumps(value)


def _object(fields):
    return "{" + ",\n".join(f"{json.dumps(key)}: {_lines(value)}" for key, value in fields.items()) + "}"


def text_of(result):
    runs = ",\n".join(_object(run) for run in result.get("programs", []))
    plain = {key: value for key, value in result.items() if key != "programs"}
    return _object(plain)[:-1] + (f',\n"programs": [\n{runs}\n]' if runs else "") + "}\n"


def keep(result, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(result))


def kept(suite, folder=FOLDER):
    """All of a suite, the newest first."""
    found = [json.loads(path.read_text()) for path in sorted(pathlib.Path(folder).glob("*.json"))]
    return sorted((result for result in found if result["suite"] == suite), key=lambda result: result["date"],
                  reverse=True)
