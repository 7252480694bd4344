"""The commands, tables and links of the README and of other pages are correct."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from typer.main import get_command

from planspec.cli import app
from tests.docs.pages import DEMO, blocks, run_page
from tests.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
PAGES = sorted(
    {
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        ROOT / ".github" / "CONTRIBUTING.md",
        *(ROOT / "docs").glob("*.md"),
        *ROOT.glob("*/DECISIONS.md"),
        *ROOT.glob("planspec/families/*/DECISIONS.md"),
    }
)
PAGE_NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]


def test_every_command_prints_what_the_readme_shows(tmp_path: Path) -> None:
    differences, _ = run_page(README, tmp_path)
    assert not differences, "\n\n".join(map(str, differences))


def test_the_commands_of_a_checkout_are_targets_of_make() -> None:
    make_block = next(block for block in blocks(README) if block.text.startswith("make "))
    commands = [line.split("#")[0].split() for line in make_block.text.splitlines()]
    assert commands == [["make", "demo"], ["make", "test"]]
    for command in commands:
        process = subprocess.run(
            [*command, "--dry-run", "-o", ".venv/.installed", "-o", ".venv/.solve"],
            cwd=ROOT,
            capture_output=True,
            check=False,
        )
        assert process.returncode == 0, process.stderr.decode()


def test_the_demo_of_the_readme_installs_nothing_in_tests() -> None:
    """If it installed packages, a test in one checkout would change the environment of another one."""
    process = subprocess.run(
        [*shlex.split(DEMO), "--dry-run"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert "planspec validate berlin-001" in process.stdout
    assert "pip install" not in process.stdout


def test_the_list_of_commands_is_complete() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^- `planspec ([\w-]+)", page, flags=re.MULTILINE))
    group = get_command(app)
    assert listed == set(group.list_commands(None))  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", PAGES, ids=PAGE_NAMES)
def test_every_link_has_a_target(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = [target for target in LINK.findall(text) if not (page.parent / target).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=PAGE_NAMES)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    named = re.findall(
        r"`((?:dsl|verifiers|solvers|planspec|tasks|tests|docs)/[\w./-]+)`", page.read_text(encoding="utf-8")
    )
    assert not [name for name in named if not (ROOT / name).exists()]
