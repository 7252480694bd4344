"""Make planspec's suites of NATURAL PLAN's public files: tasks, references, published answers, and the public verdicts on them.

Usage: python convert.py DATA OUT

DATA holds the public files, by either name: `calendar_scheduling.json` or `calendar.json`, and likewise for trips and meetings.
OUT receives what `planspec audit` takes: for each domain DOMAIN.suite.yaml with its tasks, DOMAIN.references.jsonl,
DOMAIN.answers.jsonl and DOMAIN.verdicts.jsonl.
"""

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import public_rules

import planspec

Record = dict[str, Any]
FILES = {"calendar": "calendar_scheduling", "trip": "trip_planning", "meeting": "meeting_planning"}
DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday"
SPAN = re.compile(rf"({DAYS})|(\d+:\d+) to (\d+:\d+)")
WISH = re.compile(rf"(?:(\w+)(?: \w+)*? (?:on|meetings on) )?({DAYS})(?: (before|after) (\d+:\d+))?\.")


def clock(text: str) -> str:
    """Return a text with its times, such as `9:30` or `1:30PM`, in the form `13:30`."""

    def rewritten(time: re.Match[str]) -> str:
        hour = int(time[1]) if time[3] is None else int(time[1]) % 12 + (12 if time[3] == "PM" else 0)
        return f"{hour:02d}:{time[2]}"

    return re.sub(r"(\d+):(\d+)([AP]M)?", rewritten, text)


# -- calendars: the schedules and the wishes stand in the text ----------------------------------------------


def calendar_task(id_: str, record: Record) -> Record:
    """Return the task of a calendar."""
    query = record["prompt_0shot"].rsplit("TASK:", 1)[1].split("SOLUTION:")[0].strip()
    request, schedules, rest = query.split("\n\n")
    opens, closes = map(clock, re.findall(r"\d+:\d+", request))
    wishes = rest.split("Find a time")[0]
    return {
        "id": id_,
        "query": query,
        "world": "naturalplan-week",
        "uses": ["naturalplan-calendar"],
        "meta": {"people": record["num_people"], "days": record["num_days"]},
        "given": {
            "length": "30min" if "half an hour" in request else "1h",
            "days": re.findall(DAYS, request),
            "opens": opens,
            "closes": closes,
            "earliest": "earl" in wishes,
        },
        "tables": {"Blocked": {"rows": [*meetings(schedules), *preferences(wishes)]}},
        "reference": calendar_answer(record["golden_plan"], record),
    }


def meetings(schedules: str) -> Iterator[Record]:
    """Yield the times in which people have meetings."""
    for line in schedules.splitlines()[1:]:
        person, day = re.findall(r"\w+", line)[0], None
        for name, start, end in SPAN.findall(line):
            day = name or day
            if start:
                yield {"person": person, "day": day, "start": clock(start), "end": clock(end), "reason": "meetings"}


def preferences(wishes: str) -> Iterator[Record]:
    """Yield the times in which people do not want to meet; a sentence without a person goes on with the one before."""
    person = None
    for name, day, side, time in WISH.findall(wishes):
        person = name or person
        start = clock(time) if side == "after" else "00:00"
        end = clock(time) if side == "before" else "24:00"
        yield {"person": person, "day": day, "start": start, "end": end, "reason": "preference"}


def calendar_answer(text: str, _: Record) -> Record | None:
    """Return the plan that an answer names first; None if it names none."""
    found = re.search(r"([A-Za-z]+), (\d+:\d+) - (\d+:\d+)", text)
    return found and {"meeting": {"day": found[1], "start": clock(found[2]), "end": clock(found[3])}}


# -- trips: the lengths, flights and events stand in the text -----------------------------------------------


