"""What agents declare that they read, beside what stands on pages."""

from __future__ import annotations

from typing import Any

import pytest

from planspec.agents.pictures import Pictured
from planspec.environments import AgentTask, open_task
from planspec.families.worldtravel.webscape.facts import left
from planspec.families.worldtravel.webscape.page_tools import PageTool
from planspec.families.worldtravel.webscape.reading import ReadShare, by_cue, by_kind, starts_read
from planspec.traces.record import Call, Result, Trace

BOOKING = ("get_restaurant_reservation_availability", {"restaurant": "Borchardt", "date": "2026-07-01"})


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> AgentTask:
    monkeypatch.setattr("planspec.families.worldtravel.settings.require_browser", lambda: "chromium")
    return open_task("berlin-001", "pages")


def trace(note: Any, *calls: tuple[str, dict[str, str]], error: Any = None) -> Trace:
    made = tuple(
        Call(name=name, arguments=dict(arguments), result=Result(value=dict(Pictured({}, [])), error=error))
        for name, arguments in calls
    )
    return Trace(task="berlin-001", calls=made, extra={} if note is None else {"read": note})


def truth(opened: AgentTask) -> list[dict[str, str]]:
    """All starts of the page, as somebody with good eyes declares them."""
    tool = next(tool for tool in opened.tools if tool.name == BOOKING[0])
    assert isinstance(tool, PageTool)
    tables = tool.press.tables
    (spec,) = tool.pages(BOOKING[1])
    offer = tables.of("offer", place=spec.of)[0]
    return [
        {
            "place": "Borchardt", "date": row["day"], "ticket": offer["name"], "time": row["at"],
            "status": "sold out" if left(row) == "gone" else "available",
        }
        for row in tables.of("entry", offer=offer["id"])
        if row["day"] in spec.days
    ]  # fmt: skip


def test_what_is_declared_right_is_right_each_once(opened: AgentTask) -> None:
    said = truth(opened)
    starts = starts_read(opened, trace(said, BOOKING, BOOKING))
    assert {start.outcome for start in starts} == {"right"}
    assert len(starts) == len(said)
    assert {start.kind for start in starts} == {"reservation"}


def test_what_was_taken_for_available_is_wrong_by_its_cue(opened: AgentTask) -> None:
    said = truth(opened)
    gone = [one for one in said if one["status"] == "sold out"]
    missed = gone[:: len(gone) // 5]
    for one in missed:
        one["status"] = "available"
    shares = by_cue(starts_read(opened, trace(said, BOOKING)))
    wrong = {key: share for key, share in shares.items() if share.wrong}
    ((_, sold_out),) = wrong
    assert sold_out
    (share,) = wrong.values()
    assert share.wrong == len(missed)
    assert share.wrong_share == pytest.approx(len(missed) / len(gone))
    assert share.missing == 0


def test_what_nobody_declares_is_missing_and_nonsense_is_passed_over(opened: AgentTask) -> None:
    for note in (None, "all of it", [1, {"place": 3}, {"place": "Borchardt", "status": "maybe"}]):
        assert {start.outcome for start in starts_read(opened, trace(note, BOOKING))} == {"missing"}


def test_pages_that_were_not_shown_do_not_count(opened: AgentTask) -> None:
    said = truth(opened)
    assert starts_read(opened, trace(said)) == []
    assert starts_read(opened, trace(said, BOOKING, error="other")) == []


def test_shares_are_counted_by_kind_and_none_is_none(opened: AgentTask) -> None:
    shares = by_kind(starts_read(opened, trace(truth(opened)[:1], BOOKING)))
    assert sum(share.right for share in shares.values()) == 1
    assert all(kind == "reservation" for kind, _ in shares)
    assert ReadShare(0, 0, 4).wrong_share is None
