"""Build and installation of the tiny family's wheel, without a package index and in a separate folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SUITE = HERE / "suite"


def install_wheel(home: Path) -> Path:
    """Build and install the wheel. Return the folder to put on the Python path.

    Args:
        home: folder for temporary files.
    """
    source = home / "source"
    shutil.copytree(HERE / "distribution", source, ignore=shutil.ignore_patterns("__pycache__"))
    _run("build", "--wheel", "--no-isolation", "--outdir", home / "wheels", source)
    (wheel,) = (home / "wheels").glob("*.whl")
    _run("pip", "install", "--no-index", "--no-deps", "--quiet", "--target", home / "site", wheel)
    return home / "site"


def _run(*words: str | Path) -> None:
    done = subprocess.run([sys.executable, "-m", *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
