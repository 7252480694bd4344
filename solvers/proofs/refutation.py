"""Proofs that formulas are unsatisfiable: CaDiCaL's derivations of a contradiction, without unnecessary steps."""

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
    """A step of a proof: a clause that follows from the clauses with the numbers in `hints`. See `proofs.checker`."""

    number: int
    clause: Clause
    hints: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Refutation:
    """A checked proof that a formula is unsatisfiable.

    Attributes:
        steps: steps that derive the empty clause, which is the last one. No step is unnecessary.
        prover: name and version of the prover.
        seconds: wall-clock time in seconds for the search and for removing unnecessary steps.
        checking_s: wall-clock time in seconds for the check.
    """

    steps: tuple[Step, ...] = field(repr=False)
    prover: str
    seconds: float
    checking_s: float

    def used(self) -> frozenset[int]:
        """Return the numbers of the formula's clauses that the proof uses."""
        own = {step.number for step in self.steps}
        return frozenset(hint for step in self.steps for hint in step.hints if hint not in own)

    def origins(self, formula: Formula) -> tuple[str, ...]:
        """Return the distinct origins (such as constraint ids) of the formula's clauses that the proof uses.

        They are in the formula's order. `DEFINITION`, the origin of clauses that only define variables, is left out.
        These clauses suffice to refute the formula, but they need not be a minimal set.
        """
        used = sorted(self.used())
        names: dict[str, None] = {}
        place = 0
        for first, last, origin in formula.origins():
            while place < len(used) and used[place] < first:
                place += 1
            if place < len(used) and used[place] <= last and origin != DEFINITION:
                names[origin] = None
        return tuple(names)


def require_prover() -> None:
    """Check that the prover, CaDiCaL, is installed.

    Raises:
        ModuleNotFoundError: it is not installed; the message names the extra.
    """
    from planspec.solvers.backends.sat import cadical  # noqa: F401 imported to check that it is installed


def refute(formula: Formula, limits: Limits) -> Refutation | Mapping[int, bool]:
    """Prove that a formula is unsatisfiable, or find a model of it.

    Args:
        formula: the formula to refute.
        limits: limits on the search.

    Returns:
        The proof, which the checker has accepted; or, if the formula has a model, the value of each variable in it.

    Raises:
        LimitReachedError: a limit was reached before the formula was decided.
        RuntimeError: the checker rejects the proof.
        ModuleNotFoundError: the prover is not installed.
    """
    from planspec.solvers.backends.sat.cadical import EFFORT_UNIT, Cadical

    started = perf_counter()
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
        steps = tuple(_needed_steps(solver.proof(), len(formula.clauses)))
        solver.close()
    seconds = perf_counter() - started
    try:
        check(formula.clauses, lrat(steps))
    except InvalidProofError as error:
        raise RuntimeError(f"the checker refuses the prover's proof: {error}") from None
    return Refutation(steps, version_of("sat") or "", seconds, perf_counter() - started - seconds)


def _needed_steps(trace: bytes, clauses: int) -> Iterator[Step]:
    """Yield the steps of a proof that the empty clause depends on, numbered consecutively after the formula's clauses.

    `trace` is the proof as the solver wrote it, in the LRAT format; `clauses` is the number of the formula's clauses.

    The solver numbers the formula's clauses and its own steps in one sequence. If it simplifies a clause of the formula
    when the clause is added, the simplified clause is a step with a number of its own. The formula's clauses are
    therefore not numbered consecutively: they have the numbers that belong to no step.
    """
    steps: dict[int, tuple[bytes, tuple[int, ...]]] = {}
    last = 0
    for line in trace.splitlines():
        head, _, rest = line.partition(b" ")
        if rest.startswith(b"d"):
            continue
        literals, _, reasons = (b" " + rest).partition(b" 0 ")
        last = int(head)
        steps[last] = literals, tuple(map(int, reasons.split()[:-1]))
        tick()
    needed = {last}
    for number in reversed(steps):
        if number in needed:
            needed.update(steps[number][1])
    free_numbers = (number for number in count(1) if number not in steps)
    numbers = dict(zip(free_numbers, range(1, clauses + 1), strict=False))
    for number, (clause, hints) in steps.items():
        if number in needed:
            numbers[number] = len(numbers) + 1
            yield Step(numbers[number], tuple(map(int, clause.split())), tuple(numbers[hint] for hint in hints))


def lrat(steps: Sequence[Step]) -> Iterator[str]:
    """Yield the lines of a proof in the LRAT format, with the hints that the checker uses."""
    for step in steps:
        yield f"{step.number} {_zero_terminated(step.clause)} {_zero_terminated(step.hints)}\n"


def drup(steps: Sequence[Step]) -> Iterator[str]:
    """Yield the lines of a proof in the DRUP format, without hints. Its checkers use unit propagation instead."""
    for step in steps:
        yield f"{_zero_terminated(step.clause)}\n"


def _zero_terminated(numbers: Sequence[int]) -> str:
    return " ".join(map(str, (*numbers, 0)))
