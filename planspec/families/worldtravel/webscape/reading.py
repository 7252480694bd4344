"""What an agent read on pages, as it declares itself, beside what stands there: by kind of page and by cue.

An agent declares by a note `read` (`desk.note("read", [...])`, or a `note` line of a program): a list of starts, each with the `place`, the `date`
(2026-07-01), the `ticket`, the `time` (14:30), all as the tools write names, and its `status`, `available` or `sold out`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from planspec.environments.opened import AgentTask
from planspec.families.worldtravel.webscape.facts import Cue, left
from planspec.families.worldtravel.webscape.page_tools import PageTool
from planspec.families.worldtravel.webscape.plan_of_site import Kind
from planspec.families.worldtravel.webscape.rendering import Page
from planspec.families.worldtravel.webscape.tables import Cell, Row, Tables
from planspec.traces.record import Trace

NOTE = "read"
"""The name of the note."""
Outcome: TypeAlias = Literal["right", "wrong", "missing"]
_Key: TypeAlias = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class StartRead:
    """A start on a page that an agent was shown.

    Attributes:
        kind: of the page.
        cue: by which it says whether there are places.
        sold_out: what it says.
        outcome: of what was declared; `missing` where nothing was.
    """

    kind: Kind
    cue: Cue
    sold_out: bool
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ReadShare:
    """Starts of one sort, counted by outcome."""

    right: int
    wrong: int
    missing: int

    @property
    def wrong_share(self) -> float | None:
        """The share of wrong ones among those that were declared; None where none was."""
        said = self.right + self.wrong
        return self.wrong / said if said else None


def starts_read(opened: AgentTask, trace: Trace) -> list[StartRead]:
    """Each start of the pages that an agent opened, with what became of it.

    A page that was opened several times counts once, and the last declaration of a start counts.

    Args:
        opened: the task under a setting with pages.
        trace: of the attempt.
    """
    tools = {tool.name: tool for tool in opened.tools if isinstance(tool, PageTool)}
    shown: dict[str, Page] = {}
    tables: Tables | None = None
    for call in trace.calls:
        tool = tools.get(call.name or "")
        if tool is not None and call.result is not None and call.result.ok:
            tables = tool.press.tables
            shown |= {spec.path: tool.press.page(spec) for spec in tool.pages(call.arguments or {})}
    if tables is None:
        return []
    declared = dict(_declared(trace.extra.get(NOTE)))
    return [start for page in shown.values() for start in _starts(tables, page, declared)]


def by_cue(starts: Iterable[StartRead]) -> dict[tuple[Cue, bool], ReadShare]:
    """Starts counted by the cue, and whether it says sold out."""
    return _counted(((start.cue, start.sold_out), start.outcome) for start in starts)


def by_kind(starts: Iterable[StartRead]) -> dict[tuple[Kind, bool], ReadShare]:
    """Starts counted by the kind of page, and whether it says sold out."""
    return _counted(((start.kind, start.sold_out), start.outcome) for start in starts)


def _counted(found: Iterable[tuple[Any, Outcome]]) -> dict[Any, ReadShare]:
    counts = Counter(found)
    keys = sorted({key for key, _ in counts}, key=str)
    return {
        key: ReadShare(counts[key, "right"], counts[key, "wrong"], counts[key, "missing"]) for key in keys
    }


def _starts(tables: Tables, page: Page, declared: Mapping[_Key, bool]) -> Iterator[StartRead]:
    """The starts of a page: each once, by the look of its element."""
    rows = _entries(tables)
    done: set[Cell] = set()
    for fact in page.facts:
        if (
            fact.cell.file != "entry.csv"
            or fact.cell.column != "left"
            or fact.form is not None
            or fact.cell in done
        ):
            continue
        done.add(fact.cell)
        key, entry = rows[fact.cell.line]
        gone = left(entry) == "gone"
        said = declared.get(key)
        outcome: Outcome = "missing" if said is None else "right" if said == gone else "wrong"
        yield StartRead(page.spec.kind, fact.cue, gone, outcome)


def _entries(tables: Tables) -> Mapping[int, tuple[_Key, Row]]:
    """Starts by their line, with how an agent names them."""
    offers = {row["id"]: row for row in tables.rows("offer")}
    places = {row["id"]: row["name"] for row in tables.rows("place")}
    return {
        row.line: (_key(places[offers[row["offer"]]["place"]], row["day"], offers[row["offer"]]["name"], row["at"]), row)
        for row in tables.rows("entry")
    }  # fmt: skip


def _key(place: str, date: str, ticket: str, time: str) -> _Key:
    return place.casefold(), date, ticket.casefold(), time


def _declared(note: object) -> Iterator[tuple[_Key, bool]]:
    """The starts of a note, and whether they are said to be sold out; what is no declaration is passed over."""
    for one in note if isinstance(note, list) else []:
        match one:
            case {
                "place": str(place),
                "date": str(date),
                "ticket": str(ticket),
                "time": str(time),
                "status": "available" | "sold out" as status,
            }:
                yield _key(place, date, ticket, time.zfill(5)), status == "sold out"
