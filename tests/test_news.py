"""News fragments have the form that a release needs to collect them."""

from __future__ import annotations

import re
import tomllib

from tests.paths import ROOT

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["towncrier"]


def test_a_news_fragment_has_a_kind_and_one_plain_entry() -> None:
    kinds = "|".join(kind["directory"] for kind in SETTINGS["type"])
    for path in (ROOT / SETTINGS["directory"]).iterdir():
        if path.name != "README.md":
            assert re.fullmatch(rf"[a-z0-9-]+\.({kinds})\.md", path.name), path.name
            text = path.read_text("utf-8")
            assert text.strip() and not text.startswith(("-", "*", "#")), (
                f"{path.name}: the bullet is added later"
            )


def test_the_changelog_has_exactly_one_mark_where_releases_are_inserted() -> None:
    assert (ROOT / SETTINGS["filename"]).read_text("utf-8").count(SETTINGS["start_string"]) == 1
