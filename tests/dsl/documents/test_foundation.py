"""Documents that tasks share are checked once, with the same results as if they were checked again for each task."""

from __future__ import annotations

import gc
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.documents.checking import check_task, check_whole
from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.documents.turns import document_at_turn, read_turns
from planspec.dsl.model.lazy_scope import LazyScope, equal_scope
from planspec.dsl.model.task import Task
from planspec.dsl.resources.paths import shown_path
from planspec.dsl.workspace.workspace import Workspace
from planspec.verifiers.meaning.ground import ground, rows_in_scope
from tests.differential import programs
from tests.dsl.documents.plain_data import report_data, task_data
from tests.lengths import try_one_in

LIBRARY = """\
planspec: library/1
id: lib
types: {Mood: calm | wild}
tables:
  Place: {name: text, mood: Mood}
  Slot: {place: key Place, n: key int}
  Wish: {place: Place}
plan: {visits: {place: Place}}
"""
WORLD = """\
planspec: world/1
id: w
tables:
  Place: {csv: place.csv}
  Slot: {csv: slot.csv}
"""
TASK = """\
planspec: task/1
id: t
query: q
world: w
uses: [lib]
tables:
  Wish: [{place: a}]
"""


def load_task(folder: Path, workspace: Workspace, text: str, name: str) -> Task:
    """Write the library, the world and a task to a folder, and load the task."""
    (folder / "worlds").mkdir(exist_ok=True)
    (folder / "libraries").mkdir(exist_ok=True)
    (folder / "libraries" / "lib.yaml").write_text(LIBRARY)
    (folder / "worlds" / "w.yaml").write_text(WORLD)
    (folder / "worlds" / "place.csv").write_text("id,name,mood\na,Arch,calm\nb,Bridge,wild\n")
    (folder / "worlds" / "slot.csv").write_text("place,n\na,1\nb,2\n")
    path = folder / name
    path.write_text(text)
    return task_from_path(path, workspace)


def test_an_unreferenced_task_is_freed_without_garbage_collection(tmp_path: Path) -> None:
    workspace = Workspace()
    text = f"{TASK}define: {{wishes: count(w for w in Wish)}}\nconstraints: {{some: {{hard: count(v for v in visits) <= wishes}}}}\n"
    load_task(tmp_path, workspace, text, "first.task.yaml")
    gc.collect()
    gc.disable()
    try:
        for number in range(3):
            ground(
                load_task(tmp_path, workspace, text.replace("id: t", f"id: t{number}"), f"{number}.task.yaml"),
                scope=False,
            )
        remaining = [each.id for each in gc.get_objects() if isinstance(each, Task)]
    finally:
        gc.enable()
    assert [name for name in remaining if name in ("t0", "t1", "t2")] == []


def test_two_tasks_of_a_world_have_the_same_rows(tmp_path: Path) -> None:
    workspace = Workspace()
    first = load_task(tmp_path, workspace, TASK, "one.task.yaml")
    second = load_task(tmp_path, workspace, TASK.replace("place: a", "place: b"), "two.task.yaml")
    assert first.facts["Place"] is second.facts["Place"]
    assert first.facts["Slot"] is second.facts["Slot"]
    assert first.facts["Wish"] is not second.facts["Wish"]
    assert repr(first.facts["Place"]) == "<Facts of Place: 2 rows>"
    assert {s.name for s in first.sources} ^ {s.name for s in second.sources} == {
        shown_path(tmp_path / "one.task.yaml"),
        shown_path(tmp_path / "two.task.yaml"),
    }
    wish: Any = second.facts["Wish"].rows[0]
    assert wish.place is second.facts["Place"].by_key["b",]


def test_a_task_that_adds_rows_to_a_table_does_not_share_it(tmp_path: Path) -> None:
    """The task has its own copy of that table and of all tables that refer to it."""
    workspace = Workspace()
    first = load_task(tmp_path, workspace, TASK, "one.task.yaml")
    more = TASK + "  Place: {rows: [{id: c, name: Castle, mood: calm}]}\n"
    second = load_task(tmp_path, workspace, more, "two.task.yaml")
    assert [row._key for row in first.facts["Place"].rows] == [("a",), ("b",)]
    assert [row._key for row in second.facts["Place"].rows] == [("a",), ("b",), ("c",)]
    slot: Any = second.facts["Slot"].rows[0]
    assert slot.place is second.facts["Place"].by_key["a",]
    assert first.facts["Slot"] is not second.facts["Slot"]


def test_another_workspace_loads_the_world_again(tmp_path: Path) -> None:
    first = load_task(tmp_path, Workspace(), TASK, "one.task.yaml")
    second = load_task(tmp_path, Workspace(), TASK, "one.task.yaml")
    assert first.facts["Place"] is not second.facts["Place"]


