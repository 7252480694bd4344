"""Import of a CPMpy model from a Python file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.documents.documents import task_from_text
from planspec.files import replace_text
from planspec.foreign_models.document import ImportedModel, Source, import_model
from planspec.foreign_models.python_file import LoadedModel, load_model
from planspec.foreign_models.values import InexpressibleModelError
from planspec.foreign_models.variables import array_places, constant_titles

_ENDINGS = (".py", ".cpmpy", ".task")
_YAML = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class ModelImport:
    """Result of an import: the task that was written for a model.

    Attributes:
        task: id of the task.
        file: the task's file.
        model: the task's text and the sizes of the model.
    """

    task: str
    file: Path
    model: ImportedModel


def import_cpmpy(file: Path, out: Path, *, name: str | None = None, force: bool = False) -> ModelImport:
    """Write the task of a CPMpy model.

    Args:
        file: Python file that builds the model. It is run.
        out: the task's file, which ends in `.yaml`, or a folder for it, which is created.
        name: variable in the file that holds the model; None to find the model (`load_model`).
        force: whether an existing file is replaced.

    Raises:
        InexpressibleModelError: the file has no such model, or the language cannot express a part of the model;
            nothing is written.
        ModuleNotFoundError: CPMpy is not installed.
        OSError: the file cannot be read, or the task cannot be written.
    """
    task = _task_id(file)
    target = out if out.suffix in _YAML and not out.is_dir() else out / f"{task}.task.yaml"
    if target.exists() and not force:
        raise InexpressibleModelError(f"`{target}` exists; --force replaces it")
    loaded = load_model(file, name)
    model = import_model(loaded.model, _source(task, loaded))
    _check(model.text)
    target.parent.mkdir(parents=True, exist_ok=True)
    replace_text(target, model.text)
    return ModelImport(task, target, model)


def _source(task: str, loaded: LoadedModel) -> Source:
    query = (loaded.description or "").strip() or f"Find a solution of the model `{task}`{_aim(loaded)}."
    return Source(task, query, array_places(loaded.variables), constant_titles(loaded.variables))


def _aim(loaded: LoadedModel) -> str:
    objective = loaded.model.objective_
    if objective is None:
        return ""
    return f" with the {'least' if loaded.model.objective_is_min else 'greatest'} value of its objective"


def _task_id(file: Path) -> str:
    stem = file.name
    while stem.endswith(_ENDINGS):
        stem = stem.rpartition(".")[0]
    word = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in stem)
    return word if word[:1].isalnum() else f"model{word}"


def _check(text: str) -> None:
    """Check that a task is within the limits of the language.

    Raises:
        InexpressibleModelError: the task exceeds the limits of the language.
    """
    try:
        task_from_text(text)
    except DiagnosticError as error:
        first = next(each for each in error.diagnostics if each.severity.value == "error")
        line = first.span.source.text.splitlines()[first.span.line - 1].strip()
        raise InexpressibleModelError(
            f"the language refuses the task of this model: {first.code} {first.message}, in `{line[:200]}`"
        ) from None
