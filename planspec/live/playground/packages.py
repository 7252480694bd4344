"""The packages that a playground is made of: pinned by version and hash, from the indexes of npm and PyPI or from a folder.

What was fetched is kept in planspec's cache folder, so that an interrupted call goes on where it stopped.
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

from planspec.caches import cache_home
from planspec.dsl.resources.limits import FILE_BYTES, PACKAGE_BYTES
from planspec.dsl.resources.reading import read_bytes, size
from planspec.errors import PlanspecError
from planspec.files import replace_bytes

PYPI, NPM = "https://pypi.org/simple", "https://registry.npmjs.org"
"""The indexes, where nothing else is configured."""
ACCEPT = {"Accept": "application/vnd.pypi.simple.v1+json, text/html;q=0.5, */*;q=0.1"}
WAIT_S = 60.0
"""The time after which a server that says nothing is given up."""


class UnsuitablePackageError(PlanspecError, ValueError):
    """A package cannot be had, or is not the one that is pinned."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package of one version, as the file `pinned.json` names it.

    Attributes:
        file: the name of its archive.
        sha256: of that.
    """

    index: Literal["npm", "pypi"]
    name: str
    version: str
    file: str
    sha256: str


def pinned() -> tuple[Package, ...]:
    """All packages."""
    data = read_bytes(Path(__file__).with_name("pinned.json"), FILE_BYTES)
    return TypeAdapter(tuple[Package, ...]).validate_json(data)


def gathered(
    packages: tuple[Package, ...], told: Callable[[int, Package], None], folder: Path | None = None
) -> dict[Package, Path]:
    """The archives of packages in a folder, where those that are not there yet are fetched to.

    Args:
        packages: which ones.
        told: hears of each that is fetched, and its number from 1.
        folder: has them; planspec's cache folder if left out. Nobody is asked for what is in it.

    Raises:
        UnsuitablePackageError: one cannot be fetched, or is another than the one that is pinned.
        OSError: the folder cannot be read or written.
    """
    own = folder is None
    folder = _cache() if folder is None else folder
    found: dict[Package, Path] = {}
    for number, package in enumerate(packages, 1):
        path = found[package] = folder / package.file
        if path.is_file():
            fault = _fault(package, read_bytes(path, PACKAGE_BYTES))
            if fault is None:
                continue
            if not own:
                raise UnsuitablePackageError(f"`{path}` {fault}")
        told(number, package)
        try:
            data = _download(_address(package))
        except UnsuitablePackageError as error:
            missing = [one for one in packages[number - 1 :] if not (folder / one.file).is_file()]
            more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise UnsuitablePackageError(
                f"`{folder}` lacks `{package.file}`{more}, and it cannot be fetched: {error}"
            ) from None
        fault = _fault(package, data)
        if fault is not None:
            raise UnsuitablePackageError(f"`{package.file}`, as it was fetched, {fault}")
        folder.mkdir(parents=True, exist_ok=True)
        replace_bytes(path, data)
    return found


def _cache() -> Path:
    home = cache_home()
    if home is None:
        raise UnsuitablePackageError(
            "there is no folder to keep packages in: set XDG_CACHE_HOME, or give --wheels DIR"
        )
    return home / "playground"


def _fault(package: Package, data: bytes) -> str | None:
    """What is wrong with an archive, in words that follow its name."""
    found = hashlib.sha256(data).hexdigest()
    return (
        None
        if found == package.sha256
        else f"is not what is pinned: its SHA-256 is {found}, not {package.sha256}"
    )


def _address(package: Package) -> str:
    """The address of a package's archive.

    Raises:
        UnsuitablePackageError: its index does not have it.
    """
    if package.index == "npm":
        registry = os.environ.get("npm_config_registry") or NPM  # noqa: SIM112 so npm calls it
        bare = package.name.rpartition("/")[2]
        return f"{registry.rstrip('/')}/{package.name}/-/{bare}-{package.version}.tgz"
    page = f"{_pypi().rstrip('/')}/{package.name}/"
    for address in _links(_download(page).decode("utf-8", "replace"), page):
        if urlsplit(address).path.rpartition("/")[2] == package.file:
            return address
    raise UnsuitablePackageError(f"{page} does not have `{package.file}`")


@cache
def _pypi() -> str:
    """The index that pip asks."""
    if said := os.environ.get("PIP_INDEX_URL"):
        return said
    asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    try:
        found = subprocess.run(
            asked, capture_output=True, text=True, timeout=WAIT_S, check=False
        ).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return PYPI
    return found or PYPI


class _Links(HTMLParser):
    """The targets of a page's links."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if tag == "a" and name == "href" and value]


def _links(text: str, page: str) -> Iterator[str]:
    """The addresses on an index's page, which may be HTML or JSON."""
    if text.lstrip().startswith("{"):
        yield from (urljoin(page, file["url"]) for file in json.loads(text).get("files", ()))
        return
    reader = _Links()
    reader.feed(text)
    yield from (urldefrag(urljoin(page, target)).url for target in reader.found)


@cache
def _certificates() -> ssl.SSLContext:
    """Whom to trust: those whom pip is told to."""
    return ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or None)


def _download(address: str) -> bytes:
    """What an address has.

    Raises:
        UnsuitablePackageError: it cannot be had.
    """
    if urlsplit(address).scheme not in ("http", "https", "file"):
        raise UnsuitablePackageError(f"`{address}` is no address to fetch from")
    try:
        request = Request(address, headers=ACCEPT)  # noqa: S310 its scheme was looked at
        with urlopen(request, timeout=WAIT_S, context=_certificates()) as answer:  # noqa: S310
            data: bytes = answer.read(PACKAGE_BYTES + 1)
    except HTTPError as error:
        raise UnsuitablePackageError(f"{address} answers {error.code} {error.reason}") from None
    except (URLError, HTTPException, TimeoutError, OSError) as error:
        reason = getattr(error, "reason", None) or error
        raise UnsuitablePackageError(f"{address} cannot be reached: {reason}") from None
    if len(data) > PACKAGE_BYTES:
        raise UnsuitablePackageError(f"{address} is larger than {size(PACKAGE_BYTES)}")
    return data
