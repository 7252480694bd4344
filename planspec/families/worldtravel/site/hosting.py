"""A site for one attempt, on the loopback address, with a single trip for all visitors."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from planspec.dsl.model.task import Task
from planspec.families.worldtravel.site.app import City, Sessions, site_app
from planspec.families.worldtravel.site.visitor import Visitor

PAGE = "page"
"""Name of a page view among the calls of an attempt; its `path` is the argument."""
HOST = "127.0.0.1"
TRAVELLER = "traveller"
"""Name of the single session."""
PATIENCE_S = 5
"""Seconds for open connections to end when an attempt is over."""


@dataclass(frozen=True, slots=True)
class CitySite:
    """The site of one attempt.

    Attributes:
        url: address of the site.
        city: city of the site.
        task: task of the travellers.
        sessions: sessions with the single trip.
        paths: paths of the opened city pages, in order.
    """

    url: str
    city: City
    task: Task
    sessions: Sessions
    paths: dict[str, None] = field(default_factory=dict)

    def looks(self) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """Return the opened pages, each once."""
        return [(PAGE, {"path": path}) for path in list(self.paths)]

    def answer(self) -> Mapping[str, Any] | None:
        """Return the itinerary of the bookings, or None without bookings."""
        trip = self.sessions.trip(TRAVELLER)
        return trip.itinerary() if trip.entries else None

    def state(self) -> Mapping[str, Any]:
        """Return the trip as in `/state.json`."""
        return self.sessions.trip(TRAVELLER).state()

    def ended(self) -> bool:
        """Return whether the trip is finished."""
        return self.sessions.trip(TRAVELLER).finished

    def click(self, page: Any, answer: Mapping[str, Any]) -> None:
        """Book an itinerary by clicking, and finish the trip.

        Raises:
            UnclickableItineraryError: a part of it cannot be booked.
        """
        Visitor(self.city.tables, self.task, self.url.rstrip("/")).book(page, answer["itinerary"])


@contextmanager
def hosted(city: City, task: Task, seed: int = 0) -> Iterator[CitySite]:
    """Serve a city for one attempt.

    Args:
        city: pages and desk to use.
        task: task of the travellers.
        seed: seed of the site's looks.
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
                TrustedHostMiddleware(app, allowed_hosts=[HOST, "localhost"], www_redirect=False), log_level="warning", ws="none",
                lifespan="off", timeout_graceful_shutdown=PATIENCE_S,
            )
        )  # fmt: skip
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield site
        finally:
            server.should_exit = True
            thread.join(2 * PATIENCE_S)
