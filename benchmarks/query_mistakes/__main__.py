"""Share of seeded mistakes in queries and values that planspec's check of queries against rules finds.

Method: each line of `mistakes.jsonl` names a shipped task and edits of its text. A mistake counts as found if the
edited task has a new finding that concerns the edit: its position is in an edited line, or its text shares a word or a
value with the edit. A mistake counts as refused if the edited task no longer loads, for example because the query no
longer contains a quotation under `tells`. False alarms are findings about the shipped tasks.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from benchmarks.query_mistakes.measuring import Outcome, Seeder, mistakes_of

MISTAKES = Path(__file__).with_name("mistakes.jsonl")


def main() -> int:
    """Print the table, and return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.query_mistakes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--mistakes", type=Path, default=MISTAKES, help="JSON lines of mistakes")
    parser.add_argument("--missed", action="store_true", help="list the mistakes that are not found")
    parser.add_argument("--alarms", action="store_true", help="also list the findings about the shipped tasks")
    arguments = parser.parse_args()
    seeder = Seeder()
    with arguments.mistakes.open(encoding="utf-8") as file:
        outcomes = [seeder.outcome(mistake) for mistake in mistakes_of(map(json.loads, file))]
    print(table(outcomes))
    for outcome in outcomes if arguments.missed else ():
        if outcome.result == "missed":
            edits = "; ".join(f"{edit.replace!r} -> {edit.by!r}" for edit in outcome.mistake.edits)
            print(f"missed {outcome.mistake.task} ({outcome.mistake.kind}): {edits}")
    if arguments.alarms:
        alarms = list(seeder.false_alarms())
        for task, findings in alarms:
            for finding in findings:
                print(f"alarm {task}: {finding.code} {finding.message}")
        print(f"{sum(len(findings) for _, findings in alarms)} findings about {len(alarms)} tasks as they ship")
    return 0


def table(outcomes: list[Outcome]) -> str:
    """Return a table of the results, one line for each kind of mistake."""
    counts: Counter[tuple[str, str]] = Counter((o.mistake.kind, o.result) for o in outcomes)
    kinds = sorted({outcome.mistake.kind for outcome in outcomes})
    lines = ["| kind | mistakes | found | refused by `check` | missed |", "|---|--:|--:|--:|--:|"]
    for kind in (*kinds, "all"):
        found, refused, missed = (
            sum(n for (k, r), n in counts.items() if r == result and kind in (k, "all"))
            for result in ("found", "refused", "missed")
        )
        lines.append(f"| {kind} | {found + refused + missed} | {found} | {refused} | {missed} |")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
