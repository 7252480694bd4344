"""Reassembly of expressions that YAML splits into several entries of a `{...}`, because they contain a comma or colon."""

from __future__ import annotations

import re

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.yaml.nodes import Node, Scalar

ROWS = "inside `{...}` a comma or bracket ends a value: write the mapping over several lines, one key on each"
UNSPACED = re.compile(r"(?P<key>[A-Za-z_]\w*):(?=\S)")
TOKEN = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|[\"'()\[\]{}]")
HANGING = re.compile(r"(?:[-+*,.=<(\[{]|//|%|\?\?|>=|(?<!\w)(?:and|or|not|in|is|if|else|for|implies|step))\Z")
MAX_COMMAS = 16
"""The maximum number of commas examined in a call, which keeps the time linear for many open brackets."""
CLOSERS = {"(": ")", "[": "]", "{": "}"}


def reassembled_entries(entries: list[tuple[Scalar, Node]], report: Report) -> list[tuple[Scalar, Node]]:
    """Return the entries of a `{...}`, after reassembling values that YAML cut at commas or colons.

    Args:
        entries: the entries as YAML returns them; a piece of a cut value is usually a key without a value.
        report: receives each cut, so that later phases need not report the pieces.
    """
    depths = [_depth(key.text) for key, _ in entries]
    joined_entries: list[tuple[Scalar, Node]] = []
    at = 0
    while at < len(entries):
        last = _closing_index(entries, depths, at)
        key, value = entries[at]
        if last is not None:
            value_is_cut = not _is_bare(entries[at])
            whole = _joined_scalar(_end_scalar(entries[at]), entries[last][0])
            label = "YAML cuts this at the comma"
            report.error("PS019", "a comma splits this", whole.span, label, help=ROWS)
            joined_entries.append((key, whole) if value_is_cut else (whole, entries[last][1]))
            at = last + 1
            continue
        colon = UNSPACED.match(key.text) if _is_bare(entries[at]) and key.style == "plain" else None
        if colon is not None and key.span.text == key.text:
            source, start = key.span.source, key.span.start
            place = start + colon.end() - 1
            report.error(
                "PS019",
                "a colon without a space behind it",
                Span(source, place, place + 1),
                "YAML reads it as text",
                help=f"write `{colon['key']}: {key.text[colon.end() :]}`",
            )
            left, right = Span(source, start, place), Span(source, place + 1, key.span.end)
            key, value = Scalar(left, left.text, "plain", left), Scalar(right, right.text, "plain", right)
        joined_entries.append((key, value))
        at += 1
    return joined_entries


def _is_bare(entry: tuple[Scalar, Node]) -> bool:
    """Return whether the entry is a key without a colon."""
    key, value = entry
    return isinstance(value, Scalar) and value.span.start == value.span.end == key.span.end


def _end_scalar(entry: tuple[Scalar, Node]) -> Scalar:
    """Return the last scalar of an entry. An unquoted comma in the text may have ended it too early."""
    key, value = entry
    return key if _is_bare(entry) or not isinstance(value, Scalar) else value


def _closing_index(entries: list[tuple[Scalar, Node]], depths: list[int], at: int) -> int | None:
    """Return the index of the entry that closes the brackets opened in entry `at`; None if there is no such entry."""
    first = _end_scalar(entries[at])
    if first.style != "plain" or (first is entries[at][0] and not _is_bare(entries[at])):
        return None
    depth = _depth(first.text)
    if depth <= 0:
        return None
    starts_bare = _is_bare(entries[at])
    for i in range(at + 1, min(at + MAX_COMMAS, len(entries))):
        depth += depths[i]
        if depth <= 0:
            return i if starts_bare or _is_bare(entries[i]) else None
        if not _is_bare(entries[i]):
            return None
    return None


def _depth(text: str) -> int:
    return text.count("(") - text.count(")")


def _joined_scalar(first: Scalar, last: Scalar) -> Scalar:
    span = first.span.to(last.span)
    return Scalar(span, " ".join(span.text.split()), "plain", span)


def is_cut_off(text: str) -> bool:
    """Return whether a string ends within brackets or quotes, or with an operator."""
    if HANGING.search(text.rstrip()[-12:]):
        return True
    depth = 0
    for match in TOKEN.finditer(text):
        mark = match[0]
        if mark in ("'", '"'):
            return True
        depth += mark in CLOSERS
        depth -= mark in CLOSERS.values()
    return depth > 0
