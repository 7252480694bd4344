"""The folder `tests` of an exported task. It holds a judge that needs only Python 3.11, and the files that it reads."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planspec.api.exported_judge import OWN, RECORD, SHIPPED, ExportedJudge, JudgeRecord
from planspec.api.judging import Judge
from planspec.dsl.workspace.shards import split_task_path
from planspec.environments.floors import measure_floor
from planspec.environments.shared import SharedTask
from planspec.exports.bundle import LocatedTask, UnsuitableExportError, pretty_json, shipped_folder
from planspec.exports.canaries import judged_canaries
from planspec.exports.judge_zip import MODULES, digest_of, judge_zip
from planspec.solvers.backends.outcome import Limits, Status

CODE = "judge.zip"
VERIFIER = "verify.py"
CANARIES = "canaries.json"
TABLES_OF_PACKAGES = {".parquet": "pyarrow", ".xlsx": "python-calamine", ".ods": "python-calamine"}
"""Package that is needed to read a table, by suffix of the table's file."""

VERIFY = """\
\"\"\"Judges an answer: `verify.py ANSWER REWARD`. All that it needs is Python 3.11 and this folder.\"\"\"

import hashlib
import io
import json
import sys
import tempfile
import zipfile
from pathlib import Path

if sys.version_info < (3, 11):
    sys.exit("the judge needs Python 3.11 or later")
here = Path(__file__).resolve().parent
answer, reward = map(Path, sys.argv[1:])
code = (here / "{code}").read_bytes()
if hashlib.sha256(code).hexdigest() != "{digest}":
    sys.exit("{code} is not the one that was exported")
with tempfile.TemporaryDirectory() as work:
    modules = zipfile.ZipFile(io.BytesIO(code)).read("{modules}")
    zipfile.ZipFile(io.BytesIO(modules)).extractall(work)
    sys.path.insert(0, work)
    from planspec.api.exported_judge import ExportedJudge

    judge = ExportedJudge(here)
    verdict = judge.verdict(answer.read_bytes().decode("utf-8", "replace") if answer.is_file() else None)
    reward.write_text(json.dumps(judge.rewards(verdict)) + "\\n", "utf-8")
    print(verdict)
"""


class UnprovedTaskError(UnsuitableExportError):
    """The answers to the task cannot be judged without solvers."""


@dataclass(frozen=True, slots=True)
class JudgeFolder:
    """Description of a written judge folder.

    Attributes:
        digest: SHA-256 of `judge.zip`.
        record: content of `judge.json`.
        components: names of the rewards in `reward.json`.
        margin: reward of a right answer minus the maximum reward of a canary (a cheating answer).
    """

    digest: str
    record: JudgeRecord
    components: tuple[str, ...]
    margin: float


def write_judge(
    folder: Path, located: LocatedTask, *, answer: Any, others: Iterable[Any], seconds: float, store: Path
) -> JudgeFolder:
    """Write the judge of a task into a folder.

    Args:
        folder: folder to create.
        located: the task in a setting.
        answer: a right answer to the task.
        others: right answers to other tasks. They help to measure the dense reward of worthless answers.
        seconds: time limit for finding the task's minimal conflicts.
        store: folder with one copy of each distinct `judge.zip`. Task folders have hard links to it if possible.

    Raises:
        UnsuitableExportError: the task uses a table that can be read only with further packages.
        UnprovedTaskError: a proof that the task's verdicts need is missing.
        OSError: a file cannot be written.
    """
    shared = located.shared
    judge = shared.opened.judge
    neighbours = [*others]
    folder.mkdir(parents=True)
    location = _copy_sources(located, folder)
    code = judge_zip(judge.family)
    digest = digest_of(code)
    _link(store / f"{digest}.zip", code, folder / CODE)
    record = JudgeRecord(
        location,
        shared.opened.setting,
        judge.task.hash,
        conflicts=None if judge.refusals == "none" else _minimal_conflicts(judge, answer, seconds),
        best=judge.require_best() if judge.task.max_gaps else judge.best_values,
        floor=measure_floor(judge, shared.file, len(shared.opened.judges) - 1, others=neighbours),
    )
    (folder / RECORD).write_text(json.dumps(record.as_json(), ensure_ascii=False, indent=1) + "\n", "utf-8")
    (folder / VERIFIER).write_text(VERIFY.format(code=CODE, digest=digest, modules=MODULES), "utf-8")
    exported = ExportedJudge(folder)
    verdict = exported.verdict(json.dumps(answer, ensure_ascii=False, default=str))
    if verdict.status != "pass":
        raise UnprovedTaskError(f"`{judge.task.id}`: the right answer fails in its folder: {verdict.status}")
    canaries = judged_canaries(exported, answer, neighbours)
    (folder / CANARIES).write_text(pretty_json(canaries), "utf-8")
    margin = 1.0 - max(canary["reward"] for canary in canaries)
    return JudgeFolder(digest, record, tuple(exported.rewards(verdict)), margin)


def _link(source: Path, data: bytes, target: Path) -> None:
    if not source.exists():
        source.write_bytes(data)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _copy_sources(located: LocatedTask, folder: Path) -> str:
    """Copy the files from which the task was read, and return the task's path relative to the folder.

    Raises:
        UnsuitableExportError: see `write_judge`.
    """
    shared, own, shipped = located.shared, located.root, shipped_folder()
    task = shared.opened.judge.task
    inside = split_task_path(shared.file)
    file = (shared.file if inside is None else inside[0]).resolve()
    place = ""
    for path in dict.fromkeys([file, *_source_files(shared)]):
        if path.suffix in TABLES_OF_PACKAGES:
            raise UnsuitableExportError(
                f"`{task.id}` uses `{path}`, which only {TABLES_OF_PACKAGES[path.suffix]} reads; write the table as CSV or JSON lines"
            )
        base, root = (SHIPPED, shipped) if path.is_relative_to(shipped) else (OWN, own)
        assert root is not None, "a shipped task uses shipped files alone, as `locate_task` checks"
        target = Path(base) / path.relative_to(root)
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / target)
        place = place or target.as_posix()
    return place if inside is None else f"{place}#{inside[1]}"


def _source_files(shared: SharedTask) -> Iterator[Path]:
    for judge in shared.opened.judges:
        for source in judge.task.sources:
            yield from (path.resolve() for path in source.files if path.is_file())


def _minimal_conflicts(judge: Judge, answer: Any, seconds: float) -> tuple[frozenset[str], ...]:
    """Return all minimal conflicts (minimal sets of rules without a common plan); empty if the task has a plan.

    Raises:
        UnprovedTaskError: the conflicts were not found in time.
    """
    from planspec.solvers.questions.conflicts import why

    verdict = judge.answer(answer, details="none")
    if verdict.status == "pass" and verdict.refusal is None and verdict.in_scope:
        return ()
    found = why(judge.ground, every=True, bounds=False, limits=Limits(seconds=seconds))
    if found.status is Status.FEASIBLE:
        return ()
    if found.status is not Status.INFEASIBLE or not found.complete:
        raise UnprovedTaskError(
            f"`{judge.task.id}` lets agents say that there is no plan, and not all of its minimal conflicts were found in "
            f"{seconds:g} s: a longer time limit may find them"
        )
    return tuple(frozenset(member.id for member in mus if member.level == "hard") for mus in found.mus_sets)
