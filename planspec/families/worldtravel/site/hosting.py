"""A site for one attempt, on the loopback address: whoever comes to it works at the same trip."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from planspec.families.worldtravel.site.app import City, Sessions, site_app

PAGE = "page"
"""The name under which a page that was looked at stands among the calls of an attempt; its `path` is the argument."""
HOST = "127.0.0.1"
TRAVELLER = "traveller"
"""The one session."""
PATIENCE_S = 5
"""The time that open connections have to end when an attempt is over."""


@dataclass(frozen=True, slots=True)
class CitySite:
    """The site of one attempt.

    Attributes:
        url: its address.
        sessions: with the one trip.
        paths: of the city's pages that were looked at, in order.
    """

    url: str
    sessions: Sessions
    paths: dict[str, None] = field(default_factory=dict)

    def looks(self) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """The pages that were looked at, each once."""
        return [(PAGE, {"path": path}) for path in list(self.paths)]

    def answer(self) -> Mapping[str, Any] | None:
        """The itinerary of what is booked; None where nothing is."""
        trip = self.sessions.trip(TRAVELLER)
        return trip.itinerary() if trip.entries else None

    def state(self) -> Mapping[str, Any]:
        """The trip as `/state.json` has it."""
        return self.sessions.trip(TRAVELLER).state()


@contextmanager
def hosted(city: City, requests: Mapping[str, str], seed: int = 0) -> Iterator[CitySite]:
    """Serve a city for one attempt.

    Args:
        city: whose pages and desk are used.
        requests: what the traveller asks for, by the id of the task.
        seed: of the site's looks.
    """
    import uvicorn
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    with socket.create_server((HOST, 0)) as listening:
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        site = CitySite(f"http://{HOST}:{listening.getsockname()[1]}/", Sessions(seed, TRAVELLER))
        app = site_app(city, requests, site.sessions, site.paths.setdefault)
        server = uvicorn.Server(
            uvicorn.Config(
                TrustedHostMiddleware(app, allowed_hosts=[HOST, "localhost"], www_redirect=False), log_level="warning", ws="none",
                lifespan="off", timeout_graceful_shutdown=PATIENCE_S,
            )
        )  # fmt: skip
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield site
        finally:
            server.should_exit = True
            thread.join(2 * PATIENCE_S)
