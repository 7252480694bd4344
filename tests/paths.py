"""Paths of files for tests: the checkout, and optional public data beside it."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The folder that holds `pyproject.toml`."""

SHARED = Path(os.environ.get("PLANSPEC_SHARED") or ROOT.parent / "shared").resolve()
"""Folder of public data outside the project. Tests that need it are skipped if it is absent."""
