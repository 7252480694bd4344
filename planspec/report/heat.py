"""Heat maps of the shares of violated constraints, by kind and run, as table cells or as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, tostring

from markupsafe import Markup

from planspec.report.charts import add_hidden_text, add_part
from planspec.report.texts import line, percent
from planspec.scores import RunScores
from planspec.scores.record import Failures

STEPS = 5
"""Number of colours for shares above zero."""
NAME, CELL, ROW, HEAD, GAP = 210.0, 120.0, 44.0, 26.0, 2.0
MOST_NAME_CHARACTERS = 27
"""Maximum number of characters of a name that fits beside a row or above a column."""


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A cell of the heat map: one kind of constraints in one run.

    Attributes:
        share: share of the applicable constraints that are violated or lack an answer.
        failed: number of constraints that are violated or lack an answer.
        applicable: number of applicable constraints.
    """

    share: float | None
    failed: int
    applicable: int

    @property
    def step(self) -> int:
        """Index of the colour for the share, as given by `heat_step`."""
        return heat_step(self.share)


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A row of the heat map: one kind of constraints in all runs.

    Attributes:
        cells: one cell for each run, in order. A cell is None if no constraint of this kind applies in the run.
    """

    kind: str
    level: str
    cells: tuple[HeatCell | None, ...]


def heat_step(share: float | None) -> int:
    """Return the index of the colour for a share: 0 if the share is zero or unknown, else 1 to 5 by fifths."""
    return 0 if not share else min(STEPS, int(share * STEPS - 1e-9) + 1)


def heat_rows(kinds: Sequence[tuple[str, str]], runs: Sequence[RunScores]) -> list[HeatRow]:
    """Return the rows of the heat map, one for each kind of constraints.

    Args:
        kinds: level and name of each kind of constraints, in the order of the rows.
        runs: scores of the runs, which are the columns.
    """
    by: list[dict[tuple[str, str], Failures]] = [{(one.level, one.kind): one for one in run.kinds} for run in runs]
    return [
        HeatRow(
            kind,
            level,
            tuple(
                None
                if (one := by_kind.get((level, kind))) is None
                else HeatCell(one.share.value, one.violated + one.unanswered, one.applicable)
                for by_kind in by
            ),
        )
        for level, kind in kinds
    ]


def heat_map(rows: Sequence[HeatRow], runs: Sequence[str], label: str, id_prefix: str) -> Markup | None:
    """Return the heat map as a picture; None if no constraint applies.

    Args:
        rows: rows of the map.
        runs: names of the columns.
        label: label of the picture for screen readers.
        id_prefix: prefix of ids, unique on the page.
    """
    if not rows:
        return None
    width, height = NAME + CELL * len(runs), HEAD + ROW * len(rows)
    svg = Element("svg", {"class": "heat-map", "viewBox": f"0 0 {width:g} {height:g}", "role": "img"})
    svg.set("aria-labelledby", f"{id_prefix}-title {id_prefix}-desc")
    add_hidden_text(svg, "title", label, f"{id_prefix}-title")
    add_hidden_text(svg, "desc", _description(rows, runs), f"{id_prefix}-desc")
    for column, run in enumerate(runs):
        x = NAME + CELL * (column + 0.5)
        add_part(svg, "text", _shorten(run, 16), cls="tick", x=x, y=HEAD - 9, **{"text-anchor": "middle"})
    for number, row in enumerate(rows):
        y = HEAD + ROW * number
        soft = " (soft)" if row.level == "soft" else ""
        add_part(
            svg,
            "text",
            _shorten(row.kind, MOST_NAME_CHARACTERS - len(soft)) + soft,
            cls="axis",
            x=2.0,
            y=y + 26,
        )
        for column, cell in enumerate(row.cells):
            x = NAME + CELL * column
            middle = {"text-anchor": "middle"}
            if cell is None:
                add_part(svg, "text", "\u2013", cls="count", x=x + CELL / 2, y=y + 26, **middle)
                continue
            add_part(svg, "rect", cls=f"h{cell.step}", x=x + GAP / 2, y=y + GAP / 2, width=CELL - GAP, height=ROW - GAP)
            add_part(svg, "text", percent(cell.share), cls=f"on{cell.step}", x=x + CELL / 2, y=y + 20, **middle)
            add_part(
                svg,
                "text",
                f"{cell.failed} of {cell.applicable}",
                cls=f"of on{cell.step}",
                x=x + CELL / 2,
                y=y + 35,
                **middle,
            )
    return Markup(tostring(svg, encoding="unicode"))  # noqa: S704 built element by element


def _shorten(text: str, max_length: int) -> str:
    string = line(text)
    return string if len(string) <= max_length else f"{string[: max_length - 1]}\u2026"


def _description(rows: Sequence[HeatRow], runs: Sequence[str]) -> str:
    parts = []
    for column, run in enumerate(runs):
        values = ", ".join(
            f"{line(row.kind)} {percent(cell.share)}" for row in rows if (cell := row.cells[column]) is not None
        )
        parts.append(f"{line(run)}: {values or 'nothing applies'}.")
    return " ".join(parts)
