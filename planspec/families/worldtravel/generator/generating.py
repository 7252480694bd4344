"""Generation of a suite from a city's scenarios (`planspec generate worldtravel`). Each task has one solution."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from planspec.api import certificates
from planspec.api.loading import load
from planspec.api.proofs import certify
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.model.proof_hash import proof_hash
from planspec.families.worldtravel.generator.calendar import Calendar, draw_calendar
from planspec.families.worldtravel.generator.checking import check_city
from planspec.families.worldtravel.generator.city import MOST_SHOWN, CityFolder
from planspec.families.worldtravel.generator.documents import task_text
from planspec.families.worldtravel.generator.drawing import draw_draft
from planspec.families.worldtravel.generator.making import ConstraintCounts, DraftSolver, SolvedDraft
from planspec.families.worldtravel.generator.plan_of_suite import TaskRequirements, task_requirements
from planspec.families.worldtravel.generator.quality import measure_task, readme_text
from planspec.families.worldtravel.generator.wording import RequestWording
from planspec.families.worldtravel.generator.world import world_files
from planspec.families.worldtravel.generator.written_requests import FILE
from planspec.files import replace_text
from planspec.parallel import Jobs, map_parallel
from planspec.solvers.backends.outcome import Limits
from planspec.suite_writing.options import OnProgress, UnsuitableSuiteError, ignore_progress
from planspec.suite_writing.writing import suite_text

if TYPE_CHECKING:
    from planspec.families.worldtravel.outputs import GenerateOutput

MARK = "generated.json"
"""File that marks a folder as generated and records the generator's arguments."""
DRAFTS = "drafts"
"""Folder with the finished tasks of an unfinished run."""
TRIES = 8000
"""Maximum number of drafts tried for a task."""
BATCH = 40
"""Number of drafts tried with one core (group of places) before the next core is tried."""
PATIENCE = 1000
"""Number of drafts after which a task is accepted even if a greedy planner solves it."""
UNAVAILABLE_CODE = "PS401"
"""Code of the diagnostic for a draft with a wish that cannot be met on the draft's days."""
DRAWING = 0.3
"""Share of the reported progress that drawing takes. The proofs take the rest."""
PROVED = "unique"
"""Status of a proof that a task has one solution."""
SECONDS = 300.0
"""Time limit of each proof, in seconds of wall clock."""


@dataclass(frozen=True, slots=True)
class CitySuiteOptions:
    """Options of a suite to generate.

    Attributes:
        city: folder of the city.
        tasks: number of tasks.
        seed: seed of the calendar and the tasks.
        after: number of the benchmark's tasks in the cities before this one, so that the tasks of all cities together
            have the paper's distribution.
        city_name: city as given on the command line, for the README; empty to use the folder.
    """

    city: Path
    tasks: int = 30
    seed: int = 0
    after: int = 0
    city_name: str = ""


@dataclass(frozen=True, slots=True)
class GeneratedCitySuite:
    """A generated suite.

    Attributes:
        tasks: ids of the tasks.
        proved: number of tasks proved to have one solution, by back end.
        unproved: results by back end, for each task that some back end did not prove.
        written: number of tasks with a request from the city's `requests.yaml`.
        unused: ids of the requests in `requests.yaml` that fit none of the tasks.
    """

    folder: Path
    suite: str
    tasks: tuple[str, ...]
    proved: Mapping[str, int]
    unproved: Mapping[str, Mapping[str, str]]
    written: int = 0
    unused: tuple[str, ...] = ()

    def document(self) -> GenerateOutput:
        """Return the summary as JSON."""
        from planspec.families.worldtravel.outputs import GenerateOutput

        return GenerateOutput(
            family="worldtravel",
            suite=self.suite,
            folder=str(self.folder),
            tasks=list(self.tasks),
            proved=dict(self.proved),
            unproved={task: dict(reasons) for task, reasons in self.unproved.items()},
            written_requests=self.written,
            unused_requests=list(self.unused),
        )

    def lines(self) -> list[str]:
        """Return the summary as readable lines of text."""
        proved = ", ".join(f"{count} by {name}" for name, count in self.proved.items())
        return [
            f"suite {self.suite}: {len(self.tasks)} tasks in {self.folder}",
            f"proved to have one solution: {proved}",
            *(f"not proved to have one: {task} ({_join_results(results)})" for task, results in self.unproved.items()),
            *([f"requests from {FILE}: {self.written} of {len(self.tasks)}"] if self.written else []),
            *([f"requests in {FILE} written for other tasks: {_shorten(self.unused)}"] if self.unused else []),
        ]


