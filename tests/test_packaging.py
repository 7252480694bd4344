"""Distributions contain the packages of the checkout with their data.

In the distributions, the packages at the root of the checkout have names `planspec.*`."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from planspec.commands.docs import docs_pages
from tests.paths import ROOT

FOLDERS = ("docs", "dsl", "solvers", "tasks", "verifiers")
BUILD_INPUTS = (
    "pyproject.toml",
    "setup.py",
    "MANIFEST.in",
    "README.md",
    "LICENSE",
    "Makefile",
    "uv.lock",
    "planspec",
    "tests",
    *FOLDERS,
)

BUILD = (sys.executable, "-m", "build", "--no-isolation")

# All tests here use one build of the distributions, so one xdist worker has to run them all.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("packaging")]


@dataclass(frozen=True, slots=True)
class Distributions:
    """The built distributions.

    Attributes:
        checkout: copy of the checkout from which they are built.
        wheel: path of the wheel, which is built from the source distribution.
        wheel_files: names of the files in the wheel.
        sdist_files: names of the files in the source distribution.
    """

    checkout: Path
    wheel: Path
    wheel_files: frozenset[str]
    sdist_files: frozenset[str]


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command that must succeed, and return its output. Python imports nothing from the checkout."""
    env = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME"}}
    process = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, f"{command} gave {process.returncode}\n{process.stdout}\n{process.stderr}"
    return process.stdout


PICTURES = ROOT / "docs" / "pictures"
"""Folder of the pictures on the pages, which `planspec docs` does not show."""


def installed_names() -> frozenset[str]:
    """Return the names that the files of the checkout's packages have after installation.

    Notes on decisions and the documentation's pictures are not installed.
    """
    names = set()
    for folder in ("planspec", *FOLDERS):
        installed_as = Path("planspec") if folder == "planspec" else Path("planspec") / folder
        for path in (ROOT / folder).rglob("*"):
            inside = path.relative_to(ROOT / folder)
            hidden = any(part == "__pycache__" or part.startswith(".") for part in inside.parts)
            linked = folder == "planspec" and inside.parts[0] in FOLDERS
            if path.is_file() and not hidden and not linked and path.name != "DECISIONS.md" and path.parent != PICTURES:
                names.add((installed_as / inside).as_posix())
    return frozenset(names)


def files_in_wheel(wheel: Path) -> frozenset[str]:
    """Return the names of the files in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return frozenset(name for name in archive.namelist() if not name.endswith("/"))


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """Build the source distribution and the wheels."""
    checkout = tmp_path_factory.mktemp("checkout")
    for name in BUILD_INPUTS:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, checkout / name, symlinks=True, ignore=ignored)
        else:
            shutil.copy2(ROOT / name, checkout / name)
    stale = checkout / "build" / "lib" / "planspec" / "stale.py"  # left by an earlier build
    stale.parent.mkdir(parents=True)
    stale.touch()
    run(*BUILD, "--outdir", "dist", ".", cwd=checkout)
    (wheel,) = (checkout / "dist").glob("*.whl")
    (sdist,) = (checkout / "dist").glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        inside = [Path(*Path(member.name).parts[1:]) for member in archive.getmembers() if member.isfile()]
        sdist_files = frozenset(path.as_posix() for path in inside)
    return Distributions(checkout, wheel, files_in_wheel(wheel), sdist_files)


@pytest.fixture(scope="module")
def command_folder(distributions: Distributions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create an environment with the wheel and its dependencies, and return its folder of commands."""
    home = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", "venv", cwd=home)
    commands = home / "venv" / "bin"
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", commands / "python"]
    run(*pip, "install", "--no-deps", "--no-index", "--quiet", distributions.wheel, cwd=home)
    # A path file does not make Python read the path file of an editable install, unlike a further site folder.
    query = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(run(commands / "python", "-c", query, cwd=home).strip())
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return commands


def test_the_links_to_the_folders_at_the_root_are_relative() -> None:
    for folder in FOLDERS:
        assert (ROOT / "planspec" / folder).readlink() == Path("..") / folder


def test_the_wheel_holds_exactly_the_files_of_the_packages(distributions: Distributions) -> None:
    packaged = {name for name in distributions.wheel_files if ".dist-info/" not in name}
    assert {"planspec/py.typed", "planspec/dsl/syntax/grammar.lark"} <= packaged
    assert sorted(installed_names() - packaged) == [], "not in the wheel: is the ending in package-data?"
    assert sorted(packaged - installed_names()) == [], "in the wheel, but not in the checkout"


