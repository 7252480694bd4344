"""DEC, task decomposition: a run's planned steps compared with those of its episode.

With P the planned steps, G the episode's, and M a largest set of pairs of a planned and a needed step that
are the same atomic step, each in at most one pair:

    DEC_P = |M| / |P|        DEC_R = |M| / |G|

Since a pair requires only sameness, |M| is the size of the intersection of both multisets. An episode lists a
step once however many calls it takes, so a needed step counts in P no more often than in G: to find the start
in one step and the destination in another is not worse than to find both in one. Other steps count as often
as they are planned.

The steps are those of the answer, otherwise of the planner, otherwise of the tools that the run calls; the
record states which. A sentence stands for the atomic steps that the published table (`data/steps.yaml`) finds
in it, each once, or for one unneeded step if it finds none. Without a step both are 0. An episode without
steps has no value. The order of the steps does not matter.

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
from planspec.families.mobilitybench.steps import recognised_steps, step_of

LONGEST = 500
"""Most characters of a sentence that are read."""
MOST_SHOWN = 20
UNKNOWN = "unknown step"


def decomposition(
    needed: Sequence[str], declaration: Declaration | None, calls: Sequence[RunCall]
) -> tuple[Judged, Judged]:
    """Compute DEC_P and DEC_R.

    Args:
        needed: the episode's atomic steps.
        declaration: the steps that the run declares.
        calls: the run's calls, which are its steps if it declares none.
    """
    if not needed:
        return Judged(None), Judged(None)
    if declaration is not None:
        planned, source = (
            [atom for step in declaration.value for atom in _atoms(step)],
            str(declaration.source),
        )
    else:
        planned, source = [UNKNOWN if call.tool is None else step_of(call.tool) for call in calls], "calls"
    if not planned:
        return Judged.zero("no step"), Judged.zero("no step")
    required = Counter(needed)
    counted = Counter({step: min(times, required[step] or times) for step, times in Counter(planned).items()})
    pairs = (required & counted).total()
    shown = planned[:MOST_SHOWN]
    unneeded = tuple(step if step == UNKNOWN else f"unneeded {step}" for step in counted - required)
    return (
        Judged(Fraction(pairs, counted.total()), shown, source, unneeded),
        Judged(
            Fraction(pairs, len(needed)),
            shown,
            source,
            tuple(f"missing {step}" for step in required - counted),
        ),
    )


@lru_cache(maxsize=8192)
def _sentence_steps(sentence: str) -> tuple[str, ...]:
    return recognised_steps(sentence) or (UNKNOWN,)


def _atoms(step: object) -> tuple[str, ...]:
    return _sentence_steps(step[:LONGEST]) if isinstance(step, str) else (UNKNOWN,)
