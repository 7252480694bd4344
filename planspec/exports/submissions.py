"""A run's answers in the form that a benchmark's public toolkit takes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from planspec.api.catalog import Catalog
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.dsl.workspace.workspace import Workspace
from planspec.errors import PlanspecError
from planspec.families.registry import family_of
from planspec.files import replace_text
from planspec.runs.folder import RunFolder
from planspec.runs.suite_copy import SuiteCopy


class NoSubmissionError(PlanspecError, ValueError):
    """A run that no public toolkit takes."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """What was written.

    Attributes:
        file: that was written.
        records: one for each task of the run.
        missing: tasks without an attempt of this repeat.
    """

    file: Path
    records: int
    missing: tuple[str, ...]


def export_submission(
    run: str | PathLike[str], out: Path, *, suite: str | None = None, repeat: int = 0
) -> Submitted:
    """Write a run's answers for the public toolkit of its family, in the order of the run's tasks.

    Args:
        run: its folder.
        out: the file.
        suite: by file, folder or id; if left out, the copy in the run's folder, or where it was when a run without one began.
        repeat: which attempt at each task, from 0.

    Raises:
        InvalidRunError: it is no run, or not as it was written.
        NoSubmissionError: its family has no public toolkit, or the run not so many repeats, or its suite no such task any more.
        NotFoundError: the suite is not there.
        DiagnosticError: a document has errors.
        InexpressiblePlanError: an answer has no place in that form.
        OSError: the file cannot be written.
    """
    folder = RunFolder(Path(run))
    header = folder.run()
    form = family_of(header.family).submission
    if form is None:
        raise NoSubmissionError(f"no public toolkit takes runs of the family `{header.family or 'generic'}`")
    if not 0 <= repeat < header.repeats:
        raise NoSubmissionError(f"the run has the repeats 0 to {header.repeats - 1}, not {repeat}")
    toolkit = form.load()
    made = {attempt.task: attempt for attempt in folder.attempts() if attempt.repeat == repeat}
    copy = SuiteCopy.of(folder.path) if suite is None else None
    workspace = Workspace() if copy is None else Workspace(copy.shipped)
    paths = (
        Catalog(workspace).suite(suite or header.suite_path).tasks if copy is None else copy.tasks.values()
    )
    loaded = (load(path, workspace=workspace) for path in paths)
    tasks = {task.id.partition("@")[0]: task for task in loaded}
    if lost := [task for task in header.tasks if task not in tasks]:
        raise NoSubmissionError(f"the suite has no task `{lost[0]}` any more")
    records = []
    for name in header.tasks:
        attempt = made.get(name)
        answer = attempt.turns[-1].answer if attempt is not None and attempt.turns else None
        records.append(toolkit.record(Judge(tasks[name]), answer, None if attempt is None else attempt.trace))
    texts = [json.dumps(record, ensure_ascii=False) for record in records]
    replace_text(
        out, "".join(f"{text}\n" for text in texts) if toolkit.lines else "[\n" + ",\n".join(texts) + "\n]\n"
    )
    return Submitted(out, len(records), tuple(name for name in header.tasks if name not in made))
