"""Diagnostics as rendered for terminals, editors and programs."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.diagnostics.diagnostic import Diagnostic, Label, Report, Severity
from planspec.dsl.diagnostics.excerpts import MAX_LINE_CHARACTERS
from planspec.dsl.diagnostics.rendering import (
    DiagnosticJson,
    render_json,
    render_line,
    render_text,
    summary_text,
)
from planspec.dsl.diagnostics.source import NOWHERE, Source, Span
from planspec.dsl.yaml.reader import compose
from planspec.dsl.yaml.source_files import source_from_text


def label_at(source: Source, part: str, text: str = "", nth: int = 0) -> Label:
    """Return a label for the `nth` occurrence, from 0, of a text in the source."""
    start = -1
    for _ in range(nth + 1):
        start = source.text.index(part, start + 1)
    return Label(Span(source, start, start + len(part)), text)


def make_diagnostic(
    message: str,
    primary: Label,
    *secondary: Label,
    code: str = "PS201",
    help: str | None = None,
    severity: Severity = Severity.ERROR,
) -> Diagnostic:
    return Diagnostic(code, severity, message, primary, secondary, help)


def dedent_lines(text: str) -> str:
    return dedent(text).removeprefix("\n")


LINES = "\n" * 16 + "    hard: arival + 30min <= dinner.start\n"


def test_an_unknown_name_is_underlined_with_its_label_and_help() -> None:
    source = Source("tasks/trips/042.yaml", LINES)
    diagnostic = make_diagnostic(
        "unknown name `arival`",
        label_at(source, "arival", "not a row, a given, or a function in reach"),
        help="did you mean `arrival`?",
    )
    assert render_text([diagnostic]) == dedent_lines("""
        error[PS201]: unknown name `arival`
          --> tasks/trips/042.yaml:17:11
           |
        17 |     hard: arival + 30min <= dinner.start
           |           ^^^^^^ not a row, a given, or a function in reach
           = help: did you mean `arrival`?
        """)


def comparison() -> Diagnostic:
    """Return a diagnostic about a comparison, with a label at each side."""
    source = Source("tasks/worldtravel/berlin-012.yaml", "\n" * 20 + "    hard: visits[pergamon].start >= 180min\n")
    return make_diagnostic(
        "cannot compare a time with a duration",
        label_at(source, ">="),
        Label(
            Span(source, label_at(source, "visits").span.start, label_at(source, "visits").span.start + 22),
            "a time",
        ),
        label_at(source, "180min", "a duration"),
        code="PS301",
        help="for the length of a visit write `dwell(visits[pergamon]) >= 180min`",
    )


def test_one_of_two_labels_on_a_line_follows_the_marks_and_the_other_is_below() -> None:
    assert render_text([comparison()]) == dedent_lines("""
        error[PS301]: cannot compare a time with a duration
          --> tasks/worldtravel/berlin-012.yaml:21:11
           |
        21 |     hard: visits[pergamon].start >= 180min
           |           ---------------------- ^^ ------ a duration
           |           a time
           = help: for the length of a visit write `dwell(visits[pergamon]) >= 180min`
        """)


def test_an_operator_with_labelled_sides_is_located_at_the_whole_comparison() -> None:
    (rendered,) = render_json([comparison()])
    assert (rendered["line"], rendered["column"], rendered["end_line"], rendered["end_column"]) == (
        21,
        11,
        21,
        43,
    )
    assert render_line(comparison()) == (
        "tasks/worldtravel/berlin-012.yaml:21:11: error[PS301] cannot compare a time with a duration"
    )


def test_three_labels_are_shown_from_right_to_left() -> None:
    source = Source("t.yaml", "one two three four\n")
    diagnostic = make_diagnostic(
        "m",
        label_at(source, "two", "B"),
        label_at(source, "one", "A"),
        label_at(source, "three", "C"),
        label_at(source, "four"),
    )
    assert render_text([diagnostic]) == dedent_lines("""
        error[PS201]: m
         --> t.yaml:1:5
          |
        1 | one two three four
          | --- ^^^ ----- ----
          | |   |   C
          | |   B
          | A
        """)


def test_the_primary_mark_covers_a_secondary_one() -> None:
    source = Source("t.yaml", "one two three\n")
    diagnostic = make_diagnostic("m", label_at(source, "two", "this"), label_at(source, "one two three", "all of it"))
    assert render_text([diagnostic]) == dedent_lines("""
        error[PS201]: m
         --> t.yaml:1:5
          |
        1 | one two three
          | ----^^^------ all of it
          |     this
        """)


def test_labels_on_other_lines_are_shown_in_the_order_of_lines() -> None:
    source = Source("t.yaml", "".join(f"line{i}\n" for i in range(1, 13)))
    diagnostic = make_diagnostic(
        "m",
        label_at(source, "line8", "again"),
        label_at(source, "line10", "ten"),
        label_at(source, "line2", "two"),
    )
    assert render_text([diagnostic]) == dedent_lines("""
        error[PS201]: m
          --> t.yaml:8:1
           |
         2 | line2
           | ----- two
        ...
         8 | line8
           | ^^^^^ again
         9 | line9
        10 | line10
           | ------ ten
        """)


def test_a_label_in_another_file_follows_in_its_own_excerpt() -> None:
    source, other = Source("a.yaml", "a: b\n"), Source("lib/b.yaml", "\n\nc: d\n")
    diagnostic = make_diagnostic("m", label_at(source, "a", "here"), label_at(other, "d", "declared here"), help="h")
    assert render_text([diagnostic]) == dedent_lines("""
        error[PS201]: m
         --> a.yaml:1:1
          |
        1 | a: b
          | ^ here
         ::: lib/b.yaml:3:4
          |
        3 | c: d
          |    - declared here
          = help: h
        """)


def test_a_span_over_several_lines_is_marked_on_its_first_and_last_line() -> None:
    source = Source("t.yaml", "hard: all(v.start  \n  <= 3\n  for v\n  in visits)  # c\n")
    start, end = source.text.index("all"), source.text.index(")") + 1
    diagnostic = make_diagnostic("m", Label(Span(source, start, end), "this"))
    assert render_text([diagnostic]) == dedent_lines("""
        error[PS201]: m
         --> t.yaml:1:7
          |
        1 | hard: all(v.start
          |       ^^^^^^^^^^^
        ...
        4 |   in visits)  # c
          |   ^^^^^^^^^^ this
        """)


def test_an_empty_span_has_one_mark() -> None:
    source = Source("t.yaml", "k:\nx: 1\n")
    diagnostic = make_diagnostic("a value is missing", Label(Span(source, 2, 2), "here"))
    assert render_text([diagnostic]).splitlines()[-2:] == ["1 | k:", "  |   ^ here"]


def test_the_end_of_a_text_can_be_marked() -> None:
    source = Source("t.yaml", "k:\n")
    diagnostic = make_diagnostic("m", Label(Span(source, 3, 3), "here"))
    assert render_text([diagnostic]) == "error[PS201]: m\n --> t.yaml:2:1\n  |\n2 |\n  | ^ here\n"


def test_tabs_and_wide_characters_keep_marks_below_their_text() -> None:
    source = Source("t.yaml", "\ta\t美術館 e\u0301 x: y\n")
    diagnostic = make_diagnostic("m", label_at(source, "x", "this"), label_at(source, "術"))
    *_, line, marks = render_text([diagnostic]).splitlines()
    assert line == "1 |     a    美術館 e\u0301 x: y"
    assert marks == "  |            --     ^ this"


def test_control_characters_are_replaced() -> None:
    source = Source("a\x1b[0m.yaml", "k: \x1b[31m\u202ex\u200b\x85\n")
    diagnostic = make_diagnostic("unknown `\x1b[2J`", label_at(source, "x", "\u202eback"), help="\x07")
    text = render_text([diagnostic])
    assert not any(char in text for char in "\x1b\u202e\u200b\x85\x07")
    assert "k: ␛[31m<U+202E>x<U+200B><U+0085>" in text
    assert text.splitlines()[4].index("^") == text.splitlines()[3].index("x")
    assert "\x1b" not in render_line(diagnostic)


def test_a_long_line_is_cut_around_its_marks() -> None:
    source = Source("t.yaml", "k: " + "a " * 4_000 + "BAD " + "b " * 4_000 + "\n")
    *_, line, marks = render_text([make_diagnostic("m", label_at(source, "BAD", "this"))]).splitlines()
    assert len(line) < MAX_LINE_CHARACTERS + 12
    assert line.startswith("1 | ...")
    assert line.endswith("...")
    assert marks == " " * 2 + "|" + " " * (line.index("BAD") - 3) + "^^^ this"


def test_a_mark_longer_than_the_shown_line_is_cut_at_its_end() -> None:
    source = Source("t.yaml", "k: " + "a" * 5_000 + "\n")
    *_, line, marks = render_text([make_diagnostic("m", label_at(source, "a" * 5_000, "this"))]).splitlines()
    assert marks.rindex("^") == line.rindex("a")
    assert marks.endswith("^ this")


def test_the_primary_mark_is_shown_if_marks_are_too_far_apart() -> None:
    source = Source("t.yaml", "first " + "a " * 500 + "BAD\n")
    text = render_text([make_diagnostic("m", label_at(source, "BAD", "this"), label_at(source, "first", "there"))])
    assert "a BAD\n" in text
    assert "there" in text


def test_a_label_in_an_empty_source_is_shown_as_a_note() -> None:
    missing = make_diagnostic(
        "`a.yaml` cannot be read",
        Label(Span(Source("a.yaml", ""), 0, 0), "there is no such file"),
        code="PS007",
    )
    assert render_text([missing]) == (
        "error[PS007]: `a.yaml` cannot be read\n --> a.yaml\n  = note: there is no such file\n"
    )
    nowhere = make_diagnostic("m", Label(NOWHERE, "implied"), severity=Severity.WARNING)
    assert render_text([nowhere]) == "warning[PS201]: m\n  = note: implied\n"


def test_help_may_have_several_lines() -> None:
    source = Source("t.yaml", "k: v\n")
    text = render_text([make_diagnostic("m", label_at(source, "v"), help="write\nk: w")])
    assert text.endswith("  = help: write\n          k: w\n")


def test_an_empty_line_separates_diagnostics() -> None:
    source = Source("t.yaml", "k: v\n")
    text = render_text([make_diagnostic("one", label_at(source, "k")), make_diagnostic("two", label_at(source, "v"))])
    assert text.count("\n\n") == 1
    assert text.index("one") < text.index("\n\n") < text.index("two")
    assert render_text([]) == ""


def test_output_with_colour_is_the_same_text_with_colour_codes() -> None:
    source = Source("t.yaml", "one two three\n")
    diagnostic = make_diagnostic("m", label_at(source, "two", "this"), label_at(source, "one", "there"), help="h")
    painted = render_text([diagnostic], color=True)
    assert "\x1b[1;31merror[PS201]\x1b[0m" in painted
    assert "\x1b[1;31m^^^\x1b[0m" in painted or "\x1b[1;31m^^^" in painted
    for code in ("\x1b[1;31m", "\x1b[1;34m", "\x1b[1;36m", "\x1b[1m", "\x1b[0m"):
        painted = painted.replace(code, "")
    assert painted == render_text([diagnostic])


def test_a_warning_has_its_own_colour() -> None:
    source = Source("t.yaml", "k: v\n")
    painted = render_text([make_diagnostic("m", label_at(source, "v"), severity=Severity.WARNING)], color=True)
    assert "\x1b[1;33mwarning[PS201]\x1b[0m" in painted


def test_json_has_the_position_and_every_label() -> None:
    source = Source("t.yaml", "a: 1\nb: 2\na: 3\n")
    report = Report()
    compose(source, report)
    assert render_json(report.ordered()) == [
        {
            "code": "PS003",
            "slug": "duplicate-key",
            "severity": "error",
            "message": "the key `a` is repeated",
            "help": "take one of them out, or give it another name",
            "file": "t.yaml",
            "line": 3,
            "column": 1,
            "end_line": 3,
            "end_column": 2,
            "labels": [
                {
                    "text": "again here",
                    "primary": True,
                    "file": "t.yaml",
                    "line": 3,
                    "column": 1,
                    "end_line": 3,
                    "end_column": 2,
                },
                {
                    "text": "first here",
                    "primary": False,
                    "file": "t.yaml",
                    "line": 1,
                    "column": 1,
                    "end_line": 1,
                    "end_column": 2,
                },
            ],
        }
    ]


def test_a_diagnostic_as_json_is_read_by_its_pydantic_model() -> None:
    (rendered,) = render_json([comparison()])
    assert DiagnosticJson.model_validate(rendered).labels[0].primary


def test_the_one_line_format_has_path_position_code_and_message() -> None:
    source = Source("tasks/trips/042.yaml", LINES)
    diagnostic = make_diagnostic(
        "unknown\nname `arival`", label_at(source, "arival", "here"), severity=Severity.WARNING
    )
    assert render_line(diagnostic) == "tasks/trips/042.yaml:17:11: warning[PS201] unknown name `arival`"


@pytest.mark.parametrize(
    ("errors", "warnings", "text"),
    [(0, 0, ""), (1, 0, "1 error"), (2, 1, "2 errors, 1 warning"), (0, 2, "2 warnings")],
)
def test_the_summary_counts_errors_and_warnings(errors: int, warnings: int, text: str) -> None:
    source = Source("t.yaml", "k: v\n")
    diagnostics = [make_diagnostic(str(i), label_at(source, "k")) for i in range(errors)]
    diagnostics += [make_diagnostic(str(i), label_at(source, "k"), severity=Severity.WARNING) for i in range(warnings)]
    assert summary_text(diagnostics) == text


@given(
    st.text("ab \t\n美e\u0301\x1b\u202e😀", max_size=60),
    st.lists(
        st.tuples(st.integers(0, 60), st.integers(0, 60), st.sampled_from(["", "x", "a label"])), min_size=1, max_size=4
    ),
)
def test_any_labels_on_any_text_can_be_rendered(text: str, places: list[tuple[int, int, str]]) -> None:
    source = source_from_text(text, "t.yaml")
    size = len(source.text)
    labels = []
    for first, second, label in places:
        start, end = sorted((min(first, size), min(second, size)))
        labels.append(Label(Span(source, start, end), label))
    diagnostic = make_diagnostic("m", *labels)
    shown = render_text([diagnostic])
    rows = shown.splitlines()
    assert rows[0] == "error[PS201]: m"
    assert all(row == row.rstrip() for row in rows)
    assert all(char == "\n" or char.isprintable() for char in shown)
    for label_ in labels:
        assert label_.text in shown
    if size:
        assert any("^" in row for row in rows[2:])
    render_line(diagnostic)
    render_json([diagnostic])
