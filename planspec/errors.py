"""The exceptions of planspec, each with the exit code that the program leaves with.

PlanspecError            2   any error of these
├── DiagnosticError      2   an author's text is wrong; carries diagnostics with positions
├── NotFoundError             2   no task or suite has that path or id
├── UnknownProfileError       2   the family has no such profile
├── UnsuitableTaskError            2   a task has not the tables that its family needs
├── UnsuitableAnswersError         2   answers that cannot be read, or are not for this suite
├── InexpressiblePlanError        2   a plan that the family's answers cannot say
├── KeptPlanError            2   the plan to keep is no plan of the task
├── NothingToRemoveError      2   no row may be left out
├── UnremovableRowsError           2   a task's text has no place for rows that are left out
├── TourInputError       2   what was given is no tour problem
├── UnsuitableClusterError         2   a Ray cluster does not answer, or its nodes are not as they must be
├── LimitReachedError         3   time or memory ran out before there was a result
├── LostWorkerError           3   what worked on something ended before there was a result
└── InternalError       70   planspec itself is wrong; please report it

Errors that belong to one room, such as a run's folder or a family's files, stand there and derive from `PlanspecError`.
A call that is wrong by its types or numbers raises `TypeError` or `ValueError`, a file that cannot be read `OSError`, and what needs an extra that is not
installed `ModuleNotFoundError`, whose message names the extra.
"""  # fmt: skip

from __future__ import annotations

import errno
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

if TYPE_CHECKING:
    from planspec.dsl.diagnostics.diagnostic import Diagnostic


Reason: TypeAlias = Literal["time", "memory", "effort", "magnitude", "interrupt", "contradiction"]
"""Why a search ended undecided: a limit was reached, the user interrupted it, or a solver contradicted itself."""
SPECIAL_REASONS: Mapping[Reason, str] = {
    "effort": "the limit of effort was reached",
    "magnitude": "a number of the search passes 2**53",
    "interrupt": "interrupted",
    "contradiction": "the solver contradicts itself",
}


class PlanspecError(Exception):
    """Any error of planspec: `except planspec.PlanspecError` catches them all.

    Attributes:
        exit_code: what the program leaves with where nothing catches it.
    """

    exit_code: ClassVar[int] = 2

    def __reduce__(self) -> tuple[Any, ...]:
        """Comes out of another process as it went in, whatever its class is made from."""
        return _again, (type(self), self.args, self.__dict__)


def _again(cls: type[PlanspecError], args: tuple[Any, ...], attributes: Mapping[str, Any]) -> PlanspecError:
    made = cls.__new__(cls, *args)
    made.args = args
    vars(made).update(attributes)
    return made


class DiagnosticError(PlanspecError):
    """An author's text is wrong; carries everything that was found.

    Args:
        diagnostics: at least one of them is an error.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        first = next((d for d in self.diagnostics if d.severity.value == "error"), None)
        where = f"{first.span.source.name}:{first.span.line}:{first.span.column}: " if first else ""
        super().__init__(where + (f"{first.code} {first.message}" if first else "invalid input"))


class NotFoundError(PlanspecError, LookupError):
    """No task or suite has that path or id."""


class UnknownProfileError(PlanspecError, LookupError):
    """The family has no such profile."""


class UnsuitableTaskError(PlanspecError, ValueError):
    """A task whose tables are not those that its family's answers fill, or that the public evaluator needs."""


class UnsuitableAnswersError(PlanspecError, ValueError):
    """Answers that cannot be read where a plan is needed, or are not for the tasks of the suite."""


class InexpressiblePlanError(PlanspecError, ValueError):
    """A plan that a format cannot say, or would say as another plan."""


class KeptPlanError(PlanspecError, ValueError):
    """The plan to keep does not satisfy the task, or lies outside its scope."""


class NothingToRemoveError(PlanspecError, ValueError):
    """No table is marked as removable, or all its rows are spared."""


class UnremovableRowsError(PlanspecError, ValueError):
    """The task's text has no place where the rows can be left out."""


class TourInputError(PlanspecError, ValueError):
    """The input is no tour problem: a malformed file, matrix, window or option.

    Attributes:
        line: the line of the file, counted from 1; None where no line is to blame.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line


class UnsuitableClusterError(PlanspecError, ValueError):
    """There is no such Ray cluster, or its nodes have another planspec, other solvers or other files."""


class LimitReachedError(PlanspecError):
    """A limit was reached before there was a result; what was worked out until then is lost.

    Args:
        reason: the limit, an interruption, or a solver's contradiction.
    """

    exit_code = 3

    def __init__(self, reason: Reason) -> None:
        super().__init__(SPECIAL_REASONS.get(reason, f"{reason} ran out"))
        self.reason: Reason = reason


def is_memory(error: BaseException | None) -> bool:
    """Return whether an error, or one that led to it, says that memory ran out.

    Python's own error says so, and the system's; so does that of an import whose library does not fit into the memory.
    """
    seen = set[int]()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        match error:
            case MemoryError() | OSError(errno=errno.ENOMEM) | LimitReachedError(reason="memory"):
                return True
            case ImportError() if any(words in str(error) for words in _NOT_MAPPED):
                return True
        error = error.__cause__ or error.__context__
    return False


_NOT_MAPPED = ("failed to map segment", "cannot allocate memory", "Cannot allocate memory")
"""Parts of the messages of dynamic loaders about a library that does not fit into the memory."""


class LostWorkerError(PlanspecError):
    """A process, or an actor of a cluster, ended before there was a result of what it worked on.

    Attributes:
        status: what a process ended with, negative for a signal; None where nobody knows.
        seconds: of wall-clock time that the work had.
    """

    exit_code = 3

    def __init__(self, reason: str, status: int | None = None, seconds: float = 0.0) -> None:
        super().__init__(reason)
        self.status, self.seconds = status, seconds


class InternalError(PlanspecError):
    """planspec has a bug: a back end's plan does not pass the verifier.

    Args:
        message: what is wrong.
        task_hash: SHA-256 of the texts that the task was read from.
    """

    exit_code = 70

    def __init__(self, message: str, task_hash: str) -> None:
        super().__init__(message)
        self.task_hash = task_hash
