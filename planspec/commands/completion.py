"""Shell completion of arguments and options: files, ids, agents, runs and diagnostic codes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from planspec.api.search import BACKENDS

DOCUMENTS = (".yaml", ".yml")


def complete_tasks(incomplete: str) -> list[str]:
    """Complete the id of a task, or the path of a document."""
    return [*_complete_ids("task", incomplete), *_complete_paths(incomplete, DOCUMENTS)]


def complete_suites(incomplete: str) -> list[str]:
    """Complete the id of a suite, or the path of a document."""
    return [*_complete_ids("suite", incomplete), *_complete_paths(incomplete, DOCUMENTS)]


def complete_documents(incomplete: str) -> list[str]:
    """Complete the id of a task or suite, or the path of a document."""
    return [*_complete_ids("suite", incomplete), *complete_tasks(incomplete)]


def complete_answers(incomplete: str) -> list[str]:
    """Complete the path of a file with answers."""
    return _complete_paths(incomplete, (".json", ".jsonl", ".parquet"))


def complete_runs(incomplete: str) -> list[str]:
    """Complete the folder of a run. Runs in `runs/` come first."""
    places = [
        Path("runs").glob("*"),
        *[Path(p).glob("*") for p in (Path(incomplete).parent,)],
        [Path(incomplete)],
    ]
    runs = [str(p) for place in places for p in place if (p / "run.json").is_file()]
    return [*dict.fromkeys(_names_with_prefix(runs, incomplete)), *_complete_paths(incomplete, ())]


def complete_agents(incomplete: str) -> list[str]:
    """Complete the name of an installed agent."""
    from planspec.agents import agent_names

    return _names_with_prefix(agent_names(), incomplete)


def complete_settings(incomplete: str) -> list[str]:
    """Complete the name of a setting of any family."""
    from planspec.environments import every_setting

    return _names_with_prefix(every_setting(), incomplete)


def complete_codes(incomplete: str) -> list[str]:
    """Complete the code of a diagnostic."""
    from planspec.dsl.diagnostics.codes import CODES

    return _names_with_prefix(CODES, incomplete.upper())


def complete_schema_kinds(incomplete: str) -> list[str]:
    """Complete the name of a kind of document, record or output that has a JSON Schema."""
    from planspec.api.outputs.register import OUTPUTS, records
    from planspec.dsl.structure.document_keys import KINDS

    return _names_with_prefix(dict.fromkeys((*KINDS, *records(), *(f"output/{name}" for name in OUTPUTS))), incomplete)


def complete_backends(incomplete: str) -> list[str]:
    """Complete the last name in a comma-separated list of back ends, without names that are already in the list."""
    before, comma, last = incomplete.rpartition(",")
    named = before.split(",") if comma else []
    return [f"{before}{comma}{name}" for name in _names_with_prefix(BACKENDS, last) if name not in named]


def _complete_ids(kind: str, incomplete: str) -> list[str]:
    from planspec.dsl.workspace.workspace import Workspace

    return _names_with_prefix(sorted(Workspace().ids(kind, Path.cwd())), incomplete)


def _names_with_prefix(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _complete_paths(incomplete: str, suffixes: tuple[str, ...]) -> list[str]:
    """Complete the path of a folder, or of a file with one of the suffixes."""
    folder = Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent
    begin = incomplete[: len(incomplete) - len(incomplete.rpartition("/")[2])]
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return []
    names = [f"{begin}{p.name}{'/' * p.is_dir()}" for p in entries if p.is_dir() or p.name.endswith(suffixes)]
    hidden = incomplete.rpartition("/")[2].startswith(".")
    return [name for name in _names_with_prefix(names, incomplete) if hidden or not name[len(begin) :].startswith(".")]
