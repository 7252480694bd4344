"""Loading of CPMpy models from Python files."""

from __future__ import annotations

import io
import runpy
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from planspec.foreign_models.values import InexpressibleModelError

PICKLE = b"\x80"
"""First byte of a pickle of protocol 2 or later."""
_SOLVING = ("solve", "solveAll")


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model from a Python file, with names and a description from the file.

    Attributes:
        model: the `cpmpy.Model`.
        variables: global variables of the file, and local variables of its functions that were running, by name.
        description: docstring of the file, or None.
    """

    model: Any
    variables: Mapping[str, Any]
    description: str | None


class _SolvingStarted(BaseException):
    """Stops a file when it begins to solve a model."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model


def load_model(file: Path, name: str | None = None) -> LoadedModel:
    """Run a Python file up to the point where it solves a model, and return the model.

    The file runs in planspec's own process with the user's rights. Its standard output is discarded.

    Args:
        file: the Python file.
        name: variable in the file that holds the model. None for the model that the file begins to solve or, if it
            solves none, for the last model among its global variables.

    Raises:
        InexpressibleModelError: the file cannot be run or has no such model.
        ModuleNotFoundError: CPMpy is not installed.
    """
    cpmpy = _cpmpy()
    if file.read_bytes()[:1] == PICKLE:
        raise InexpressibleModelError(
            f"`{file}` is a pickle, which is not read, since reading it can run any code: give the Python file that builds"
            " the model"
        )
    variables, solved = _run(file)
    if name is not None:
        model = variables.get(name)
        if not isinstance(model, cpmpy.Model):
            models = [key for key, value in variables.items() if isinstance(value, cpmpy.Model)]
            raise InexpressibleModelError(
                f"`{file}` has no model `{name}`; its models are: {', '.join(models) or 'none'}"
            )
    else:
        found = [value for value in variables.values() if isinstance(value, cpmpy.Model)]
        model = solved if solved is not None else found[-1] if found else None
    if model is None:
        raise InexpressibleModelError(f"`{file}` neither solves a `cpmpy.Model` nor has one among its global variables")
    description = variables.get("__doc__")
    return LoadedModel(model, variables, description if isinstance(description, str) else None)


def _cpmpy() -> Any:
    try:
        import cpmpy
    except ModuleNotFoundError as error:
        if error.name != "cpmpy":
            raise
        raise ModuleNotFoundError("CPMpy's models need CPMpy: pip install cpmpy", name="cpmpy") from None
    return cpmpy


def _run(file: Path) -> tuple[dict[str, Any], Any]:
    """Run a file as a program. Return its variables, and the model that it began to solve, or None."""
    arguments, path = sys.argv, list(sys.path)
    sys.argv = [str(file)]
    sys.path.insert(0, str(file.resolve().parent))
    try:
        with redirect_stdout(io.StringIO()), _stopping_at_solve():
            return runpy.run_path(str(file), run_name="__main__"), None
    except _SolvingStarted as stop:
        return _variables(stop.__traceback__, file), stop.model
    except (Exception, SystemExit) as error:  # noqa: BLE001 the file may do anything
        raise InexpressibleModelError(f"`{file}` cannot be run: {type(error).__name__}: {error}") from None
    finally:
        sys.argv = arguments
        sys.path[:] = path


def _variables(traceback: TracebackType | None, file: Path) -> dict[str, Any]:
    """Return the global and local variables of a file at the time of an exception. Inner functions take precedence."""
    variables: dict[str, Any] = {}
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_code.co_filename == str(file):
            variables |= {**frame.f_globals, **variables, **frame.f_locals}
        traceback = traceback.tb_next
    return variables


@contextmanager
def _stopping_at_solve() -> Iterator[None]:
    """Make running code stop when it begins to solve a model, within a `with` block."""
    from cpmpy import Model, SolverLookup

    def stop(model: Any, *_: Any, **__: Any) -> NoReturn:
        raise _SolvingStarted(model)

    def stop_at_solver(_: Any, /, name: Any = None, model: Any = None, **__: Any) -> Any:  # noqa: ARG001
        if model is None:
            return Model()  # stands in for a solver and collects the constraints that the file adds
        raise _SolvingStarted(model)

    methods = {method: getattr(Model, method) for method in _SOLVING}
    get = SolverLookup.__dict__["get"]
    try:
        for method in _SOLVING:
            setattr(Model, method, stop)
        SolverLookup.get = classmethod(stop_at_solver)
        yield
    finally:
        for method, original in methods.items():
            setattr(Model, method, original)
        SolverLookup.get = get