@dataclass(frozen=True, slots=True)
class _StoredTask:
    """A finished task. It is stored until all tasks are finished.

    The draft is not stored, since it is determined by the number of the attempt. The other attributes are as in
    `SolvedDraft`.
    """

    attempt: int
    counts: ConstraintCounts
    answer: Mapping[str, Any]
    sold: Mapping[tuple[str, date, int], int]
    budget: int | None

    def text(self) -> str:
        return json.dumps(
            {
                "attempt": self.attempt,
                "counts": [self.counts.hard, self.counts.total, self.counts.timed],
                "answer": self.answer,
                "sold": [[offer, str(day), at, left] for (offer, day, at), left in self.sold.items()],
                "budget": self.budget,
            },
            indent=1,
            ensure_ascii=False,
        )

    @classmethod
    def read(cls, text: str) -> _StoredTask:
        data = json.loads(text)
        sold = {(offer, date.fromisoformat(day), at): left for offer, day, at, left in data["sold"]}
        return cls(data["attempt"], ConstraintCounts(*data["counts"]), data["answer"], sold, data["budget"])


def generate(
    out: Path, options: CitySuiteOptions, on_progress: OnProgress = ignore_progress, *, jobs: Jobs = 1
) -> GeneratedCitySuite:
    """Fill a folder with a suite. Equal arguments give equal bytes, except for the times in certificates.

    Finished tasks are stored, so the same command resumes an interrupted run.

    Args:
        out: new folder, or one that an earlier run with the same arguments began or finished.
        options: city and size of the suite.
        on_progress: called with the progress.
        jobs: number of processes, or a Ray cluster; the result does not depend on it.

    Raises:
        UnsuitableSuiteError: the city is invalid, no draft becomes a task of a required shape, or the folder
            holds something else.
        OSError: a file cannot be written.
    """
    city = CityFolder.read(options.city)
    arguments = {"city": city.head.id, "tasks": options.tasks, "seed": options.seed, "after": options.after}
    check_city(city)
    _prepare_folder(out, arguments)
    requests = list(task_requirements(city, options.tasks, options.seed, options.after))
    days = max(city.head.days, (requests[-1].trip[-1] - city.head.first).days + 1)
    calendar = draw_calendar(city, city.head.first, days, options.seed)
    tasks_made: list[_StoredTask] = []
    work = ((requirements, calendar.reduced_to(requirements.trip)) for requirements in requests)
    for task_made in map_parallel(partial(_make_task, options, city, out), work, jobs):
        tasks_made.append(task_made)
        on_progress(
            f"task {len(tasks_made)} of {len(requests)}: {task_made.counts.hard} hard, {len(task_made.sold)} starts sold out",
            DRAWING * len(tasks_made) / len(requests),
        )
    sold = {start: left for task_made in tasks_made for start, left in task_made.sold.items()}
    suite = f"worldtravel-{city.head.id}" + ("" if options.seed == 0 else f"-s{options.seed}")
    wording = RequestWording(city)
    tasks = _write_tasks(out, city, calendar.with_places_left(sold), suite, options, requests, tasks_made, wording)
    claims = _prove_tasks(out, tasks, jobs, on_progress)
    proved = {name: sum(results[name] == PROVED for results in claims.values()) for name in claims[tasks[0]]}
    replace_text(
        out / f"{suite}.suite.yaml",
        suite_text(
            suite,
            "worldtravel",
            f"WorldTravel, {city.head.name}",
            [f"{t}.task.yaml" for t in tasks],
            "worldtravel",
            "unique",
        ),
    )
    on_progress("measuring the tasks", 1.0)
    command = " ".join(
        [
            "planspec generate worldtravel",
            *(f"--{name} {value}" for name, value in {**arguments, "city": options.city_name or options.city}.items()),
        ]
    )
    replace_text(
        out / "README.md",
        readme_text(city, suite, list(map_parallel(partial(measure_task, out), tasks, jobs)), command, proved),
    )
    shutil.rmtree(out / DRAFTS)
    unproved = {
        task: results for task, results in claims.items() if any(result != PROVED for result in results.values())
    }
    written = wording.written
    return GeneratedCitySuite(out, suite, tuple(tasks), proved, unproved, len(written.used), written.unused)


