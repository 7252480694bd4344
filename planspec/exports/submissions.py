"""Export of a run's answers in the format of a benchmark's public toolkit."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from planspec.api.catalog import Catalog
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.api.submission import SUBMISSION
from planspec.dsl.workspace.workspace import Workspace
from planspec.errors import PlanspecError
from planspec.family.registry import family_of
from planspec.files import replace_text
from planspec.runs.folder import RunFolder
from planspec.runs.suite_copy import SuiteCopy


class NoSubmissionError(PlanspecError, ValueError):
    """The answers of the run cannot be written for a public toolkit."""


@dataclass(frozen=True, slots=True)
class WrittenSubmission:
    """A written submission.

    Attributes:
        file: the written file.
        records: number of records, one for each task of the run.
        missing: tasks without an attempt in the exported repeat.
    """

    file: Path
    records: int
    missing: tuple[str, ...]


def export_submission(
    run: str | PathLike[str], out: Path, *, suite: str | None = None, repeat: int = 0
) -> WrittenSubmission:
    """Write a run's answers for the public toolkit of its family, in the order of the run's tasks.

    Args:
        run: folder of the run.
        out: file to write.
        suite: file, folder or id; if None, the copy in the run's folder, or the run's original suite if there
            is no copy.
        repeat: number of the attempt at each task, counted from 0.

    Raises:
        InvalidRunError: the folder is not a run, or its records were changed.
        NoSubmissionError: the family has no public toolkit, the run has fewer repeats, or the suite lacks a
            task of the run.
        NotFoundError: there is no such suite.
        DiagnosticError: a document has errors.
        InexpressiblePlanError: the format cannot express an answer.
        OSError: the file cannot be written.
    """
    folder = RunFolder(Path(run))
    header = folder.read_header()
    toolkit = SUBMISSION.of(family_of(header.family))
    if toolkit is None:
        raise NoSubmissionError(f"no public toolkit takes runs of the family `{header.family or 'generic'}`")
    if not 0 <= repeat < header.repeats:
        raise NoSubmissionError(f"the run has the repeats 0 to {header.repeats - 1}, not {repeat}")
    attempts = {attempt.task: attempt for attempt in folder.attempts() if attempt.repeat == repeat}
    copy = SuiteCopy.of(folder.path) if suite is None else None
    workspace = Workspace() if copy is None else Workspace(copy.shipped)
    paths = Catalog(workspace).suite(suite or header.suite_path).tasks if copy is None else copy.tasks.values()
    loaded = (load(path, workspace=workspace) for path in paths)
    tasks = {task.id.partition("@")[0]: task for task in loaded}
    if lost := [task for task in header.tasks if task not in tasks]:
        raise NoSubmissionError(f"the suite has no task `{lost[0]}` any more")
    records = []
    for name in header.tasks:
        attempt = attempts.get(name)
        answer = attempt.turns[-1].answer if attempt is not None and attempt.turns else None
        records.append(toolkit.record(Judge(tasks[name]), answer, None if attempt is None else attempt.trace))
    texts = [json.dumps(record, ensure_ascii=False) for record in records]
    replace_text(out, "".join(f"{text}\n" for text in texts) if toolkit.lines else "[\n" + ",\n".join(texts) + "\n]\n")
    return WrittenSubmission(out, len(records), tuple(name for name in header.tasks if name not in attempts))
