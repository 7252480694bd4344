"""Turns of a task (the queries of a conversation), and the task that is in force at each turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, replace

from planspec.dsl.diagnostics.diagnostic import Diagnostic, Report, Severity
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document import Document
from planspec.dsl.structure.sections import known_entries, texts
from planspec.dsl.yaml.reader import Mapping, Node, Scalar
from planspec.dsl.yaml.reader import Sequence as Items

CORRECTABLE_CODES = ("PS210",)
"""Codes of mistakes that a later turn can correct, for example by using a name unused so far."""


@dataclass(frozen=True, slots=True, eq=False)
class TaskTurn:
    """One turn of a task.

    Attributes:
        number: number of the turn, counted from 1.
        span: span of the turn.
        sections: its sections by key.
        keys: nodes of the keys of its sections, by key.
        dropped: ids of the constraints that this turn revokes.
    """

    number: int
    span: Span
    sections: MappingOf[str, Node]
    keys: MappingOf[str, Scalar]
    dropped: tuple[Scalar, ...]


def read_turns(document: Document, report: Report) -> tuple[TaskTurn, ...]:
    """Return the turns of a task in order. An invalid entry is reported and counts as an empty turn."""
    section = document.sections["turns"]
    if not isinstance(section, Items) or not section.items:
        blank = isinstance(section, Items) or (isinstance(section, Scalar) and not section.text)
        report.error(
            "PS011",
            "`turns` must be a list of turns",
            document.key_span("turns") if blank else section.span,
            "no turn in it" if blank else "not a list",
            help="begin each turn with `- query: ...`",
        )
        return ()
    return tuple(_turn(number, node, report) for number, node in enumerate(section.items, 1))


def _turn(number: int, node: Node, report: Report) -> TaskTurn:
    if not isinstance(node, Mapping):
        report.error("PS011", "a turn must be a mapping", node.span, "not a mapping", help="write `query: ...` in it")
        return TaskTurn(number, node.span, {}, {}, ())
    entries = known_entries(node, document_keys.TURN, "a turn", report)
    sections = {name: value for name, (_, value) in entries.items()}
    for name in ("given", "constraints"):
        inner = sections.get(name)
        if inner is not None and not isinstance(inner, Mapping) and not _is_blank(inner):
            report.error("PS011", f"`{name}` must be a mapping", inner.span, "not a mapping")
            del sections[name]
    dropped = tuple(texts(sections.get("drop"), "`drop`", report))
    return TaskTurn(number, node.span, sections, {name: key for name, (key, _) in entries.items()}, dropped)


def turn_count(document: Document) -> int:
    """Return the number of turns of a document; 0 for a task without turns."""
    section = document.sections.get("turns")
    return len(section.items) if isinstance(section, Items) else 0


def document_at_turn(document: Document, turns: Sequence[TaskTurn], number: int) -> Document:
    """Return the document of a turn: the common sections, and the sections of all turns up to this one.

    Every node keeps its span, so that mistakes are reported where they occur.

    Args:
        document: a task.
        turns: all its turns.
        number: number of the turn, from 1.
    """
    so_far = turns[:number]
    sections = {name: node for name, node in document.sections.items() if name != "turns"}
    if number < len(turns):
        sections.pop("reference", None)  # the reference answers the whole conversation
    given = _united_section(document, so_far, "given")
    if given is not None:
        # A later value replaces an earlier one.
        last = {key.text: (key, node) for key, node in given.entries}
        sections["given"] = replace(given, entries=tuple(last.values()))
    constraints, revoked = _constraints_in_force(document, so_far)
    if constraints is not None:
        sections["constraints"] = constraints
    turn, keys = turns[number - 1], dict(document.keys)
    if "expects" in turn.sections:
        sections["expects"] = turn.sections["expects"]
        keys["expects"] = turn.keys["expects"]
    if "query" in turn.sections:
        sections["query"] = turn.sections["query"]
        keys["query"] = turn.keys.get("query", keys["turns"])
    elif "query" not in sections:
        keys["query"] = next(iter(turn.keys.values()), keys["turns"])
    keys.setdefault("given", turns[0].keys.get("given", keys["turns"]))
    parts_ = (document.sections, *(turn.sections for turn in so_far))
    tells = tuple((part["tells"], part.get("query")) for part in parts_ if "tells" in part)
    shows = tuple(turn.sections["shows"] for turn in so_far if "shows" in turn.sections)
    return replace(document, sections=sections, keys=keys, revoked=revoked, shows=shows, tells=tells)


def queries(document: Document, turns: Iterable[TaskTurn]) -> Iterator[str]:
    """Yield the query of each turn."""
    for turn in turns:
        node = turn.sections.get("query", document.sections.get("query"))
        yield node.text if isinstance(node, Scalar) else ""


def _united_section(document: Document, turns: Iterable[TaskTurn], name: str) -> Mapping | None:
    """Return a mapping with all entries of the document and its turns in a section.

    Return None if there are no entries, or if a section is invalid.
    """
    base = document.sections.get(name)
    if base is not None and not isinstance(base, Mapping) and not _is_blank(base):
        return None
    parts = [part for part in (base, *(t.sections.get(name) for t in turns)) if isinstance(part, Mapping)]
    if not parts:
        return None
    return Mapping(parts[-1].span, tuple(entry for part in parts for entry in part.entries), flow=False)


def _constraints_in_force(document: Document, turns: Sequence[TaskTurn]) -> tuple[Mapping | None, tuple[Scalar, ...]]:
    """Return the task's own constraints after all turns, and the ids of other constraints that turns revoke.

    An id that is declared again without being revoked occurs twice in the mapping, and is reported later.
    """
    united = _united_section(document, turns, "constraints")
    standing: list[tuple[Scalar, Node]] = []
    revoked: list[Scalar] = []
    base = document.sections.get("constraints")
    if isinstance(base, Mapping):
        standing.extend(base.entries)
    for turn in turns:
        for word in turn.dropped:
            remaining = [(key, node) for key, node in standing if key.text != word.text]
            if len(remaining) == len(standing):
                revoked.append(word)
            standing = remaining
        own = turn.sections.get("constraints")
        if isinstance(own, Mapping):
            standing.extend(own.entries)
    return None if united is None else replace(united, entries=tuple(standing)), tuple(revoked)


def _is_blank(node: Node) -> bool:
    return isinstance(node, Scalar) and not node.text


# -- mistakes at several turns --------------------------------------------------------------------------

_Place = tuple[str, str, int, int]


def report_once(reports: Sequence[Report], document: Document, turns: Sequence[TaskTurn], report: Report) -> None:
    """Report the mistakes of all turns, each mistake only once.

    The message names the turns at which the mistake occurs, unless it occurs at all turns that contain its span.

    Args:
        reports: the report of each turn, in order.
        document: the task.
        turns: all its turns.
        report: receives the mistakes.
    """
    places: dict[_Place, dict[str, list[int]]] = {}
    first: dict[tuple[_Place, str], Diagnostic] = {}
    for turn, own in zip(turns, reports, strict=True):
        for diagnostic in own.diagnostics:
            span = diagnostic.span
            place = (diagnostic.code, span.source.name, span.start, span.end)
            first.setdefault((place, diagnostic.message), diagnostic)
            places.setdefault(place, {}).setdefault(diagnostic.message, []).append(turn.number)
    sound = {turn.number for turn, own in zip(turns, reports, strict=True) if not own.failed}
    for place, messages in places.items():
        since = min(numbers[0] for numbers in messages.values())
        # Later turns may report the same mistake with other values in the message, so only the messages of the first
        # turn are used.
        leading = [message for message, numbers in messages.items() if numbers[0] == since]
        for message in leading:
            at = {n for m, numbers in messages.items() if m == message or len(leading) == 1 for n in numbers}
            diagnostic = first[place, message]
            possible = _later_turns(diagnostic.span, document, turns)
            if diagnostic.code in CORRECTABLE_CODES and at != possible:
                continue
            if diagnostic.severity is Severity.WARNING:
                possible &= sound  # a turn with errors gives no warnings
            if at != possible:
                diagnostic = replace(diagnostic, message=f"{message} ({_in_words(sorted(at))})")
            report.add(diagnostic)


def _later_turns(span: Span, document: Document, turns: Sequence[TaskTurn]) -> set[int]:
    """Return the number of the turn that contains a span, and the numbers of all later turns.

    Return all numbers if no turn contains the span.
    """
    own = 1
    if span.source is document.root.span.source:
        own = next((t.number for t in turns if t.span.start <= span.start < t.span.end), 1)
    return set(range(own, len(turns) + 1))


def _in_words(numbers: Sequence[int]) -> str:
    """Return `at turn 2`, `at turns 1 and 2` or `at turns 1 to 4`."""
    shown = [str(number) for number in numbers]
    if len(numbers) == 1:
        return f"at turn {shown[0]}"
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"at turns {shown[0]} to {shown[-1]}"
    return f"at turns {', '.join(shown[:-1])} and {shown[-1]}"
