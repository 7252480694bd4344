"""Conversion and audit of records by the commands in the README of a published audit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.paths import ROOT

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def write_suites(audit: Path, records: Iterable[Mapping[str, Any]], data: Path, out: Path) -> Path:
    """Convert records to suites by the commands in the README of an audit.

    Args:
        audit: folder of the audit.
        records: records whose ids are the name of their generator, `-`, and a number.
        data: folder for the records.
        out: folder for the suites.

    Returns:
        The folder of the suites.
    """
    files: dict[str, list[str]] = {}
    for record in records:
        files.setdefault(record["id"].rsplit("-", 1)[0], []).append(json.dumps(record) + "\n")
    for name, lines in files.items():
        (data / f"{name}.jsonl").write_text("".join(lines), "utf-8")
    subprocess.run([sys.executable, str(audit / "convert.py"), str(data), str(out)], check=True, env=ENVIRONMENT)
    return out


def audit_results(suites: Path, name: str) -> dict[str, tuple[str, str, int]]:
    """Return the result, the proved claim and the number of plans of each task of a suite, by name."""
    program = [sys.executable, "-m", "planspec", "audit", f"{name}.suite.yaml", "--no-deep", "--format", "json"]
    printed = subprocess.run(program, check=False, cwd=suites, env=ENVIRONMENT, stdout=subprocess.PIPE)
    tasks = json.loads(printed.stdout)["tasks"]
    return {task["task"]: (task["result"], task["proved"], task["plans"]["count"]) for task in tasks}
