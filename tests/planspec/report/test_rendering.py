"""The page as HTML: well-formed, escaped and self-contained."""

import hashlib
import json
import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest

from planspec.report import ReportPage, render
from planspec.report.heat import heat_step
from planspec.report.rendering import html_with_code
from tests.planspec.report.stroll import HOSTILE

VOID = frozenset({"meta", "input", "br", "img", "link"})


class ParsedPage(HTMLParser):
    """A parsed page: elements with attributes, and texts by element.

    Attributes:
        elements: name and attributes of each element, in order. Attributes are keyed by name.
        texts: text pieces by the innermost element that contains them.
    """

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self._open[-1] if self._open else "", []).append(data)

    def attributes_of(self, tag: str) -> Iterator[dict[str, str | None]]:
        """Yield the attributes of each element with this name."""
        return (attributes for name, attributes in self.elements if name == tag)


@pytest.fixture(scope="module")
def html(report_page: ReportPage) -> str:
    """Return the rendered page."""
    return render(report_page)


@pytest.fixture(scope="module")
def parsed_page(html: str) -> ParsedPage:
    return ParsedPage(html)


def unpack_data(html: str, name: str) -> Any:
    """Return the packed data with this name in a page."""
    found = re.search(rf'<script type="application/octet-stream" id="{name}">([A-Za-z0-9+/=]*)</script>', html)
    assert found is not None
    return json.loads(zlib.decompress(b64decode(found[1])))


@pytest.mark.slow
def test_every_element_is_closed(parsed_page: ParsedPage) -> None:
    assert parsed_page.elements[0][0] == "html"


@pytest.mark.slow
def test_the_page_contains_only_its_own_scripts(parsed_page: ParsedPage, report_page: ReportPage) -> None:
    scripts = list(parsed_page.attributes_of("script"))
    assert [s.get("id") for s in scripts] == [
        None,
        "runs",
        *(f"d{n}" for n in range(len(report_page.details))),
    ]
    assert scripts[0] == {}
    assert all(s["type"] == "application/octet-stream" for s in scripts[1:])


@pytest.mark.slow
def test_texts_of_agents_never_become_elements_or_attributes(parsed_page: ParsedPage) -> None:
    assert list(parsed_page.attributes_of("img")) == []
    assert [a for _, attributes in parsed_page.elements for a in attributes if a.startswith("on") or a == "style"] == []


def test_the_error_of_a_failed_agent_is_shown(parsed_page: ParsedPage) -> None:
    text = "".join(parsed_page.texts["bdi"])
    assert HOSTILE[0] in text
    assert "{{ 7 * 7 }}" in text


def test_no_control_character_is_on_the_page(html: str) -> None:
    assert re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", html) == []


def test_the_page_fetches_nothing_from_elsewhere(html: str, parsed_page: ParsedPage) -> None:
    for tag, attributes in parsed_page.elements:
        assert tag not in ("link", "iframe", "object", "embed", "base", "form")
        assert "src" not in attributes and "srcset" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
    assert re.findall(r"@import|url\(", html) == []
    assert set(re.findall(r"https?://[^\s\"']+", html)) <= {"http://www.w3.org/2000/svg"}


def test_the_policy_allows_only_the_pages_own_program_and_styles(html: str, parsed_page: ParsedPage) -> None:
    policy = next(
        m["content"] for m in parsed_page.attributes_of("meta") if m.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        own = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        assert len(own) == 1
        assert f"{tag}-src 'sha256-{b64encode(hashlib.sha256(own[0].encode()).digest()).decode()}'" in policy


def test_packed_details_are_unpacked_unchanged(html: str, report_page: ReportPage) -> None:
    for place, details in enumerate(report_page.details):
        assert unpack_data(html, f"d{place}") == json.loads(details.model_dump_json(exclude_defaults=True))


def test_details_keep_texts_of_agents_up_to_a_limit(html: str) -> None:
    attempt = unpack_data(html, "d0")["attempts"][1]
    texts = [message["text"] for message in attempt["trace"]["messages"] if "text" in message]
    assert texts[0] == HOSTILE[0]
    assert texts[4].startswith("\u27e8U+202E\u27e9right to left")
    assert texts[5].startswith("\u27e8U+0000\u27e9\u27e8U+0007\u27e9\u27e8U+001B\u27e9[31mred\u27e8U+007F\u27e9")
    assert texts[-1].endswith("(42,000 more characters)")


def test_ids_are_unique_and_every_reference_has_a_target(parsed_page: ParsedPage) -> None:
    ids = [a["id"] for _, a in parsed_page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    ends = [a["href"] for a in parsed_page.attributes_of("a")]
    labels = [name for _, a in parsed_page.elements for name in (a.get("aria-labelledby") or "").split()]
    assert {str(end)[1:] for end in ends} | set(labels) <= set(ids)


def test_headings_do_not_skip_levels(parsed_page: ParsedPage) -> None:
    levels = [int(tag[1]) for tag, _ in parsed_page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_column_and_row_of_a_table_has_a_header(parsed_page: ParsedPage) -> None:
    assert all(head.get("scope") in ("col", "row") for head in parsed_page.attributes_of("th"))


def test_charts_are_described_in_words(parsed_page: ParsedPage) -> None:
    drawn = [a for tag, a in parsed_page.elements if tag == "svg"]
    assert drawn
    assert all(a.get("role") == "img" or a.get("aria-hidden") == "true" for a in drawn)
    assert any("Pass rate by hard constraints" in text for text in parsed_page.texts["desc"])


def test_the_table_lists_every_task_without_its_reference_program(
    parsed_page: ParsedPage, report_page: ReportPage
) -> None:
    texts = parsed_page.texts["bdi"]
    assert all(row.task in texts for row in report_page.chapters[0].tasks)


def test_the_page_of_the_same_runs_is_always_the_same(html: str, report_page: ReportPage) -> None:
    assert render(report_page) == html


@pytest.mark.parametrize(("share", "step"), [(None, 0), (0.0, 0), (0.001, 1), (0.2, 1), (0.21, 2), (0.8, 4), (1.0, 5)])
def test_a_share_above_zero_has_one_of_five_colour_steps(share: float | None, step: int) -> None:
    assert heat_step(share) == step


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("`a<b>` wins", "<code>a&lt;b&gt;</code> wins"),
        ("none", "none"),
        ("one ` alone <i>", "one ` alone &lt;i&gt;"),
    ],
)
def test_names_in_a_sentence_are_marked_and_escaped(text: str, html: str) -> None:
    assert html_with_code(text) == html


def test_the_program_never_interprets_a_text_as_markup_or_code(html: str) -> None:
    program = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)[0]
    words = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|\beval\b|Function\("
    )
    assert re.findall(words, program) == []
