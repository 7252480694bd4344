"""Help for texts that YAML refuses, cuts or splits."""

from __future__ import annotations

import re

import yaml

from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.yaml.cut_values import CLOSERS, ROWS, UNSPACED, is_cut_off
from planspec.dsl.yaml.exotic_blanks import INDENTED, WAY_OUT, blank_name
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

BLOCK_SCALAR = "a block scalar: `>-`, and the text on the next line, indented"
BLOCK = f"put it into {BLOCK_SCALAR}"
INSIDE = "inside `{...}` and `[...]` write items and values on one line, or write the collection over several lines without its brackets"
COMMENT = "YAML reads ` #` as the start of a comment; " + BLOCK
KEY = re.compile(r"(?:[-?][ \t]+)*(?P<key>[^\s:'\"\[{#][^:#]*?|\"[^\"]*\"|'[^']*')[ \t]*:(?=[ \t\n]|$)")


def refuse_property(span: Span, report: Report) -> None:
    """Report an alias (`*a`), an anchor (`&a`) or a tag (`!a`)."""
    mark = span.text[:1]
    what, way = {
        "*": ("an alias", "write the value out where it is needed"),
        "&": ("an anchor", "write the value out where it is needed"),
    }.get(mark, ("a tag", "take it out: types come from the positions of values"))
    report.error(
        "PS004",
        f"{what} is not supported",
        span,
        f"YAML reserves a leading `{mark}`",
        help=f"{way}; if it belongs to the text, {BLOCK}",
    )


def cut_help(source: Source, node: Node) -> str | None:
    """Return help for an expression that cannot be parsed because YAML cut or converted it; otherwise None.

    Args:
        source: source of the expression.
        node: the value that YAML returned.
    """
    text = source.text
    end = node.span.end
    match node:
        case Scalar(style="plain"):
            behind = text[end : end + 1]
            if behind in ("", "\n"):
                return None
            stop = text.find("\n", end)
            rest = text[end : stop if stop != -1 else len(text)].lstrip(" \t")
            if rest[:1] == "#" and behind in " \t" and is_cut_off(node.span.text):
                return COMMENT
            if rest[:1] in (",", "]", "}") and is_cut_off(node.span.text):
                return ROWS
        case Mapping(flow=True, entries=entries):
            unspaced = next((unspaced_key for key, _ in entries if (unspaced_key := UNSPACED.match(key.text))), None)
            if unspaced is not None:
                return f"YAML needs a space behind a key's colon: `{unspaced['key']}: `"
        case Mapping(entries=entries) if entries:
            return f"YAML reads `{entries[0][0].span.text}:` as a key; if it belongs to a text, {BLOCK}"
        case Sequence(flow=False):
            return f"YAML reads a leading `- ` as an item of a list; for a minus, {BLOCK}"
    return None


def explain_yaml_error(error: yaml.MarkedYAMLError, source: Source, report: Report) -> None:
    """Report a text that YAML could not parse, with suitable help."""
    _YamlErrorExplanation(error, source, report).explain()


