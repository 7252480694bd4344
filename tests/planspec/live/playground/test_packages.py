"""Packages come from a folder or from indexes, are fetched once, and are what is pinned."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from planspec.live.playground import packages
from planspec.live.playground.packages import Package, UnsuitablePackageError, gathered, pinned
from tests.planspec.live.playground.archives import served, small


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that both indexes serve, with the small packages; nothing else is asked."""
    root = tmp_path / "index"
    for package, data in small().items():
        if package.index == "npm":
            place = root / "npm" / package.name / "-" / f"{package.name.rpartition('/')[2]}-1.tgz"
        else:
            place = root / "files" / package.file
            page = root / "simple" / package.name / "index.html"
            page.parent.mkdir(parents=True)
            page.write_text(
                f'<a href="../../files/{package.file}#sha256={package.sha256}">{package.file}</a>'
            )
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    with served(root) as address:
        monkeypatch.setenv("PIP_INDEX_URL", f"{address}simple")
        monkeypatch.setenv("npm_config_registry", f"{address}npm/")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        packages._pypi.cache_clear()
        yield root
    packages._pypi.cache_clear()


def fetch(folder: Path | None = None) -> list[str]:
    """The names of what is fetched, once all is there."""
    told: list[str] = []
    found = gathered(tuple(small()), lambda _, package: told.append(package.name), folder)
    assert {package: path.read_bytes() for package, path in found.items()} == small()
    return told


def test_packages_are_fetched_once(index: Path) -> None:
    assert fetch() == ["pyodide", "@edit/or", "fast", "slow"]
    assert fetch() == []


def test_an_interrupted_call_goes_on_where_it_stopped(index: Path, tmp_path: Path) -> None:
    def interrupt(number: int, package: Package) -> None:
        if number == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gathered(tuple(small()), interrupt)
    assert fetch() == ["fast", "slow"]


def test_a_damaged_package_in_the_cache_is_fetched_again(index: Path, tmp_path: Path) -> None:
    fetch()
    (tmp_path / "cache/planspec/playground/edit-or-1.tgz").write_bytes(b"half")
    assert fetch() == ["@edit/or"]


def test_what_a_folder_has_is_asked_of_nobody(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fetch(tmp_path / "wheels") == ["pyodide", "@edit/or", "fast", "slow"]
    monkeypatch.setattr(packages, "urlopen", None)
    assert fetch(tmp_path / "wheels") == []


def test_another_package_of_a_name_is_refused(index: Path, tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    fetch(wheels)
    (wheels / "pyodide-1.tgz").write_bytes(b"other")
    with pytest.raises(
        UnsuitablePackageError, match=r"pyodide-1\.tgz` is not what is pinned: its SHA-256 is d9298a10"
    ):
        fetch(wheels)
    next(index.rglob("slow-1-*.whl")).write_bytes(b"other")
    with pytest.raises(
        UnsuitablePackageError, match=r"`slow-1-[^`]+`, as it was fetched, is not what is pinned"
    ):
        fetch()


def test_what_an_index_does_not_have_is_said(index: Path) -> None:
    (index / "simple/fast/index.html").write_text("<a href='fast-2.whl'>fast-2.whl</a>")
    with pytest.raises(
        UnsuitablePackageError,
        match=r"lacks `fast-1-[^`]+`, and 1 more, and it cannot be fetched: .* does not have `fast-1-",
    ):
        fetch()
    (index / "npm/pyodide/-/pyodide-1.tgz").unlink()
    packages_ = tuple(small())
    with pytest.raises(UnsuitablePackageError, match="answers 404 File not found"):
        gathered(packages_, lambda *_: None, index / "none")


def test_without_a_network_it_is_said_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    with pytest.raises(
        UnsuitablePackageError,
        match=r"lacks `pyodide-1\.tgz`, and 3 more, and it cannot be fetched: .* cannot be reached",
    ):
        gathered(tuple(small()), lambda *_: None, tmp_path)
    monkeypatch.setenv("npm_config_registry", "ftp://127.0.0.1:9")
    with pytest.raises(UnsuitablePackageError, match="is not an http, https or file address"):
        gathered(tuple(small()), lambda *_: None, tmp_path)


def test_an_index_may_answer_in_json() -> None:
    page = json.dumps({"files": [{"filename": "a-1.whl", "url": "../../files/a-1.whl"}]})
    assert list(packages._links(page, "https://index.test/simple/a/")) == ["https://index.test/files/a-1.whl"]


def test_what_is_pinned_is_one_of_each_with_the_solvers_as_webassembly() -> None:
    found = {package.name: package for package in pinned()}
    assert len(found) == len(pinned())
    assert {"pyodide", "@codemirror/view", "pydantic", "pyyaml", "lark", "rapidfuzz"} <= set(found)
    for name in ("z3-solver", "python-sat", "pydantic-core"):
        assert found[name].file.endswith("wasm32.whl")
