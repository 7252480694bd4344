"""DEC, task decomposition: the steps that a run plans are those of its episode.

With P the planned steps, G the episode's, and M the most pairs of a planned and a needed step that are the same atomic
step, each in one pair at most:

    DEC_P = |M| / |P|        DEC_R = |M| / |G|

As sameness is all that a pair needs, |M| is the size of the common part of both multisets. An episode lists a step once
however many calls it takes, so a planned step that is needed counts in P no more often than in G: who finds the start in
one step and the destination in another is not worse than who finds both in one. Others count as often as they are planned.

The steps are those of the answer, else of the planner, else what the tools that the run calls do; the record says which. A
sentence is the atomic steps that the published table (`data/steps.yaml`) finds in it, each once, and one step that nobody
needs if it finds none. Without a step both are 0. An episode without steps asks nothing. The order of the steps is not
looked at.

Source: section 3.2.2, equation (3) of the paper, with its matching function read as equality of atomic steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from planspec.families.mobilitybench.metrics.calling import RunCall
from planspec.families.mobilitybench.metrics.declared import Declaration
from planspec.families.mobilitybench.metrics.record import Judged
from planspec.families.mobilitybench.steps import step_of, steps_told

LONGEST = 500
"""The most characters of a sentence that are read."""
MOST_SAID = 20
UNKNOWN = "unknown step"


def decomposition(
    needed: Sequence[str], said: Declaration | None, made: Sequence[RunCall]
) -> tuple[Judged, Judged]:
    """DEC_P and DEC_R.

    Args:
        needed: the episode's atomic steps.
        said: the steps that the run declares.
        made: its calls, which are its steps where it declares none.
    """
    if not needed:
        return Judged(None), Judged(None)
    if said is not None:
        planned, source = [atom for step in said.value for atom in _atoms(step)], str(said.source)
    else:
        planned, source = [UNKNOWN if call.tool is None else step_of(call.tool) for call in made], "calls"
    if not planned:
        return Judged.zero("no step"), Judged.zero("no step")
    wanted = Counter(needed)
    there = Counter({step: min(times, wanted[step] or times) for step, times in Counter(planned).items()})
    pairs = (wanted & there).total()
    told = planned[:MOST_SAID]
    more = tuple(step if step == UNKNOWN else f"unneeded {step}" for step in there - wanted)
    return (
        Judged(Fraction(pairs, there.total()), told, source, more),
        Judged(
            Fraction(pairs, len(needed)), told, source, tuple(f"missing {step}" for step in wanted - there)
        ),
    )


@lru_cache(maxsize=8192)
def _told(sentence: str) -> tuple[str, ...]:
    return steps_told(sentence) or (UNKNOWN,)


def _atoms(step: object) -> tuple[str, ...]:
    return _told(step[:LONGEST]) if isinstance(step, str) else (UNKNOWN,)
