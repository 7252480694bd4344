"""Web server of `planspec play`: one page, a stream of panels for each task, and drafts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from planspec.live.loopback import (
    EventStream,
    LoopbackServer,
    Message,
    Query,
    Response,
    RouteResponse,
    attribute_value,
    live_page,
)
from planspec.live.panel.page import panel_program, panel_style
from planspec.live.play.drafts import Drafts, save_text
from planspec.live.play.jobs import DraftSettings
from planspec.live.play.watching import follow_task
from planspec.report.assets import join_files
from planspec.report.texts import line


class PlayServer(LoopbackServer):
    """Server of a page that shows tasks, follows changes of their files, and drafts tasks from requests.

    Args:
        tasks: name on the page and file of each task.
        port: port to listen on; 0 for a free one.
        seconds: time limit of each solver call.
        answer: file with an answer to the first task, shown instead of its reference.
        proofs: whether solvers are called.
        drafting: the model that drafts tasks, with its limits; None to turn drafting off.
        folder: folder of drafts.

    Raises:
        OSError: the port cannot be listened on.
    """

    def __init__(
        self,
        tasks: Sequence[tuple[str, Path]],
        port: int,
        seconds: float,
        answer: Path | None = None,
        *,
        proofs: bool = True,
        drafting: DraftSettings | None = None,
        folder: Path | None = None,
    ) -> None:
        self._tasks = list(tasks)
        self._drafted: list[int] = []
        self._seconds, self._answer, self._proofs = seconds, answer, proofs
        self._drafting = drafting
        self._drafts = Drafts(drafting, folder or Path(), self._add_task, self._is_ending)
        self._style = panel_style() + "\n" + join_files(("play.css",), __package__)
        self._program = panel_program(join_files(("draft.js", "play.js"), __package__))
        super().__init__(
            {"": lambda _: self._page(), "events": self._events, "draft": self._draft_events, "text": self._text},
            port,
            {
                "draft": lambda message: self._drafts.start(message, self._like),
                "answer": self._drafts.answer,
                "stop": self._drafts.stop,
                "save": self._save,
            },
        )

    def _is_ending(self) -> bool:
        return self.ending.is_set()

    def _page(self) -> Response:
        body = _BODY.format(
            names=attribute_value([name for name, _ in self._tasks]),
            drafted=attribute_value(self._drafted),
            model=attribute_value(None if self._drafting is None else line(self._drafting.model)),
        )
        return live_page("planspec play", body, self._style, self._program)

    def _add_task(self, name: str, path: Path) -> int:
        self._tasks.append((name, path))
        self._drafted.append(len(self._tasks) - 1)
        return len(self._tasks) - 1

    def _task_number(self, text: object) -> int | None:
        return {str(number): number for number in range(len(self._tasks))}.get(str(text))

    def _events(self, query: Query) -> RouteResponse:
        number = self._task_number(query.get("task", "0"))
        return None if number is None else EventStream(self._panels(number))

    def _panels(self, number: int) -> Iterator[str | None]:
        _, path = self._tasks[number]
        answer = self._answer if number == 0 else None
        for panel in follow_task(path, self._seconds, answer, proofs=self._proofs, is_ended=self.ending.is_set):
            yield None if panel is None else panel.model_dump_json(exclude_defaults=True)

    def _draft_events(self, query: Query) -> RouteResponse:
        events = self._drafts.events(query.get("draft", ""))
        return None if events is None else EventStream(events)

    def _like(self, number: object) -> Path | None:
        task = self._task_number(number)
        return None if task is None else self._tasks[task][1]

    def _drafted_file(self, number: object) -> Path | None:
        """Return the file of a task drafted on this page, or None. The page may edit no other files."""
        task = self._task_number(number)
        return None if task not in self._drafted else self._tasks[task][1]

    def _text(self, query: Query) -> RouteResponse:
        path = self._drafted_file(query.get("task"))
        try:
            return None if path is None else Response("text/plain; charset=utf-8", path.read_bytes())
        except OSError:
            return None

    def _save(self, message: Message) -> dict[str, Any]:
        path = self._drafted_file(message.get("task"))
        return {"error": "Only drafts of this page are edited here."} if path is None else save_text(path, message)


_BODY = """<body class="panel-page">
<div class="play">
<nav id="tasks" aria-label="Tasks" data-names="{names}" data-drafted="{drafted}" data-model="{model}"></nav>
<main id="panel-place" tabindex="-1"><p class="empty">Reading …</p></main>
</div>
<p id="lost" class="lost" role="alert" hidden>The connection is lost: is <code>planspec play</code> still running?</p>
<noscript><p class="note">The panel is drawn by the page's own program, which is switched off here.</p></noscript>
</body>"""
