"""A handwritten request is used only for the specification for which it was written. Mistakes are reported by line."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random

import pytest
import yaml

from planspec.families.worldtravel.generator.calendar import draw_calendar
from planspec.families.worldtravel.generator.city import CityFolder
from planspec.families.worldtravel.generator.documents import WordedQuery, specification_text, task_text
from planspec.families.worldtravel.generator.drawing import Draft, draw_draft
from planspec.families.worldtravel.generator.shapes import HARD, TIMED, TOTAL, TaskShape
from planspec.families.worldtravel.generator.wording import RequestWording
from planspec.families.worldtravel.generator.written_requests import (
    request_faults,
    section_names,
    specification_digest,
    specification_of,
)
from planspec.suite_writing.options import UnsuitableSuiteError
from planspec.suite_writing.writing import query_sections
from tests.families.worldtravel.city_requests import renewed_files, with_digests

JULY_1 = date(2026, 7, 1)
REQUEST = """# Written by hand.
town-001:
  for: {digest}
  query: >-
    Four of us are off to the   mill:
    two adults, two children.

    We go by bus.
  tells:
    Traveller: "two adults, two  children"
    ride: We go by bus.
other:
  query: Anything.
"""


def draw(town: CityFolder) -> Draft:
    """Return a random draft of a task in the town."""
    calendar = draw_calendar(town, JULY_1, 2, 0)
    drafts = (
        draw_draft(
            Random(n), town, calendar, town.scenarios.cores[0], (JULY_1,), TaskShape(HARD[1], TOTAL[1], TIMED[1])
        )
        for n in range(100)
    )
    return next(draft for draft in drafts if draft is not None)


def write_requests(town: CityFolder, text: str) -> CityFolder:
    """Write the file of handwritten requests, and return the town with them."""
    (town.folder / "requests.yaml").write_text(text, "utf-8")
    return CityFolder.read(town.folder)


def test_a_request_is_used_only_for_its_specification(town: CityFolder) -> None:
    draft = draw(town)
    digest = specification_digest(specification_text(draft, 5000, "EUR"))
    wording = RequestWording(write_requests(town, REQUEST.format(digest=digest)))
    assert "off to the mill" not in wording.query(Random(1), draft, 6000).text
    assert wording.written.unused == ("town-001", "other")
    query = wording.query(Random(1), draft, 5000)
    assert query.text == "Four of us are off to the mill: two adults, two children.\nWe go by bus."
    assert query.tells == {"Traveller": "two adults, two children", "ride": "We go by bus."}
    assert list(wording.written.unused) == ["other"]


def test_a_request_from_the_grammar_does_not_depend_on_handwritten_requests(town: CityFolder) -> None:
    draft = draw(town)
    before = RequestWording(town).query(Random(1), draft, 6000)
    wording = RequestWording(write_requests(town, REQUEST.format(digest="0" * 16)))
    assert wording.query(Random(1), draft, 6000) == before


def test_a_task_s_text_has_the_specification_that_the_draft_has(town: CityFolder) -> None:
    draft = draw(town)
    query = WordedQuery("One paragraph.\nAnother: given\nand tables.", {"Traveller": "One"})
    text = task_text(draft, "t", "w", query, budget=5000, currency="EUR", restaurants=town.restaurants)
    specification = specification_text(draft, 5000, "EUR")
    assert specification_of(text) == specification
    content = yaml.safe_load(text)
    assert section_names(specification) == content["given"].keys() | content["tables"].keys()
    assert content["query"] == query.text


def test_a_query_keeps_its_paragraphs() -> None:
    text = query_sections("word " * 40 + "end.\nShort.", {})
    paragraphs = yaml.safe_load(text)["query"].split("\n")
    assert paragraphs == ["word " * 40 + "end.", "Short."]
    assert max(map(len, text.splitlines())) <= 118


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "    ride: We",
            "    ride: They",
            "requests.yaml:11: town-001.tells.ride: the query does not have these words",
        ),
        (
            "    ride:",
            "    rid:",
            "requests.yaml:11: town-001.tells.rid: a task has no given or table `rid` (did you mean `ride`?)",
        ),
        ("ride: We go by bus.", 'ride: " "', "requests.yaml:11: town-001.tells.ride: the quotation is empty"),
        ("other:", "town-001:", "requests.yaml:12: `town-001` is already in line 2"),
        (
            "  query: Anything.",
            "  for: {digest}\n  query: Anything.",
            "requests.yaml:13: other.for: `town-001` was written for the same specification",
        ),
    ],
)
def test_mistakes_are_reported_with_their_lines(town: CityFolder, old: str, new: str, message: str) -> None:
    assert old in REQUEST
    city = write_requests(town, REQUEST.replace(old, new).format(digest="0123456789abcdef"))
    assert list(request_faults(city)) == [message]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("town-001:\n  tells: {}\n", "requests.yaml:1: town-001.query: it is missing"),
        ("town-001:\n  query: Hi.\n  tell: {}\n", "requests.yaml:3: town-001.tell: there is no such key"),
        ("town-001:\n  query: Hi.\n  for: 12\n", "requests.yaml:3: town-001.for: "),
        ("- Hi.\n", "requests.yaml:1: it must be an object"),
        ("town-001: [\n", "requests.yaml"),
    ],
)
def test_a_malformed_file_is_refused(town: CityFolder, text: str, message: str) -> None:
    with pytest.raises(UnsuitableSuiteError) as caught:
        RequestWording(write_requests(town, text))
    assert message in str(caught.value)


def test_a_quotation_for_something_that_the_task_lacks_is_refused(town: CityFolder) -> None:
    draft = replace(draw(town), before=())
    digest = specification_digest(specification_text(draft, None, "EUR"))
    text = REQUEST.format(digest=digest).replace("    ride:", "    Before: the mill\n    ride:")
    wording = RequestWording(write_requests(town, text))
    with pytest.raises(
        UnsuitableSuiteError, match=r"requests.yaml:11: town-001.tells.Before: the task has no `Before`"
    ):
        wording.query(Random(1), draft, None)


def write_suite(town: CityFolder, folder: Path) -> str:
    """Write two tasks and a README as the generator does, and return the digest of the first task."""
    folder.mkdir()
    for name, budget in (("town-001", 5000), ("other", 6000)):
        query = WordedQuery(f"The {name} of the grammar.", {"Traveller": "The"})
        text = task_text(draw(town), name, "w", query, budget=budget, currency="EUR", restaurants=town.restaurants)
        (folder / f"{name}.task.yaml").write_text(text, "utf-8")
    (folder / "README.md").write_text(
        "# T\n\n- Similarity of requests: old.\n- Similarity of solutions: same.\n", "utf-8"
    )
    return specification_digest(specification_text(draw(town), 5000, "EUR"))


def test_handwritten_requests_are_written_into_tasks_without_drawing_the_tasks_again(
    town: CityFolder, tmp_path: Path
) -> None:
    """Givens, tables and all other sections are unchanged. A second run changes nothing."""
    digest = write_suite(town, tmp_path / "suite")
    text = REQUEST.replace("  for: {digest}\n", "")
    city = write_requests(town, text)
    before = (tmp_path / "suite" / "town-001.task.yaml").read_text("utf-8")
    for path, content in renewed_files(city, tmp_path / "suite"):
        path.write_text(content, "utf-8")
    content = (tmp_path / "suite" / "town-001.task.yaml").read_text("utf-8")
    assert specification_of(content) == specification_of(before)
    assert yaml.safe_load(content)["query"].endswith("\nWe go by bus.")
    assert list(yaml.safe_load(content)) == list(yaml.safe_load(before))
    assert f"town-001:\n  for: {digest}\n  query: >-" in (town.folder / "requests.yaml").read_text("utf-8")
    readme = (tmp_path / "suite" / "README.md").read_text("utf-8")
    assert (
        "- Similarity of requests: `other` and `town-001` are the most similar and share 0 % of the word trigrams"
        in readme
    )
    assert "- Similarity of solutions: same." in readme
    assert all(path.read_text("utf-8") == content for path, content in renewed_files(city, tmp_path / "suite"))


def test_a_request_for_a_missing_task_or_one_that_was_drawn_again_is_refused(town: CityFolder, tmp_path: Path) -> None:
    write_suite(town, tmp_path / "suite")
    city = write_requests(town, REQUEST.format(digest="0" * 16) + "gone:\n  query: Hi.\n")
    with pytest.raises(UnsuitableSuiteError) as caught:
        list(renewed_files(city, tmp_path / "suite"))
    assert "requests.yaml:3: town-001.for: it was written for another specification" in str(caught.value)
    assert "requests.yaml:14: gone: `suite` has no such task" in str(caught.value)


def test_digests_are_filled_in_once() -> None:
    text = "a:\n  query: >-\n    Text.\n  for: 0000000000000000\nb:\n  query: b\n"
    assert with_digests(text, {"a": "1" * 16, "b": "2" * 16}) == text.replace("b:\n", f"b:\n  for: {'2' * 16}\n")