# -- tasks checked with shared results ---------------------------------------------------------------------


def check_both_ways(path: Path, workspace: Workspace) -> tuple[Task | None, Task | None]:
    """Check a task with and without results that tasks share, and assert that both results are equal."""
    tasks: list[Task | None] = []
    reports = []
    for as_difference in (True, False):
        report = Report()
        document = workspace.open(path, report)
        assert document is not None
        turns = read_turns(document, report) if "turns" in document.sections else ()
        document = document_at_turn(document, turns, len(turns)) if turns else document
        if as_difference:
            tasks.append(check_task(document, workspace, report))
        else:
            whole = check_whole(document, Workspace(), report)
            task = whole.task()
            tasks.append(None if report.failed else task)
        reports.append(report_data(report))
    assert reports[0] == reports[1]
    one, two = tasks
    assert (one is None) == (two is None)
    if one is not None and two is not None:
        assert task_data(one) == task_data(two)
    return one, two


SHIPPED = Path(str(files("planspec.tasks")))
SAMPLE = [
    *sorted(SHIPPED.glob("travelplanner-small/tasks/*.yaml"))[::3],
    *sorted(SHIPPED.glob("mobilitybench/tasks/*.yaml"))[::20],
    *sorted(SHIPPED.glob("worldtravel-berlin/*.task.yaml"))[::16],
    *sorted(SHIPPED.glob("veritrip/tasks/*.yaml"))[:1],
    *sorted(SHIPPED.glob("examples/*.task.yaml")),
]
WORKSPACE = Workspace()


@pytest.mark.sampled(6)
@pytest.mark.slow  # each task is checked twice
@pytest.mark.parametrize("path", try_one_in(3, SAMPLE), ids=lambda path: path.stem)
def test_shipped_tasks_have_the_same_verdicts_with_and_without_shared_results(path: Path) -> None:
    one, two = check_both_ways(path, WORKSPACE)
    assert one is not None and two is not None
    if one.family is None:
        return
    again, _ = check_both_ways(path, WORKSPACE)
    assert again is not None
    assert have_common_constraints(one, again)
    answers: list[Any] = [{}, one.reference]
    for answer in answers:
        assert str(planspec.verify(one, answer)) == str(planspec.verify(two, answer))


def have_common_constraints(one: Task, two: Task) -> bool:
    """Return whether two tasks share at least one checked constraint, as the same object."""
    own = {id(rule) for rule in one.constraints} & {id(rule) for rule in two.constraints}
    return bool(own)


