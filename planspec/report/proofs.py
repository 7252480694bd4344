"""The best plan of a task and the nearest plan to an answer, found when a report is made, and kept beside the run.

The file `report.jsonl` has one of them on each line, under the hash of the task (and of the answer). What was not found
within a limit is asked again under a longer one; another version of planspec asks for everything again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from planspec.api.judging import Judge
from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_bytes
from planspec.report.record import EditShown, Proved, RepairShown
from planspec.report.texts import line
from planspec.verifiers.answers.tables import write_tables
from planspec.verifiers.meaning.plan_rows import Plan

FILE = "report.jsonl"
MOST_EDITS = 200
Hash = str


class Best(BaseModel):
    """The best plan of a task.

    Attributes:
        tables: the plan's, as JSON; None where there is no plan.
        told: why there is none, where that is not proved.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    status: Proved
    tables: dict[str, JsonValue] | None = None
    told: str | None = None


class ProofEntry(BaseModel):
    """A line of the file.

    Attributes:
        by: the version of planspec that found it.
        task: the hash of all documents that the task stands in and uses.
        answer: the hash of the answer; None of the best plan.
        seconds: that the search might take.
        best: with the rows of the task alone; how it is shown is not kept.
        repaired: the rows of the nearest plan, likewise.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    proof: Literal["proof/1"] = "proof/1"
    by: str
    task: Hash
    answer: Hash | None = None
    seconds: float
    best: Best | None = None
    repair: RepairShown | None = None
    repaired: dict[str, JsonValue] | None = None


Key = tuple[Hash, Hash | None]
Found = Mapping[Key, ProofEntry]


def hash_of(answer: Any) -> Hash:
    """The hash of an answer as it was given."""
    said = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def kept(folders: Iterable[Path], seconds: float) -> dict[Key, ProofEntry]:
    """The proofs that were found before, without failures that had less time than there is now.

    Args:
        folders: of runs.
        seconds: that a search may take.
    """
    now, found = _version(), {}
    for folder in folders:
        with suppress(OSError):
            for text in read_bytes(folder / FILE, RECORDS_BYTES).splitlines():
                try:
                    entry = ProofEntry.model_validate_json(text)
                except ValidationError:  # the end of a file that was being written
                    continue
                if entry.by == now and (entry.seconds >= seconds or not _open(entry)):
                    found[entry.task, entry.answer] = entry
    return found


def keep(folder: Path, entries: Iterable[ProofEntry]) -> None:
    """Add what was found; a folder that cannot be written costs only time."""
    lines = b"".join(
        entry.model_dump_json(exclude_defaults=True).encode("utf-8", "backslashreplace") + b"\n"
        for entry in entries
    )
    with suppress(OSError), (folder / FILE).open("ab") as file:
        file.write(lines)


def _open(entry: ProofEntry) -> bool:
    """More time could tell more."""
    if entry.best is not None:
        return entry.best.status in ("unknown", "feasible")
    return entry.repair is None or entry.repair.status == "unknown" or (
        entry.repair.status == "repaired" and not entry.repair.proved
    )  # fmt: skip


def _version() -> str:
    try:
        return version("planspec")
    except PackageNotFoundError:
        return "0"


@dataclass(frozen=True, eq=False)
class Prover:
    """Asks a solver about one task.

    Attributes:
        name: by which the task was loaded.
        judge: of its last turn.
        sha256: of the task.
        seconds: for each question.
    """

    name: str
    judge: Judge
    sha256: Hash
    seconds: float

    def best(self) -> ProofEntry:
        """The best plan."""
        from planspec.api.oracles import best_plan
        from planspec.errors import DiagnosticError
        from planspec.solvers.backends.outcome import Limits

        try:
            found = best_plan(self.name, self.judge, limits=Limits(seconds=self.seconds))
        except DiagnosticError as error:
            made = Best(status="unknown", told=_reason(error))
        else:
            tables = None if found.plan is None else write_tables(self.judge.task, found.plan)
            told = self._late() if found.status.value == "unknown" else None
            made = Best(status=found.status.value, tables=tables, told=told)
        return ProofEntry(by=_version(), task=self.sha256, seconds=self.seconds, best=made)

    def repair(self, plan: Plan, answer: Hash) -> ProofEntry:
        """The plan nearest to an answer's that satisfies every hard constraint."""
        from planspec.errors import DiagnosticError
        from planspec.solvers.backends.outcome import Limits
        from planspec.solvers.questions import repair as search

        tables = None
        try:
            found = search.repair(self.judge.ground, plan, limits=Limits(seconds=self.seconds))
        except DiagnosticError as error:
            made = RepairShown(status="unknown", told=_reason(error))
        else:
            edits = tuple(
                EditShown(place=line(edit.place), said=line(edit.said).replace(" -> ", " \u2192 "))
                for edit in found.edits[:MOST_EDITS]
            )
            tables = None if found.plan is None else write_tables(self.judge.task, found.plan)
            match found.status.value:
                case "optimal" | "feasible" as status:
                    made = RepairShown(status="repaired", edits=edits, proved=status == "optimal")
                case "infeasible":
                    made = RepairShown(status="infeasible")
                case _:
                    made = RepairShown(status="unknown", told=self._late())
        return ProofEntry(
            by=_version(), task=self.sha256, answer=answer, seconds=self.seconds, repair=made, repaired=tables
        )

    def _late(self) -> str:
        return f"nothing was found in {self.seconds:g} s"


def _reason(error: Any) -> str:
    told = error.diagnostics[0].message if error.diagnostics else str(error)
    return line(f"the task has no encoding: {told}")
