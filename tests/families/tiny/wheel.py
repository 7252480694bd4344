"""The wheel of the tiny family, built without an index and installed in its own folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SUITE = HERE / "suite"


def installed(home: Path) -> Path:
    """Return the folder of the installed wheel, for the path.

    Args:
        home: a scratch folder.
    """
    source = home / "source"
    shutil.copytree(HERE / "distribution", source, ignore=shutil.ignore_patterns("__pycache__"))
    _run("build", "--wheel", "--no-isolation", "--outdir", home / "wheels", source)
    (wheel,) = (home / "wheels").glob("*.whl")
    _run("pip", "install", "--no-index", "--no-deps", "--quiet", "--target", home / "site", wheel)
    return home / "site"


def _run(*words: str | Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
