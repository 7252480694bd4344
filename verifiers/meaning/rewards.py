"""Dense reward of an answer: a number from 0 to 1 that depends only on its verdict and the task's floor.

The floor is the result of trivial answers, which are made without solving the task, such as a plan without rows
(`planspec.environments.floors`). Below, they are called the floor's answers.

- A passing answer earns `0.8 + 0.2 s`. Here `s` is the mean of two shares: the share of satisfied soft
  constraints, and the closeness to the best plan if a best plan is proved. If only one of them exists, `s` is
  that share; if neither exists, `s` is 1. The closeness is the mean over the objectives of `c / (c + g)`. Here
  `g` is the gap, and `c` is the size of the best value (one unit if that is 0). Objectives after the first one
  with a gap count 0. If the best plan satisfies more soft weight, all objectives count 0.
- A failing plan earns `0.4 max(0, (k - f) / (1 - f))`. Here `k` is the share of the hard constraints (rules) that the
  plan keeps, and `f` is the maximum of this share over the floor's answers.
- A missing plan and a wrong refusal earn nothing.

All shares are from 0 to 1. The share of a rule that an answer keeps is the mean over the applicable instances of
the rule:

- A satisfied instance counts 1.
- An instance that fails by an amount `x`, such as 40.00 EUR or 25 minutes, counts `a / 2 (a + x)`. Here `a` is
  the median amount by which the floor's answers fail instances of the rule, in the same unit. The result is less
  than one half and decreases with `x`.
- An instance that fails without an amount counts 0. An instance also counts 0 if no answer of the floor fails the
  rule by an amount in the same unit.

The weight of a rule is `1.2 - p`, where `p` is the mean share of the rule that the floor's answers keep: the weight
is 0.2 if they all keep the rule, 1.2 if none does. Answers with shape faults are left out of `p` if there are others.
`k` is the weighted mean over the rules, multiplied by `b / (b + n)`. Here `n` is the number of the answer's shape
faults, such as missing rows and unknown names, and `b` is the median number of shape faults of the floor's answers
that have some, or 1.

The reward never decreases if one more instance holds, an instance fails by less, or a shape fault is repaired.
Failing answers of the floor earn nothing. A pass earns at least 0.8, any other answer less than 0.4. There are
exceptions if an answer that ignores the task can pass: failing answers then earn nothing, and agents with tools earn
nothing for a pass without a tool call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import median_low
from typing import Any, TypeAlias

from planspec.verifiers.meaning.shares import hard_share, is_delivered, soft_share
from planspec.verifiers.meaning.verdict import Finding, Verdict

PASS, SOFT, NEAR = Fraction(8, 10), Fraction(2, 10), Fraction(4, 10)
"""Minimum reward of a pass, maximum additional reward for its quality, and upper bound on a failing plan's reward."""
MISSED = Fraction(1, 2)
"""An instance that fails by an amount, such as 25 minutes, counts less than this. A satisfied one counts 1."""
LEAST_WEIGHT = Fraction(1, 5)
"""Minimum weight of a hard constraint in the reward: the weight if all trivial answers (`Floor`) satisfy it."""

Amounts: TypeAlias = Mapping[tuple[str, str], Fraction]
"""Median amount by which the floor's answers fail a rule, by the rule's id and the amount's unit."""


