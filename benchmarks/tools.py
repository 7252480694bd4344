"""Cost of tool calls: CPU time, in milliseconds.

- Table: tools over a table of 100,000 rows. `five` and `hundred` select 5 and 100 rows by an indexed equality,
  filter and sort them, and return at most 20. `lookup` returns one row by its name. `scan` compares an amount in every
  row, without an index.
- Harbour: the tools of a small task from the tests. Its `environment` section has every possible part.
- Suites: every tool of a shipped task, called with the names of table rows.

A time includes parsing the JSON of the arguments and building the result. `first` is the first call on a new task,
which builds the indexes. `later` is the median over rounds of the mean over all calls. Times are CPU times of one
process (`time.process_time`). Run it as `python -m benchmarks.tools`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from random import Random
from statistics import mean, median
from time import process_time
from typing import Any

from planspec.agents.tools import Toolset
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.task import Task
from planspec.environments import open_task
from planspec.verifiers.environment.tools import TaskViews
from tests.verifiers.environment.harbour import harbour

ROWS, GROUPS, SHELVES = 100_000, 1_000, 20_000
LARGE = """\
planspec: task/1
id: large
query: Which one?
currency: EUR
tables:
  Group:
    columns: {{name: text}}
    csv: |
      id, name
{groups}
  Offer:
    columns: {{group: Group, shelf: int, rate: money, stars: int}}
    csv: |
      id, group, shelf, rate, stars
{offers}
plan:
  choice: {{one: true, offer: Offer}}
scope:
  choice: {{offer: (o for o in Offer if o.group == Group.g0)}}
environment:
  tools:
    five:
      params: {{shelf: int}}
      returns:
        offers:
          each: o in Offer if o.shelf == arg.shelf and o.rate > 0 EUR
          sort: o.rate desc, o
          limit: 20
          as: {{id: key(o), rate: amount(o.rate), stars: o.stars}}
    hundred:
      params: {{group: Group, stars: {{type: int, default: 0}}}}
      returns:
        offers:
          each: o in Offer if o.group == arg.group and o.stars >= arg.stars
          sort: o.rate desc, o
          limit: 20
          as: {{id: key(o), rate: amount(o.rate), stars: o.stars}}
    lookup:
      params: {{offer: Offer}}
      returns: {{group: arg.offer.group, rate: amount(arg.offer.rate)}}
    scan:
      params: {{most: money}}
      returns:
        offers: {{each: o in Offer if o.rate <= arg.most, sort: o.rate, limit: 20, as: key(o)}}
"""
HARBOUR: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "hotels": [
        {"city": "Northport"},
        {"city": "north", "most": "70 EUR"},
        {"city": "north", "rooms": ["part"]},
    ],
    "way": [{"from": "Northport", "to": "Lakewell", "mode": "taxi"}],
    "stars": [{"hotel": "Harbour Inn"}, {"hotel": "Old Attic"}],
    "stop": [{"stop": "Northport"}],
    "numbers": [{"n": 3, "day": "2026-07-01", "ways": ["Northport", "lake"]}],
}


def large_task(seed: int = 0) -> Task:
    """Return a task with 100,000 rows in one table."""
    random = Random(seed)
    groups = "\n".join(f"      g{n}, Group {n}" for n in range(GROUPS))
    offers = "\n".join(
        f"      o{n}, g{n % GROUPS}, {n % SHELVES}, {random.randint(10, 400)} EUR, {random.randint(0, 5)}"
        for n in range(ROWS)
    )
    return task_from_text(LARGE.format(groups=groups, offers=offers))


def time_call(call: Callable[[], object]) -> float:
    """Return the CPU time of a call in milliseconds."""
    start = process_time()
    call()
    return (process_time() - start) * 1000


def measure_tools(
    tools: Toolset, calls: Mapping[str, Sequence[Mapping[str, Any]]], rounds: int
) -> Iterator[tuple[str, float, float, float]]:
    """Yield each tool's name, two CPU times in milliseconds, and the share of calls that return a result.

    The first time is for the first call. The second time is the median over rounds of the mean over all calls.
    """
    for name, arguments_of_calls in calls.items():
        first = time_call(partial(tools.call, name, arguments_of_calls[0]))
        refused = sum("error" in tools.call(name, arguments) for arguments in arguments_of_calls)
        later = [
            mean(time_call(partial(tools.call, name, arguments)) for arguments in arguments_of_calls)
            for _ in range(rounds)
        ]
        yield name, first, median(later), 1 - refused / len(arguments_of_calls)


def first_toolset(task: Task) -> Toolset:
    """Return the declared tools of a task's first setting."""
    views = TaskViews(task)
    return Toolset(views.tools(next(iter(views.settings().values()))))


def shipped_calls(
    tools: Toolset, names: Sequence[str], days: Sequence[str], max_calls: int
) -> dict[str, list[dict[str, Any]]]:
    """Return, for each tool, the arguments of at most `max_calls` calls.

    String arguments are taken from `names` or from the enumeration in the schema, and dates from `days`.
    """
    random = Random(0)
    calls = {}
    for tool in tools:
        values = [
            [(key, value) for value in _argument_values(schema, names, days)]
            for key, schema in tool.parameters["properties"].items()
            if key in tool.parameters.get("required", ())
        ]
        combinations = [dict(each) for each in product(*values)]
        accepted = [each for each in combinations if "error" not in tools.call(tool.name, each)]
        calls[tool.name] = random.sample(accepted or combinations, min(max_calls, len(accepted or combinations)))
    return calls


def _argument_values(schema: Mapping[str, Any], names: Sequence[str], days: Sequence[str]) -> Sequence[Any]:
    if "enum" in schema:
        return list(schema["enum"])
    return days if schema.get("format") == "date" else names


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    random = Random(1)
    large_calls: dict[str, Sequence[Mapping[str, Any]]] = {
        "five": [{"shelf": random.randrange(SHELVES)} for _ in range(50)],
        "hundred": [{"group": f"Group {random.randrange(GROUPS)}", "stars": 2} for _ in range(50)],
        "lookup": [{"offer": f"o{random.randrange(ROWS)}"} for _ in range(50)],
        "scan": [{"most": 12}],
    }
    berlin = open_task("berlin-001").at_turn(0).tools
    places = ["Neues Museum", "Berliner Fernsehturm", "Zur letzten Instanz", "Hotel Adlon Kempinski Berlin"]
    trip = open_task("1").at_turn(0).tools
    cities = ["Marrowby", "Brindle", "Wexcombe", "Aldermark"]
    print(f"{'task':<12} {'tool':<28} {'first, ms':>10} {'later, ms':>10} {'found':>6}")
    sets: tuple[tuple[str, Toolset, Mapping[str, Sequence[Mapping[str, Any]]]], ...] = (
        ("100,000 rows", first_toolset(large_task()), large_calls),
        ("harbour", first_toolset(harbour()), HARBOUR),
        ("berlin-001", berlin, shipped_calls(berlin, ["Berlin", *places], ["2026-07-01"], 30)),
        ("1", trip, shipped_calls(trip, cities, ["2022-03-03", "2022-03-05"], 30)),
    )
    for name, tools, calls in sets:
        for tool, first, later, found in measure_tools(tools, calls, rounds):
            print(f"{name:<12} {tool:<28} {first:>10.2f} {later:>10.3f} {found:>6.0%}")


if __name__ == "__main__":
    main()