RULES = """\
planspec: library/1
id: lib
types: {Mood: calm | wild}
given: {most: int = 9, dear: Place?}
tables:
  Place: {name: text, mood: Mood}
  Slot: {place: key Place, n: key int}
  Wish: {place: Place}
  Loose: {n: int}
plan: {visits: {place: Place, n: int = 1}}
define:
  quiet(p Place): p.mood == calm
  total: sum(v.n for v in visits)
constraints:
  few: {hard: total <= most, kind: size}
  still: {hard: all(quiet(v.place) for v in visits), message: "{total} of {most}"}
  wished: {soft: all(any(v.place == w.place for v in visits) for w in Wish)}
scope:
  visits: [{for: p in Place, place: p, optional: true}]
measures: [total]
"""
OWN = "planspec: task/1\nid: t\nquery: q\nworld: w\nuses: [lib]\n"
WISHES = "tables: {Wish: [{place: a}]}\n"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("sections", "apart"),
    [
        (WISHES, True),
        (WISHES + "given: {most: 3, dear: b}\nconstraints: {own: {hard: total > 0}}\n", True),
        (WISHES + "given: {mine: 3}\nconstraints: {own: {hard: total > mine}}\n", True),
        (WISHES + "define: {half: total // 2, unused: 3}\nminimize: half\n", True),
        (WISHES + "scope: {visits: [{place: a, n: 1..3}]}\nwithout: [still]\n", True),
        (WISHES + "plan: {extras: {place: Place}}\nconstraints: {own: {soft: count(e for e in extras) > 1}}\n", True),
        (WISHES + "types: {Hue: red | blue}\ngiven: {hue: 3}\nunique: [visits.n]\n", True),
        (WISHES + "kinds: [size, other]\nmeta: {level: easy}\ntitle: x\n", True),
        ("tables: {Loose: [{n: 1}, {n: 2}]}\n", True),
        ("tables: {Loose: [{id: x, n: 1}]}\n", True),
        ("tables: {Extra: {columns: {place: Place}, rows: [{place: a}]}}\n", True),
        # rows of the world's tables
        ("tables: {Wish: [{place: b}], Place: {rows: [{id: c, name: Castle, mood: calm}]}}\n", True),
        ("tables: {Wish: [{place: b}], Slot: {without: [{place: a}]}}\n", True),
        ("tables: {Wish: [{place: b}], Slot: {without: [{place: a}]}, Place: {without: [{id: a}]}}\n", True),
        # the task declares names that the library's expressions use
        (WISHES + "given: {v: 3}\nconstraints: {own: {hard: total > v}}\n", False),
        (WISHES + "define: {calm: 3}\nconstraints: {own: {hard: total > calm}}\n", False),
        (WISHES + "given: {p: 3}\n", False),
        # sections with mistakes
        (WISHES + "given: {most: none}\n", False),
        (WISHES + "given: {mosst: 4}\n", False),
        (WISHES + "constraints: {few: {hard: total > 1}}\n", False),
        (WISHES + "constraints: {own: {hard: totl > 1}}\n", False),
        (WISHES + "define: {total: 3}\n", False),
        (WISHES + "without: [none_such]\n", False),
        (WISHES + "types: {Mood: a | b}\n", False),
        (WISHES + "kinds: [other]\n", False),
        (WISHES + "currency: EUR\ngiven: {mine: 3 EUR}\n", True),
        (WISHES + "currency: euro\n", False),
        ("tables: {Wish: [{place: zz}]}\n", False),
        ("tables: {visits: [{place: a}]}\n", False),
        ("tables: {Place: {without: [{id: a}]}}\n", False),
        (
            WISHES
            + "turns:\n  - {query: one, given: {most: 2}}\n  - {query: two, drop: [few], constraints: {few: {hard: total > 0}}}\n",
            True,
        ),
        (WISHES + "turns:\n  - {query: one}\n  - {query: two, drop: [few, few]}\n", False),
    ],
)
def test_only_the_sections_of_the_task_itself_are_checked_if_its_documents_are_shared(
    tmp_path: Path, sections: str, apart: bool
) -> None:
    load_task(tmp_path, Workspace(), TASK, "first.task.yaml")
    (tmp_path / "libraries" / "lib.yaml").write_text(RULES)
    path = tmp_path / "t.task.yaml"
    path.write_text(OWN + sections)
    workspace = Workspace()
    (tmp_path / "plain.task.yaml").write_text(OWN + WISHES)
    plain = task_from_path(tmp_path / "plain.task.yaml", workspace)
    one, _ = check_both_ways(path, workspace)
    alike = "Wish: [" in sections and "currency" not in sections  # as in the plain task
    assert (one is not None and have_common_constraints(plain, one)) is (apart and alike)
    if apart:
        assert one is not None
        again, _ = check_both_ways(path, workspace)
        assert again is not None
        assert have_common_constraints(one, again)


def test_a_row_that_the_library_names_is_looked_up_in_every_task(tmp_path: Path) -> None:
    load_task(tmp_path, Workspace(), TASK, "first.task.yaml")
    named = RULES.replace("  few:", "  first: {hard: all(v.place == Place.a for v in visits)}\n  few:")
    (tmp_path / "libraries" / "lib.yaml").write_text(named)
    workspace, tasks = Workspace(), []
    for name, sections in (
        ("one", WISHES),
        ("two", WISHES),
        ("less", "tables: {Place: {without: [{id: a}]}, Slot: {without: [{place: a}]}}\n"),
    ):
        (tmp_path / f"{name}.task.yaml").write_text(OWN + sections)
        tasks.append(check_both_ways(tmp_path / f"{name}.task.yaml", workspace)[0])
    one, two, less = tasks
    assert one is not None and two is not None and less is None
    assert have_common_constraints(one, two)


@pytest.mark.parametrize(
    ("scope", "sections", "later"),
    [
        ("{visits: [{place: a, n: 1..most}]}", "", True),
        ("{visits: [{place: a, n: 1..most}]}", "given: {most: 3}\n", True),
        (
            "{visits: [{place: a, n: 1..most}]}",
            "given: {mine: 3}\n",
            False,
        ),  # the task declares its own names
        ("{visits: [{place: a, n: 1..most}]}", "define: {mine: 3}\nminimize: mine\n", False),
        ("{visits: [{place: p}]}", "", False),  # a mistake
        ("{visits: [{place: (w.place for w in Wish)}]}", "", True),
    ],
)
def test_a_scope_with_the_text_of_another_task_is_checked_on_access(
    tmp_path: Path, scope: str, sections: str, later: bool
) -> None:
    load_task(tmp_path, Workspace(), TASK, "first.task.yaml")
    (tmp_path / "libraries" / "lib.yaml").write_text(RULES)
    workspace, tasks = Workspace(), []
    for name, own in (("one", ""), ("two", sections)):
        (tmp_path / f"{name}.task.yaml").write_text(f"{OWN}{own}{WISHES}scope: {scope}\n")
        tasks.append(check_both_ways(tmp_path / f"{name}.task.yaml", workspace)[0])
    one, two = tasks
    assert not isinstance(one and one.scope, LazyScope)
    assert isinstance(two and two.scope, LazyScope) is later
    if two is not None:
        assert {row.span.source.name for row in two.scope} == {shown_path(tmp_path / "two.task.yaml")}


