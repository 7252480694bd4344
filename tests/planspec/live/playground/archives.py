"""Small packages in the formats of the real ones, and a server for them."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Literal

from planspec.live.playground.packages import Package
from planspec.live.playground.site import PYODIDE


def tarball(files: dict[str, str]) -> bytes:
    """Return the archive of an npm package with the given files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return gzip.compress(buffer.getvalue(), mtime=0)


def wheel(files: dict[str, str]) -> bytes:
    """Return the archive of a PyPI package with the given files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return buffer.getvalue()


def package(index: Literal["npm", "pypi"], name: str, file: str, data: bytes) -> Package:
    """Return the pin (name, version and hash) of an archive, with the version 1."""
    return Package(index, name, "1", file, hashlib.sha256(data).hexdigest())


def small_packages() -> dict[Package, bytes]:
    """Return small packages of all kinds, with their archives."""
    pyodide = tarball({**dict.fromkeys(PYODIDE, "p"), "package.json": '{"license": "MPL-2.0"}', "console.html": "<p>"})
    editor = tarball(
        {
            "package.json": json.dumps({"license": "MIT", "exports": {"import": "./dist/index.js"}}),
            "LICENSE": "do as you like",
            "dist/index.js": "export {}",
            "dist/index.cjs": "",
        }
    )
    native = wheel(
        {
            "fast/__init__.py": "",
            "fast/fast.so": "wasm",
            "fast/fast.so.1": "again?",
            "fast/fast.h": "",
            "fast-1.dist-info/METADATA": "m",
        }
    )
    pure = wheel(
        {
            "slow/__init__.py": "",
            "slow/speed.cpython-314-x86_64-linux-gnu.so": "elf",
            "slow-1.dist-info/licenses/LICENSE": "free",
        }
    )
    return {
        package("npm", "pyodide", "pyodide-1.tgz", pyodide): pyodide,
        package("npm", "@edit/or", "edit-or-1.tgz", editor): editor,
        package("pypi", "fast", "fast-1-cp314-cp314-pyemscripten_2026_0_wasm32.whl", native): native,
        package("pypi", "slow", "slow-1-cp314-cp314-manylinux_2_28_x86_64.whl", pure): pure,
    }


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Do not log requests."""


@contextmanager
def serve_folder(folder: Path) -> Iterator[str]:
    """Serve a folder on the loopback interface, and yield its URL, which ends with a slash."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_QuietHandler, directory=folder)) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()
