"""The documentation as a site: it is built without a network, every link leads somewhere, and no page asks anybody for anything."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import planspec
from tests.paths import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("site")]
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
    """The site, built by a process that reaches nobody."""
    out = tmp_path_factory.mktemp("site")
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    made = subprocess.run(
        [sys.executable, "-c", BUILD, out], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert (made.returncode, made.stdout + made.stderr) == (0, "")
    return out


def test_every_page_is_there_and_the_first_is_the_readme(site: Path) -> None:
    pages = {path.stem for path in site.glob("*.html")}
    assert pages >= {path.stem for path in (ROOT / "docs").glob("*.md")} | {"index", "api"}
    assert "planspec is a language for planning tasks" in (site / "index.html").read_text("utf-8")


def test_every_public_name_has_its_place(site: Path) -> None:
    text = (site / "api.html").read_text("utf-8")
    assert [name for name in planspec.__all__ if f'id="planspec.{name}"' not in text] == []


def test_no_page_asks_anybody_for_anything(site: Path) -> None:
    """Scripts, styles, fonts and pictures are the site's own; links to others are for people."""
    for path in site.rglob("*.html"):
        text = path.read_text("utf-8")
        assert (
            re.findall(r'<(?:script|img|link|iframe)[^>]* (?:src|href)="(?:https?:)?//[^"]*"', text) == []
        ), path.name


def test_the_gallery_has_every_example_with_its_panel(site: Path) -> None:
    text = (site / "gallery.html").read_text("utf-8")
    examples = sorted(path.name for path in (ROOT / "tasks" / "examples").glob("*.task.yaml"))
    assert [name for name in examples if name not in text] == []
    frames = re.findall(r'<iframe src="gallery/([^"]+)"', text)
    assert len(frames) == len(examples)
    assert all('id="panel"' in (site / "gallery" / name).read_text("utf-8") for name in frames)


def test_a_block_that_is_a_file_has_its_name(site: Path) -> None:
    assert "afternoon.task.yaml" in (site / "index.html").read_text("utf-8")
    assert not [
        path.name for path in site.glob("*.html") if "```" in path.read_text("utf-8").replace("``````", "")
    ]
