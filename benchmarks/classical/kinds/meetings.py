"""Meetings: each gets a room and a start; no person or room has two at the same time. The last end is minimised."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model

from benchmarks.classical.kind import Kind, Model, Rows, Values, names, table

SLOTS = 24
"""Number of half hours from 8:00 to 20:00."""


@dataclass(frozen=True)
class MeetingsInstance:
    """Instance: invited people and length, in half hours, of each meeting; number of rooms and of people."""

    invited: list[list[int]]
    takes: list[int]
    rooms: int
    people: int


def generate(size: str) -> MeetingsInstance:
    count, rooms = map(int, size.split("x"))
    source = random.Random(f"meetings {size}")
    people = count
    invited = [sorted(source.sample(range(people), source.randint(2, 5))) for _ in range(count)]
    return MeetingsInstance(invited, [source.choice([1, 2, 3]) for _ in range(count)], rooms, people)


def task(data: MeetingsInstance) -> str:
    rows = [
        (f"m{i}", [f"p{p}" for p in who], f"{30 * takes}min")
        for i, (who, takes) in enumerate(zip(data.invited, data.takes, strict=True))
    ]
    return (
        f"""planspec: task/1
id: meetings
query: Find a room and a start for each meeting, so that the last one ends as early as possible.
types:
  Person: {names("p", data.people)}
  Room: {names("r", data.rooms)}
tables:
"""
        + table("Meeting", "id, who: set of Person, takes: duration", rows, splits="who")
        + """plan:
  bookings: {meeting: key Meeting, room: Room, start: time}
scope:
  bookings:
    - {for: m in Meeting, meeting: m, room: Room, start: 08:00..19:30 step 30min}
closed: true
define:
  done(b bookings): b.start + b.meeting.takes
constraints:
  hours:
    hard: all(b.start in 08:00..19:30 step 30min and done(b) <= 20:00 for b in bookings)
  room:
    for: r in Room
    hard: all(done(a) <= b.start for a, b in steps(x for x in bookings if x.room == r, by=x.start))
  person:
    for: p in Person
    hard: all(done(a) <= b.start for a, b in steps(x for x in bookings if p in x.meeting.who, by=x.start))
minimize: max(done(b) for b in bookings) - 08:00
"""
    )


MINIZINC = """
include "disjunctive.mzn";
include "diffn.mzn";
include "cumulative.mzn";
int: meetings; int: rooms; int: slots; int: people;
array[1..meetings] of int: takes;
array[1..people] of set of int: invited;
array[1..meetings] of var 0..slots - 1: start;
array[1..meetings] of var 1..rooms: room;
var 0..slots: end;
constraint diffn(start, room, takes, [1 | m in 1..meetings]);
constraint forall(p in 1..people where card(invited[p]) > 1) (
  disjunctive([start[m] | m in invited[p]], [takes[m] | m in invited[p]]));
constraint forall(m in 1..meetings) (start[m] + takes[m] <= end);
constraint cumulative(start, takes, [1 | m in 1..meetings], rooms);
solve minimize end;
"""


def minizinc_data(data: MeetingsInstance) -> Mapping[str, Any]:
    return {
        "meetings": len(data.takes),
        "rooms": data.rooms,
        "slots": SLOTS,
        "people": data.people,
        "takes": data.takes,
        "invited": [{"set": [m + 1 for m in _meetings_of(data, p)]} for p in range(data.people)],
    }


def _meetings_of(data: MeetingsInstance, person: int) -> list[int]:
    return [m for m, who in enumerate(data.invited) if person in who]


def build_cpsat(data: MeetingsInstance) -> Model:
    model = cp_model.CpModel()
    end = model.new_int_var(0, SLOTS, "end")
    start = [model.new_int_var(0, SLOTS - takes, "") for takes in data.takes]
    whole = [model.new_fixed_size_interval_var(s, takes, "") for s, takes in zip(start, data.takes, strict=True)]
    inside = [[model.new_bool_var("") for _ in range(data.rooms)] for _ in start]
    for literals in inside:
        model.add_exactly_one(literals)
    for r in range(data.rooms):
        model.add_no_overlap(
            model.new_optional_fixed_size_interval_var(s, takes, literals[r], "")
            for s, takes, literals in zip(start, data.takes, inside, strict=True)
        )
    model.add_cumulative(whole, [1] * len(whole), data.rooms)
    for person in range(data.people):
        model.add_no_overlap(whole[m] for m in _meetings_of(data, person))
    for s, takes in zip(start, data.takes, strict=True):
        model.add(s + takes <= end)
    model.minimize(end)
    room = [sum((r + 1) * literal for r, literal in enumerate(literals)) for literals in inside]
    return Model(model, {"start": start, "room": room})


def build_cpmpy(cp: Any, data: MeetingsInstance) -> Model:
    count = len(data.takes)
    start = cp.intvar(0, SLOTS - 1, shape=count)
    room = cp.intvar(1, data.rooms, shape=count)
    end = cp.intvar(0, SLOTS)
    done = [s + takes for s, takes in zip(start, data.takes, strict=True)]
    model = cp.Model([each <= end for each in done])
    for r in range(1, data.rooms + 1):
        model += cp.NoOverlapOptional(list(start), data.takes, done, [room[m] == r for m in range(count)])
    model += cp.Cumulative(list(start), data.takes, done, [1] * count, data.rooms)
    for person in range(data.people):
        own = _meetings_of(data, person)
        if len(own) > 1:
            model += cp.NoOverlap([start[m] for m in own], [data.takes[m] for m in own], [done[m] for m in own])
    model.minimize(end)
    return Model(model, {"start": start, "room": room})


def rows(_: MeetingsInstance, values: Values) -> Rows:
    return {
        "bookings": [
            {"meeting": f"m{m}", "room": f"r{room - 1}", "start": _time_text(slot)}
            for m, (slot, room) in enumerate(zip(values["start"], values["room"], strict=True))
        ]
    }


def _time_text(slot: int) -> str:
    return f"{8 + slot // 2:02}:{30 * (slot % 2):02}"


KIND = Kind(
    name="meetings",
    sizes=("12x3", "25x4", "40x6"),
    generate=generate,
    task=task,
    minizinc=MINIZINC,
    minizinc_data=minizinc_data,
    build_cpsat=build_cpsat,
    build_cpmpy=build_cpmpy,
    rows=rows,
    objective=lambda _, slots: 30 * slots,
)
