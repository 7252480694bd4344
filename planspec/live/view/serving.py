"""Web server of `planspec view`, with a stream of attempts, and details of one or two attempts on demand."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock

from planspec.api.catalog import Catalog, suite_folder
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import open_task
from planspec.errors import NotFoundError
from planspec.live.loopback import (
    HEARTBEAT_S,
    EventStream,
    LoopbackServer,
    Query,
    Response,
    RouteResponse,
    live_page,
)
from planspec.live.panel.page import panel_program, panel_style
from planspec.live.view.index import RunIndex
from planspec.report.assets import join_files
from planspec.report.details import RunAttempt, TaskPageRequest, task_page
from planspec.report.record import ShownTask
from planspec.report.texts import line
from planspec.runs import RunFolder
from planspec.runs.pictures import find_picture
from planspec.runs.running import fingerprint, task_paths
from planspec.runs.suite_copy import SuiteCopy

BATCH_ROWS = 5_000
"""Number of attempts in a batch."""
POLL_S = 0.5
"""Seconds between two checks of the folders for new attempts."""
SECONDS = 5.0
"""Default time limit in seconds of each solver call for an opened attempt."""


class ViewServer(LoopbackServer):
    """Server of a page that shows runs.

    Args:
        folders: folders of the runs.
        port: port to listen on; 0 for a free one.
        seconds: time limit for finding the best plan, and for the repair, of an opened attempt; None to call no solver.

    Raises:
        InvalidRunError: a folder is not a run.
        OSError: the port cannot be listened on.
    """

    def __init__(self, folders: Sequence[RunFolder], port: int, seconds: float | None = SECONDS) -> None:
        self._folders = tuple(folders)
        self._seconds = seconds
        self._indices = [RunIndex(folder) for folder in folders]
        self._solver_lock = Lock()
        page = live_page(
            "planspec view",
            _BODY,
            panel_style() + "\n" + join_files(("view.css",), __package__),
            panel_program(join_files(("view.js",), __package__)),
        )
        routes = {
            "": lambda _: page,
            "events": self._events,
            "details": self._details,
            "picture": self._picture,
        }
        super().__init__(routes, port)

    def _events(self, _: Query) -> RouteResponse:
        return EventStream(self._lines())

    def _lines(self) -> Iterator[str | None]:
        """Yield events as JSON: the runs, then their attempts, then new attempts as runs grow."""
        indices = [RunIndex(folder) for folder in self._folders]
        yield json.dumps({"runs": [_run_json(index) for index in indices]})
        last_sent = time.monotonic()
        first = True
        while not self.ending.is_set():
            for number, index in enumerate(indices):
                for batch in index.batches(BATCH_ROWS):
                    last_sent = time.monotonic()
                    yield json.dumps(
                        {
                            "run": number,
                            "rows": batch.rows,
                            "tasks": batch.tasks,
                            "rules": batch.rules,
                            "boundaries": batch.boundaries,
                            "broken": batch.broken,
                        },
                        separators=(",", ":"),
                    )
            if first:
                first = False
                yield json.dumps({"read": True})
            if time.monotonic() - last_sent > HEARTBEAT_S:
                last_sent = time.monotonic()
                yield None
            time.sleep(POLL_S)

    def _details(self, query: Query) -> RouteResponse:
        """Return the details of one attempt, or of two attempts at the same task."""
        try:
            picks = [
                (int(run), int(offset)) for run, _, offset in (one.partition(":") for one in query["of"].split(","))
            ]
            attempts = [(run, self._indices[run].attempt(offset)) for run, offset in picks if run >= 0]
        except (KeyError, ValueError, IndexError, OverflowError, OSError):
            return None
        if not 0 < len(attempts) <= 2 or len({attempt.task for _, attempt in attempts}) > 1:
            return None
        seconds = self._seconds if query.get("proofs") == "1" else None
        with self._solver_lock:  # one search at a time: a solver uses all cores
            shown = attempt_details(
                [
                    (run, self._indices[run], RunAttempt(run, "", attempt, self._indices[run].run.prices))
                    for run, attempt in attempts
                ],
                seconds,
            )
        return Response("application/json", shown.model_dump_json(exclude_defaults=True).encode("utf-8", "replace"))

    def _picture(self, query: Query) -> RouteResponse:
        sha256 = query.get("sha256", "")
        if len(sha256) != 64 or not sha256.isalnum():
            return None
        picture = next(filter(None, (find_picture(folder.path, sha256) for folder in self._folders)), None)
        return None if picture is None else Response(picture.media, picture.data)


def attempt_details(attempts_by_run: Sequence[tuple[int, RunIndex, RunAttempt]], seconds: float | None) -> ShownTask:
    """Return what the page shows of a task and attempts at it: plans, findings, repairs and traces.

    Args:
        attempts_by_run: for each attempt, the number of its run, the run's `RunIndex`, and the attempt. All
            attempts are at the same task. It is shown as it was in the run of the first attempt.
        seconds: time limit of each solver call; None to call no solver.
    """
    _, index, first = attempts_by_run[0]
    folder, run, name = index.folder, index.run, first.attempt.task
    copy = SuiteCopy.of(folder.path)
    paths = _task_paths(index) if copy is None else copy.tasks
    sha256, fault = "", ""
    path = paths.get(name)
    if path is not None:
        workspace = Workspace() if copy is None else Workspace(copy.shipped)
        try:
            sha256 = fingerprint(open_task(path, run.setting, folder=None, workspace=workspace).judge.task).hex()
        except (NotFoundError, DiagnosticError, OSError) as error:
            fault = str(error)
    attempts = [RunAttempt(one.run, sha256, one.attempt, one.prices) for _, _, one in attempts_by_run]
    request = TaskPageRequest(
        task=name,
        path=path,
        folder=suite_folder(Path(run.suite_path)) if copy is None else copy.folder,
        setting=run.setting,
        sha256=sha256,
        facts=(("setting", line(run.setting)),),
        attempts=attempts,
        seconds=seconds,
        shipped=None if copy is None else copy.shipped,
    )
    shown = task_page(request).shown
    return shown.model_copy(update={"told": line(fault)}) if fault and shown.told is None else shown


def _task_paths(index: RunIndex) -> dict[str, Path]:
    """Return the original files of a run's tasks by id, for a run without copies; empty if the suite is gone."""
    catalog = Catalog()
    try:
        suite = catalog.suite(index.run.suite_path)
    except (NotFoundError, DiagnosticError, OSError):
        return {}
    return task_paths(index.run.tasks, suite, catalog)


