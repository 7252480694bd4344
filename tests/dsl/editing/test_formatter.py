"""Formatting changes the layout of a document, but not its content."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.diagnostics.diagnostic import DiagnosticError, Report
from planspec.dsl.documents.documents import check_document
from planspec.dsl.editing.formatter import WIDTH, format_text
from planspec.dsl.structure.document import document
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, compose
from planspec.dsl.yaml.source_files import source_from_text
from tests.paths import ROOT

EXAMPLES = [
    *sorted((ROOT / "planspec/tasks/examples").glob("*.task.yaml")),
    *sorted((ROOT / "planspec/tasks/libraries").glob("*.yaml")),
]


def format_sections(text: str) -> str:
    """Format a document with these sections and return the formatted sections.

    Formatting the result again must change nothing.
    """
    head = "planspec: task/1\nid: x\n"
    result = format_text(head + (dedent_lines(text) if text.startswith("\n") else text))
    assert format_text(result) == result
    assert result.startswith(head)
    return result.removeprefix(head)


def dedent_lines(text: str) -> str:
    return dedent(text).lstrip("\n")


def content(node: Node) -> Any:
    """Return the content of a document as YAML reads it."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Mapping):
        return [(key.text, content(value)) for key, value in node.entries]
    return [content(item) for item in node.items]


def read(text: str) -> Any:
    """Return the content of a document, which must have no mistakes."""
    report = Report()
    root = compose(source_from_text(text, "x"), report)
    assert root is not None, (text, report.diagnostics)
    assert not report.failed, (text, report.diagnostics)
    return content(root)


# -- blocks -------------------------------------------------------------------------------------------


def test_blocks_are_indented_by_two_spaces_and_lists_are_indented_below_their_key() -> None:
    assert format_sections("""
        tables:
            T:
             rows:
             -   id:   a
                 b: 1
             -
                 id: b
             - -   x
               - y
    """) == dedent_lines("""
        tables:
          T:
            rows:
              - id: a
                b: 1
              - id: b
              - - x
                - y
    """)


def test_one_blank_line_is_kept_and_trailing_spaces_are_removed() -> None:
    assert format_text("\n\nplanspec: task/1   \n\n\n\nid:   x \n\n  \n") == "planspec: task/1\n\nid: x\n"


def test_a_byte_order_mark_and_foreign_line_ends_are_removed() -> None:
    assert format_text("\ufeffplanspec: task/1\r\nid:  x") == "planspec: task/1\nid: x\n"


def test_flow_collections_keep_their_style_and_lose_extra_spaces() -> None:
    assert format_sections("""
        uses: [ a,b , ]
        meta: {a:   1,
           b: [1,2,  3], c: {x: "y, z"}, 'd' : 2, e:   }
        reference: {}
    """) == dedent_lines("""
        uses: [a, b]
        meta: {a: 1, b: [1, 2, 3], c: {x: "y, z"}, 'd': 2, e: }
        reference: {}
    """)


def test_a_flow_collection_over_several_lines_is_filled_to_the_width() -> None:
    days = [f"2026-07-{day:02}" for day in range(1, 20)]
    text = format_sections("given: {trip: [\n  " + ",\n  ".join(days) + "\n  ]}\n")
    first, second, third = text.splitlines()
    assert first.startswith("given: {trip: [2026-07-01, ")
    assert {len(first) - len(first.lstrip()), second.index("2"), third.index("2")} == {0, first.index("2")}
    assert len(first) <= WIDTH < len(first) + len(" 2026-07-09,")


def test_a_long_flow_collection_on_one_line_is_kept() -> None:
    row = "{" + ", ".join(f"column_{i}: {i}" for i in range(20)) + "}"
    assert format_sections(f"tables:\n T:\n  rows:\n   - {row}\n") == f"tables:\n  T:\n    rows:\n      - {row}\n"


# -- comments -----------------------------------------------------------------------------------------


def test_comments_keep_their_place() -> None:
    assert format_sections("""
        # before
        constraints:    # behind a key
        # of the first rule
            a:
                  # of a key
                  hard: x   # behind an expression
                  kind: k
                  # at the end of a

            # before b
            b: {hard: y}     #behind a flow
        # at the end
    """) == dedent_lines("""
        # before
        constraints:  # behind a key
          # of the first rule
          a:
            # of a key
            hard: x  # behind an expression
            kind: k
            # at the end of a

          # before b
          b: {hard: y}  #behind a flow
        # at the end
    """)