class _YamlErrorExplanation:
    def __init__(self, error: yaml.MarkedYAMLError, source: Source, report: Report) -> None:
        self.source = source
        self.text = source.text
        self.report = report
        self.problem = (error.problem or "unreadable").strip()
        self.context = error.context or ""
        mark = error.problem_mark or error.context_mark
        self.at = min(mark.index, len(self.text)) if mark is not None else 0
        self.opened = min(error.context_mark.index, len(self.text)) if error.context_mark is not None else None

    def explain(self) -> None:
        problem, context = self.problem, self.context
        char = self.text[self.at : self.at + 1]
        if self._report_exotic_indentation():
            return
        if char == "\t" or "tab character" in problem:
            self._report_tab()
        elif "mapping values" in problem:
            self._report_colon()
        elif "sequence entries" in problem:
            self._report(
                "a list begins behind a key",
                self.at,
                self.at + 1,
                "YAML reads `- ` as an item of a list",
                "begin the list on the next line; in an expression write `-x` without the space",
            )
        elif "mapping keys" in problem:
            self._report("`?` stands alone", self.at, self.at + 1, "YAML reserves it", BLOCK)
        elif "expected ',' or" in problem:
            self._report_flow()
        elif "':'" in problem and "simple key" in context:
            self._report_no_colon()
        elif "cannot start any token" in problem or any(word in context for word in ("anchor", "alias", "tag")):
            self._report_leading(self.at if "any token" in problem or self.opened is None else self.opened)
        elif "block scalar" in context:
            self._report_block_header()
        elif "directive" in context:
            self._report_directive(self.at if self.opened is None else self.opened)
        elif "unexpected ':'" in problem:
            self._report(
                "a colon without a space behind it",
                self.at,
                self.at + 1,
                "YAML needs a space here",
                "a key ends in `: `",
            )
        elif "quoted" in context or "double-quoted" in context:
            self._report_quoted()
        elif "node content" in problem:
            self._report_no_value()
        else:
            self._report_unexpected_text()

    def _report(self, message: str, start: int, end: int, label: str, help_text: str | None, *secondary: Label) -> None:
        end = min(max(end, start), len(self.text))
        self.report.error("PS002", message, Span(self.source, start, end), label, secondary=secondary, help=help_text)

    def _line(self, at: int) -> tuple[int, str]:
        """Return the offset at which the line that contains `at` begins, and the text of that line."""
        number, column = self.source.position(at)
        return at - column + 1, self.source.line_text(number)

    def _end_of_text(self, at: int) -> int:
        """Return the offset at which the text on the line ends, before any comment."""
        start, line = self._line(at)
        return max(at + 1, start + len(re.split(r"(?:^|[ \t])#", line[at - start :])[0].rstrip()) + at - start)

    def _report_exotic_indentation(self) -> bool:
        """Report the first line, up to the error, that is indented with an unusual blank. Return whether there is one."""
        match = INDENTED.search(self.text, 0, self._end_of_text(self.at))
        if match is None:
            return False
        start, end = match.span(1)
        # An unusual blank at the beginning of a key is already reported.
        if all(start != diagnostic.span.start for diagnostic in self.report.diagnostics):
            what = f"{blank_name(match[1][0])} in the indentation"
            self._report(what, start, end, "YAML indents with spaces only", WAY_OUT)
        return True

    def _report_tab(self) -> None:
        at = self.at
        start, line = self._line(at)
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        if "\t" in indent:
            at = start + indent.index("\t")
            self._report(
                "a tab in the indentation",
                at,
                start + len(indent),
                "YAML indents with spaces only",
                "indent with spaces",
            )
        else:
            self._report("a tab where YAML allows none", at, at + 1, "a tab", "write a space")

    def _report_colon(self) -> None:
        start, line = self._line(self.at)
        first = KEY.match(line.lstrip(" ")[:1100])
        indent = len(line) - len(line.lstrip(" "))
        if first is not None and start + indent + first.end("key") < self.at:
            key_end = start + indent + first.end()
            self._report(
                "a `: ` in the middle of a text",
                self.at,
                self.at + 1,
                "YAML reads this as the end of a key",
                BLOCK if self._is_rule(key_end) else f"put the text in quotes or into {BLOCK_SCALAR}",
            )
        elif self.at - start > 1024:
            self._report("a key is longer than 1,024 characters", start + indent, self.at, "too long", None)
        elif re.search(r"[^\w -]|\w \w", self.text[start + indent : self.at]):
            self._report(
                "a `: ` in the middle of a text",
                self.at,
                self.at + 1,
                "YAML reads this as the end of a key",
                BLOCK,
            )
        else:
            self._report(
                "this line is indented as if it belonged to the value above",
                start + indent,
                self.at,
                "a key is not valid here",
                "keys of one mapping begin in the same column, and a value stands either behind its key or below it",
            )

    def _is_rule(self, at: int) -> bool:
        start, line = self._line(at)
        return line[: at - start].strip(" -:") in ("hard", "soft", "for", "when", "margin", "is", "weight")

    def _report_no_colon(self) -> None:
        start = self.at if self.opened is None else self.opened
        end = self._end_of_text(start)
        if self._continues_past_comment(start):
            self._report_comment_between(start, end)
        elif (match := UNSPACED.match(self.text, start, end)) is not None:
            at = match.end() - 1
            self._report("a colon without a space behind it", at, at + 1, "YAML reads it as text", "a key ends in `: `")
        else:
            self._report(
                "a line that is neither a key nor part of a value",
                start,
                end,
                "expected `key: value`",
                "if it goes on with the value above, indent it deeper than that value's key",
            )

    def _continues_past_comment(self, at: int) -> bool:
        """Return whether the line probably continues a value that a comment on the line above has ended."""
        start, line = self._line(at)
        if start == 0 or line[: at - start].strip():
            return False
        above_start, above = self._line(start - 1)
        comment = re.search(r"[ \t]#", above)
        indent = len(above) - len(above.lstrip(" "))
        return (
            comment is not None and bool(above[: comment.start()].strip()) and at - start > indent and above_start < at
        )

    def _report_comment_between(self, start: int, end: int) -> None:
        above_start, above = self._line(self._line(start)[0] - 1)
        hash_at = above_start + above.index("#", re.search(r"[ \t]#", above).start())  # type: ignore[union-attr]  # the line above has a comment
        self._report(
            "a comment ends the value, and text goes on behind it",
            start,
            end,
            "no part of the value",
            "move the comment to a line above the key",
            Label(Span(self.source, hash_at, above_start + len(above.rstrip())), "the value ends here"),
        )

    def _report_flow(self) -> None:
        opened = self.at if self.opened is None else self.opened
        bracket = self.text[opened : opened + 1]
        closer = CLOSERS.get(bracket, "}")
        start, line = self._line(self.at)
        before = line[: self.at - start].rstrip()
        char = self.text[self.at : self.at + 1]
        opened_here = Label(Span(self.source, opened, opened + 1), "opened here")
        on_one_line = self.source.position(opened)[0] == self.source.position(self.at)[0]
        if before[-1:] in ('"', "'") and char and char not in ",:]}" and on_one_line:
            self._report_text_after(self.at, f"write the mapping over several lines, and this value in {BLOCK_SCALAR}")
        elif char and char in "[{\"'" and before and before[-1] not in ",[{:":
            self._report(
                "YAML ends a value here",
                self.at,
                self.at + 1,
                f"inside `{bracket}...{closer}` a value cannot go on with `{char}`",
                ROWS,
            )
        elif char == ":" and on_one_line:
            self._report(
                "a second `: ` in one value",
                self.at,
                self.at + 1,
                "YAML reads this as the end of a key",
                ROWS,
            )
        elif char and char in "]}" and char != closer:
            self._report(
                f"`{char}` does not close `{bracket}`",
                self.at,
                self.at + 1,
                f"expected `,` or `{closer}`",
                None,
                opened_here,
            )
        else:
            way = f"add `{closer}`; an expression that begins with `{bracket}` and goes on behind it goes into a block scalar (`>-`)"
            if closer in self.text[self._end_of_text(opened) : self._line(opened)[0] + len(self._line(opened)[1])]:
                way = f"YAML reads ` #` as the start of a comment, which hides the `{closer}`: write the collection over several lines"
            self._report(f"a `{bracket}` is not closed", opened, opened + 1, f"its `{closer}` is missing", way)

    def _report_directive(self, at: int) -> None:
        self._report(
            "a line begins with `%`",
            at,
            at + 1,
            "YAML reserves it",
            "indent the line, or take it out",
        )

    def _report_leading(self, at: int) -> None:
        char = self.text[at : at + 1]
        shown = f"`{char}`" if char != "`" else "a backquote"
        if char and char in "|>-":
            what = "a list item" if char == "-" else "a block scalar"
            self._report(f"{what} inside brackets", at, at + 1, "not possible here", INSIDE)
        elif char.isalnum():
            self._report_unexpected_text()
        else:
            self._report(f"no text begins with {shown}", at, at + 1, "YAML reserves it", BLOCK)

    def _report_block_header(self) -> None:
        opened = self.at if self.opened is None else self.opened
        mark = self.text[opened : opened + 1]
        if self.text[self.at : self.at + 1].isdigit():
            self._report(
                "an indentation indicator is not supported",
                self.at,
                self.at + 1,
                "here",
                "take the number out",
            )
        else:
            self._report(
                f"text behind a leading `{mark}`",
                opened,
                self._end_of_text(self.at),
                f"YAML reads `{mark}` as the head of a block scalar",
                "write `>-`, and the text on the next line, indented",
            )

    def _report_quoted(self) -> None:
        opened = self.at if self.opened is None else self.opened
        if "escape" in self.problem or "hexdecimal" in self.problem or "hexadecimal" in self.problem:
            at = self.text.rfind("\\", opened, self.at + 1)
            match = re.compile(r"\\(?:[xuU][0-9A-Fa-f]*|.)").match(self.text, at)
            end = match.end() if match else at + 1
            self._report("an escape that does not exist", at, end, "unknown here", r"write `\\` for a backslash")
        else:
            quote = self.text[opened : opened + 1]
            self._report(
                "a quote is not closed",
                opened,
                opened + 1,
                "opened here",
                f"close it with `{quote}`; a text that begins with it goes into a block scalar (`>-`)",
            )

    def _report_no_value(self) -> None:
        char = self.text[self.at : self.at + 1]
        if char in ("", "\n") or self.text[self.at : self.at + 3] in ("---", "..."):
            self._report("a value is missing", self.at, self.at, "expected here", None)
        elif char == ",":
            self._report(
                "a value is missing before `,`",
                self.at,
                self.at + 1,
                "YAML reserves it",
                f"take it out; if it belongs to the text, {BLOCK}",
            )
        elif char == ":":
            self._report("a key is missing", self.at, self.at + 1, "expected a key before `:`", None)
        else:
            self._report_leading(self.at)

    def _report_text_after(self, at: int, help_text: str = BLOCK) -> None:
        start, line = self._line(at)
        last = line[: at - start].rstrip()[-1]
        taken = {"}": "{", "]": "["}.get(last, last)
        self._report(
            f"text goes on behind the closing `{last}`",
            at,
            self._end_of_text(at),
            "no part of the value",
            f"YAML reserves the leading `{taken}`; {help_text}",
        )

    def _report_unexpected_text(self) -> None:
        at = self.at
        start, line = self._line(at)
        before = line[: at - start].rstrip()
        char = self.text[at : at + 1]
        opened = self.opened
        above = (
            ()
            if opened is None or opened == at
            else (Label(Span(self.source, opened, self._end_of_text(opened)), "begins here"),)
        )
        if char and char in "]}" and before:
            self._report(f"`{char}` closes nothing", at, at + 1, "nothing is open here", None)
        elif before and before[-1] in "\"'}]":
            self._report_text_after(at)
        elif self._continues_past_comment(at):
            self._report_comment_between(at, self._end_of_text(at))
        elif char == ":":
            self._report("a key is missing", at, at + 1, "expected a key before `:`", None)
        elif "'-' indicator" in self.problem or "block collection" in self.context or "block sequence" in self.context:
            self._report(
                "a line that is no item of the list above",
                at,
                self._end_of_text(at),
                "expected `- `",
                "items of one list begin in the same column",
                *above,
            )
        elif "block mapping" in self.context:
            self._report(
                "this line does not fit the mapping above",
                at,
                self._end_of_text(at),
                "expected a key in the column of the others",
                "keys of one mapping begin in the same column",
                *above,
            )
        elif "document start" in self.problem:
            start = self.text.rfind("\n", 0, len(self.text[:at].rstrip())) + 1
            if self.text.startswith("%", start):
                self._report_directive(start)
            else:
                self._report(
                    "text goes on behind the document",
                    at,
                    self._end_of_text(at),
                    "no part of it",
                    "one file holds one document, and that one mapping",
                )
        else:
            self._report("YAML cannot read this", at, at + 1, self.problem, None)
