"""The refutation of a formula: what CaDiCaL derived, without what it did not need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from time import perf_counter

from planspec.dsl.resources.deadline import Deadline, tick
from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.backends.sat.formula import DEFINITION, Clause, Formula
from planspec.solvers.backends.versions import version_of
from planspec.solvers.proofs.checker import InvalidProofError, check


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a proof: a clause that follows from those that the hints name. See `planspec.solvers.proofs.checker`."""

    number: int
    clause: Clause
    hints: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Refutation:
    """A proof that a formula has no model, checked.

    Attributes:
        steps: all of them are needed for the last, which is the empty clause.
        prover: who found it.
        seconds: wall-clock time of the search, and of cutting its trace down to the proof.
        checking_s: wall-clock time of the check.
    """

    steps: tuple[Step, ...] = field(repr=False)
    prover: str
    seconds: float
    checking_s: float

    def used(self) -> frozenset[int]:
        """The numbers of the formula's clauses from which the proof follows."""
        own = {step.number for step in self.steps}
        return frozenset(hint for step in self.steps for hint in step.hints if hint not in own)

    def origins(self, formula: Formula) -> tuple[str, ...]:
        """Where the clauses come from that the proof uses, in the formula's order, definitions aside.

        With what they say the formula is refuted already; fewer may do.
        """
        used = sorted(self.used())
        made: dict[str, None] = {}
        place = 0
        for first, last, origin in formula.origins():
            while place < len(used) and used[place] < first:
                place += 1
            if place < len(used) and used[place] <= last and origin != DEFINITION:
                made[origin] = None
        return tuple(made)


def require_prover() -> None:
    """Load the prover.

    Raises:
        ModuleNotFoundError: it is not installed; the message names the extra.
    """
    from planspec.solvers.backends.sat import cadical  # noqa: F401 loaded to see that it is there


def refute(formula: Formula, limits: Limits) -> Refutation | Mapping[int, bool]:
    """Refute a formula, or find a model of it.

    Args:
        formula: what is to have no model.
        limits: of the search.

    Returns:
        The proof, which the checker has accepted; or the value of each variable in a model.

    Raises:
        LimitReachedError: a limit came first.
        RuntimeError: the checker refuses the proof.
        ModuleNotFoundError: the prover is not installed.
    """
    from planspec.solvers.backends.sat.cadical import EFFORT_UNIT, Cadical

    began = perf_counter()
    with Deadline(limits.seconds, limits.memory_mb) as deadline:
        solver = Cadical(proving=True)
        for clause in formula.clauses:
            solver.add(clause)
        if deadline.reached is not None:
            raise LimitReachedError(deadline.reached)
        conflicts = None if limits.effort is None else int(limits.effort * EFFORT_UNIT)
        answer, reason = solver.solve((), deadline, conflicts)
        if answer is None:
            raise LimitReachedError(reason or "time")
        if answer:
            model = {abs(literal): literal > 0 for literal in solver.model()}
            solver.close()
            return model
        steps = tuple(_needed(solver.proof(), len(formula.clauses)))
        solver.close()
    seconds = perf_counter() - began
    try:
        check(formula.clauses, lrat(steps))
    except InvalidProofError as wrong:
        raise RuntimeError(f"the checker refuses the prover's proof: {wrong}") from None
    return Refutation(steps, version_of("sat") or "", seconds, perf_counter() - began - seconds)


def _needed(trace: bytes, clauses: int) -> Iterator[Step]:
    """The steps of a trace that the empty clause needs, numbered anew from the formula's clauses on.

    The solver numbers what it derives and the formula's clauses as they come, and what it knows already may shorten a clause as
    that comes in. So the formula's clauses have the numbers that no step has.
    """
    found: dict[int, tuple[bytes, tuple[int, ...]]] = {}
    last = 0
    for line in trace.splitlines():
        head, _, rest = line.partition(b" ")
        if rest.startswith(b"d"):
            continue
        literals, _, reasons = (b" " + rest).partition(b" 0 ")
        last = int(head)
        found[last] = literals, tuple(map(int, reasons.split()[:-1]))
        tick()
    needed = {last}
    for number in reversed(found):
        if number in needed:
            needed.update(found[number][1])
    untold = (number for number in count(1) if number not in found)
    numbers = dict(zip(untold, range(1, clauses + 1), strict=False))
    for number, (clause, hints) in found.items():
        if number in needed:
            numbers[number] = len(numbers) + 1
            yield Step(
                numbers[number], tuple(map(int, clause.split())), tuple(numbers[hint] for hint in hints)
            )


def lrat(steps: Sequence[Step]) -> Iterator[str]:
    """The lines of a proof with the hints by which it is checked."""
    for step in steps:
        yield f"{step.number} {_zero_ended(step.clause)} {_zero_ended(step.hints)}\n"


def drup(steps: Sequence[Step]) -> Iterator[str]:
    """The lines of a proof without hints, which checkers find by unit propagation."""
    for step in steps:
        yield f"{_zero_ended(step.clause)}\n"


def _zero_ended(numbers: Sequence[int]) -> str:
    return " ".join(map(str, (*numbers, 0)))
