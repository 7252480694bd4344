"""Properties that hold for any document and answer, mutated or not.

Run `python -m tests.mutation.judging` for many cases."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

from planspec import Judge
from planspec.dsl.diagnostics.codes import CODES
from planspec.dsl.diagnostics.diagnostic import DiagnosticError, Report
from planspec.dsl.diagnostics.rendering import render_text
from planspec.dsl.documents.documents import check_document, task_from_path
from planspec.dsl.model.task import Task
from planspec.dsl.structure.document import document
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.source_files import source_from_text
from planspec.verifiers.meaning.ground import ground
from tests.dsl.diagnostics.test_diagnostics import CASES
from tests.mutation.mutating import damage_text, mutate_answer, mutate_document
from tests.paths import ROOT

MAX_CHARACTERS = 30_000
"""Maximum length of a document, in characters. Longer documents would take time and test nothing more."""
DOCUMENTS_PER_FOLDER = 4
"""Maximum number of documents from a folder, since documents in a folder are similar."""


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document and its path."""

    path: Path
    text: str


@cache
def all_documents() -> Sequence[DocumentText]:
    """Return documents that ship with planspec, and the examples of diagnostics.

    Files about cities are left out. They are inputs of a generator, not documents.
    """
    folders: Counter[Path] = Counter()
    texts = []
    cities = ROOT / "tasks" / "cities"
    for path in sorted((ROOT / "tasks").rglob("*.yaml")):
        if path.is_relative_to(cities):
            continue
        folders[path.parent] += 1
        text = path.read_text("utf-8")
        if len(text) <= MAX_CHARACTERS and folders[path.parent] <= DOCUMENTS_PER_FOLDER:
            texts.append(DocumentText(path, text))
    folder = ROOT / "tests" / "dsl"
    return (*texts, *(DocumentText(folder / "task.yaml", next(iter(case.files.values()))) for case in CASES))


@cache
def _shipped_documents() -> Sequence[DocumentText]:
    """Return the shipped documents, without the examples of diagnostics, most of which have mistakes."""
    return [place for place in all_documents() if place.path.name != "task.yaml"]


@cache
def judges_and_answers() -> Sequence[tuple[Judge, Any]]:
    """Return judges of tasks of each family, each with a right answer."""
    workspace = Workspace()
    judges = []
    for place in all_documents():
        if place.path.name != "task.yaml" and "planspec: task/1" in place.text:
            task = task_from_path(place.path, workspace)
            if task.reference is not None:
                judges.append((Judge(task), json.loads(json.dumps(task.reference, default=float))))
    return judges


def check_document_text(original: DocumentText, text: str, workspace: Workspace) -> str:
    """Check a document. If it is a task without mistakes, judge its reference twice.

    Returns:
        "refused" if the document has mistakes, the status of the verdict if it is a task, otherwise "read".
    """
    report = Report()
    parsed = document(source_from_text(text, original.path.name), original.path, report)
    checked = check_document(parsed, workspace, report, _ground_task) if parsed is not None else None
    for diagnostic in report.diagnostics:
        span = diagnostic.span
        assert diagnostic.code in CODES
        assert diagnostic.message
        assert 0 <= span.start <= span.end <= len(span.source.text)
    render_text(report.ordered()[:20]).encode()
    if report.failed or not isinstance(checked, Task):
        return "refused" if report.failed else "read"
    judge = Judge(checked)
    first, second = (judge.decoded(checked.reference or {}) for _ in range(2))
    assert (first.status, first.hard, first.soft) == (second.status, second.hard, second.soft), text
    json.dumps(asdict(first)).encode()
    return first.status


def _ground_task(task: Task, report: Report) -> None:
    """Ground a task, and report its diagnostics."""
    try:
        diagnostics = ground(task).diagnostics
    except DiagnosticError as error:
        diagnostics = error.diagnostics
    for diagnostic in diagnostics:
        report.add(diagnostic)


def check_answer(judge: Judge, answer: Any) -> str:
    """Judge an answer twice.

    Returns:
        The status of the verdict.
    """
    first, second = judge.answer(answer), judge.answer(answer)
    assert first == second
    json.dumps(asdict(first), ensure_ascii=False, default=str).encode()
    return first.status


def mutated_cases(random: Random, kind: str) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield an endless sequence of mutated inputs, each with a function that checks it.

    Args:
        random: source of the random mutations.
        kind: `documents` or `answers`.
    """
    workspace = Workspace()
    texts = [place.text for place in all_documents()]
    while True:
        if kind == "documents":
            place = random.choice(all_documents() if random.random() < 0.3 else _shipped_documents())
            text = mutate_document(place.text, texts, random)
            yield text, partial(check_document_text, place, text, workspace)
        else:
            judge, right = random.choice(judges_and_answers())
            answer = mutate_answer(right, random)
            if random.random() < 0.5 or not isinstance(answer, dict):
                answer = damage_text(answer, random)
            yield f"{judge.task.id} {answer!r}", partial(check_answer, judge, answer)


def main() -> None:
    """Check many mutated inputs, and print those that cause an exception or take long."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("kind", choices=("documents", "answers"))
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=30, help="time limit of one case")
    args = parser.parse_args()
    signal.signal(signal.SIGALRM, _raise_timeout)
    outcomes: Counter[str] = Counter()
    slowest = 0.0
    for _, (text, check) in zip(range(args.cases), mutated_cases(Random(args.seed), args.kind), strict=False):
        start = process_time()
        signal.alarm(args.seconds)
        try:
            outcomes[check()] += 1
        except Exception as error:  # noqa: BLE001 - every error is reported
            outcomes["broken"] += 1
            sys.stdout.write(f"BROKEN {type(error).__name__}: {error}\n{text[:20_000]!r}\n")
        finally:
            signal.alarm(0)
        spent_s = process_time() - start
        if spent_s > max(2.0, slowest):
            sys.stdout.write(f"SLOW {spent_s:.1f} s\n{text[:20_000]!r}\n")
        slowest = max(slowest, spent_s)
    sys.stdout.write(f"{args.kind}, seed {args.seed}: {dict(outcomes)}, the slowest {slowest:.1f} s\n")


def _raise_timeout(*_: object) -> None:
    """Raise an error, as a signal handler."""
    raise TimeoutError


if __name__ == "__main__":
    main()
