"""The rules by which the public evaluators of NATURAL PLAN accept an answer, written anew from their behaviour."""

import re
from collections.abc import Iterable
from typing import Any

Record = dict[str, Any]


def accepts(domain: str, record: Record) -> bool:
    """Return whether the public evaluator counts the published answer as right."""
    answer = record["pred_5shot_pro"]
    match domain:
        case "calendar":
            return first_slot(answer) == first_slot(record["golden_plan"])
        case "trip":
            stays = list(zip(record["cities"].split("**"), map(int, record["durations"].split("**")), strict=True))
            return flown_stays(answer)[: len(stays)] == stays
    steps = [step.strip() for step in answer.rsplit("SOLUTION:", 1)[-1].split(".")]
    return friends_met(filter(None, steps), record) == friends_met(record["golden_plan"], record)


def first_slot(text: str) -> tuple[object, ...]:
    """Return day, start and end of the first slot; minutes other than 30 count as the full hour."""
    found = re.search(r"([A-Za-z]+), (\d+):(\d+) - (\d+):(\d+)", text)
    return (*found.group(1, 2, 4), found[3] == "30", found[5] == "30") if found else ()


def flown_stays(text: str) -> list[tuple[str, int]]:
    """Return the cities with their days as the lines with flights tell them; lines with stays tell the last day alone."""
    total, last, flights = None, None, []
    for line in text.split("\n"):
        if found := re.search(r"European cities for (\d+) days", line):
            total = int(found[1])
        if found := re.search(r"\d+-(\d+)", line):
            last = int(found[1])
            if last == total:
                break
        if found := re.search(r"Day (\d+).*from (\w+) to (\w+)", line):
            flights.append((int(found[1]), found[2], found[3]))
    if last is None or not flights:
        return []
    days = [1, *(day for day, _, _ in flights), last]
    cities = [flights[0][1], *(city for _, _, city in flights)]
    return [(city, days[i + 1] - days[i] + 1) for i, city in enumerate(cities)]


def friends_met(steps: Iterable[str], record: Record) -> int:
    """Return the number of meetings up to the first step that is impossible; the ends that an answer writes are not read."""
    (place, start), *friends = record["constraints"]
    left = {name: (where, *map(minutes, there.split(" to ")), least) for name, where, there, least in friends}
    now, count = minutes(start), 0
    for step in steps:
        if found := re.match(r"You travel to (.+?) in", step):
            now += record["dist_matrix"][place][found[1]]
            place = found[1]
        elif found := re.match(r"You wait until ([\d:]+[AP]M)", step):
            if minutes(found[1]) <= now:
                break
            now = minutes(found[1])
        elif found := re.match(r"You meet (.+?) for", step):
            where, opens, closes, least = left.pop(found[1], (None, 0, 0, 0))
            if where != place or now < opens or now + least > closes:
                break
            now += least
            count += 1
        elif not step.startswith("You start"):
            break
    return count


def minutes(text: str) -> int:
    """Return the minutes since midnight of a time such as `1:30PM`."""
    hours, rest = text[:-2].split(":")
    return int(hours) % 12 * 60 + int(rest) + (720 if text.endswith("PM") else 0)
