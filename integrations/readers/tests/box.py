"""A bubblewrap sandbox that looks like a container: `/tests`, `/logs` and `/solution` are temporary folders."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HOME = "/home/reader"
SUITE = f"{HOME}/.cache/harbor/planspec_suite"
"""Place of the exported folder, where verifiers looks for a downloaded data set."""
HIDDEN = {"dev", "home", "logs", "proc", "solution", "sys", "tests", "tmp", "workdir"}


def sandbox_command(export: Path, program: Path) -> list[str]:
    """Return the command line that runs a program of this folder in the sandbox, without write access to real files."""
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for path in sorted(Path("/").iterdir()):
        if path.name not in HIDDEN and (path.is_dir() or path.is_file()):
            mount = ["--symlink", str(path.readlink())] if path.is_symlink() else ["--ro-bind", str(path)]
            words += [*mount, str(path)]
    for path in {sys.prefix, sys.base_prefix, str(Path(__file__).parent)}:
        words += ["--ro-bind", path, path]
    words += ["--dir", HOME, "--ro-bind", str(export), SUITE, "--chdir", HOME, "--clearenv"]
    path = f"{sys.prefix}/bin:{os.environ.get('PATH', '/usr/bin:/bin')}"
    for name, value in {
        "HOME": HOME,
        "PATH": path,
        "NO_COLOR": "1",
        "INSPECT_DISPLAY": "none",
        "TRL_EXPERIMENTAL_SILENCE": "1",
    }.items():
        words += ["--setenv", name, value]
    return [*words, sys.executable, "-B", str(program)]


def why_unavailable() -> str | None:
    """Return the reason why the sandbox does not work on this machine; None if it works."""
    if shutil.which("bwrap") is None:
        return "bubblewrap (`bwrap`) is not installed, without which the readers would write to /tests and /logs"
    trial = subprocess.run(
        ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True, text=True, check=False
    )
    return None if trial.returncode == 0 else f"bubblewrap does not run here: {trial.stderr.strip()}"


def grade(export: Path, program: str, attempts: Sequence[tuple[str, str | None]]) -> list[dict[str, Any]]:
    """Grade attempts with the code of a reader (a harness that reads exported tasks), and return its results.

    An attempt is the name of a task's folder and the text of an answer. A result has `rewards`, or `error` with the
    reader's error message.
    """
    done = subprocess.run(
        sandbox_command(export, Path(__file__).parent / program),
        input=json.dumps(attempts),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    results: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    assert len(results) == len(attempts)
    return results
