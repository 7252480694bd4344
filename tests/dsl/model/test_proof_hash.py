"""The hash in a certificate covers everything on which a proof depends, and nothing else."""

from __future__ import annotations

import subprocess
import sys

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.proof_hash import proof_hash

TASK = """planspec: task/1
id: trip
title: A trip
query: See a museum.
currency: EUR
types: {Mood: calm | loud}
given: {purse: 30.00 EUR, late: true, unread: 3}
tables:
  Place:
    columns: {price: money, mood: Mood, near: Place?, note: text?}
    rows:
      - {id: museum, price: 12.00 EUR, mood: calm, note: bring a coat}
      - {id: club, price: 8.00 EUR, mood: loud, near: museum}
  Tale:
    columns: {words: text}
    rows: [{id: one, words: Once}]
plan: {visits: {place: key Place, start: time}}
scope: {visits: [{for: p in Place, place: p, start: 10:00..12:00 step 30min, optional: true}]}
unique: [visits.start]
define:
  cost: sum(v.place.price for v in visits)
  spare: purse - cost
  idle: count(v for v in visits)
constraints:
  budget: {hard: cost <= purse, message: "too dear, {spare} left", says: "Spend little."}
  calm: {for: p in Place, hard: not any(v.place == p for v in visits) or p.mood == calm or late, kind: mood}
  early: {soft: all(v.start <= 11:00 for v in visits), weight: 2}
minimize: cost
"""


def hash_of(text: str) -> str:
    """Return the hash in a certificate of the task with this text."""
    return proof_hash(task_from_text(text))


def task_with(old: str, new: str) -> str:
    """Return the text of the task with a replacement."""
    assert TASK.count(old) == 1, old
    return TASK.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("title: A trip", "title: Another trip"),
        ("query: See a museum.", "query: Visit a museum, please."),
        ('message: "too dear, {spare} left"', 'message: "too much: {spare}"'),
        (', says: "Spend little."', ""),
        (", kind: mood", ", kind: temper"),
        (
            "unique: [visits.start]",
            "unique: [visits.start]\nenvironment: {role: You show museums., settings: {text: {role: You lead.}}}",
        ),
        ("bring a coat", "bring an umbrella"),
        ("words: Once", "words: Twice"),
        ("unread: 3", "unread: 4"),
        ("idle: count(v for v in visits)", "idle: count(v for v in visits if v.start > 11:00)"),
        ("spare: purse - cost", "spare: cost - purse"),
        ("sum(v.place.price for v in visits)", "sum(w.place.price for w in visits)"),
        ("id: trip", "id: journey"),
        ("minimize: cost\n", "minimize: cost # the least\n"),
        ("purse: 30.00 EUR", "purse: 30 EUR"),
    ],
)
def test_words_formats_and_unread_facts_do_not_change_the_hash(old: str, new: str) -> None:
    assert hash_of(task_with(old, new)) == hash_of(TASK)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("currency: EUR", "currency: EUR\nclosed: true"),
        ("purse: 30.00 EUR", "purse: 31.00 EUR"),
        ("late: true", "late: false"),
        ("price: 12.00 EUR", "price: 13.00 EUR"),
        ("mood: calm, note", "mood: loud, note"),
        ("{id: club, price: 8.00 EUR, mood: loud, near: museum}", "{id: pub, price: 8.00 EUR, mood: loud}"),
        ("types: {Mood: calm | loud}", "types: {Mood: calm | loud | wild}"),
        ("12:00 step 30min", "12:00 step 15min"),
        (", optional: true", ""),
        ("unique: [visits.start]\n", ""),
        ("unique: [visits.start]", "unique_best: [visits.start]"),
        ("cost <= purse", "cost < purse"),
        ("budget: {hard", "purse_holds: {hard"),
        ("calm or late", "calm or not late"),
        ("weight: 2", "weight: 3"),
        ("v.start <= 11:00", "v.start <= 11:30"),
        ("early: {soft", "early: {hard"),
        ("minimize: cost", "maximize: cost"),
        ("minimize: cost", "minimize: cost + 1.00 EUR"),
        ("sum(v.place.price for v in visits)", "sum(v.place.price for v in visits if v.start < 11:00)"),
        ("place: key Place, start: time}", "place: key Place, start: time?}"),
    ],
)
def test_everything_that_a_proof_reads_changes_the_hash(old: str, new: str) -> None:
    text = task_with(old, new).replace(
        "early: {hard: all(v.start <= 11:00 for v in visits), weight: 2}",
        "early: {hard: all(v.start <= 11:00 for v in visits)}",
    )
    assert hash_of(text) != hash_of(TASK)


def test_the_order_of_rows_changes_the_hash() -> None:
    rows = TASK[TASK.index("      - {id: museum") : TASK.index("  Tale")].splitlines(keepends=True)
    assert hash_of(TASK.replace("".join(rows), "".join(reversed(rows)))) != hash_of(TASK)


@pytest.mark.thorough
def test_the_hash_is_the_same_in_every_process() -> None:
    program = "import sys, planspec\nfrom planspec.dsl.model.proof_hash import proof_hash\nprint(proof_hash(planspec.load('berlin-001')))"
    hashes = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(hashes) == 1
