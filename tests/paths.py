"""Paths of folders for tests: the checkout, and optional public data beside it."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The checkout's folder, which contains `pyproject.toml`."""

SHARED = Path(os.environ.get("PLANSPEC_SHARED") or ROOT.parent / "shared").resolve()
"""The folder of public data outside the checkout. Tests that need it are skipped if it is absent."""
