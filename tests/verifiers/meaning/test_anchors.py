"""Anchors are exactly the rows with a time that a hard constraint looks up in a table of facts, such as booked
starts.
"""

from __future__ import annotations

import pytest

from planspec import Judge, load
from planspec.api.catalog import Catalog
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.workspace.workspace import Workspace
from planspec.verifiers.meaning.anchors import anchors
from planspec.verifiers.meaning.ground import ground

TASK = """planspec: task/1
id: t
query: q
types: {Kind: museum | park}
tables:
  Place:
    columns: {id: key text, kind: Kind}
    rows: [{id: a, kind: museum}, {id: b, kind: museum}, {id: c, kind: park}]
  Slot:
    columns: {place: key Place, day: key date, at: key time}
    rows: [{place: a, day: 2026-07-01, at: 09:00}, {place: b, day: 2026-07-02, at: 10:00}]
plan:
  visits: {place: key Place, day: date, start: time, end: time}
  dinner: {one: true, at: time}
scope:
  visits:
    - for: p in Place
      place: p
      day: {2026-07-01, 2026-07-02}
      start: 09:00..14:00 step 1h
      end: 09:00..14:00 step 1h
  dinner: {at: 18:00..20:00 step 1h}
define:
  slot(v visits): Slot[v.place, v.day, v.start]
  begin(p Place): visits[p].start
  opens(p Place, d date, at time): Slot[p, d, at]
  booked(p Place): all(Slot[v.place, v.day, v.start].at is not none for v in visits if v.place == p)
constraints:
  rule:
    RULE
"""


@pytest.mark.parametrize(
    ("rule", "count"),
    [
        ("hard: all(Slot[v.place, v.day, v.start].at == v.start for v in visits)", 3),
        ("hard: all(Slot[v.place, v.day, v.start].at == v.start for v in visits if v.place == a)", 1),
        ("hard: all(slot(v).at is not none for v in visits if v.place.kind == museum)", 2),
        ("hard: booked(a) and booked(b)", 2),
        ("for: p in Place\n    when: p.kind == museum\n    hard: booked(p)", 2),
        ("hard: all(any(s.at == v.start for s in Slot if s.place == v.place) for v in visits)", 3),
        ("hard: dinner.at in (s.at for s in Slot)", 1),
        ("hard: dinner.at not in (s.at for s in Slot)", 0),
        ("hard: all(v.start == 09:00 for v in visits)", 0),  # fixed by the request, not booked
        ("hard: visits[a].start in 09:00..10:00", 0),
        ("hard: all(v.end == visits[a].start for v in visits if v.place != a)", 0),  # the time is that of another visit
        # rows named by a key
        ("hard: Slot[a, 2026-07-01, visits[a].start] is not none", 1),
        (
            "for: p in Place\n    when: p.kind == museum\n    hard: Slot[p, 2026-07-01, visits[p].start] is not none",
            2,
        ),
        ("for: p in Place\n    hard: any(s.at == visits[p].start for s in Slot if s.place == p)", 3),
        ("for: p in Place\n    hard: visits[p].start in (s.at for s in Slot if s.place == p)", 3),
        ("hard: all(Slot[p, 2026-07-01, visits[p].start] is not none for p in Place if p.kind == museum)", 2),
        # named by a key, in a definition
        ("hard: slot(visits[a]) is not none", 1),
        ("for: p in Place\n    when: p.kind == museum\n    hard: slot(visits[p]) is not none", 2),
        ("hard: all(slot(visits[p]) is not none for p in Place if p != a)", 2),
        ("for: p in Place\n    hard: Slot[p, 2026-07-01, begin(p)] is not none", 3),
        ("hard: begin(b) in (s.at for s in Slot)", 1),
        ("for: p in Place\n    when: p != c\n    hard: opens(p, 2026-07-01, visits[p].start) is not none", 2),
        ("hard: all(visits[s.place].start == s.at for s in Slot)", 2),  # no fact names the third place
        ("hard: begin(a) == begin(b)", 0),
        ("soft: all(Slot[v.place, v.day, v.start].at == v.start for v in visits)", 0),
        # the scope does not fix which rows are on that day
        ("hard: all(slot(v).at == v.start for v in visits if v.day == 2026-07-01 and v.place == a)", 1),
    ],
)
def test_rows_anchored_by_a_rule_are_counted(rule: str, count: int) -> None:
    assert anchors(ground(task_from_text(TASK.replace("RULE", rule), "t.task.yaml"))) == count


def test_the_measure_of_a_library_takes_precedence() -> None:
    """The constraints would also count admissions at fixed times that are not booked."""
    text = TASK.replace("RULE", "hard: all(Slot[v.place, v.day, v.start].at == v.start for v in visits)")
    text = text.replace(
        "define:", "measures: [anchors]\ndefine:\n  anchors: count(p for p in Place if p.kind == museum)"
    )
    assert anchors(ground(task_from_text(text, "t.task.yaml"))) == 2


@pytest.mark.slow
def test_a_city_has_as_many_anchors_as_booked_places() -> None:
    """The library's measure and the constraints alone give the same numbers, for trips of one day and of two days."""
    counts, workspace = {}, Workspace()
    for path in Catalog().suite("worldtravel-berlin").tasks[::3]:
        judge = Judge(load(path, workspace=workspace))
        booked = sum(i.applicable and i.id.startswith("slot[") for i in judge.ground.instances)
        assert anchors(judge.ground) == booked
        counts[judge.task.id] = booked
    assert len(set(counts.values())) >= 4
