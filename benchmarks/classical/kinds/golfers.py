"""Social golfers: every week all golfers play in groups, and no two are in the same group twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from ortools.sat.python import cp_model

from benchmarks.classical.kind import Kind, Model, Rows, Values


@dataclass(frozen=True)
class GolfersInstance:
    """Instance: number of groups in a week, of golfers in a group, and of weeks."""

    groups: int
    members: int
    weeks: int

    @property
    def golfers(self) -> int:
        return self.groups * self.members


def generate(size: str) -> GolfersInstance:
    return GolfersInstance(*map(int, size.split("-")))


def task(data: GolfersInstance) -> str:
    return f"""planspec: task/1
id: golfers
query: Who plays with whom each week, so that no two golfers meet twice?
plan:
  plays: {{golfer: key int, week: key int, group: int}}
scope:
  plays:
    - {{for: g in 1..{data.golfers} for w in 1..{data.weeks}, golfer: g, week: w, group: 1..{data.groups}}}
closed: true
constraints:
  groups:
    for: w in 1..{data.weeks} for k in 1..{data.groups}
    hard: count(x for x in plays if x.week == w and x.group == k) == {data.members}
  meet:
    for: a in 1..{data.golfers - 1} for b in a + 1..{data.golfers}
    hard: count(w for w in 1..{data.weeks} if plays[a, w].group == plays[b, w].group) <= 1
  # symmetry breaking: weeks, and groups of a week, are interchangeable
  first-week:
    for: g in 1..{data.golfers}
    hard: plays[g, 1].group == (g - 1) // {data.members} + 1
  first-golfers:
    for: w in 2..{data.weeks} for g in 1..{min(data.members, data.groups)}
    hard: plays[g, w].group == g
"""


MINIZINC = """
include "global_cardinality.mzn";
int: groups; int: members; int: weeks; int: golfers = groups * members;
array[1..golfers, 1..weeks] of var 1..groups: group;
constraint forall(w in 1..weeks) (global_cardinality(group[.., w], [k | k in 1..groups], [members | k in 1..groups]));
constraint forall(a, b in 1..golfers where a < b) (sum(w in 1..weeks) (group[a, w] = group[b, w]) <= 1);
constraint forall(g in 1..golfers) (group[g, 1] = (g - 1) div members + 1);
constraint forall(w in 2..weeks, g in 1..min(members, groups)) (group[g, w] = g);
solve :: int_search([group[g, w] | w in 1..weeks, g in 1..golfers], first_fail, indomain_min) satisfy;
"""


def minizinc_data(data: GolfersInstance) -> Mapping[str, Any]:
    return {"groups": data.groups, "members": data.members, "weeks": data.weeks}


def build_cpsat(data: GolfersInstance) -> Model:
    model = cp_model.CpModel()
    inside = [
        [[model.new_bool_var("") for _ in range(data.groups)] for _ in range(data.weeks)] for _ in range(data.golfers)
    ]
    for w in range(data.weeks):
        for golfer in inside:
            model.add_exactly_one(golfer[w])
        for k in range(data.groups):
            model.add(sum(golfer[w][k] for golfer in inside) == data.members)
    for a, b in combinations(inside, 2):
        together = [model.new_bool_var("") for _ in range(data.weeks)]
        for w, met in enumerate(together):
            for k in range(data.groups):
                model.add_bool_or(~a[w][k], ~b[w][k], met)
        model.add_at_most_one(together)
    for g, golfer in enumerate(inside):
        model.add_bool_and(golfer[0][g // data.members])
        if g < min(data.members, data.groups):
            model.add_bool_and(golfer[w][g] for w in range(1, data.weeks))
    return Model(
        model, {"group": [[sum((k + 1) * each for k, each in enumerate(week)) for week in golfer] for golfer in inside]}
    )


def build_cpmpy(cp: Any, data: GolfersInstance) -> Model:
    group = cp.intvar(1, data.groups, shape=(data.golfers, data.weeks))
    model = cp.Model()
    numbers = list(range(1, data.groups + 1))
    for w in range(data.weeks):
        model += cp.GlobalCardinalityCount(group[:, w], numbers, [data.members] * data.groups)
    model += [cp.sum(group[a, :] == group[b, :]) <= 1 for a, b in combinations(range(data.golfers), 2)]
    model += [group[g, 0] == g // data.members + 1 for g in range(data.golfers)]
    model += [group[g, w] == g + 1 for w in range(1, data.weeks) for g in range(min(data.members, data.groups))]
    return Model(model, {"group": group})


def rows(_: GolfersInstance, values: Values) -> Rows:
    return {
        "plays": [
            {"golfer": g, "week": w, "group": k}
            for g, weeks in enumerate(values["group"], 1)
            for w, k in enumerate(weeks, 1)
        ]
    }


KIND = Kind(
    name="golfers",
    sizes=("3-3-4", "5-3-6", "6-4-5"),
    generate=generate,
    task=task,
    minizinc=MINIZINC,
    minizinc_data=minizinc_data,
    build_cpsat=build_cpsat,
    build_cpmpy=build_cpmpy,
    rows=rows,
    has_objective=False,
)
