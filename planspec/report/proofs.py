"""Best plans of tasks and nearest plans to answers, as found by a solver and stored in the run's folder.

Each line of the file `report.jsonl` holds one such plan, with the hash of its task and, for a nearest plan, of the
answer. A search that failed within its time limit is repeated when a report has a longer limit. Another version of
planspec repeats all searches.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from planspec.api.judging import Judge
from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_bytes
from planspec.report.record import Proved, ShownEdit, ShownRepair
from planspec.report.texts import line
from planspec.verifiers.answers.tables import write_tables
from planspec.verifiers.meaning.plan_rows import Plan

FILE = "report.jsonl"
MOST_EDITS = 200
Hash = str


class Best(BaseModel):
    """The best plan of a task.

    Attributes:
        tables: tables of the plan as JSON; None if there is no plan.
        told: reason why no plan was found; None if a plan was found or is proved not to exist.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    status: Proved
    tables: dict[str, JsonValue] | None = None
    told: str | None = None


class ProofEntry(BaseModel):
    """A line of the file `report.jsonl`.

    Attributes:
        by: version of planspec that searched.
        task: hash of the documents that define the task.
        answer: hash of the answer; None in an entry about the best plan.
        seconds: time limit of the search in seconds.
        best: the best plan; None in an entry about an answer.
        repair: changes from the answer to the nearest plan; None in an entry about the best plan.
        repaired: tables of the nearest plan; None if there is no such plan.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    proof: Literal["proof/1"] = "proof/1"
    by: str
    task: Hash
    answer: Hash | None = None
    seconds: float
    best: Best | None = None
    repair: ShownRepair | None = None
    repaired: dict[str, JsonValue] | None = None


Key = tuple[Hash, Hash | None]


def answer_hash(answer: Any) -> Hash:
    """Return the hash of an answer as the agent gave it."""
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def stored_proofs(folders: Iterable[Path], seconds: float) -> dict[Key, ProofEntry]:
    """Return stored proofs, leaving out failed searches with a shorter time limit than `seconds`.

    Args:
        folders: folders of runs.
        seconds: current time limit of a search, in seconds.
    """
    now, proofs = _version(), {}
    for folder in folders:
        with suppress(OSError):
            for text in read_bytes(folder / FILE, RECORDS_BYTES).splitlines():
                try:
                    entry = ProofEntry.model_validate_json(text)
                except ValidationError:  # the last line can be incomplete
                    continue
                if entry.by == now and (entry.seconds >= seconds or not _may_improve(entry)):
                    proofs[entry.task, entry.answer] = entry
    return proofs


def store_proofs(folder: Path, entries: Iterable[ProofEntry]) -> None:
    """Store proofs in a folder.

    In a folder that is not writable nothing is stored, and the next report searches again.
    """
    lines = b"".join(
        entry.model_dump_json(exclude_defaults=True).encode("utf-8", "backslashreplace") + b"\n" for entry in entries
    )
    with suppress(OSError), (folder / FILE).open("ab") as file:
        file.write(lines)


def _may_improve(entry: ProofEntry) -> bool:
    """Return whether a longer search could find a better result."""
    if entry.best is not None:
        return entry.best.status in ("unknown", "feasible")
    return (
        entry.repair is None
        or entry.repair.status == "unknown"
        or (entry.repair.status == "repaired" and not entry.repair.proved)
    )


def _version() -> str:
    try:
        return version("planspec")
    except PackageNotFoundError:
        return "0"


@dataclass(frozen=True, eq=False)
class Prover:
    """Search by a solver for the best plan of a task, and for the nearest plans to answers.

    Attributes:
        name: name by which the task was loaded.
        judge: judge of its last turn.
        sha256: hash of the task.
        seconds: time limit of each search in seconds.
    """

    name: str
    judge: Judge
    sha256: Hash
    seconds: float

    def best(self) -> ProofEntry:
        """Find the best plan."""
        from planspec.api.oracles import best_plan
        from planspec.dsl.diagnostics.diagnostic import DiagnosticError
        from planspec.solvers.backends.outcome import Limits

        try:
            solution = best_plan(self.judge, name=self.name, limits=Limits(seconds=self.seconds))
        except DiagnosticError as error:
            best = Best(status="unknown", told=_reason(error))
        else:
            tables = None if solution.plan is None else write_tables(self.judge.task, solution.plan)
            reason = self._time_out_text() if solution.status.value == "unknown" else None
            best = Best(status=solution.status.value, tables=tables, told=reason)
        return ProofEntry(by=_version(), task=self.sha256, seconds=self.seconds, best=best)

    def repair(self, plan: Plan, answer: Hash) -> ProofEntry:
        """Find the plan that satisfies every hard constraint and is nearest to the plan of an answer.

        Args:
            plan: plan of the answer.
            answer: hash of the answer.
        """
        from planspec.dsl.diagnostics.diagnostic import DiagnosticError
        from planspec.solvers.backends.outcome import Limits
        from planspec.solvers.questions import repair as search

        tables = None
        try:
            solution = search.repair(self.judge.ground, plan, limits=Limits(seconds=self.seconds))
        except DiagnosticError as error:
            shown = ShownRepair(status="unknown", told=_reason(error))
        else:
            edits = tuple(
                ShownEdit(place=line(edit.place), said=line(edit.said).replace(" -> ", " \u2192 "))
                for edit in solution.edits[:MOST_EDITS]
            )
            tables = None if solution.plan is None else write_tables(self.judge.task, solution.plan)
            match solution.status.value:
                case "optimal" | "feasible" as status:
                    shown = ShownRepair(status="repaired", edits=edits, proved=status == "optimal")
                case "infeasible":
                    shown = ShownRepair(status="infeasible")
                case _:
                    shown = ShownRepair(status="unknown", told=self._time_out_text())
        return ProofEntry(
            by=_version(),
            task=self.sha256,
            answer=answer,
            seconds=self.seconds,
            repair=shown,
            repaired=tables,
        )

    def _time_out_text(self) -> str:
        return f"nothing was found in {self.seconds:g} s"


def _reason(error: Any) -> str:
    message = error.diagnostics[0].message if error.diagnostics else str(error)
    return line(f"the task has no encoding: {message}")
