"""The tree of exceptions in the docstring is complete, and each exception has one exit code."""

from __future__ import annotations

import ast
import builtins
import errno
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import planspec
from planspec import errors
from planspec.commands.console import report_error, report_failure
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.errors import PlanspecError, is_out_of_memory

pytestmark = pytest.mark.slow


ROOT = Path(planspec.__file__).parent
TREE: dict[str, type[PlanspecError]] = {
    name: kind
    for name, kind in {"PlanspecError": PlanspecError, "DiagnosticError": DiagnosticError, **vars(errors)}.items()
    if isinstance(kind, type) and issubclass(kind, PlanspecError)
}
"""Exceptions in the tree, by name. `DiagnosticError` is defined in another module."""
INSIDE = {
    "InvalidGrammarError",
    "CaseFailedError",
    "EntangledDocumentError",
    "UnreadableCellError",
    "UnfitCellError",
    "InvalidWorkbookError",
    "InvalidLiteralError",
    "InvalidSlotsError",
    "InvalidValueError",
    "BoundError",
    "BudgetSpentError",
    "StuckModelError",
    "CancelledError",
    "ChatRequestError",
    "EvaluatorCrashError",
    "CaseDroppedError",
    "DroppedDrawError",
    "AttemptFailedError",
    "CommandInterrupt",
    "InvalidProofError",
    "InvalidTourProofError",
    "NoCounterpartError",
    "MissingDenseModelError",
    "InvalidJsonError",
    "InvalidRequestError",
    "NotSupportedError",
    "OpenKeysError",
    "RefusedCallError",
    "UnusableReplyError",
    "RefusedTextError",
    "SplitInstancesError",
    "ExpressionTooLargeError",
    "SourceTooLargeError",
    "TooManyCellsError",
    "DuplicateNameError",
    "UnanswerableRequestError",
    "UnansweredCallError",
    "UndrawableRequestError",
    "InvalidSlotValueError",
    "UnsuitableFileError",
    "InvalidRowError",
    "InvalidReplyError",
    "Unread",
    "ClosedOutputError",
    "NoWordingError",
    "UnsupportedExpressionError",
    "UnwritableOutputError",
    "WireError",
}
"""Exceptions that no public function raises: they are caught in their packages, or the operating system causes them."""


def test_the_docstring_has_the_complete_tree() -> None:
    """The tree has every class of the module, in order, with its exit code, below `PlanspecError`."""
    drawn = dict(re.findall(r"^(?:[├└]── )?(\w+Error|\w+) +(\d+)   \S", errors.__doc__ or "", re.MULTILINE))
    assert {name: kind.exit_code for name, kind in TREE.items()} == {n: int(code) for n, code in drawn.items()}
    assert list(drawn) == list(TREE)
    own = [name for name, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__]
    assert {*own, DiagnosticError.__name__} == set(TREE)


def test_the_package_exports_every_exception_in_the_tree() -> None:
    assert set(TREE) <= set(planspec.__all__)
    assert {name: getattr(planspec, name) for name in TREE} == TREE


def documented_exceptions() -> Iterator[tuple[str, str]]:
    """Yield the documented exceptions of each public function and method."""
    for name in planspec.__all__:
        public = getattr(planspec, name)
        methods = vars(public).items() if inspect.isclass(public) else ()
        for where, member in [(name, public), *((f"{name}.{method}", it) for method, it in methods)]:
            _, raises, after = (inspect.getdoc(member) or "").partition("Raises:\n")
            if raises and (inspect.isclass(public) or callable(public)):
                yield from ((where, kind) for kind in re.findall(r"^    (\w+): ", after, re.MULTILINE))


@pytest.mark.parametrize(("where", "kind"), sorted(set(documented_exceptions())))
def test_documented_exceptions_are_public(where: str, kind: str) -> None:
    if kind not in {"TypeError", "ValueError", "OSError", "ModuleNotFoundError"}:
        assert issubclass(getattr(planspec, kind), planspec.PlanspecError), where


def test_every_exception_derives_from_planspec_error_or_is_internal() -> None:
    bases: dict[str, set[str]] = {}
    folders = [
        *(folder for folder in ROOT.iterdir() if folder.is_dir()),
        ROOT,
    ]  # folders behind symbolic links are left out
    has_class = re.compile(r"^ *class \w+\(", re.MULTILINE).search
    texts = (path.read_text("utf-8") for folder in folders for path in folder.rglob("*.py"))
    for text in filter(has_class, texts):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                bases.setdefault(node.name, set()).update(map(ast.unparse, node.bases))

    def ancestors(name: str) -> set[str]:
        own = {base.rpartition(".")[2] for base in bases.get(name, ())} - {name}
        return own.union(*map(ancestors, own))

    raised = {
        name
        for name in bases
        for base in ancestors(name)
        if isinstance(kind := getattr(builtins, base, None), type) and issubclass(kind, BaseException)
    }
    loose = {name for name in raised - {"PlanspecError"} if "PlanspecError" not in ancestors(name)}
    assert {name for name in loose if not name.startswith("_")} - INSIDE == set()


@pytest.mark.parametrize("name", sorted(TREE))
def test_an_error_exits_with_its_code(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("PLANSPEC_DEBUG", raising=False)
    kind = TREE[name]
    arguments: dict[str, tuple[object, ...]] = {
        "DiagnosticError": ([],),
        "InternalError": ("wrong", "0123"),
        "LimitReachedError": ("time",),
    }
    assert report_error(kind(*arguments.get(name, ("wrong",)))) == kind.exit_code
    assert name == "DiagnosticError" or capsys.readouterr().err


def _error_caused_by(cause: Exception) -> Exception:
    """Return an error of a failed import with this cause."""
    error = AttributeError("partially initialized module")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        ImportError("libz.so: failed to map segment from shared object"),
        _error_caused_by(ImportError("libz.so: cannot allocate memory in static TLS block")),
    ],
)
def test_exhausted_memory_is_not_reported_as_a_bug(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    assert report_failure(error) == 3
    assert capsys.readouterr().err == "unknown: memory ran out\n"


def test_another_failed_import_is_not_taken_for_exhausted_memory() -> None:
    assert not is_out_of_memory(ImportError("cannot import name `x`"))
    assert not is_out_of_memory(OSError(errno.ENOENT, "No such file or directory"))
