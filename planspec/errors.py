"""The exceptions of planspec, each with its exit code.

PlanspecError                  2   any error of planspec
├── DiagnosticError            2   a document has errors; carries diagnostics with positions
├── NotFoundError              2   no task or suite has this path or id
├── UnknownProfileError        2   the family has no such profile
├── UnsuitableTaskError        2   the task lacks tables that its family needs
├── UnsuitableAnswersError     2   the answers cannot be read, or belong to another suite
├── InexpressiblePlanError     2   the family's answer format cannot express the plan
├── KeptPlanError              2   the plan to keep is not a plan of the task
├── NothingToRemoveError       2   no row may be removed
├── UnremovableRowsError       2   the task's text has no place to list removed rows
├── TourInputError             2   the input is not a tour problem
├── UnsuitableClusterError     2   a Ray cluster does not answer, or its nodes differ from this machine
├── LimitReachedError          3   time or memory ran out before there was a result
├── LostWorkerError            3   a worker process ended before its result
└── InternalError             70   planspec has a bug; please report it

`DiagnosticError` is defined beside `Diagnostic`. Errors of one package, such as those of run folders or of a
family's files, are defined there and derive from `PlanspecError`. Arguments of a wrong type or range raise
`TypeError` or `ValueError`. A file that cannot be read raises `OSError`. A missing extra raises
`ModuleNotFoundError`, and its message names the extra.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, TypeAlias

from planspec.deprecation import former_names

Reason: TypeAlias = Literal["time", "memory", "effort", "magnitude", "interrupt", "contradiction"]
"""Why a search ended undecided: it reached a limit, was interrupted, or a solver contradicted itself."""
SPECIAL_REASONS: Mapping[Reason, str] = {
    "effort": "the limit of effort was reached",
    "magnitude": "a number of the search passes 2**53",
    "interrupt": "interrupted",
    "contradiction": "the solver contradicts itself",
}


class PlanspecError(Exception):
    """Any error of planspec: `except planspec.PlanspecError` catches them all.

    Attributes:
        exit_code: the program's exit code if the error is not caught.
    """

    exit_code: ClassVar[int] = 2

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the error in a form that skips the constructor, because its arguments differ between classes."""
        return _unpickle, (type(self), self.args, self.__dict__)


def _unpickle(cls: type[PlanspecError], args: tuple[Any, ...], attributes: Mapping[str, Any]) -> PlanspecError:
    error = cls.__new__(cls, *args)
    error.args = args
    vars(error).update(attributes)
    return error


class NotFoundError(PlanspecError, LookupError):
    """No task or suite has that path or id."""


class UnknownProfileError(PlanspecError, LookupError):
    """The family has no such profile."""


class UnsuitableTaskError(PlanspecError, ValueError):
    """The task lacks what a verdict needs: tables of its family's answers, or a proof of the best plan."""


class UnsuitableAnswersError(PlanspecError, ValueError):
    """The answers cannot be read as plans, or belong to tasks of another suite."""


class InexpressiblePlanError(PlanspecError, ValueError):
    """The answer format cannot express the plan, or would express another plan."""


class KeptPlanError(PlanspecError, ValueError):
    """The plan to keep does not satisfy the task, or lies outside its scope."""


class NothingToRemoveError(PlanspecError, ValueError):
    """No table is marked as removable, or all rows of such tables are protected."""


class UnremovableRowsError(PlanspecError, ValueError):
    """The task's text has no place to list removed rows."""


class TourInputError(PlanspecError, ValueError):
    """The input is not a tour problem: a malformed file, matrix, window or option.

    Attributes:
        line: line of the file, counted from 1; None if no single line is at fault.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line


class UnsuitableClusterError(PlanspecError, ValueError):
    """The Ray cluster does not answer, or its nodes have another planspec, other solvers or other files."""


class LimitReachedError(PlanspecError):
    """A search ended without a result, usually at a limit. Partial work is lost.

    Args:
        reason: limit that was reached, or another reason why the search ended.
    """

    exit_code = 3

    def __init__(self, reason: Reason) -> None:
        super().__init__(SPECIAL_REASONS.get(reason, f"{reason} ran out"))
        self.reason: Reason = reason


def is_out_of_memory(error: BaseException | None) -> bool:
    """Return whether an error, or one of its causes, means that memory ran out.

    Such errors are Python's `MemoryError`, the system's ENOMEM, and an import of a library that does not fit.
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
"""Parts of a dynamic loader's message about a library that does not fit into memory."""


class LostWorkerError(PlanspecError):
    """A worker process, or an actor in a cluster, ended without a result.

    Attributes:
        status: exit status of the process, negative for a signal; None if unknown.
        seconds: wall-clock time spent on the lost work.
    """

    exit_code = 3

    def __init__(self, reason: str, status: int | None = None, seconds: float = 0.0) -> None:
        super().__init__(reason)
        self.status, self.seconds = status, seconds


class InternalError(PlanspecError):
    """planspec has a bug, such as a back end's plan that fails the verifier.

    Args:
        message: what is wrong.
        task_hash: SHA-256 of the task's source texts.
    """

    exit_code = 70

    def __init__(self, message: str, task_hash: str) -> None:
        super().__init__(message)
        self.task_hash = task_hash


FORMER_NAMES = {
    "Inexpressible": "InexpressiblePlanError",
    "KeepFails": "KeptPlanError",
    "LimitReached": "LimitReachedError",
    "LostWorker": "LostWorkerError",
    "NoPlaceFor": "UnremovableRowsError",
    "NotFound": "NotFoundError",
    "NothingToRemove": "NothingToRemoveError",
    "UnfitAnswers": "UnsuitableAnswersError",
    "UnfitCluster": "UnsuitableClusterError",
    "UnfitTask": "UnsuitableTaskError",
    "UnknownProfile": "UnknownProfileError",
}
"""New names of errors by former name. Former names work for one release."""

__getattr__ = former_names(
    __name__, {**FORMER_NAMES, "DiagnosticError": "planspec.dsl.diagnostics.diagnostic:DiagnosticError"}
)