def _prepare_folder(out: Path, arguments: Mapping[str, Any]) -> None:
    """Prepare a new folder, or check that a folder was begun with the same arguments."""
    mark = out / MARK
    if out.exists() and any(out.iterdir()):
        if not mark.is_file():
            raise UnsuitableSuiteError(f"`{out}` is neither a new folder nor one that was generated before")
        if json.loads(mark.read_text("utf-8")) != arguments:
            raise UnsuitableSuiteError(f"`{out}` was generated with other arguments: {mark.read_text('utf-8').strip()}")
    (out / DRAFTS).mkdir(parents=True, exist_ok=True)
    replace_text(mark, json.dumps(arguments) + "\n")


def _make_task(
    options: CitySuiteOptions, city: CityFolder, out: Path, work: tuple[TaskRequirements, Calendar]
) -> _StoredTask:
    """Make a task. If an earlier run has stored it, read it instead."""
    requirements, calendar = work
    path = out / DRAFTS / f"{requirements.number:04d}.json"
    if path.is_file():
        return _StoredTask.read(path.read_text("utf-8"))
    with TemporaryDirectory() as folder:
        draft_solver = DraftSolver(Path(folder), city, calendar)
        rejections: Counter[str] = Counter()
        for attempt in range(TRIES):
            result = _try_draft(options, city, calendar, requirements, attempt, draft_solver)
            if isinstance(result, SolvedDraft):
                stored = _StoredTask(attempt, result.counts, result.answer, result.sold, result.budget)
                replace_text(path, stored.text())
                return stored
            rejections[result] += 1
    reasons = "; ".join(f"{count:,} {reason}" for reason, count in rejections.most_common())
    raise UnsuitableSuiteError(
        f"{options.city}: none of {TRIES:,} drafts for {requirements.trip[0]} has the shape {requirements.shape} and one solution: {reasons}"
    )


def _try_draft(
    options: CitySuiteOptions,
    city: CityFolder,
    calendar: Calendar,
    requirements: TaskRequirements,
    attempt: int,
    draft_solver: DraftSolver,
) -> SolvedDraft | str:
    """Draw and solve a draft. Return the solved draft, or the reason why it is rejected."""
    random, draft = _draw_attempt(options, city, calendar, requirements, attempt)
    if draft is None:
        return "have a core with too few places that are open on these days, or too few lunches and dinners"
    try:
        task = draft_solver.load_task(draft)
        if not draft_solver.has_tickets_for_all_wishes(task):
            return "have a wish that no ticket gives on these days"
        counts = draft_solver.count_constraints(task)
        mismatch = requirements.shape.mismatch(counts.hard, counts.total, counts.timed)
        if mismatch:
            return f"have another number of {mismatch}"
        solved = draft_solver.solve(random, draft, counts, may_be_easy=attempt >= PATIENCE)
        return solved or "have no plan that can be made the only one"
    except DiagnosticError as error:
        if all(diagnostic.code == UNAVAILABLE_CODE for diagnostic in error.diagnostics):
            return "ask for what there is not on these days"
        raise UnsuitableSuiteError(f"{options.city}: {error}") from error