def test_a_comment_between_a_key_or_dash_and_its_value_goes_above() -> None:
    assert format_sections("""
        constraints:
          a:
            hard:   # why
              x
        tables:
          T:
            -   # a row
              # of ours
              id: a
            - # another
              - b
    """) == dedent_lines("""
        constraints:
          a:
            # why
            hard: x
        tables:
          T:
            # a row
            # of ours
            - id: a
            # another
            - - b
    """)


def test_a_flow_collection_with_comments_keeps_its_lines() -> None:
    assert format_sections("""
        given: {
            a: 1,   # one
              b: 2}
    """) == dedent_lines("""
        given: {
            a: 1,   # one
              b: 2}
    """)


def test_a_comment_moves_to_the_header_of_a_folded_expression_and_back() -> None:
    long = " and ".join(f"condition_{i}" for i in range(10))
    broken = long.replace(" and", "\n      and")
    assert format_sections(f"constraints:\n  a:\n    hard: {long} # why\n") == (
        f"constraints:\n  a:\n    hard: >-  # why\n      {broken}\n"
    )
    assert (
        format_sections("constraints:\n  a:\n    hard: >- # why\n      b\n")
        == "constraints:\n  a:\n    hard: b  # why\n"
    )


def test_a_document_marker_is_kept() -> None:
    assert format_text("# c\n---\nplanspec:  task/1\n") == "# c\n---\nplanspec: task/1\n"


# -- expressions and other parts of the language
# ----------------------------------------------------------------------------


def test_every_expression_and_declaration_is_printed_canonically() -> None:
    assert format_sections("""
        types: {Mode: foot|bus  | taxi}
        tables:
          A: {id: key  text, n: int=(1)}
          B: {columns: {id:  key text,b : set  of  A}, rows: [{id: (1)}]}
        plan:
          visits: {one: true, start: time ?}
        define:
          f( v   visits ): (v.end-v.start)
          g:
            is: not(a)
            kind: k
          s: {a,b
            +c, a,}
        constraints:
          a:
            for: w  in Wish  if (w.x)
            when: ((c))
            soft: a=="x"
            margin: b-a
        scope:
          visits:
            - for: d in (trip)
              start: 08:00 ..  9:30 step 5min
              optional: true
        minimize: total+1
    """) == dedent_lines("""
        types: {Mode: foot | bus | taxi}
        tables:
          A: {id: key text, n: int = 1}
          B: {columns: {id: key text, b: set of A}, rows: [{id: (1)}]}
        plan:
          visits: {one: true, start: time?}
        define:
          f(v visits): v.end - v.start
          g:
            is: not a
            kind: k
          s: {a, b + c, a}
        constraints:
          a:
            for: w in Wish if w.x
            when: c
            soft: a == "x"
            margin: b - a
        scope:
          visits:
            - for: d in trip
              start: 08:00..09:30 step 5min
              optional: true
        minimize: total + 1
    """)


def test_a_given_is_data_in_a_task_and_a_column_in_a_library() -> None:
    assert format_sections("given: {a: (1)}\n") == "given: {a: (1)}\n"
    assert format_text("planspec: library/1\nid: x\ngiven: {a: int=(1)}\n").endswith("given: {a: int = 1}\n")


def test_the_rules_of_turns_are_formatted() -> None:
    text = "turns:\n  - given: {a: (1)}\n    constraints:\n      c: {hard: (a)}\n"
    assert format_sections(text) == text.replace("(a)", "a")


@pytest.mark.parametrize(
    "layout",
    [
        "hard: (a)and b",
        "hard:    (a)  and   b   ",
        "hard:\n      (a) and b",
        "hard: a\n      and\n\n        b",
        "hard: >-\n      a and\n      b",
        "hard: |\n\n        a\n          and b\n",
        "hard: >+\n      (a and b)\n\n",
    ],
)
def test_an_expression_that_fits_follows_its_key(layout: str) -> None:
    assert format_sections(f"constraints:\n  r:\n    {layout}\n") == "constraints:\n  r:\n    hard: a and b\n"


