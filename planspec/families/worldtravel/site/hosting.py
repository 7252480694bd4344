"""Booking site for one attempt at a task, served on the loopback address. All visitors share one trip."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from planspec.dsl.model.task import Task
from planspec.families.worldtravel.site.app import BookableCity, Sessions, site_app
from planspec.families.worldtravel.site.visitor import Visitor

PAGE = "page"
"""Name of the tool call as which a page view is recorded. Its argument is `path`."""
HOST = "127.0.0.1"
TRAVELLER = "traveller"
"""Name of the only session, which all visitors share."""
PATIENCE_S = 5
"""Time that open connections have to close after an attempt, in seconds."""


@dataclass(frozen=True, slots=True)
class CitySite:
    """Booking site of one attempt at a task.

    Attributes:
        url: address of the site.
        city: city of the site.
        task: attempted task.
        sessions: sessions of the site. All share one trip.
        paths: paths of the opened city pages, in order, as the keys of a dictionary.
    """

    url: str
    city: BookableCity
    task: Task
    sessions: Sessions
    paths: dict[str, None] = field(default_factory=dict)

    def looks(self) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """Return each opened page as a tool call: a pair of `PAGE` and the arguments."""
        return [(PAGE, {"path": path}) for path in list(self.paths)]

    def answer(self) -> Mapping[str, Any] | None:
        """Return the bookings as an itinerary, or None if nothing is booked."""
        trip = self.sessions.trip(TRAVELLER)
        return trip.itinerary() if trip.entries else None

    def state(self) -> Mapping[str, Any]:
        """Return the trip as `/state.json` shows it."""
        return self.sessions.trip(TRAVELLER).state()

    def ended(self) -> bool:
        """Return whether the agent has finished the trip."""
        return self.sessions.trip(TRAVELLER).finished

    def book_in_browser(self, page: Any, answer: Mapping[str, Any]) -> None:
        """Book an itinerary in a browser page, and finish the trip.

        Raises:
            UnclickableItineraryError: a part of the itinerary cannot be booked.
        """
        Visitor(self.city.tables, self.task, self.url.rstrip("/")).book(page, answer["itinerary"])


@contextmanager
def serve_city(city: BookableCity, task: Task, seed: int = 0) -> Iterator[CitySite]:
    """Serve a city's site while the context is open.

    Args:
        city: pages and booking desk of the city.
        task: attempted task.
        seed: seed of the site's visual style.
    """
    import uvicorn
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    with socket.create_server((HOST, 0)) as listener:
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        url = f"http://{HOST}:{listener.getsockname()[1]}/"
        site = CitySite(url, city, task, Sessions(seed, TRAVELLER))
        app = site_app(city, {task.id.partition("@")[0]: task.query}, site.sessions, site.paths.setdefault)
        server = uvicorn.Server(
            uvicorn.Config(
                TrustedHostMiddleware(app, allowed_hosts=[HOST, "localhost"], www_redirect=False),
                log_level="warning",
                ws="none",
                lifespan="off",
                timeout_graceful_shutdown=PATIENCE_S,
            )
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield site
        finally:
            server.should_exit = True
            thread.join(2 * PATIENCE_S)