def trip_task(id_: str, record: Record) -> Record:
    """Return the task of a trip."""
    query = record["prompt_0shot"]
    request, flights, _ = query.split("\n\n")
    cities: dict[str, int] = {}
    events: list[Record] = []
    for sentence in re.split(r"(?<=\.) ", request):
        city = next((name for name in record["cities"].split("**") if re.search(rf"\b{name}\b", sentence)), None)
        days = list(map(int, re.findall(r"\d+", sentence)))
        if city and len(days) == 1:
            cities[city] = days[0]
        elif city:
            what = re.findall(r"relatives|workshop|friends?|show|conference|wedding", sentence)
            events.append({"city": city, "first": days[0], "last": days[1], "what": what[0]})
    return {
        "id": id_,
        "query": query,
        "uses": ["naturalplan-trip"],
        "meta": {"cities": record["num_cities"]},
        "given": {"total": int(re.findall(r"(\d+) days in total", request)[0])},
        "tables": {
            "City": {"rows": [{"id": city, "days": days} for city, days in cities.items()]},
            "Flight": {"rows": [{"origin": a, "to": b} for a, b in dict.fromkeys(directions(flights))]},
            "Event": {"rows": events},
        },
        "reference": trip_answer(record["golden_plan"], record),
    }


def directions(flights: str) -> Iterator[tuple[str, str]]:
    """Yield the direct flights; `A and B` are flights both ways."""
    for flight in flights.split("\n")[1].rstrip(".").split(", "):
        if one_way := re.fullmatch(r"from (.+) to (.+)", flight):
            yield one_way[1], one_way[2]
        else:
            a, b = flight.split(" and ")
            yield from ((a, b), (b, a))


def trip_answer(text: str, record: Record) -> Record | None:
    """Return the stays that an answer names, up to the last day of the trip; None if it names none."""
    total = sum(map(int, record["durations"].split("**"))) - int(record["num_cities"]) + 1
    names, stays = re.compile("|".join(record["cities"].split("**"))), []
    for line in text.splitlines():
        days, city = re.search(r"Day (\d+)(?:-(\d+))?", line), names.search(line)
        if days and city and not re.search(r"\b[Ff]ly\b|from \w+ to \w+", line):
            stays.append({"city": city[0], "first": int(days[1]), "last": int(days[2] or days[1])})
            if stays[-1]["last"] == total:
                break
    return {"stays": stays} if stays else None


# -- meetings: a map takes the fields as they are, and only answers are texts ----------------------------


def meeting_answer(plan: str | list[str], _: Record) -> Record | None:
    """Return the meetings that an answer names; None if it names no step."""
    text = plan if isinstance(plan, str) else " ".join(plan)
    found = re.findall(r"You meet (\w+) for \d+ minutes from ([\d:]+[AP]M) to ([\d:]+[AP]M)", text)
    if not found and "You " not in text:
        return None
    return {"meetings": [{"friend": friend, "start": clock(start), "end": clock(end)} for friend, start, end in found]}


ANSWERS = {"calendar": calendar_answer, "trip": trip_answer, "meeting": meeting_answer}


def main(data: Path, out: Path) -> None:
    """Convert every domain whose file is there."""
    shutil.copytree(Path(__file__).parent / "suites", out, dirs_exist_ok=True)
    for domain, answer in ANSWERS.items():
        path = next((p for name in (FILES[domain], domain) if (p := data / f"{name}.json").exists()), None)
        if path is None:
            print(f"{domain}: no {FILES[domain]}.json")
            continue
        records = json.loads(path.read_text("utf-8"))
        references = {id_: answer(record["golden_plan"], record) for id_, record in records.items()}
        if domain == "meeting":
            lines = ({"id": id_, **record, "reference": references[id_]} for id_, record in records.items())
            write_lines(out / "meeting.jsonl", lines)
        else:
            make = calendar_task if domain == "calendar" else trip_task
            planspec.write_tasks(out / f"{domain}.tasks.jsonl", (make(*item) for item in records.items()))
        planspec.write_answers(out / f"{domain}.references.jsonl", references)
        answers = {id_: answer(record["pred_5shot_pro"], record) for id_, record in records.items()}
        planspec.write_answers(out / f"{domain}.answers.jsonl", answers)
        verdicts = ({"task": id_, "pass": public_rules.accepts(domain, record)} for id_, record in records.items())
        write_lines(out / f"{domain}.verdicts.jsonl", verdicts)
        print(f"{domain}: {len(records)} tasks")


def write_lines(path: Path, lines: Iterator[Record]) -> None:
    """Write JSON lines."""
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