def test_an_expression_that_does_not_fit_is_folded_at_its_connectives() -> None:
    long = "all(visit.start in opening_hours for visit in visits if visit.place == pergamon) and party <= 12"
    assert format_sections(f"constraints:\n  r:\n    hard: {long} implies lodging.hotel is none\n") == dedent_lines("""
        constraints:
          r:
            hard: >-
              all(visit.start in opening_hours for visit in visits if visit.place == pergamon) and party <= 12
              implies lodging.hotel is none
    """).replace("\n      ", "\n      ")


def test_an_expression_becomes_a_block_if_its_line_would_exceed_the_width() -> None:
    fits = "a" * (WIDTH - len("    hard: "))
    assert format_sections(f"constraints:\n  r:\n    hard: >-\n      {fits}\n").endswith(f"    hard: {fits}\n")
    assert format_sections(f"constraints:\n  r:\n    hard: {fits}a\n").endswith(f"    hard: >-\n      {fits}a\n")


@pytest.mark.parametrize("text", ["x == 'a: b'", 'x == "a #b"', '"a" == x', "{a, b} == x"])
def test_an_expression_that_yaml_would_cut_stays_in_a_block(text: str) -> None:
    expected = f"constraints:\n  r:\n    hard: >-\n      {text}\n"
    assert format_sections(expected) == expected
    assert format_sections(expected.replace(">-", "|").replace(text, f"({text})")) == expected


def test_parentheses_that_yaml_needs_become_a_block_or_stay_in_a_flow() -> None:
    assert (
        format_sections('constraints:\n  r:\n    hard: ("a")==b\n')
        == 'constraints:\n  r:\n    hard: >-\n      "a" == b\n'
    )
    assert format_sections('constraints: {r: {hard: ("a")==b}}\n') == 'constraints: {r: {hard: ("a")==b}}\n'


# -- unchanged parts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "query: Two  adults   and (a child)\n",
        'query: "Two  adults\n  and a \\\n  child\\ \n\n  or two"\n',
        "query: 'it''s\n\n  so'\n",
        "query: |\n  a   b  \n    c\n\n  d\n",
        "query: >\n  a\n  b\n\n    c\n",
        "query: |+\n  a\n\n\nid2: b\n",
        "query: |-\n  a\nmeta: {b: 1}\n",
        "query: |\nmeta: {b: 1}\n",
        "constraints:\n  r: {hard: a, message: '{ a }  and {b+c}'}\n",
        'constraints:\n  r:\n    hard: a\n    message: "{ a }  and\n      {b+c}"\n',
        "tables:\n  T:\n    csv: |\n      a, b  \n        1,   2   \n         \n      3,4\n",
        "tables:\n  T: {sqlite: {file: a.sqlite, query: select  *  from t where (a)}}\n",
        "tables:\n  T:\n    sqlite:\n      file: a\n      query: |\n        select *\n          from t\n",
        "tables:\n  T:\n    map: {a: {from: A  B, split: ', '}}\n",
        "meta: [a: 1, {b: 2}]\n",
    ],
)
def test_data_and_messages_are_never_altered(text: str) -> None:
    assert format_sections(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "hard: a +",
        "hard: a = b",
        "hard: a  &&  b",
        'hard: "a  ==  b"',
        "hard: 'it''s'",
        "hard: {a  b}",
        "hard: {a: b,  c}",
        "hard: [a,  b]",
        "hard: >-\n      a  +\n        b  $\n",
        "hard: a\n      b   c",
        "for: w  on Wish",
    ],
)
def test_an_expression_that_does_not_parse_is_unchanged(text: str) -> None:
    unchanged = f"constraints:\n  r:\n    {text.rstrip()}\n"
    assert format_sections(unchanged) == unchanged


@pytest.mark.slow
def test_an_expression_past_the_parsers_limit_is_unchanged() -> None:
    text = "minimize: " + "+".join(["a"] * 8_000) + "\n"
    assert format_sections(text) == text


