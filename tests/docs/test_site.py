"""The documentation site is built without a network, and its pages load nothing from other hosts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import planspec
from tests.paths import ROOT

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("site")]
BUILD = """\
import socket, sys

def refuse(*_):
    raise OSError("no network")

socket.socket.connect = socket.getaddrinfo = refuse
from mkdocs.__main__ import cli
cli(["build", "--quiet", "--strict", "--site-dir", sys.argv[1]])
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site in a process without a network."""
    out = tmp_path_factory.mktemp("site")
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    process = subprocess.run(
        [sys.executable, "-c", BUILD, out], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert (process.returncode, process.stdout + process.stderr) == (0, "")
    return out


def test_every_page_exists_and_the_first_is_the_readme(site: Path) -> None:
    pages = {path.stem for path in site.glob("*.html")}
    assert pages >= {path.stem for path in (ROOT / "docs").glob("*.md")} | {"index", "api"}
    assert "planspec is a language for planning tasks" in (site / "index.html").read_text("utf-8")


def test_every_public_name_is_on_the_page_of_the_api(site: Path) -> None:
    text = (site / "api.html").read_text("utf-8")
    assert [name for name in planspec.__all__ if f'id="planspec.{name}"' not in text] == []


def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    """Scripts, styles, fonts and pictures are local. Links to other sites are allowed."""
    for path in site.rglob("*.html"):
        text = path.read_text("utf-8")
        assert re.findall(r'<(?:script|img|link|iframe)[^>]* (?:src|href)="(?:https?:)?//[^"]*"', text) == [], path.name


def test_the_gallery_has_every_example_with_its_panel(site: Path) -> None:
    text = (site / "gallery.html").read_text("utf-8")
    examples = sorted(path.name for path in (ROOT / "tasks" / "examples").glob("*.task.yaml"))
    assert [name for name in examples if name not in text] == []
    frames = re.findall(r'<iframe src="gallery/([^"]+)"', text)
    assert len(frames) == len(examples)
    assert all('id="panel"' in (site / "gallery" / name).read_text("utf-8") for name in frames)


def test_a_block_with_the_contents_of_a_file_shows_the_name_of_the_file(site: Path) -> None:
    assert "afternoon.task.yaml" in (site / "index.html").read_text("utf-8")
    assert not [path.name for path in site.glob("*.html") if "```" in path.read_text("utf-8").replace("``````", "")]
