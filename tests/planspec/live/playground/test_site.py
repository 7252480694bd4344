"""The folder of a playground: static files that load nothing from elsewhere."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from planspec.dsl.resources.limits import LINK_CHARACTERS
from planspec.live.playground import packages, site
from planspec.live.playground.packages import Package
from planspec.live.playground.site import PlaygroundFolderError, write_site
from tests.planspec.commands.test_command_line import run
from tests.planspec.live.playground.archives import small_packages

pytestmark = pytest.mark.slow


def write_archives(folder: Path) -> dict[Package, Path]:
    """Write the archives of small packages to a folder, and return their paths."""
    paths = {}
    for package, data in small_packages().items():
        paths[package] = folder / package.file
        paths[package].write_bytes(data)
    return paths


@pytest.fixture(scope="module")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a playground made of small packages."""
    folder = tmp_path_factory.mktemp("playground")
    (folder / "wheels").mkdir()
    site_folder = folder / "new" / "out"
    size = write_site(site_folder, write_archives(folder / "wheels"))
    assert size == sum(path.stat().st_size for path in site_folder.rglob("*") if path.is_file())
    return site_folder


@pytest.mark.thorough
def test_the_folder_has_the_page_the_editor_python_and_the_licences(site_folder: Path) -> None:
    names = {path.relative_to(site_folder).as_posix() for path in site_folder.rglob("*") if path.is_file()}
    assert {"index.html", "main.js", "worker.js", "page.css", "examples.json", "playground.json"} <= names
    assert {"editor/edit-or.js", "pyodide/pyodide.mjs", "python/packages.zip", "python/planspec.zip"} <= names
    assert {name for name in names if name.startswith("licences/")} == {
        f"licences/{name}.txt" for name in ("pyodide", "edit-or", "fast", "slow")
    }
    assert (site_folder / "licences/edit-or.txt").read_text() == "do as you like\n@edit/or 1: MIT\n"
    assert "pyodide/console.html" not in names


@pytest.mark.thorough
def test_no_native_code_is_packed_except_webassembly(site_folder: Path) -> None:
    with zipfile.ZipFile(site_folder / "python/packages.zip") as packed:
        assert sorted(packed.namelist()) == [
            "fast-1.dist-info/METADATA",
            "fast/__init__.py",
            "fast/fast.so",
            "slow-1.dist-info/licenses/LICENSE",
            "slow/__init__.py",
        ]


@pytest.mark.thorough
def test_planspec_is_packed_with_the_examples_and_no_other_task(site_folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(site_folder / "python/planspec.zip") as packed:
        names = set(packed.namelist())
        packed.extractall(tmp_path)
    assert "planspec/dsl/syntax/grammar.lark" in names
    assert "planspec/tasks/worldtravel-berlin/world/entry.csv" in names
    assert "planspec/tasks/worldtravel-berlin/berlin-002.task.yaml" not in names
    assert not [name for name in names if name.startswith("planspec/docs/") or name.endswith(".pyc")]
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import planspec, os; os.chdir({str(tmp_path / 'planspec/tasks')!r}); "
        "from pathlib import Path; from planspec.live.playground.session import PlaygroundSession; "
        'print(planspec.__file__, PlaygroundSession(Path.cwd()).answer(\'{"verb": "check"}\'))'
    )
    run = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert run.stdout.startswith(f'{tmp_path}/planspec/__init__.py {{"ok"')


def test_the_pages_policy_allows_only_its_own_scripts(site_folder: Path) -> None:
    text = (site_folder / "index.html").read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    inside = re.findall(r"<script(?: type=\"importmap\")?>(.*?)</script>", text, re.DOTALL)
    assert len(inside) == 2
    for script in inside:
        assert f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in policy[1]
    assert "http" not in policy[1]
    assert "connect-src 'self'" in policy[1]
    assert json.loads(inside[0]) == {"imports": {"@edit/or": "./editor/edit-or.js"}}
    for path in (*site_folder.glob("*.html"), *site_folder.glob("*.js"), *site_folder.glob("*.css")):
        assert not re.search(r"https?://(?!www\.w3\.org/)", path.read_text()), path.name


def test_the_page_imports_only_pinned_packages(site_folder: Path) -> None:
    named = {package.name for package in packages.pinned_packages() if package.index == "npm"}
    for path in site_folder.glob("*.js"):
        for module in re.findall(r'^import .* from "([^"]+)";', path.read_text(), re.MULTILINE):
            assert module in named or (site_folder / module).is_file(), module


def test_links_have_the_length_limit_of_the_package(site_folder: Path) -> None:
    assert f"export const LIMIT = {LINK_CHARACTERS:_};" in (site_folder / "link.js").read_text()
    assert "is too large for a link" in (site_folder / "main.js").read_text()


@pytest.mark.thorough
def test_equal_packages_make_equal_folders_and_an_older_playground_is_replaced(
    site_folder: Path, tmp_path: Path
) -> None:
    def texts(folder: Path) -> dict[str, bytes]:
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    before = texts(site_folder)
    (site_folder / "old.txt").write_text("of an older release")
    (tmp_path / "wheels").mkdir()
    write_site(site_folder, write_archives(tmp_path / "wheels"))
    assert texts(site_folder) == before
    assert {path.name for path in site_folder.parent.iterdir()} == {"out"}


def test_a_folder_that_is_not_a_playground_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(PlaygroundFolderError, match="is neither an empty folder nor a playground"):
        write_site(tmp_path, {})
    with pytest.raises(PlaygroundFolderError):
        write_site(tmp_path / "mine.txt", {})
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_an_invalid_archive_is_reported_and_nothing_is_written(tmp_path: Path) -> None:
    paths = write_archives(tmp_path)
    next(path for package, path in paths.items() if package.name == "pyodide").write_bytes(b"no archive")
    with pytest.raises(PlaygroundFolderError, match="a package is not a valid archive"):
        write_site(tmp_path / "out", paths)
    assert not (tmp_path / "out").exists()


def test_the_command_prints_the_folder_of_the_playground(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    wheels, site_folder = tmp_path / "wheels", tmp_path / "out"
    wheels.mkdir()
    write_archives(wheels)
    monkeypatch.setattr(packages, "pinned_packages", lambda: tuple(small_packages()))
    monkeypatch.setattr(site, "examples", lambda _: iter(()))
    code, output, _ = run(monkeypatch, capsys, "playground", "--out", str(site_folder), "--wheels", str(wheels))
    assert code == 0
    assert re.fullmatch(rf"{site_folder}: \d+\.\d MB, for any web server; .*\n", output)
    assert (site_folder / "index.html").is_file()
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    (wheels / "pyodide-1.tgz").unlink()
    code, output, error = run(monkeypatch, capsys, "playground", "--out", str(site_folder), "--wheels", str(wheels))
    assert (code, output) == (2, "")
    assert error.startswith(
        f"error: `{wheels}` lacks `pyodide-1.tgz`, and it cannot be fetched: http://127.0.0.1:9/pyodide/"
    )
    code, _, error = run(monkeypatch, capsys, "playground", "--out", str(tmp_path))
    assert code == 2
