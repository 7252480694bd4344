"""Packages are taken from a folder or an index, are downloaded only once, and must match their pins (hashes)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from planspec.live.playground import packages
from planspec.live.playground.packages import (
    Package,
    UnsuitablePackageError,
    gather_packages,
    pinned_packages,
)
from tests.planspec.live.playground.archives import serve_folder, small_packages


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the folder of the small packages. It is served in place of both indexes, so that no other host is
    contacted.
    """
    root = tmp_path / "index"
    for package, data in small_packages().items():
        if package.index == "npm":
            place = root / "npm" / package.name / "-" / f"{package.name.rpartition('/')[2]}-1.tgz"
        else:
            place = root / "files" / package.file
            page = root / "simple" / package.name / "index.html"
            page.parent.mkdir(parents=True)
            page.write_text(f'<a href="../../files/{package.file}#sha256={package.sha256}">{package.file}</a>')
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    with serve_folder(root) as address:
        monkeypatch.setenv("PIP_INDEX_URL", f"{address}simple")
        monkeypatch.setenv("npm_config_registry", f"{address}npm/")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        packages._pypi_index.cache_clear()
        yield root
    packages._pypi_index.cache_clear()


def fetch_missing(folder: Path | None = None) -> list[str]:
    """Gather all packages, and return the names of those that were downloaded."""
    downloaded: list[str] = []
    archives = gather_packages(tuple(small_packages()), lambda _, package: downloaded.append(package.name), folder)
    assert {package: path.read_bytes() for package, path in archives.items()} == small_packages()
    return downloaded


def test_packages_are_fetched_once(index: Path) -> None:
    assert fetch_missing() == ["pyodide", "@edit/or", "fast", "slow"]
    assert fetch_missing() == []


def test_an_interrupted_download_resumes(index: Path, tmp_path: Path) -> None:
    def interrupt(number: int, package: Package) -> None:
        if number == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gather_packages(tuple(small_packages()), interrupt)
    assert fetch_missing() == ["fast", "slow"]


def test_a_damaged_package_in_the_cache_is_fetched_again(index: Path, tmp_path: Path) -> None:
    fetch_missing()
    (tmp_path / "cache/planspec/playground/edit-or-1.tgz").write_bytes(b"half")
    assert fetch_missing() == ["@edit/or"]


def test_packages_in_the_folder_are_not_downloaded(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fetch_missing(tmp_path / "wheels") == ["pyodide", "@edit/or", "fast", "slow"]
    monkeypatch.setattr(packages, "urlopen", None)
    assert fetch_missing(tmp_path / "wheels") == []


def test_a_package_that_differs_from_its_pin_is_refused(index: Path, tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    fetch_missing(wheels)
    (wheels / "pyodide-1.tgz").write_bytes(b"other")
    with pytest.raises(UnsuitablePackageError, match=r"pyodide-1\.tgz` is not what is pinned: its SHA-256 is d9298a10"):
        fetch_missing(wheels)
    next(index.rglob("slow-1-*.whl")).write_bytes(b"other")
    with pytest.raises(UnsuitablePackageError, match=r"`slow-1-[^`]+`, as it was fetched, is not what is pinned"):
        fetch_missing()


def test_a_package_missing_from_its_index_is_reported(index: Path) -> None:
    (index / "simple/fast/index.html").write_text("<a href='fast-2.whl'>fast-2.whl</a>")
    with pytest.raises(
        UnsuitablePackageError,
        match=r"lacks `fast-1-[^`]+`, and 1 more, and it cannot be fetched: .* does not have `fast-1-",
    ):
        fetch_missing()
    (index / "npm/pyodide/-/pyodide-1.tgz").unlink()
    packages_ = tuple(small_packages())
    with pytest.raises(UnsuitablePackageError, match="answers 404 File not found"):
        gather_packages(packages_, lambda *_: None, index / "none")


def test_without_a_network_the_missing_packages_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    with pytest.raises(
        UnsuitablePackageError,
        match=r"lacks `pyodide-1\.tgz`, and 3 more, and it cannot be fetched: .* cannot be reached",
    ):
        gather_packages(tuple(small_packages()), lambda *_: None, tmp_path)
    monkeypatch.setenv("npm_config_registry", "ftp://127.0.0.1:9")
    with pytest.raises(UnsuitablePackageError, match="is not an http, https or file address"):
        gather_packages(tuple(small_packages()), lambda *_: None, tmp_path)


def test_an_index_may_answer_in_json() -> None:
    page = json.dumps({"files": [{"filename": "a-1.whl", "url": "../../files/a-1.whl"}]})
    assert list(packages._link_urls(page, "https://index.test/simple/a/")) == ["https://index.test/files/a-1.whl"]


def test_pins_are_unique_and_solvers_are_webassembly() -> None:
    packages_by_name = {package.name: package for package in pinned_packages()}
    assert len(packages_by_name) == len(pinned_packages())
    assert {"pyodide", "@codemirror/view", "pydantic", "pyyaml", "lark", "rapidfuzz"} <= set(packages_by_name)
    for name in ("z3-solver", "python-sat", "pydantic-core"):
        assert packages_by_name[name].file.endswith("wasm32.whl")
