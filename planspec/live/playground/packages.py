"""Packages of a playground, pinned by version and hash, from npm, PyPI or a folder.

Downloaded archives are kept in planspec's cache folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from http.client import HTTPException
from pathlib import Path
from typing import Literal
from urllib.error import HTTPError, URLError
from urllib.parse import urldefrag, urljoin, urlsplit
from urllib.request import Request, urlopen

from pydantic import TypeAdapter

from planspec.dsl.resources.limits import FILE_BYTES, PACKAGE_BYTES
from planspec.dsl.resources.reading import read_bytes, size_text
from planspec.errors import PlanspecError
from planspec.files import cache_home, replace_bytes

PYPI, NPM = "https://pypi.org/simple", "https://registry.npmjs.org"
"""Default URLs of the package indexes PyPI and npm."""
ACCEPT = {"Accept": "application/vnd.pypi.simple.v1+json, text/html;q=0.5, */*;q=0.1"}
TIMEOUT_S = 60.0
"""Timeout of a request, in seconds."""


class UnsuitablePackageError(PlanspecError, ValueError):
    """The package is unavailable, or is not the pinned one."""


@dataclass(frozen=True, slots=True)
class Package:
    """A version of a package, as pinned in `pinned.json`.

    Attributes:
        index: package index, `pypi` or `npm`.
        file: file name of its archive.
        sha256: SHA-256 of the archive in hexadecimal.
    """

    index: Literal["npm", "pypi"]
    name: str
    version: str
    file: str
    sha256: str


def pinned_packages() -> tuple[Package, ...]:
    """Return the packages in `pinned.json`."""
    data = read_bytes(Path(__file__).with_name("pinned.json"), FILE_BYTES)
    return TypeAdapter(tuple[Package, ...]).validate_json(data)


def gather_packages(
    packages: tuple[Package, ...], on_download: Callable[[int, Package], None], folder: Path | None = None
) -> dict[Package, Path]:
    """Return the archive of each package. Missing archives are downloaded.

    Args:
        packages: packages to gather.
        on_download: called before each download with its number, counted from 1, and the package.
        folder: folder of the archives; None for planspec's cache folder.

    Raises:
        UnsuitablePackageError: a package cannot be downloaded, or differs from the pinned one.
        OSError: the folder cannot be read or written.
    """
    is_cache = folder is None
    folder = _cache_folder() if folder is None else folder
    archives: dict[Package, Path] = {}
    for number, package in enumerate(packages, 1):
        path = archives[package] = folder / package.file
        if path.is_file():
            fault = _archive_fault(package, read_bytes(path, PACKAGE_BYTES))
            if fault is None:
                continue
            if not is_cache:
                raise UnsuitablePackageError(f"`{path}` {fault}")
        on_download(number, package)
        try:
            data = _download(_archive_url(package))
        except UnsuitablePackageError as error:
            missing = [one for one in packages[number - 1 :] if not (folder / one.file).is_file()]
            more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise UnsuitablePackageError(
                f"`{folder}` lacks `{package.file}`{more}, and it cannot be fetched: {error}"
            ) from None
        fault = _archive_fault(package, data)
        if fault is not None:
            raise UnsuitablePackageError(f"`{package.file}`, as it was fetched, {fault}")
        folder.mkdir(parents=True, exist_ok=True)
        replace_bytes(path, data)
    return archives


def _cache_folder() -> Path:
    home = cache_home()
    if home is None:
        raise UnsuitablePackageError("there is no folder to keep packages in: set XDG_CACHE_HOME, or give --wheels DIR")
    return home / "playground"


def _archive_fault(package: Package, data: bytes) -> str | None:
    """Return what is wrong with an archive; None if it is valid.

    The text follows the archive's name in a message, for example "is not what is pinned".
    """
    digest = hashlib.sha256(data).hexdigest()
    return None if digest == package.sha256 else f"is not what is pinned: its SHA-256 is {digest}, not {package.sha256}"


def _archive_url(package: Package) -> str:
    """Return the URL of a package's archive.

    Raises:
        UnsuitablePackageError: the index has no such archive.
    """
    if package.index == "npm":
        registry = os.environ.get("npm_config_registry") or NPM  # noqa: SIM112 so npm calls it
        bare = package.name.rpartition("/")[2]
        return f"{registry.rstrip('/')}/{package.name}/-/{bare}-{package.version}.tgz"
    page = f"{_pypi_index().rstrip('/')}/{package.name}/"
    for url in _link_urls(_download(page).decode("utf-8", "replace"), page):
        if urlsplit(url).path.rpartition("/")[2] == package.file:
            return url
    raise UnsuitablePackageError(f"{page} does not have `{package.file}`")


@cache
def _pypi_index() -> str:
    """Return the URL of the package index that pip uses."""
    if url := os.environ.get("PIP_INDEX_URL"):
        return url
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    try:
        url = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return PYPI
    return url or PYPI


class _LinkParser(HTMLParser):
    """Collects the targets of the links on an HTML page."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.targets += [value for name, value in attrs if tag == "a" and name == "href" and value]


def _link_urls(text: str, page: str) -> Iterator[str]:
    """Yield the URLs on a page of a package index, which is HTML or JSON."""
    if text.lstrip().startswith("{"):
        yield from (urljoin(page, file["url"]) for file in json.loads(text).get("files", ()))
        return
    reader = _LinkParser()
    reader.feed(text)
    yield from (urldefrag(urljoin(page, target)).url for target in reader.targets)


@cache
def _ssl_context() -> ssl.SSLContext:
    """Return a TLS context with the certificate authorities that pip is configured to trust."""
    return ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or None)


def _download(url: str) -> bytes:
    """Return the content at a URL.

    Raises:
        UnsuitablePackageError: the URL cannot be read.
    """
    if urlsplit(url).scheme not in ("http", "https", "file"):
        raise UnsuitablePackageError(f"`{url}` is not an http, https or file address")
    try:
        request = Request(url, headers=ACCEPT)  # noqa: S310 the scheme was checked above
        with urlopen(request, timeout=TIMEOUT_S, context=_ssl_context()) as answer:  # noqa: S310
            data: bytes = answer.read(PACKAGE_BYTES + 1)
    except HTTPError as error:
        raise UnsuitablePackageError(f"{url} answers {error.code} {error.reason}") from None
    except (URLError, HTTPException, TimeoutError, OSError) as error:
        reason = getattr(error, "reason", None) or error
        raise UnsuitablePackageError(f"{url} cannot be reached: {reason}") from None
    if len(data) > PACKAGE_BYTES:
        raise UnsuitablePackageError(f"{url} is larger than {size_text(PACKAGE_BYTES)}")
    return data
