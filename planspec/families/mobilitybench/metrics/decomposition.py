"""DEC, task decomposition: the steps that a run plans, compared with the steps that its episode needs.

Let P be the multiset of planned steps, G the multiset of the episode's needed steps, and M their intersection. Then

    DEC_P = |M| / |P|        DEC_R = |M| / |G|

An episode lists a step once, however many calls the step takes. A needed step therefore counts in P no more often
than in G: a run that finds start and destination in two steps is not worse than a run that finds both in one. Other
steps count as often as they are planned.

The planned steps are the steps in the answer. If it has none, they are the planner's steps; if there are none, the
tools that the run calls. The record states which. A sentence counts as the atomic steps that the published table
(`data/steps.yaml`) recognises in it, each once. A sentence without a recognised step counts as one unneeded step. Both
metrics are 0 if the run has no step, and do not apply to an episode without steps. The order of the steps does not
matter.

Source: section 3.2.2, equation (3) of the paper, with its matching function read as equality of atomic steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from planspec.families.mobilitybench.metrics.calling import RunCall
from planspec.families.mobilitybench.metrics.declared import Declaration
from planspec.families.mobilitybench.metrics.record import JudgedMetric
from planspec.families.mobilitybench.steps import recognised_steps, step_of

LONGEST = 500
"""Maximum number of characters read from a sentence."""
MOST_SHOWN = 20
"""Maximum number of planned steps in the record."""
UNKNOWN = "unknown step"


def decomposition(
    needed: Sequence[str], declaration: Declaration | None, calls: Sequence[RunCall]
) -> tuple[JudgedMetric, JudgedMetric]:
    """Compute DEC_P and DEC_R, in this order.

    Args:
        needed: the episode's atomic steps.
        declaration: the steps that the run declares.
        calls: the run's calls, used as its steps if it declares no steps.
    """
    if not needed:
        return JudgedMetric(None), JudgedMetric(None)
    if declaration is not None:
        planned, source = (
            [atom for step in declaration.value for atom in _atomic_steps(step)],
            str(declaration.source),
        )
    else:
        planned, source = [UNKNOWN if call.tool is None else step_of(call.tool) for call in calls], "calls"
    if not planned:
        return JudgedMetric.zero("no step"), JudgedMetric.zero("no step")
    required = Counter(needed)
    counted = Counter({step: min(times, required[step] or times) for step, times in Counter(planned).items()})
    pairs = (required & counted).total()
    shown = planned[:MOST_SHOWN]
    unneeded = tuple(step if step == UNKNOWN else f"unneeded {step}" for step in counted - required)
    return (
        JudgedMetric(Fraction(pairs, counted.total()), shown, source, unneeded),
        JudgedMetric(
            Fraction(pairs, len(needed)),
            shown,
            source,
            tuple(f"missing {step}" for step in required - counted),
        ),
    )


@lru_cache(maxsize=8192)
def _sentence_steps(sentence: str) -> tuple[str, ...]:
    return recognised_steps(sentence) or (UNKNOWN,)


def _atomic_steps(step: object) -> tuple[str, ...]:
    return _sentence_steps(step[:LONGEST]) if isinstance(step, str) else (UNKNOWN,)