@dataclass(frozen=True, slots=True)
class Floor:
    """The floor of a task: the results of trivial answers, with which other answers are compared.

    Trivial answers are made without solving the task. Examples are a plan without rows and the solution of another
    task. A rule is a hard constraint.

    Attributes:
        share: maximum share of the rules that a trivial answer keeps, from 0 to 1; 1 if `passes`.
        passes: whether an answer that ignores the task passes.
        rules: for each rule, the mean share of its instances that the trivial answers satisfy. Violated instances with
            a margin count in part. None for a floor that was given as a share only; a failing plan is then rewarded
            for the share of satisfied instances of hard constraints.
        amounts: median amounts by which the trivial answers fail rules.
        faults: median number of shape faults, such as missing rows, of the trivial answers with such faults; 1 if no
            trivial answer has any.
    """

    share: Fraction
    passes: bool = False
    rules: Mapping[str, Fraction] | None = None
    amounts: Amounts = field(default_factory=dict)
    faults: int = 1

    @classmethod
    def of(cls, verdicts: Iterable[Verdict], *, passes: bool = False) -> Floor:
        """Return the floor of a task, given the verdicts on its trivial answers.

        Args:
            verdicts: verdicts on failing trivial answers, such as a plan without rows, with the margins of violated
                instances. Verdicts with the status `undelivered` are ignored.
            passes: whether an answer that ignores the task passes.
        """
        delivered = [verdict for verdict in verdicts if is_delivered(verdict)]
        amounts = _median_amounts(delivered)
        faults = median_low([count for count in map(_count_faults, delivered) if count] or [1])
        shares = [_rule_shares(verdict, amounts) for verdict in delivered]
        readable = [each for each, verdict in zip(shares, delivered, strict=True) if not _count_faults(verdict)]
        rules = {rule: _mean([each.get(rule, Fraction(1)) for each in readable or shares]) for rule in _names(shares)}
        floor = cls(Fraction(1), passes, rules, amounts, faults)
        if passes:
            return floor
        return cls(max(map(floor.share_of, delivered), default=Fraction(0)), passes, rules, amounts, faults)

    def as_json(self) -> dict[str, Any]:
        """Return the floor as JSON, with exact numbers as strings such as `2/3`."""
        amounts = [[rule, unit, str(amount)] for (rule, unit), amount in self.amounts.items()]
        rules = None if self.rules is None else {rule: str(share) for rule, share in self.rules.items()}
        return {
            "share": str(self.share),
            "passes": self.passes,
            "rules": rules,
            "amounts": amounts,
            "faults": self.faults,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Floor:
        """Return the floor from its JSON, the inverse of `as_json`."""
        rules = data["rules"]
        return cls(
            Fraction(data["share"]),
            data["passes"],
            None if rules is None else {rule: Fraction(share) for rule, share in rules.items()},
            {(rule, unit): Fraction(amount) for rule, unit, amount in data["amounts"]},
            data["faults"],
        )

    def share_of(self, verdict: Verdict) -> Fraction:
        """Return the share of the rules (hard constraints) that a plan keeps, from 0 to 1, given the verdict on it."""
        if self.rules is None:
            return hard_share(verdict)
        shares = _rule_shares(verdict, self.amounts)
        weights = {rule: 1 + LEAST_WEIGHT - self.rules.get(rule, Fraction(0)) for rule in _names([self.rules, shares])}
        total = sum((weight * shares.get(rule, Fraction(1)) for rule, weight in weights.items()), Fraction(0))
        shape = Fraction(self.faults, self.faults + _count_faults(verdict))
        return shape * total / sum(weights.values()) if weights else shape


def dense_reward(verdict: Verdict, floor: Floor | None, *, blind: bool = False) -> Fraction:
    """Return the reward of a verdict, from 0 to 1.

    Args:
        verdict: verdict on an answer, with the margins of violated instances and, if known, its distance from
            the best plan.
        floor: results of trivial answers, such as a plan without rows. A failing plan earns nothing unless it keeps a
            larger share of the hard constraints than each of them. None if unknown: failing plans then earn nothing.
        blind: whether the agent had tools but called none. If an answer that ignores the task can pass
            (`floor.passes`), a passing answer of such an agent earns nothing.
    """
    if verdict.status == "pass":
        guessed = blind and floor is not None and floor.passes
        shares = [share for share in (soft_share(verdict), _closeness(verdict)) if share is not None]
        return Fraction(0) if guessed else PASS + SOFT * (_mean(shares) if shares else 1)
    if verdict.status == "undelivered" or verdict.refusal is not None or floor is None or floor.share >= 1:
        return Fraction(0)
    return NEAR * max(Fraction(0), (floor.share_of(verdict) - floor.share) / (1 - floor.share))


def _closeness(verdict: Verdict) -> Fraction | None:
    """Return how close a passing plan is to the best one, from 0 to 1; None if no best plan is proved."""
    if not any(value.by for value in verdict.objectives):
        return None
    shares = [Fraction(0)] * len(verdict.objectives)
    for place, value in enumerate(verdict.objectives):
        if value.ties:
            shares[place] = Fraction(1)
            continue
        if value.gap is not None:
            gap, size = Fraction(value.gap), abs(Fraction(value.best or 0)) or 1
            if gap < 0:  # better than the best plan within the scope
                return Fraction(1)
            shares[place] = size / (size + gap)
        break
    return _mean(shares)


def _rule_shares(verdict: Verdict, amounts: Amounts) -> dict[str, Fraction]:
    """Return for each hard constraint with an applicable instance how far a plan satisfies it, from 0 to 1."""
    instances: dict[str, list[Fraction]] = {}
    for finding in verdict.findings:
        if finding.level == "hard" and finding.status != "not-applicable":
            share = Fraction(1) if finding.status == "satisfied" else _partial_credit(finding, amounts)
            instances.setdefault(_rule_of(finding), []).append(share)
    return {rule: _mean(shares) for rule, shares in instances.items()}


def _partial_credit(finding: Finding, amounts: Amounts) -> Fraction:
    """Return how much a violated instance adds to the share of its rule that a plan keeps.

    The result is from 0 to below 1/2, and larger if the instance fails by less. A satisfied instance counts 1.
    """
    amount = _amount_of(finding)
    usual = None if finding.unit is None else amounts.get((_rule_of(finding), finding.unit))
    return Fraction(0) if amount is None or usual is None else MISSED * usual / (usual + amount)


def _median_amounts(verdicts: Iterable[Verdict]) -> Amounts:
    amounts: dict[tuple[str, str], list[Fraction]] = {}
    for finding in _violated(verdicts, "hard"):
        amount = _amount_of(finding)
        if amount is not None and finding.unit is not None:
            amounts.setdefault((_rule_of(finding), finding.unit), []).append(amount)
    return {place: median_low(values) for place, values in amounts.items()}


def _amount_of(finding: Finding) -> Fraction | None:
    """Return the positive amount by which a violated instance fails; None if there is no amount."""
    amount = None if finding.margin is None else -Fraction(finding.margin)
    return None if amount is None or amount <= 0 else amount


def _count_faults(verdict: Verdict) -> int:
    return sum(1 for _ in _violated([verdict], "shape"))


def _violated(verdicts: Iterable[Verdict], level: str) -> Iterator[Finding]:
    for verdict in verdicts:
        yield from (each for each in verdict.findings if each.level == level and each.status == "violated")


def _rule_of(finding: Finding) -> str:
    return finding.constraint.partition("[")[0]


def _names(parts: Iterable[Mapping[str, Fraction]]) -> list[str]:
    return list(dict.fromkeys(name for part in parts for name in part))


def _mean(shares: list[Fraction]) -> Fraction:
    return sum(shares, Fraction(0)) / len(shares)
