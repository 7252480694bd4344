"""Sizes, shares and distributions of a generated suite, compared with those of the paper.

It reads the files that `planspec generate veritrip` writes for the judge: facts, documents with their statements,
pictures and queries. Run it as `python -m benchmarks.veritrip --sizes FOLDER`.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

PAPER_ROWS = {
    "transportation": 57_773,
    "restaurants": 4304,
    "accommodations": 3613,
    "attractions": 1056,
    "pois": 7400,
}
PAPER_BANDS = {
    "Simple": ("2-5", "1-2", "1-4", 78),
    "Medium": ("1-6", "2-5", "2-5", 76),
    "Complex": ("3-7", "2-8", "2-8", 74),
}
"""Numbers of days, travellers, preferences and queries in the paper's Table 2."""
PROMPT_PREFERENCES = {"Simple": (2, 3), "Medium": (3, 4), "Complex": (5, 99)}
"""Range of the number of preferences at each level, in the paper's prompt (E.3)."""
PREFERENCES = (
    "p_attraction",
    "p_meal",
    "p_accommodation",
    "p_interest",
    "p_intercity_traffic",
    "p_innercity_traffic",
)


def print_sizes(folder: Path) -> None:
    """Print the tables for a generated folder."""
    print_facts(folder / "facts")
    print_documents(folder / "corpus")
    print_queries(folder)


def print_facts(folder: Path) -> None:
    countries = [path for path in sorted(folder.iterdir()) if path.is_dir()]
    print("facts             paper     here   real  invented")
    for table, paper in PAPER_ROWS.items():
        rows = [row for path in countries for row in _csv(path / f"{table}.csv")]
        count = len({(row["city"], row["name"]) for row in rows}) if table == "accommodations" else len(rows)
        origin = Counter(
            row["origin"]
            for path in countries
            if (path / "origins.csv").is_file()
            for row in _csv(path / "origins.csv")
            if row["table"] == {"accommodations": "hotels"}.get(table, table)
        )
        real = "" if table == "transportation" else f"{origin['real'] or count:6,}  {origin['invented']:8,}"
        print(f"{table:15} {paper:7,}  {count:7,} {real}")
    cities = Counter(row["city"] for path in countries for row in _csv(path / "attractions.csv"))
    print(f"cities              15  {len(cities):7}   attractions in each: {_span(cities.values())} (paper 50-100)")


def print_documents(folder: Path) -> None:
    rows = [json.loads(line) for line in (folder / "documents.jsonl").open(encoding="utf-8")]
    kinds: dict[int, str] = {}
    false: set[int] = set()
    with (folder / "hidden.jsonl").open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if "kind" in row:
                kinds[row["document"]] = row["kind"]
            elif not row["true"]:
                false.add(row["document"])
    print(f"\ndocuments: {len(rows):,} (paper 8,210), {len(false):,} of them say something false")
    print("kind            documents  Chinese  characters: median, least-most")
    groups = {"all": rows} | {
        kind: [r for r in rows if kinds[r["id"]] == kind] for kind in dict.fromkeys(kinds.values())
    }
    for kind, members in groups.items():
        sizes = [len(row["text"]) for row in members]
        share = sum(map(_is_chinese, (row["text"] for row in members))) / max(1, len(members))
        print(f"{kind:15} {len(members):9,} {share:8.0%}  {median(sizes):8,.0f}, {min(sizes):,}-{max(sizes):,}")
    guides = [len(row["text"]) for row in groups.get("guide", ())]
    print(f"guides of more than 300 characters (paper: all): {sum(n > 300 for n in guides):,} of {len(guides):,}")
    print(
        f"voices: {', '.join(f'{name} {count:,}' for name, count in Counter(r['origin'] for r in rows).most_common())}"
    )
    captions = folder / "images.jsonl"
    pictures = sum(1 for _ in captions.open(encoding="utf-8")) if captions.is_file() else 0
    print(f"pictures: {pictures:,} (paper 4,146)")


def print_queries(folder: Path) -> None:
    rows = [json.loads(line) for line in (folder / "queries.jsonl").open(encoding="utf-8")]
    print(
        f"\nqueries: {len(rows)} (paper 228), {len(list((folder / 'tasks').glob('*.yaml')))} tasks, each proved to have a plan"
    )
    print("level     count  paper   days  paper   travellers  paper   preferences  paper   as the prompt asks")
    for level, (days, people, wishes, count) in PAPER_BANDS.items():
        own = [row for row in rows if row["difficulty"] == level]
        if not own:
            continue
        lengths = [_days(row) for row in own]
        preferences = [_preferences(row) for row in own]
        least, most = PROMPT_PREFERENCES[level]
        share_in_range = sum(least <= n <= most for n in preferences) / len(own)
        print(
            f"{level:8} {len(own):6} {count:6}   {_span(lengths):>4}  {days:>5}   {_span(r['people_number'] for r in own):>10}  "
            f"{people:>5}   {_span(preferences):>11}  {wishes:>5}   {share_in_range:18.0%}"
        )
        for name, values in (
            ("days", lengths),
            ("travellers", [r["people_number"] for r in own]),
            ("preferences", preferences),
        ):
            shares = ", ".join(f"{value}: {n / len(own):.0%}" for value, n in sorted(Counter(values).items()))
            print(f"         {name}: {shares}")
    shown = sum(bool(row["images"]) for row in rows)
    print(f"with a picture: {shown} of {len(rows)} (paper: all); pictures: {sum(len(row['images']) for row in rows)}")
    dining = sum(name in (row["p_meal"] or "").split("|") for row in rows for name in row["shown"])
    print(f"pictures of places to eat: {dining} (the paper has both, and gives no number)")
    print(
        "preferences set: "
        + ", ".join(f"{name} {sum(row[name] is not None for row in rows) / len(rows):.0%}" for name in PREFERENCES)
    )
    for name in ("p_interest", "p_accommodation", "p_intercity_traffic", "p_innercity_traffic", "persona"):
        print(f"{name}: {_shares(row[name] for row in rows if row[name] is not None)}")
    print(
        f"pets: {sum(bool(row['have_pet']) for row in rows) / len(rows):.0%}; budgets: {_span(row['budget'] for row in rows)}"
    )
    print(
        f"days of departure: {min(r['start_date'] for r in rows)} to {max(r['end_date'] for r in rows)} (paper 2025-10-15 to 2025-10-30)"
    )
    print(f"cities gone to: {_shares((row['target_city'] for row in rows), counts=True)}")


def _days(row: dict[str, Any]) -> int:
    return int(row["end_date"][-2:]) - int(row["start_date"][-2:]) + 1  # all days of a trip are in one month


def _preferences(row: dict[str, Any]) -> int:
    several = sum(len((row[name] or "").split("|")) for name in PREFERENCES[:2] if row[name])
    return several + sum(row[name] is not None for name in PREFERENCES[2:])


def _span(values: Iterable[int]) -> str:
    listed = list(values)
    return f"{min(listed)}-{max(listed)}"


def _shares(values: Iterable[str], *, counts: bool = False) -> str:
    counter = Counter(values)
    return ", ".join(f"{name} {n if counts else f'{n / counter.total():.0%}'}" for name, n in counter.most_common())


def _is_chinese(text: str) -> bool:
    return sum("\u4e00" <= sign <= "\u9fff" for sign in text) > len(text) / 10


def _csv(path: Path) -> Sequence[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
