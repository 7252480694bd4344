"""PyYAML's own reader and libyaml create the same nodes at the same positions from every text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.yaml import composer as yaml_composer
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence, compose
from planspec.dsl.yaml.source_files import source_from_text
from tests.docs.pages import blocks
from tests.dsl.diagnostics.test_diagnostics import CASES
from tests.dsl.yaml.yaml_readers import LIBYAML, PURE
from tests.lengths import try_few
from tests.paths import ROOT

needs_both = pytest.mark.skipif(LIBYAML is None, reason="PyYAML was built without libyaml")
FOLDERS = ("tasks", "tests", "planspec", "docs", "benchmarks")


def corpus() -> Iterator[tuple[str, str]]:
    """Yield name and text of every document of the project, and of every YAML text in its tests and pages."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.y*ml")):
            yield str(path.relative_to(ROOT)), path.read_text("utf-8")
    for case in CASES:
        for name, text in case.files.items():
            if name.endswith(".yaml"):
                yield f"{case.path.name}/{name}", text
    for page in [ROOT / "README.md", *sorted((ROOT / "planspec/docs").glob("*.md"))]:
        for block in blocks(page.read_text("utf-8")):
            if block.language == "yaml":
                yield f"{page.name}:{block.start}", block.text + "\n"


def plain_node(node: Node | None) -> object:
    """Convert a node to plain values: its kind, its position and its parts."""
    match node:
        case None:
            return None
        case Scalar():
            places = (node.span.start, node.span.end, node.content.start, node.content.end)
            return node.style, *places, node.text
        case Mapping():
            return (
                node.flow,
                node.span.start,
                node.span.end,
                [(plain_node(k), plain_node(v)) for k, v in node.entries],
            )
        case Sequence():
            return node.flow, node.span.start, node.span.end, [plain_node(item) for item in node.items]


def read(text: str, reader: object) -> tuple[object, bool]:
    """Return a reader's result for a text, and whether the text has a mistake."""
    report = Report()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_composer, "LOADER", reader)
        node = compose(source_from_text(text, "t.yaml"), report)
    return plain_node(node), report.failed


@pytest.mark.slow
@needs_both
@pytest.mark.parametrize("step", try_few([1, 5], {5}))
def test_both_readers_make_the_same_nodes_of_the_project_s_documents(step: int) -> None:
    texts = dict([*corpus()][::step])
    assert len(texts) > 300 // step
    assert [name for name, text in texts.items() if read(text, PURE) != read(text, LIBYAML)] == []


@pytest.mark.parametrize("reader", [PURE, LIBYAML or PURE], ids=["pure", "libyaml"])
def test_a_type_that_may_be_none_can_stand_in_braces(reader: object) -> None:
    node, failed = read("{place: Place?, at: time ?}\n", reader)
    assert not failed
    assert [text for _, (*_, text) in node[3]] == ["Place?", "time ?"]  # type: ignore[index]


PIECES = [
    "a",
    "b: ",
    "- ",
    "\n",
    "\n  ",
    "\n    ",
    "{",
    "}",
    "[",
    "]",
    ", ",
    ": ",
    ":",
    "'",
    '"',
    " # ",
    "|",
    "|\n",
    "> ",
    ">-\n  ",
    "? ",
    "?",
    "?? 0",
    "Place?",
    "\t",
    "é",
    "😀",
    "09:00",
    "f(a, b)",
    "c:d",
    "a:[b]",
    "{x: A?, y: b ?? c}",
    "%",
    "@",
    "`",
    "& ",
    "&x ",
    "*x ",
    "!t ",
    "! ",
    "---",
    "\n---\n",
    "...",
    "\\",
    "\\x41",
    "\x85",
]


@needs_both
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.booleans())
def test_both_readers_make_the_same_nodes_of_any_text(text: str, inside: bool) -> None:
    text = f"k: {{{text}}}\n" if inside else text
    assert read(text, PURE) == read(text, LIBYAML)
