"""Web server of `planspec play`: one page, and a stream of panels for each task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from planspec.live.loopback import (
    EventStream,
    LoopbackServer,
    Query,
    RouteResponse,
    attribute_value,
    live_page,
)
from planspec.live.panel.page import panel_program, panel_style
from planspec.live.play.watching import follow_task
from planspec.report.assets import join_files


class PlayServer(LoopbackServer):
    """Server of a page that shows tasks while their files change.

    Args:
        tasks: name on the page and file of each task.
        port: port to listen on; 0 for a free one.
        seconds: time limit of each solver call.
        answer: file with an answer to the first task, shown instead of its reference.
        proofs: whether solvers are called.

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
    ) -> None:
        self._tasks = tuple(tasks)
        self._seconds, self._answer, self._proofs = seconds, answer, proofs
        page = live_page(
            "planspec play",
            _BODY.format(names=attribute_value([name for name, _ in tasks])),
            panel_style() + "\n" + join_files(("play.css",), __package__),
            panel_program(join_files(("play.js",), __package__)),
        )
        super().__init__({"": lambda _: page, "events": self._events}, port)

    def _events(self, query: Query) -> RouteResponse:
        places = {str(number): number for number in range(len(self._tasks))}
        number = places.get(query.get("task", "0"))
        return None if number is None else EventStream(self._panels(number))

    def _panels(self, number: int) -> Iterator[str | None]:
        _, path = self._tasks[number]
        answer = self._answer if number == 0 else None
        for panel in follow_task(path, self._seconds, answer, proofs=self._proofs, is_ended=self.ending.is_set):
            yield None if panel is None else panel.model_dump_json(exclude_defaults=True)


_BODY = """<body class="panel-page">
<div class="play">
<nav id="tasks" aria-label="Tasks" data-names="{names}"></nav>
<main id="panel-place" tabindex="-1"><p class="empty">Reading …</p></main>
</div>
<p id="lost" class="lost" role="alert" hidden>The connection is lost: is <code>planspec play</code> still running?</p>
<noscript><p class="note">The panel is drawn by the page's own program, which is switched off here.</p></noscript>
</body>"""