@pytest.mark.thorough
def test_wheels_built_together_from_the_checkout_equal_the_one_from_the_sdist(distributions: Distributions) -> None:
    build = partial(run, *BUILD, "--wheel", cwd=distributions.checkout)
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda out: build("--outdir", out, "."), ("direct", "again")))
    for out in ("direct", "again"):
        (wheel,) = (distributions.checkout / out).glob("*.whl")
        assert files_in_wheel(wheel) == distributions.wheel_files


def test_the_wheel_has_only_planspec_as_a_top_level_name(distributions: Distributions) -> None:
    tops = {name.split("/")[0] for name in distributions.wheel_files}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"planspec"}


def test_the_wheel_contains_the_licence(distributions: Distributions) -> None:
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in distributions.wheel_files)


def test_the_description_for_package_indexes_has_no_dead_link(distributions: Distributions) -> None:
    """Links to pages of the checkout are replaced by commands. Each command names an existing page and section."""
    with zipfile.ZipFile(distributions.wheel) as wheel:
        name = next(name for name in distributions.wheel_files if name.endswith(".dist-info/METADATA"))
        text = wheel.read(name).decode()
    assert "Description-Content-Type: text/markdown" in text
    assert re.findall(r"\]\((?!https?:)[^)]*\)", text) == []
    commands = re.findall(r"\(`planspec docs ([\w-]+)(?:#([\w-]+))?`\)", text)
    assert len(commands) > 20
    pages = docs_pages()
    for page, anchor in commands:
        assert page in pages
        assert not anchor or pages[page].section(anchor)


def test_the_installed_command_shows_the_documentation(command_folder: Path, tmp_path: Path) -> None:
    assert "tutorial  " in run(command_folder / "planspec", "docs", cwd=tmp_path)
    assert run(command_folder / "planspec", "docs", "tutorial", cwd=tmp_path) == (
        ROOT / "docs" / "tutorial.md"
    ).read_text("utf-8")


def test_the_sdist_holds_everything_that_the_wheel_is_built_from(distributions: Distributions) -> None:
    assert (
        sorted((installed_names() | {"pyproject.toml", "setup.py", "README.md", "LICENSE"}) - distributions.sdist_files)
        == []
    )


def test_the_sdist_can_be_tested(distributions: Distributions) -> None:
    """For `make core`, the source distribution has the tests and the Makefile. The wheel has no tests."""
    tests = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests" / "dsl").rglob("*.py")}
    assert {"Makefile", "uv.lock", *tests} <= distributions.sdist_files
    assert not any(name.startswith("tests/") for name in distributions.wheel_files)


def test_an_installed_planspec_reads_its_own_modules_and_data(command_folder: Path, tmp_path: Path) -> None:
    script = """
import json
from importlib import import_module
from importlib.resources import files

def names(folder, prefix):
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from names(entry, f"{prefix}{entry.name}/")
        elif not entry.name.endswith((".py", ".pyc")):
            entry.read_bytes()
            yield prefix + entry.name

packages = ("planspec", "planspec.dsl", "planspec.solvers", "planspec.verifiers", "planspec.tasks")
origins = [import_module(package).__file__ for package in packages]
print(json.dumps({"origins": origins, "data": sorted(names(files("planspec"), "planspec/"))}))
"""
    report = json.loads(run(command_folder / "python", "-I", "-c", script, cwd=tmp_path))
    environment = command_folder.parent.resolve()
    assert all(Path(origin).resolve().is_relative_to(environment) for origin in report["origins"])
    assert report["data"] == sorted(name for name in installed_names() if not name.endswith(".py"))


def test_the_installed_command_starts(command_folder: Path, tmp_path: Path) -> None:
    assert "verify" in run(command_folder / "planspec", "--help", cwd=tmp_path)


def test_starting_the_command_line_loads_no_solver(command_folder: Path, tmp_path: Path) -> None:
    script = "import json, sys, planspec.cli; print(json.dumps(sorted(sys.modules)))"
    loaded = set(json.loads(run(command_folder / "python", "-I", "-c", script, cwd=tmp_path)))
    assert "planspec.cli" in loaded
    assert loaded.isdisjoint({"networkx", "numpy", "ortools", "pandas", "pyarrow", "z3"})