def test_a_block_scalar_moves_with_its_key() -> None:
    assert format_sections("""
        tables:
            T:
                  csv: |   # data
                         a, b

                           1, 2
                  # on c
                  map: {c: d}
    """) == dedent_lines("""
        tables:
          T:
            csv: |  # data
              a, b

                1, 2
            # on c
            map: {c: d}
    """)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("planspec: [", "PS002"),
        ("a: 1\na: 2\n", "PS003"),
        ("a: !money 12\n", "PS004"),
        ("a: &x 12\n", "PS004"),
        ("a: |2\n   12\n", "PS004"),
        ("? a\n: 1\n", "PS004"),
        ("a: {hard: f(a, b), kind: k}\n", "PS019"),
        ("", "PS002"),
    ],
)
def test_a_text_that_cannot_be_composed_is_refused_with_its_diagnostics(text: str, code: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        format_text(text, "x.yaml")
    assert [d.code for d in caught.value.diagnostics] == [code]


# -- any layout ---------------------------------------------------------------------------------------

Data: TypeAlias = "str | tuple[str, list[Any]]"  # a plain scalar, or a kind of node with its parts

WORDS = [
    "a",
    "Two adults",
    "12:30",
    "no",
    "2026-07-01",
    "'it''s'",
    '"x: #y"',
    "a-b",
    "-1",
    "[]",
    "{}",
    "x#y",
    "",
]
KEYS = ["a", "b b", "'c'", "d-e", "12"]


def maps(flow: bool, inner: st.SearchStrategy[Data]) -> st.SearchStrategy[Data]:
    """Return a strategy for mappings in flow style (braces) or block style."""
    keys = st.lists(st.sampled_from(KEYS), min_size=1, max_size=3, unique=True)
    return keys.flatmap(
        lambda chosen: st.tuples(*[inner] * len(chosen)).map(
            lambda values: ("flow map" if flow else "map", list(zip(chosen, values, strict=True)))
        )
    )


def lists(flow: bool, inner: st.SearchStrategy[Data]) -> st.SearchStrategy[Data]:
    """Return a strategy for lists in flow style (brackets) or block style."""
    return st.lists(inner, min_size=1, max_size=3).map(lambda items: ("flow list" if flow else "list", items))


words: st.SearchStrategy[Data] = st.sampled_from(WORDS)
flows: st.SearchStrategy[Data] = st.recursive(
    st.sampled_from(WORDS[:9]), lambda inner: maps(True, inner) | lists(True, inner), max_leaves=4
)
literals: st.SearchStrategy[Data] = st.lists(st.sampled_from(["a", "  b  ", "", "# c"]), max_size=3).map(
    lambda rest: ("literal", ["x", *rest, "y"])
) | st.lists(st.sampled_from(["a", "  b  ", "", "# c"]), max_size=3).map(lambda rest: ("folded", ["x", *rest, "y"]))
several: st.SearchStrategy[Data] = st.sampled_from(
    [
        ("lines", ["Two  adults", "want", "", "", "that"]),
        ("lines", ["'Two:", "it''s  # no comment", "", "that'"]),
        ("lines", ['"Two:', "- a \\ ", "\\  b \\", "", 'that"']),
    ]
)
documents: st.SearchStrategy[Data] = maps(
    False,
    st.recursive(words | flows | literals, lambda inner: maps(False, inner) | lists(False, inner), max_leaves=8),
)


SLICES = [  # words between which a line may end; the last three need a block
    ["a", "and", "b"],
    ["count(v", "for", "v", "in", "visits)", "<=", "3"],
    [
        "all(v.start",
        "in",
        "09:00..12:00",
        "for",
        "v",
        "in",
        "visits",
        "if",
        "v.place",
        "==",
        "first",
        "or",
        "v.late)",
    ],
    ["one", *(f"and other{i}.field" for i in range(9)), "implies", "min(x,", "y)", ">", "12.50 EUR"],
    ["fee", "if", "there", "else", *(f"fee_of_level_{i} if level_{i} else" for i in range(6)), "none"],
    ['"Louvre"', "==", "name"],
    ["{a,", "b}", "==", "set_of"],
    ["note", "!=", "'a: b #c'", *(f'or note == "a long text of some {i} letters"' for i in range(4))],
]
slices: st.SearchStrategy[Data] = st.sampled_from([("slice", words) for words in SLICES])
rules: st.SearchStrategy[Data] = st.lists(st.lists(slices, min_size=1, max_size=3), min_size=1, max_size=3).map(
    lambda each: (
        "map",
        [
            ("planspec", "task/1"),
            (
                "constraints",
                (
                    "map",
                    [
                        (f"c{i}", ("map", list(zip(("hard", "when", "margin"), parts, strict=False))))
                        for i, parts in enumerate(each)
                    ],
                ),
            ),
        ],
    )
)


class Layout:
    """Writer of data in a random layout that YAML reads as the same data."""

    def __init__(self, data: st.DataObject, *, noisy: bool) -> None:
        self.data = data
        self.noisy = noisy
        self.comments = 0
        self.literal = False

    def choose(self, low: int, high: int) -> int:
        """Draw a number from `low` to `high`."""
        return self.data.draw(st.integers(low, high))

    def write(self, node: Data) -> str:
        """Return the text of a document."""
        return "\n".join(self.block(node, 0, first=None)) + "\n"

    def comment(self) -> str:
        """Return a comment that differs from all others."""
        self.comments += 1
        return f"# c{self.comments}"

    def noise(self, indent: int) -> list[str]:
        """Return random blank lines and comments. They are indented less than a block scalar before them."""
        lines = []
        if self.noisy:
            for _ in range(self.choose(0, 2)):
                column = self.choose(0, indent if self.literal else indent + 3)
                lines.append(" " * column + self.comment() if self.choose(0, 1) else " " * self.choose(0, 2))
        return lines

    def tail(self) -> str:
        """Return the end of a line: spaces, and perhaps a comment."""
        spaces = " " * self.choose(0, 2)
        return f" {spaces}{self.comment()}" if self.noisy and self.choose(0, 3) == 0 else spaces

    def block(self, node: Data, indent: int, first: str | None) -> list[str]:
        """Return the lines of a block collection. `first` replaces the indentation of the first line."""
        assert not isinstance(node, str)
        kind, parts = node
        lines: list[str] = []
        for part in parts:
            lead = first if first is not None else " " * indent
            lines += [] if first is not None else self.noise(indent)
            first = None
            if kind == "map":
                lines += self.entry(part[1], lead + part[0] + ":", indent, below=indent + self.choose(1, 4))
            else:
                lines += self.entry(part, lead + "-", indent, below=indent + self.choose(1, 4))
        return lines

    def entry(self, value: Data, lead: str, indent: int, below: int) -> list[str]:
        """Return the lines of a value after `lead`, which is its key or a dash."""
        space = " " * self.choose(1, 3)
        if isinstance(value, str) or value[0].startswith("flow"):
            self.literal = False
            text = self.flow(value)
            if text and self.choose(0, 4) == 0:
                return [lead + self.tail(), " " * below + text + self.tail()]
            return [lead + space + text + self.tail()]
        if value[0] == "lines":
            self.literal = False
            first, *rest = value[1]
            lines = [lead + space + first, *(" " * (below + self.choose(0, 2)) + line for line in rest)]
            return [*lines[:-1], lines[-1] + self.tail()]
        if value[0] in {"literal", "folded"}:
            self.literal = True
            header = lead + space + {"literal": "|", "folded": ">"}[value[0]] + self.tail()
            return [header, *(" " * below + line if line else "" for line in value[1])]
        self.literal = False
        if value[0] == "slice":
            return self.slice(value[1], lead, below)
        if lead.endswith("-") and self.choose(0, 2):
            inner = lead + space
            return self.block(value, len(inner), first=inner)
        if value[0] == "list" and lead.endswith(":"):
            below = indent + self.choose(0, 4)
        return [lead + self.tail(), *self.block(value, below, first=None)]

    def slice(self, words: list[str], lead: str, below: int) -> list[str]:
        """Return the lines of an expression, broken between some of its words."""
        style = self.choose(2 if words in SLICES[-3:] else 0, 3)
        if style == 0:
            return [lead + " " + " ".join(words) + self.tail()]
        self.literal = style > 1
        lines, at = [], 0
        while at < len(words):
            end = at + self.choose(1, len(words))
            lines.append(" " * below + " ".join(words[at:end]))
            at = end
        if style == 1:
            return [lead, *lines[:-1], lines[-1] + self.tail()]
        if len(lines) > 1:
            lines[1] = "  " + lines[1]
        header = self.data.draw(st.sampled_from([">-", "|", ">", "|+"]))
        return [f"{lead} {header}{self.tail()}", *lines]

    def flow(self, node: Data) -> str:
        """Return a value in flow style."""
        if isinstance(node, str):
            return node
        gap, end = " " * self.choose(0, 2), self.data.draw(st.sampled_from(["", " ", ",", " , "]))
        if node[0] == "flow map":
            parts = [f"{key}: {gap}{self.flow(value)}" for key, value in node[1]]
            return "{" + gap + f"{gap}, ".join(parts) + end + "}"
        return "[" + gap + f"{gap}, ".join(self.flow(item) for item in node[1]) + end + "]"


@given(document=documents, data=st.data())
def test_any_two_layouts_of_a_document_are_formatted_alike(document: Data, data: st.DataObject) -> None:
    one = Layout(data, noisy=False).write(document)
    other = Layout(data, noisy=False).write(document)
    assert format_text(one) == format_text(other)


@given(document=documents, data=st.data())
def test_formatting_any_layout_loses_nothing_and_is_idempotent(document: Data, data: st.DataObject) -> None:
    text = Layout(data, noisy=True).write(document)
    result = format_text(text)
    assert format_text(result) == result
    assert read(result) == read(text)
    tags = re.compile(r"# c\d+")
    assert sorted(tags.findall(result)) == sorted(tags.findall(text))
    assert result.endswith("\n")


@given(document=rules, data=st.data())
def test_any_two_layouts_of_a_rule_are_formatted_alike(document: Data, data: st.DataObject) -> None:
    one = format_text(Layout(data, noisy=False).write(document))
    assert one == format_text(Layout(data, noisy=False).write(document))
    assert max(map(len, one.splitlines())) <= WIDTH


@given(document=rules, data=st.data())
def test_formatting_rules_loses_no_word_and_no_comment(document: Data, data: st.DataObject) -> None:
    text = Layout(data, noisy=True).write(document)
    result = format_text(text)
    assert format_text(result) == result
    tags = re.compile(r"# c\d+")
    assert sorted(tags.findall(result)) == sorted(tags.findall(text))

    def without_layout(document_text: str) -> str:
        """Return a text without whitespace, comments and block scalar headers."""
        return re.sub(r"\s", "", re.sub(r": *[|>][-+]? *$", ":", tags.sub("", document_text), flags=re.MULTILINE))

    assert without_layout(result) == without_layout(text)


# -- real documents -----------------------------------------------------------------------------------

BROKEN = """
planspec: task/1
id: broken
query:   What  now?
types: {Mode: foot|bus|  taxi}
tables:
    Place:
        columns: {id: key  text, kind: Mode, near: set of  Plaec}
        rows:
        -  {id: a,   kind: foot}
        -  {id: b,   kind: fly}
plan:
    visits: {place: key Place, start: time, end: time?}
given: {limit:   90min}
define:
    dwell( v visits ):   (v.end-v.start)
    wrong: ((a)) +
constraints:
    late: {hard: all( v.strat<=12:00 for v in visits )}
    long:
        hard: all(not(dwell(v)>limit)  for v in visits)
    text:
        hard: "a == b"
    units: {hard: all(v.start>=90min for v in visits)}
scope:
    visits:
      - {place: Place, start: 08:00 .. 09:00, end: 12:00}
minimize:  count( v  for v in visits) + "x"
"""


def reported_codes(text: str, path: Path | None = None) -> list[str]:
    """Return the codes that `check` reports, sorted by position."""
    report = Report()
    workspace = Workspace()
    opened = document(source_from_text(text, "x.yaml"), path, report)
    if opened is not None:
        check_document(opened, workspace, report)
    return [d.code for d in report.ordered() if d.span.source.name == "x.yaml"]


def test_check_reports_the_same_after_formatting() -> None:
    before = reported_codes(BROKEN)
    assert len(before) >= 6
    assert reported_codes(format_text(BROKEN)) == before


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_formatting_an_example_is_idempotent_and_keeps_its_diagnostics(path: Path) -> None:
    text = path.read_text("utf-8")
    result = format_text(text, path.name)
    assert format_text(result, path.name) == result
    assert reported_codes(result, path) == reported_codes(text, path)
