"""Renewal of the shipped certificates that are no longer valid.

Run it as `python -m benchmarks.certificates`, or `make certificates`. It runs `planspec validate --certify --resume` on
each folder of tasks. If a task's certificates have claims beyond the scope, it adds `--beyond-scope`. If they have
proofs, it adds `--proof`. Valid certificates stay unchanged, and new proof files are deleted.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from planspec.api import certificates
from planspec.api.catalog import Catalog, TaskReference
from tests.paths import ROOT

TIMEOUT_S = 300.0


def certified_tasks(folder: Path) -> list[TaskReference]:
    """Return the tasks of a folder that have certificates."""
    ids = {path.stem.partition("@")[0] for path in (folder / certificates.FOLDER).glob("*.json")}
    return [
        task
        for task in Catalog().expand(str(folder))
        if task.path.parent == folder and task.path.name.partition(".")[0] in ids
    ]


def options(folder: Path, task: TaskReference) -> tuple[str, ...]:
    """Return the options of `validate` that renew every claim in the existing certificates of a task."""
    stem = task.path.name.partition(".")[0]
    paths = (folder / certificates.FOLDER).glob(f"{stem}*.json")
    old = [certificates.read(path) for path in paths if path.stem.partition("@")[0] == stem]
    beyond = any(each.claims_beyond for each in old)
    proof = any(each.proof or (each.best and each.best.proof) for each in old)
    return (*(["--beyond-scope"] if beyond else []), *(["--proof"] if proof else []))


def main() -> int:
    """Certify every folder of tasks again."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("folders", nargs="*", help="folders of tasks/, such as worldtravel-berlin (default: all)")
    args = parser.parse_args()
    roots = [ROOT / "tasks" / name for name in args.folders or ["."]]
    worst = 0
    for folder in sorted(path.parent for root in roots for path in root.rglob(certificates.FOLDER)):
        shipped = set((folder / certificates.FOLDER).glob("*.lrat.gz"))
        groups: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        for task in certified_tasks(folder):
            groups[options(folder, task)].append(str(task.path))
        for chosen, tasks in groups.items():
            command = [sys.executable, "-m", "planspec", "validate", *tasks, "--certify", "--resume", *chosen]
            command += ["--timeout", str(TIMEOUT_S), "--jobs", str(args.jobs)]
            status = subprocess.run(command, check=False).returncode
            if status not in (0, 1):  # exit status 1 is no failure: a task has no plan or several plans
                worst = max(worst, status)
        for proof in set((folder / certificates.FOLDER).glob("*.lrat.gz")) - shipped:
            proof.unlink()
    return worst


if __name__ == "__main__":
    sys.exit(main())
