"""The types that the checker infers are listed for other programs, such as editors."""

from __future__ import annotations

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.documents.inferred import InferredType, inferred_types

TASK = """
planspec: task/1
id: small
query: Where to?
currency: EUR
tables:
  Place: {columns: {id: key text, opens: time?, price: money}, rows: [{id: louvre, opens: 09:00, price: 12 EUR}]}
plan:
  visits: {place: key Place, start: time, guide: text?}
given:
  limit: 60 EUR
define:
  cheapest: min(p.price for p in Place)
  half: limit // 2
  total: sum(v.place.price for v in visits)
  first_start: min(v.start for v in visits)
  opening(p Place): p.opens
  late(v visits, t time): v.start > t
constraints:
  affordable: {when: limit > half, hard: total <= limit}
scope:
  visits:
    - {place: Place, start: 09:00..18:00 step 30min, guide: none, optional: true}
minimize: total
"""

LIBRARY = """
planspec: library/1
id: l
given:
  n: int
plan:
  visits: {day: key int}
define:
  twice: n * 2
  days: count(v for v in visits)
constraints:
  enough: {hard: days >= twice}
"""


def entries(lines: list[InferredType]) -> list[tuple[str, str, str, str]]:
    """Return name, kind, type and stage of each inferred type."""
    return [(x.name, x.kind, f"{x.type}?" if x.optional else x.type, x.stage.value) for x in lines]


def test_every_definition_constraint_and_domain_of_a_task_has_an_inferred_type() -> None:
    assert entries(inferred_types(task_from_text(TASK))) == [
        ("cheapest", "definition", "money?", "static"),
        ("half", "definition", "money", "static"),
        ("total", "definition", "money", "planned"),
        ("first_start", "definition", "time?", "planned"),
        ("opening(p Place)", "definition", "time?", "static"),
        ("late(v visits, t time)", "definition", "bool", "planned"),
        ("affordable when", "condition", "bool", "static"),
        ("affordable", "constraint", "bool", "planned"),
        ("visits.place", "scope", "Place", "static"),
        ("visits.start", "scope", "time", "static"),
        ("visits.guide", "scope", "text?", "static"),
        ("minimize", "objective", "money", "planned"),
    ]


def test_the_span_of_an_inferred_type_is_that_of_its_expression() -> None:
    by_name = {line.name: line.span.text for line in inferred_types(task_from_text(TASK))}
    assert by_name["half"] == "half"
    assert by_name["affordable"] == "total <= limit"
    assert by_name["affordable when"] == "limit > half"
    assert by_name["visits.start"] == "09:00..18:00 step 30min"
