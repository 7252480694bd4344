"""Sessions of back ends over reduced problems that accept conditions and return assignments of the original problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.protocol import Session, Watcher
from planspec.solvers.backends.register import backend
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import Bool, Linear
from planspec.solvers.ir.problem import Problem, Rooted, Translation


def open_session(name: str, problem: Problem, limits: Limits) -> Session:
    """Open a session of the back end `name`, which encodes a problem and can solve it repeatedly.

    If reductions have replaced variables of the problem (`Problem.translation`), the session accepts conditions on the
    original problem and returns assignments of the original problem.

    Args:
        name: name of the back end.
        problem: the problem, reduced or not.
        limits: limits on each call of `Session.solve`.

    Raises:
        LimitReachedError: the limit of an enclosing `with Deadline(...)` block was reached before the problem was
            encoded.
    """
    session = backend(name).open(problem, limits)
    return session if problem.translation is None else TranslatedSession(session, problem.translation)


class TranslatedSession:
    """A session over a reduced problem that accepts conditions and returns assignments of the original problem.

    See `Session`.
    """

    def __init__(self, session: Session, translation: Translation) -> None:
        self._session = session
        self._translation = translation

    @property
    def limits(self) -> Limits:
        """Limits on each call of `solve`."""
        return self._session.limits

    @limits.setter
    def limits(self, limits: Limits) -> None:
        self._session.limits = limits

    @property
    def broken(self) -> bool:
        """Whether every answer is UNKNOWN from now on."""
        return self._session.broken

    @broken.setter
    def broken(self, broken: bool) -> None:
        self._session.broken = broken

    @property
    def watcher(self) -> Watcher | None:
        """Callback for better values and bounds, which are the same for the original and the reduced problem."""
        return self._session.watcher

    @watcher.setter
    def watcher(self, watcher: Watcher | None) -> None:
        self._session.watcher = watcher

    def add(self, condition: Bool, origin: str = "") -> None:
        """Add a condition over the original problem's variables; see `Session.add`."""
        self._session.add(self._translation.condition(condition), origin)

    def solve(
        self,
        *,
        assumptions: Sequence[Rooted] = (),
        minimize: Linear | None = None,
        hint: Mapping[int, int] | None = None,
    ) -> Outcome:
        """Solve the reduced problem, and return the outcome for the original problem; see `Session.solve`."""
        translation = self._translation
        outcome = self._session.solve(
            assumptions=[Rooted(translation.condition(each.condition), each.origin) for each in assumptions],
            minimize=None if minimize is None else translation.objective(minimize),
            hint=hint and translation.hint(hint),
        )
        if not outcome.found:
            return outcome
        values = translation.assignment(outcome.values)
        if minimize is None:
            return replace(outcome, values=values)
        objective = evaluate(minimize, values)
        if outcome.bound is not None and objective < outcome.bound:
            raise RuntimeError("an assignment is better than the proved bound")
        status = Status.OPTIMAL if objective == outcome.bound else outcome.status
        return replace(outcome, status=status, values=values, objective=objective)