def _run_json(index: RunIndex) -> dict[str, object]:
    run = index.run
    return {
        "name": line(run.name or run.agent),
        "folder": line(index.folder.path.name),
        "suite": line(run.suite),
        "setting": line(run.setting),
        "agent": line(run.agent),
        "repeats": run.repeats,
        "tasks": len(run.tasks),
        "wanted": run.repeats * len(run.tasks),
    }


_BODY = """<body class="panel-page view-page">
<header class="view-top"><h1 class="brand">planspec view</h1><div id="runs" class="wide" tabindex="0" role="region" aria-label="Runs"></div></header>
<main id="main">
<section id="heat" aria-label="What fails"></section>
<form class="find" id="filters" aria-label="Filters"></form>
<p class="found" id="found" role="status" aria-live="polite">Reading …</p>
<div class="rows" id="rows" tabindex="0" role="grid" aria-label="Attempts"><div class="heads" id="heads" role="row"></div><div id="space"><div id="window"></div></div></div>
<section id="open" aria-label="The attempt that is open"></section>
</main>
<p id="lost" class="lost" role="alert" hidden>The connection is lost: is <code>planspec view</code> still running?</p>
<noscript><p class="note">The page is drawn by its own program, which is switched off here; <code>planspec report</code> makes a page that does without.</p></noscript>
</body>"""
