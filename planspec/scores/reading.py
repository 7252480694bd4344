"""Counts of facts that agents declared to have read, over all attempts of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from planspec.runs import Attempt
from planspec.scores.record import ReadShares


def count_readings(attempts: Iterable[Attempt]) -> tuple[ReadShares, ...]:
    """Count facts shown to agents by whether they were declared rightly, for each cue, kind of page, and sort of fact.

    Args:
        attempts: attempts of a run.
    """
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for count in (count for attempt in attempts if attempt.read is not None for count in attempt.read.counts):
        for by, name in (("cue", count.cue), ("page", count.page), ("fact", count.fact)):
            key = by, name, count.state or ""
            for outcome in ("right", "wrong", "missing"):
                n: int = getattr(count, outcome)
                counts[*key, outcome] += n
                counts[*key, f"needed {outcome}"] += n if count.needed else 0
    keys = dict.fromkeys(key[:3] for key in counts)
    order = ("cue", "page", "fact")
    return tuple(_read_shares(key, counts) for key in sorted(keys, key=lambda key: (order.index(key[0]), key[1:])))


def _read_shares(key: tuple[str, str, str], counts: Counter[tuple[str, str, str, str]]) -> ReadShares:
    """Return the counts and shares of one group of facts.

    Args:
        key: the grouping (`cue`, `page` or `fact`), the name of the group, and the state of its facts or an empty
            string.
        counts: numbers of facts. Each key has the three entries of `key` and an outcome, such as `wrong` or `needed
            wrong`.
    """
    by, name, state = key
    right, wrong = counts[*key, "right"], counts[*key, "wrong"]
    return ReadShares(
        by=by,  # type: ignore[arg-type]
        name=name,
        state=state or None,
        right=right,
        wrong=wrong,
        missing=counts[*key, "missing"],
        needed_wrong=counts[*key, "needed wrong"],
        needed_missing=counts[*key, "needed missing"],
        wrong_share=wrong / (right + wrong) if right + wrong else None,
    )
