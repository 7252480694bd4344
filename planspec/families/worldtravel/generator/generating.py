"""`planspec generate worldtravel`: a city's scenarios made into a suite of tasks, each with one solution that is proved."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Mapping
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
from planspec.dsl.model.proof_hash import proof_hash
from planspec.errors import DiagnosticError
from planspec.families.suite_writing.options import OnProgress, UnsuitableSuiteError, ignore_progress
from planspec.families.suite_writing.writing import suite_text
from planspec.families.worldtravel.generator.calendar import Calendar, draw_calendar
from planspec.families.worldtravel.generator.checking import check
from planspec.families.worldtravel.generator.city import City
from planspec.families.worldtravel.generator.documents import task_text
from planspec.families.worldtravel.generator.drawing import draw
from planspec.families.worldtravel.generator.making import Bench, Counts, Made
from planspec.families.worldtravel.generator.plan_of_suite import Commission, commissions
from planspec.families.worldtravel.generator.quality import measured, readme
from planspec.families.worldtravel.generator.wording import Wording
from planspec.families.worldtravel.generator.world import world_files
from planspec.files import replace_text
from planspec.parallel import Jobs, map_parallel
from planspec.solvers.backends.outcome import Limits

if TYPE_CHECKING:
    from planspec.families.worldtravel.outputs import GenerateOutput

MARK = "generated.json"
"""The file that marks a folder as generated, with its arguments."""
DRAFTS = "drafts"
"""The folder of what is done while a suite is made."""
TRIES = 2000
"""Drafts of a task, until one is of its shape and has one solution."""
BATCH = 40
"""Drafts of a core that are tried before another core may take its place."""
PATIENCE = 1000
"""Drafts of a task, until one may be taken that a planner passes which never looks ahead."""
NOTHING_TO_TAKE = "PS401"
"""The diagnostic of a draft that asks for what is not there on its days."""
DRAWING = 0.3
"""The share of the time that drawing takes; the rest goes to proofs."""
PROVED = "unique"
"""The status of a proof that a task has one solution."""
SECONDS = 300.0
"""Of wall clock for each proof of a task."""


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """What a suite is made of.

    Attributes:
        city: the folder of its author.
        tasks: their number.
        seed: another one makes another calendar and other tasks.
        after: tasks of the benchmark that other cities have, so that all together have the paper's distribution.
        named: the city as the user named it.
    """

    city: Path
    tasks: int = 30
    seed: int = 0
    after: int = 0
    named: str = ""


@dataclass(frozen=True, slots=True)
class GeneratedTasks:
    """The generated suite.

    Attributes:
        tasks: their ids.
        proved: how many are proved to have one solution, by back end.
        unproved: what the back ends say of those that one of them did not prove.
    """

    folder: Path
    suite: str
    tasks: tuple[str, ...]
    proved: Mapping[str, int]
    unproved: Mapping[str, Mapping[str, str]]

    def document(self) -> GenerateOutput:
        """The account of it as JSON."""
        from planspec.families.worldtravel.outputs import GenerateOutput

        return GenerateOutput(
            family="worldtravel",
            suite=self.suite,
            folder=str(self.folder),
            tasks=list(self.tasks),
            proved=dict(self.proved),
            unproved={task: dict(said) for task, said in self.unproved.items()},
        )

    def lines(self) -> list[str]:
        """The account of it for people."""
        proved = ", ".join(f"{count} by {name}" for name, count in self.proved.items())
        return [
            f"suite {self.suite}: {len(self.tasks)} tasks in {self.folder}",
            f"proved to have one solution: {proved}",
            *(f"not proved to have one: {task} ({_listed(said)})" for task, said in self.unproved.items()),
        ]


@dataclass(frozen=True, slots=True)
class _Kept:
    """A task that is made, as it is kept until all are: the draft follows from the number of its attempt."""

    attempt: int
    counts: Counts
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
    def read(cls, text: str) -> _Kept:
        data = json.loads(text)
        sold = {(offer, date.fromisoformat(day), at): left for offer, day, at, left in data["sold"]}
        return cls(data["attempt"], Counts(*data["counts"]), data["answer"], sold, data["budget"])


def generate(
    out: Path, wanted: SuiteOptions, on_progress: OnProgress = ignore_progress, *, jobs: Jobs = 1
) -> GeneratedTasks:
    """Fill a folder with a suite; the same arguments give the same bytes, certificates' times apart.

    What is done is kept, so that the same command goes on with what was broken off.

    Args:
        out: a new folder, or one that was begun or generated before.
        wanted: the city, and how much.
        on_progress: called with the progress.
        jobs: processes, or a Ray cluster; what is made does not depend on it.

    Raises:
        UnsuitableSuiteError: the city is none, or has no task of a shape, or the folder is another's.
        OSError: a file cannot be written.
    """
    city = City.read(wanted.city)
    arguments = {"city": city.head.id, "tasks": wanted.tasks, "seed": wanted.seed, "after": wanted.after}
    check(city)
    _begin(out, arguments)
    asked = list(commissions(city, wanted.tasks, wanted.seed, wanted.after))
    days = max(city.head.days, (asked[-1].trip[-1] - city.head.first).days + 1)
    calendar = draw_calendar(city, city.head.first, days, wanted.seed)
    kept: list[_Kept] = []
    work = ((one, calendar.on(one.trip)) for one in asked)
    for made in map_parallel(partial(_made, wanted, city, out), work, jobs):
        kept.append(made)
        on_progress(
            f"task {len(kept)} of {len(asked)}: {made.counts.hard} hard, {len(made.sold)} starts sold out",
            DRAWING * len(kept) / len(asked),
        )
    sold = {start: left for made in kept for start, left in made.sold.items()}
    suite = f"worldtravel-{city.head.id}" + ("" if wanted.seed == 0 else f"-s{wanted.seed}")
    tasks = _write(out, city, calendar.sold(sold), suite, wanted, asked, kept)
    claims = _prove(out, tasks, jobs, on_progress)
    proved = {name: sum(said[name] == PROVED for said in claims.values()) for name in claims[tasks[0]]}
    replace_text(
        out / f"{suite}.suite.yaml",
        suite_text(
            suite,
            "worldtravel",
            f"WorldTravel, {city.head.name}",
            [f"{t}.task.yaml" for t in tasks],
            "worldtravel",
        ),
    )
    on_progress("measuring the tasks", 1.0)
    command = " ".join(
        [
            "planspec generate worldtravel",
            *(
                f"--{name} {value}"
                for name, value in {**arguments, "city": wanted.named or wanted.city}.items()
            ),
        ]
    )
    replace_text(
        out / "README.md",
        readme(city, suite, list(map_parallel(partial(measured, out), tasks, jobs)), command, proved),
    )
    shutil.rmtree(out / DRAFTS)
    unproved = {task: said for task, said in claims.items() if any(it != PROVED for it in said.values())}
    return GeneratedTasks(out, suite, tuple(tasks), proved, unproved)


def _begin(out: Path, arguments: Mapping[str, Any]) -> None:
    """Take a folder: a new one, or one of the same arguments."""
    mark = out / MARK
    if out.exists() and any(out.iterdir()):
        if not mark.is_file():
            raise UnsuitableSuiteError(f"`{out}` is neither a new folder nor one that was generated before")
        if json.loads(mark.read_text("utf-8")) != arguments:
            raise UnsuitableSuiteError(
                f"`{out}` was generated with other arguments: {mark.read_text('utf-8').strip()}"
            )
    (out / DRAFTS).mkdir(parents=True, exist_ok=True)
    replace_text(mark, json.dumps(arguments) + "\n")


def _made(wanted: SuiteOptions, city: City, out: Path, work: tuple[Commission, Calendar]) -> _Kept:
    """A task that is made, or was before: what is asked for, and the days of its trip."""
    asked, calendar = work
    path = out / DRAFTS / f"{asked.number:04d}.json"
    if path.is_file():
        return _Kept.read(path.read_text("utf-8"))
    with TemporaryDirectory() as folder:
        bench = Bench(Path(folder), city, calendar)
        turned_down: Counter[str] = Counter()
        for attempt in range(TRIES):
            made = _attempt(wanted, city, calendar, asked, attempt, bench)
            if isinstance(made, Made):
                kept = _Kept(attempt, made.counts, made.answer, made.sold, made.budget)
                replace_text(path, kept.text())
                return kept
            turned_down[made] += 1
    told = "; ".join(f"{count:,} {why}" for why, count in turned_down.most_common())
    raise UnsuitableSuiteError(
        f"{wanted.city}: none of {TRIES:,} drafts for {asked.trip[0]} has the shape {asked.shape} and one solution: {told}"
    )


def _attempt(
    wanted: SuiteOptions, city: City, calendar: Calendar, asked: Commission, attempt: int, bench: Bench
) -> Made | str:
    """The draft of an attempt, made into a task, or why it is none."""
    random, draft = _draft(wanted, city, calendar, asked, attempt)
    if draft is None:
        return "have a core with too few places that are open on these days, or too few lunches and dinners"
    try:
        task = bench.task(draft)
        if not bench.is_clear(task):
            return "have a wish that no offer gives on these days, or two for the same price"
        counts = bench.counts(task)
        unfit = asked.shape.unfit(counts.hard, counts.total, counts.timed)
        if unfit:
            return f"have another number of {unfit}"
        made = bench.made(random, draft, counts, easy=attempt >= PATIENCE)
        return made or "have no plan that can be made the only one"
    except DiagnosticError as error:
        if all(found.code == NOTHING_TO_TAKE for found in error.diagnostics):
            return "ask for what there is not on these days"
        raise UnsuitableSuiteError(f"{wanted.city}: {error}") from error


def _draft(wanted: SuiteOptions, city: City, calendar: Calendar, asked: Commission, attempt: int) -> Any:
    """The draft of an attempt, with the source of what is drawn after it."""
    random = Random(f"{wanted.seed} {city.head.id} {asked.number} {attempt}")
    cores = city.scenarios.cores
    core = cores[asked.cores[(attempt // BATCH) % len(asked.cores)]]
    return random, draw(random, city, calendar, core, asked.trip, asked.shape)


def _write(
    out: Path,
    city: City,
    calendar: Calendar,
    suite: str,
    wanted: SuiteOptions,
    asked: list[Commission],
    kept: list[_Kept],
) -> list[str]:
    """Write world, tasks and answers; the ids of the tasks."""
    world = suite.removeprefix("worldtravel-")
    for folder in ("world", "answers"):
        (out / folder).mkdir(exist_ok=True)
    for name, text in world_files(city, calendar, world).items():
        replace_text(out / "world" / name, text)
    wording = Wording(city)
    tasks = []
    for commission, made in zip(asked, kept, strict=True):
        _, draft = _draft(wanted, city, calendar, commission, made.attempt)
        name = f"{world}-{commission.number:03d}"
        query = wording.query(Random(f"{wanted.seed} {name} words"), draft, made.budget)
        text = task_text(
            draft, name, "world/world.yaml", query, budget=made.budget, currency=city.head.currency,
            more=(f"reference: answers/{name}.reference.json",),
        )  # fmt: skip
        replace_text(
            out / "answers" / f"{name}.reference.json",
            json.dumps(made.answer, indent=1, ensure_ascii=False) + "\n",
        )
        replace_text(out / f"{name}.task.yaml", text)
        tasks.append(name)
    return tasks


def _prove(out: Path, tasks: list[str], jobs: Jobs, on_progress: OnProgress) -> dict[str, dict[str, str]]:
    """Prove each task from its file, and write its certificate; what each back end says of it."""
    claims: dict[str, dict[str, str]] = {}
    for task, said in zip(tasks, map_parallel(partial(_certified, out), tasks, jobs), strict=True):
        claims[task] = said
        on_progress(f"{task}: {_listed(said)}", DRAWING + (1 - DRAWING) * len(claims) / len(tasks))
    return claims


def _listed(said: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {status}" for name, status in said.items())


def _certified(out: Path, task: str) -> dict[str, str]:
    """What each back end says of both claims of a task beyond its scope: `unique`, or something else."""
    path = out / f"{task}.task.yaml"
    there = certificates.certificate_path(path, task)
    certificate = _kept_proof(path, there)
    if certificate is None:
        certificate = certify(path, beyond_scope=True, limits=Limits(seconds=SECONDS))
        certificates.write(certificate, there)
    said = _said(certificate.unique)
    if certificate.best is not None:
        for name, now in _said(certificate.best.unique).items():
            if said[name] == PROVED != now:
                said[name] = f"best {now}"
    return said


def _kept_proof(path: Path, there: Path) -> certificates.Certificate | None:
    """The certificate that was written before, if it still holds and has both claims beyond the scope."""
    try:
        found = certificates.read(there)
    except (OSError, ValueError):
        return None
    whole = certificates.claims_beyond(found.unique) and found.best is not None
    return found if whole and found.hash == proof_hash(load(path)) else None


def _said(claim: certificates.Unique) -> dict[str, str]:
    """What each back end says of a claim beyond the scope."""
    leans = f"leans on {', '.join(claim.leans_on)}"
    return {
        name: leans if claim.leans_on and proof.status == PROVED else proof.status
        for name, proof in claim.backends.items()
    }
