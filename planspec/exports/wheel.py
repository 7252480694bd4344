"""The running version of planspec as a wheel, for containers that must judge with exactly this version."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from importlib.metadata import distribution, version
from pathlib import Path

from planspec.files import PACKAGE

SKIPPED = frozenset({"__pycache__"})
EARLIEST = (1980, 1, 1, 0, 0, 0)
"""Time stamp of all files in a wheel. Equal files thus give equal wheels."""


COMMON_TASKS = frozenset({"__init__.py", "libraries"})
"""Parts of the shipped tasks that every wheel contains."""
NOT_SERVED = ("docs/", "live/", "report/template/")
"""Path prefixes of files in the package that task servers never read."""


def wheel_name() -> str:
    """Return the name of the wheel's file."""
    return f"planspec-{version('planspec')}-py3-none-any.whl"


def write_wheel(folder: Path, suites: frozenset[str] | None = None) -> Path:
    """Write a wheel of the installed package, which may be an editable installation.

    Args:
        folder: folder to write to; the file has the standard name of a wheel.
        suites: folders of the shipped tasks that a server needs. The wheel leaves out other tasks, and files that
            servers never read. None for the whole package.

    Raises:
        OSError: the file cannot be written.
    """
    installed = distribution("planspec")
    base = f"planspec-{installed.version}"
    tag = "Wheel-Version: 1.0\nGenerator: planspec\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    metadata = {
        "METADATA": installed.read_text("METADATA") or "",
        "WHEEL": tag,
        "entry_points.txt": installed.read_text("entry_points.txt") or "",
    }
    path = folder / wheel_name()
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:

        def add(name: str, data: bytes) -> None:
            wheel.writestr(zipfile.ZipInfo(name, EARLIEST), data, zipfile.ZIP_DEFLATED)
            digest = urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")
            rows.writerow((name, f"sha256={digest}", len(data)))

        for name, file in _files():
            if suites is not None and not _is_served(name, suites):
                continue
            add(name, file.read_bytes())
        for name, text in metadata.items():
            add(f"{base}.dist-info/{name}", text.encode("utf-8"))
        rows.writerow((f"{base}.dist-info/RECORD", "", ""))
        wheel.writestr(zipfile.ZipInfo(f"{base}.dist-info/RECORD", EARLIEST), record.getvalue(), zipfile.ZIP_DEFLATED)
    return path


def _is_served(name: str, suites: frozenset[str]) -> bool:
    """Return whether a wheel for servers of the given suites needs a file."""
    own = name.removeprefix("planspec/")
    if own.startswith("tasks/"):
        return own.split("/")[1] in COMMON_TASKS | suites
    return not own.startswith(NOT_SERVED) or own.endswith(".py")


def _files() -> Iterator[tuple[str, Path]]:
    """Yield the package's files, each with its name in a wheel. Symbolic links in a checkout are followed."""
    root = PACKAGE
    for folder, folders, files in os.walk(root, followlinks=True):
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not name.startswith("."))
        for name in sorted(files):
            file = Path(folder) / name
            if not name.startswith(".") and not name.endswith(".pyc"):
                yield f"planspec/{file.relative_to(root).as_posix()}", file