EQUAL = "scope: {visits: [{place: (w.place for w in Wish if w.place.mood == calm), n: 1..most}]}\n"


@pytest.mark.parametrize(
    ("most", "wished", "in_scope"), [(3, "a", True), (2, "a", False), (3, "b", None), (0, "a", None)]
)
def test_an_equal_scope_of_another_task_is_evaluated_with_a_tasks_own_values(
    tmp_path: Path, most: int, wished: str, in_scope: bool | None
) -> None:
    load_task(tmp_path, Workspace(), TASK, "first.task.yaml")
    (tmp_path / "libraries" / "lib.yaml").write_text(RULES)
    workspace = Workspace()
    (tmp_path / "one.task.yaml").write_text(f"{OWN}{WISHES}{EQUAL}")
    judge = planspec.Judge(task_from_path(tmp_path / "one.task.yaml", workspace))
    answer = {"visits": [{"place": "a", "n": 3}]}
    assert judge.answer(answer).in_scope is True
    own = f"given: {{most: {most}}}\ntables: {{Wish: [{{place: {wished}}}]}}\n"
    (tmp_path / "two.task.yaml").write_text(f"{OWN}{own}{EQUAL}")
    two = task_from_path(tmp_path / "two.task.yaml", workspace)
    equal = equal_scope(two)
    assert equal is not None
    later = ground(two, scope=False)
    if in_scope is None:
        for judged in (lambda: planspec.Judge(two).answer(answer), lambda: ground(two)):
            with pytest.raises(planspec.DiagnosticError) as caught:
                judged()
            assert {each.span.source.name for each in caught.value.diagnostics} == {
                shown_path(tmp_path / "two.task.yaml")
            }
        return
    assert planspec.Judge(two).answer(answer).in_scope is in_scope
    (row,), (own_row,) = rows_in_scope(later)["visits"], ground(two).rows["visits"]
    assert row.fields == own_row.fields
    assert row.entry in equal.rows
    assert [row.entry for row in later.rows["visits"]] == list(two.scope)


def test_a_row_that_a_scope_names_is_looked_up_in_every_task(tmp_path: Path) -> None:
    load_task(tmp_path, Workspace(), TASK, "first.task.yaml")
    (tmp_path / "libraries" / "lib.yaml").write_text(RULES)
    workspace = Workspace()
    scope = "scope: {visits: [{place: a}]}\n"
    for name, tables, sound in (
        ("one", "tables: {Wish: [{place: b}]}\n", True),
        ("two", "tables: {Wish: [{place: b}]}\n", True),
        ("less", "tables: {Wish: [{place: b}], Place: {without: [{id: a}]}, Slot: {without: [{place: a}]}}\n", False),
    ):
        (tmp_path / f"{name}.task.yaml").write_text(OWN + tables + scope)
        one, _ = check_both_ways(tmp_path / f"{name}.task.yaml", workspace)
        assert (one is not None) is sound


TYPES = (
    "given: {limit: int, zero: int, back: int, cap: money, noon: time, half: decimal, away: distance, keen: bool, "
    "still: duration, counts: list of int, wanted: list of int, turned: list of int, days: list of date}\n"
)


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_random_tasks_are_checked_alike_with_and_without_shared_results(tmp_path: Path, seed: int) -> None:
    """A randomly generated task is divided into a library, a world and a task."""
    sections: dict[str, str] = {}
    for line in programs.task_text(programs.seeded_choice(seed)).splitlines(keepends=True):
        if line[0].isalpha():
            sections[line.split(":")[0]] = line
        else:
            sections[next(reversed(sections))] += line
    library = "".join(sections.pop(name, "") for name in ("types", "plan", "define", "constraints"))
    world = sections.pop("currency") + sections.pop("tables")
    (tmp_path / "l.yaml").write_text(f"planspec: library/1\nid: l\n{TYPES}{library}")
    (tmp_path / "w.yaml").write_text(f"planspec: world/1\nid: w\n{world}")
    rest = "".join(text for name, text in sections.items() if name not in ("planspec", "id"))
    path = tmp_path / "t.task.yaml"
    path.write_text(f"planspec: task/1\nid: t\nuses: [l.yaml]\nworld: w.yaml\n{rest}")
    workspace = Workspace()
    one, _ = check_both_ways(path, workspace)
    again, _ = check_both_ways(path, workspace)
    if one is not None and again is not None:
        assert have_common_constraints(one, again)
