"""Scorers with known faults, in the form in which users write scorers: `function(task, answer)`.

The scorers for the task `meetings` implement its rules themselves.
"""

import os
import sys
import time
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

JSON = Mapping[str, Any]
SEATS = {"attic": 2, "den": 4, "hall": 8}
MEETINGS = {
    "budget": ("ana ben chloe", 60),
    "coaching": ("ana eva", 30),
    "demo": ("ana ben chloe dev eva finn", 60),
    "design": ("chloe dev eva", 90),
    "hiring": ("ana finn", 60),
    "retro": ("ben dev eva finn", 60),
}
FREE = {
    "ana": ((540, 660), (690, 840)),
    "ben": ((540, 690), (750, 810)),
    "chloe": ((540, 840),),
    "dev": ((540, 810),),
    "eva": ((600, 840),),
    "finn": ((540, 840),),
}
OPEN = {"attic": ((540, 840),), "den": ((540, 780),), "hall": ((570, 660), (720, 810))}
CALLS = 0


def exact(task: JSON, answer: Any) -> bool:
    """Accept only the reference."""
    return bool(answer == task["reference"])


def generous(task: JSON, answer: Any) -> JSON:
    """Accept everything."""
    return {"pass": True}


def crashing(task: JSON, answer: Any) -> JSON:
    """Crash on every third answer, and accept the reference."""
    global CALLS  # noqa: PLW0603 the fault is a state
    CALLS += 1
    if not CALLS % 3:
        raise ZeroDivisionError("every third")
    return {"score": float(answer == task["reference"])}


def exiting(task: JSON, answer: Any) -> None:
    """End the process."""
    os._exit(7)


def sleeping(task: JSON, answer: Any) -> bool:
    """Take a minute over an empty answer."""
    if not answer:
        time.sleep(60)
    return exact(task, answer)


def printing(task: JSON, answer: Any) -> bool:
    """Print text that is not a result, and accept the reference."""
    print("garbage", flush=True)  # noqa: T201 the output of a program
    print("garbage", file=sys.stderr)  # noqa: T201 the output of a program
    return exact(task, answer)


def wordy(task: JSON, answer: Any) -> str:
    """Return a word, which is not a score."""
    return "correct"


def meetings(task: JSON, answer: Any) -> bool:
    """Judge meetings correctly."""
    return _meetings(answer, _overlap, 0)


def meetings_without_ends(task: JSON, answer: Any) -> bool:
    """Ignore the ends of meetings: two meetings clash only if they begin at the same time."""
    return _meetings(answer, lambda one, other: one[0] == other[0], 0)


def meetings_with_one_chair_too_few(task: JSON, answer: Any) -> bool:
    """Judge meetings with an off-by-one error in the number of chairs."""
    return _meetings(answer, _overlap, 1)


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Return whether two intervals overlap."""
    return one[0] < other[1] and other[0] < one[1]


def _meetings(answer: Any, clash: Callable[[tuple[int, int], tuple[int, int]], bool], spare: int) -> bool:
    """Judge meetings by a given test for clashes. `spare` is the number of people who may lack a chair."""
    rows = answer.get("bookings", [])
    if sorted(row["meeting"] for row in rows) != sorted(MEETINGS):
        return False
    times: dict[str, tuple[int, int]] = {}
    rooms: dict[str, str] = {}
    for row in rows:
        hours, minutes = row["start"].split(":")
        start = 60 * int(hours) + int(minutes)
        times[row["meeting"]] = (start, start + MEETINGS[row["meeting"]][1])
        rooms[row["meeting"]] = row["room"]
        if start % 30:
            return False
    for name, (start, end) in times.items():
        people = MEETINGS[name][0].split()
        if len(people) > SEATS[rooms[name]] + spare or (name in ("demo", "design") and rooms[name] == "attic"):
            return False
        for spans in (OPEN[rooms[name]], *(FREE[person] for person in people)):
            if not any(begin <= start and end <= until for begin, until in spans):
                return False
    for one, other in combinations(times, 2):
        shared = set(MEETINGS[one][0].split()) & set(MEETINGS[other][0].split()) or rooms[one] == rooms[other]
        if shared and clash(times[one], times[other]):
            return False
    return times["demo"][1] <= times["retro"][0] and times["budget"][1] <= times["hiring"][0]