def _draw_attempt(
    options: CitySuiteOptions,
    city: CityFolder,
    calendar: Calendar,
    requirements: TaskRequirements,
    attempt: int,
) -> Any:
    """Return the random source of an attempt, and the draft drawn from it.

    The draft is None if none can be drawn.
    """
    random = Random(f"{options.seed} {city.head.id} {requirements.number} {attempt}")
    cores = city.scenarios.cores
    core = cores[requirements.cores[(attempt // BATCH) % len(requirements.cores)]]
    focus = requirements.focus
    if focus is not None and attempt >= focus.tries:
        focus = None
    return random, draw_draft(random, city, calendar, core, requirements.trip, requirements.shape, focus)


def _write_tasks(
    out: Path,
    city: CityFolder,
    calendar: Calendar,
    suite: str,
    options: CitySuiteOptions,
    requests: list[TaskRequirements],
    stored_tasks: list[_StoredTask],
    wording: RequestWording,
) -> list[str]:
    """Write the city's tables, the tasks and their reference plans. Return the ids of the tasks."""
    world = suite.removeprefix("worldtravel-")
    for folder in ("world", "answers"):
        (out / folder).mkdir(exist_ok=True)
    for name, text in world_files(city, calendar, world).items():
        replace_text(out / "world" / name, text)
    tasks = []
    for requirements, stored in zip(requests, stored_tasks, strict=True):
        _, draft = _draw_attempt(options, city, calendar, requirements, stored.attempt)
        name = f"{world}-{requirements.number:03d}"
        query = wording.query(Random(f"{options.seed} {name} words"), draft, stored.budget)
        text = task_text(
            draft,
            name,
            "world/world.yaml",
            query,
            budget=stored.budget,
            currency=city.head.currency,
            restaurants=city.restaurants,
            extra_lines=(f"reference: answers/{name}.reference.json",),
        )
        replace_text(
            out / "answers" / f"{name}.reference.json",
            json.dumps(stored.answer, indent=1, ensure_ascii=False) + "\n",
        )
        replace_text(out / f"{name}.task.yaml", text)
        tasks.append(name)
    return tasks


def _prove_tasks(out: Path, tasks: list[str], jobs: Jobs, on_progress: OnProgress) -> dict[str, dict[str, str]]:
    """Prove each written task, write its certificate, and return the results by task and back end."""
    claims: dict[str, dict[str, str]] = {}
    for task, results in zip(tasks, map_parallel(partial(_certify_task, out), tasks, jobs), strict=True):
        claims[task] = results
        on_progress(f"{task}: {_join_results(results)}", DRAWING + (1 - DRAWING) * len(claims) / len(tasks))
    return claims


def _join_results(results: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {status}" for name, status in results.items())


def _shorten(names: Sequence[str]) -> str:
    """Join at most `MOST_SHOWN` of the names, and add the number of the others."""
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return ", ".join(names[:MOST_SHOWN]) + more


def _certify_task(out: Path, task: str) -> dict[str, str]:
    """Prove a task.

    Return the result of each back end. It is `unique` if the back end proved both claims of uniqueness
    beyond the scope (bounds of the search).
    """
    path = out / f"{task}.task.yaml"
    certificate_file = certificates.certificate_path(path, task)
    certificate = _stored_certificate(path, certificate_file)
    if certificate is None:
        certificate = certify(path, beyond_scope=True, limits=Limits(seconds=SECONDS))
        certificates.write(certificate, certificate_file)
    results = _results_by_back_end(certificate.unique)
    if certificate.best is not None:
        for name, status in _results_by_back_end(certificate.best.unique).items():
            if results[name] == PROVED != status:
                results[name] = f"best {status}"
    return results


def _stored_certificate(path: Path, certificate_file: Path) -> certificates.Certificate | None:
    """Return the stored certificate, or None if the task has to be certified again.

    A task is certified again if its certificate cannot be read or is of an older version of the task. The same holds if
    the certificate does not claim uniqueness beyond the scope (bounds of the search), or lacks claims about the best
    plans.
    """
    try:
        certificate = certificates.read(certificate_file)
    except (OSError, ValueError):
        return None
    is_complete = certificates.claims_beyond(certificate.unique) and certificate.best is not None
    return certificate if is_complete and certificate.hash == proof_hash(load(path)) else None


def _results_by_back_end(claim: certificates.Unique) -> dict[str, str]:
    """Return the result of each back end for a claim of uniqueness beyond the scope (bounds of the search)."""
    leans = f"leans on {', '.join(claim.leans_on)}"
    return {
        name: leans if claim.leans_on and proof.status == PROVED else proof.status
        for name, proof in claim.backends.items()
    }
