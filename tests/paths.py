"""Where the tests find files: the checkout, and optional public data beside it."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The folder that holds `pyproject.toml`."""

SHARED = Path(os.environ.get("PLANSPEC_SHARED") or ROOT.parent / "shared").resolve()
"""Public data sets that are not part of the project. May be absent: tests that need it skip and say so."""
