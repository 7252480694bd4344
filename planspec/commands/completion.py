"""Shell completion of arguments and options: ids, agents, runs and codes, besides files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from planspec.solvers.backends.register import BACKENDS

DOCUMENTS = (".yaml", ".yml")


def tasks_named(incomplete: str) -> list[str]:
    """Return ids of tasks, and documents."""
    return [*_ids("task", incomplete), *_paths(incomplete, DOCUMENTS)]


def suites_named(incomplete: str) -> list[str]:
    """Return ids of suites, and documents."""
    return [*_ids("suite", incomplete), *_paths(incomplete, DOCUMENTS)]


def documents(incomplete: str) -> list[str]:
    """Return ids of tasks and suites, and documents."""
    return [*_ids("suite", incomplete), *tasks_named(incomplete)]


def answers(incomplete: str) -> list[str]:
    """Return files of answers."""
    return _paths(incomplete, (".json", ".jsonl", ".parquet"))


def runs_named(incomplete: str) -> list[str]:
    """Return folders of runs, those in `runs/` first."""
    places = [
        Path("runs").glob("*"),
        *[Path(p).glob("*") for p in (Path(incomplete).parent,)],
        [Path(incomplete)],
    ]
    runs = [str(p) for place in places for p in place if (p / "run.json").is_file()]
    return [*dict.fromkeys(_beginning(runs, incomplete)), *_paths(incomplete, ())]


def agents_named(incomplete: str) -> list[str]:
    """Return names of installed agents."""
    from planspec.agents import agent_names

    return _beginning(agent_names(), incomplete)


def settings_named(incomplete: str) -> list[str]:
    """Return settings of all families."""
    from planspec.environments import every_setting

    return _beginning(every_setting(), incomplete)


def codes(incomplete: str) -> list[str]:
    """Return codes of diagnostics."""
    from planspec.dsl.diagnostics.codes import CODES

    return _beginning(CODES, incomplete.upper())


def schema_kinds(incomplete: str) -> list[str]:
    """Return names that have a JSON Schema."""
    from planspec.api.outputs.register import OUTPUTS, records
    from planspec.dsl.workspace.document_keys import KINDS

    return _beginning(
        dict.fromkeys((*KINDS, *records(), *(f"output/{name}" for name in OUTPUTS))), incomplete
    )


def backends_named(incomplete: str) -> list[str]:
    """Return back ends; after a comma, those not named before it."""
    before, comma, last = incomplete.rpartition(",")
    named = before.split(",") if comma else []
    return [f"{before}{comma}{name}" for name in _beginning(BACKENDS, last) if name not in named]


def _ids(kind: str, incomplete: str) -> list[str]:
    from planspec.dsl.workspace.workspace import Workspace

    return _beginning(sorted(Workspace().ids(kind, Path.cwd())), incomplete)


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _paths(incomplete: str, suffixes: tuple[str, ...]) -> list[str]:
    """Return folders, and files with one of the suffixes, that complete a path."""
    folder = Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent
    begin = incomplete[: len(incomplete) - len(incomplete.rpartition("/")[2])]
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return []
    names = [f"{begin}{p.name}{'/' * p.is_dir()}" for p in entries if p.is_dir() or p.name.endswith(suffixes)]
    hidden = incomplete.rpartition("/")[2].startswith(".")
    return [
        name for name in _beginning(names, incomplete) if hidden or not name[len(begin) :].startswith(".")
    ]
