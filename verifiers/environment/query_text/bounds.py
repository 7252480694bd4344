"""Warnings about bounds in queries, such as `more than six trains` or `not before eleven`, that the task lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.verifiers.environment.query_text.mention import Measure, Mention, Reading
from planspec.verifiers.environment.query_text.passages import Passage
from planspec.verifiers.environment.query_text.queries import PlacedMention, Queries, QueryPart
from planspec.verifiers.environment.query_text.request_values import RequestValues
from planspec.verifiers.environment.query_text.used_values import UsedValues, unit_less

_CLOCK = (
    r"before|after|until|till|by|from|since|earlier than|later than|at the (?:latest|earliest)|vor|nach|bis|ab|seit"
    r"|früher als|später als"
)
_COUNT = (
    r"(?:more|less|fewer|longer|higher|greater|larger) than|over|under|above|below|beyond|within|up to|at (?:least|most)"
    r"|exceed\w*|(?:maxi|mini)mum of|mehr als|weniger als|über|unter|höchstens|mindestens|maximal|minimal"
)
_HAN = r"超过|最多|最少|至少|不低于|不高于|不少于|不多于|早于|晚于"
BEFORE = re.compile(
    rf"(?:\b(?P<clock>{_CLOCK})|\b(?P<count>{_COUNT})|\b(?P<range>between|zwischen)|(?:{_HAN}))(?: (?:the|an?|about|around|half|noch|um))?\s*$"
)
"""Pattern of words directly before the number of a bound, such as `no later than`, `more than` or `between`."""
AFTER = re.compile(
    r"\s*(?:or (?:more|less|fewer|later|earlier|higher)|at (?:the )?(?:most|least|latest|earliest)|and (?:up|above)\b"
    r"|oder (?:mehr|weniger|später|früher)|以上|以下|以内|之内|之前|之后|以前|以後|前|までに|まで|未満)"
)
"""Pattern of words directly after the number of a bound, such as `or more`."""
COUNTED = re.compile(r" (?!(?:and|or|to|in|on|at|of|for|per|as|if|the|o'clock|und|oder|uhr|pro)\b)[^\W\d_]{3,}")
"""Pattern of the word after a number that names the counted things, such as ` trains`."""
REACH = 40
"""Number of characters before and after a number that are searched for words of a bound."""
TIMES = frozenset[Measure]({"time", "duration"})
AMOUNTS = frozenset[Measure]({"money", "distance", "duration"})


def report_bounds(
    queries: Queries, values: RequestValues, quotations: Sequence[Passage], names: Iterable[QueryPart], report: Report
) -> None:
    """Warn of bounds in the queries (limits such as `at most six` or `before eleven`) that the task lacks.

    `unused_mentions` returns the amounts, with and without a unit, that occur nowhere in the task. This function adds
    the bounds without a unit whose number occurs in the task, but only as something else, such as the number of a
    table's rows. The following values can state a bound without a unit:

    - a number without a unit in a given parameter, in the document's rows or in a constraint,
    - an amount with a unit, if the bound counts no things and lacks words such as `before`: `at most 50` may be 50 EUR,
    - the hour of a time in a parameter or constraint, if the bound has a word such as `before`,
    - the hour of any time, if the bound is a range, as in `between nine and eleven`.

    A number after `between` that counts things, as in `between three trains and four`, is skipped.

    If the author may have computed hidden parameters from the queries (`RequestValues.may_be_computed`),
    `unused_mentions` returns nothing. This function then warns of bounds that occur nowhere in the task, but only if
    there are more of them than hidden parameters, or if no hidden parameter has rows or a value of the same kind.

    Args:
        queries: the task's queries.
        values: the task's values.
        quotations: the author's quotations from the queries (`tells:`). Bounds in them are checked elsewhere.
        names: parts of the queries that are names.
        report: receives the warnings (PS441).
    """
    covered = [*names, *(passage.part for passage in quotations)]
    bounds = [p for p in queries.mentions if _is_bound(queries, p) and not any(c.overlaps(p.part) for c in covered)]
    missing = (
        _unaccounted_for(bounds, values) if values.may_be_computed else _without_matching_value(bounds, queries, values)
    )
    for placed in missing:
        report.warning(
            "PS441",
            f"the query has the bound `{queries.text(placed.part)}`, and no given and no rule has it",
            queries.span(placed.part),
            "no given, no row and no constraint",
            help="mend the query or the rules; if other words of the task mean it, quote it under `tells`",
        )


def _is_bound(queries: Queries, placed: PlacedMention) -> bool:
    mention = placed.mention
    is_clear = mention.is_definite or (mention.is_ordinal and Reading("number", Fraction(1)) not in mention.readings)
    return is_clear and (
        _words_before(queries, placed) is not None or AFTER.match(_text_after(queries, placed)) is not None
    )


def _words_before(queries: Queries, placed: PlacedMention) -> re.Match[str] | None:
    text, start = queries.texts[placed.part.query], placed.part.start
    return BEFORE.search(text[max(0, start - REACH) : start].lower())


def _text_after(queries: Queries, placed: PlacedMention) -> str:
    end = placed.part.end
    return queries.texts[placed.part.query][end : end + REACH].lower()


def _without_matching_value(
    bounds: Sequence[PlacedMention], queries: Queries, values: RequestValues
) -> Iterator[PlacedMention]:
    """Yield bounds without a unit whose number occurs in the task, but only in values that cannot state the bound.

    For example, neither a table with six rows nor a duration of six hours states the bound `at most six trains`.
    `report_bounds` lists the values that can state a bound.
    """
    for placed in bounds:
        mention = placed.mention
        if mention.measure != "number" or mention.readings not in values.used:
            continue
        counted = {reading.value for reading in mention.readings if reading.measure == "number"}
        counts = COUNTED.match(_text_after(queries, placed)) is not None
        words = _words_before(queries, placed)
        is_range = words is not None and words["range"] is not None
        if counted & values.exact_numbers or (is_range and counts):
            continue
        is_of_clock = words is not None and words["clock"] is not None
        possible: set[Fraction] = set()
        if not is_of_clock:
            possible.update(() if counts else _unitless_amounts(values.used))
        if is_of_clock or is_range:
            possible.update(_hours_of_times(values.used_by_rules if is_of_clock else values.used))
        is_in_use = bool(counted & possible)
        if not is_in_use:
            yield placed


def _hours_of_times(used: UsedValues) -> Iterator[Fraction]:
    for reading in used.exact:
        if reading.measure == "time":
            yield from (reading.value / 60, reading.value / 60 % 12)


def _unitless_amounts(used: UsedValues) -> Iterator[Fraction]:
    return (number for reading in used.exact if reading.measure in AMOUNTS for number in unit_less(reading))


def _unaccounted_for(bounds: Sequence[PlacedMention], values: RequestValues) -> list[PlacedMention]:
    """Return the bounds that occur nowhere in the task and that no parameter hidden from agents accounts for.

    A hidden parameter accounts for a bound if the author may have computed the parameter from the bound. If there are
    more bounds that occur nowhere in the task than hidden parameters, all these bounds are returned.
    """
    unused = [placed for placed in bounds if placed.mention.is_definite and placed.mention.readings not in values.used]
    measures = values.hidden_measures
    if len(unused) > len(measures):
        return unused
    return [placed for placed in unused if not any(_accounts_for(each, placed.mention) for each in measures)]


def _accounts_for(measures: frozenset[Measure] | None, mention: Mention) -> bool:
    """Return whether the author may have computed a hidden parameter from a bound, such as `up to six`.

    Args:
        measures: kinds of the parameter's values, such as `money`; None if the values are rows, which may have been
            computed from any bound.
        mention: the amount in the bound, such as `six`.
    """
    if measures is None:
        return True
    kinds = measures | TIMES if measures & TIMES else measures
    return any(map(mention.has, kinds))
