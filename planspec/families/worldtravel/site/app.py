"""The site as an ASGI application: a city's pages with forms on them, sessions, and what they booked as JSON."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlsplit

from planspec.families.worldtravel.site.desk import BookingRefusedError, Desk
from planspec.families.worldtravel.site.panels import Panels
from planspec.families.worldtravel.site.trip import Trip
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec
from planspec.families.worldtravel.webscape.rendering import POLICY, Press
from planspec.families.worldtravel.webscape.tables import Tables

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

COOKIE = "planspec_session"
HEADER = "x-session"
"""The header that names a session where a client keeps no cookies: any text of up to `MOST_NAME` characters."""
MOST_NAME = 128
MOST_SESSIONS = 10_000
"""Sessions at a time; beyond them the one that was used least lately is forgotten."""
MOST_SEEDS = 8
"""Looks of the site that are kept at a time."""
MOST_FORM = 64_000
"""Bytes of a form."""
MOST_FIELDS = 500
LINKS = (("Your trip", "/trip"),)
"""Links of every page beside those of the city."""
HEADERS = {
    "content-security-policy": f"{POLICY}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "x-content-type-options": "nosniff", "referrer-policy": "same-origin", "cache-control": "no-store",
}  # fmt: skip


class City:
    """The city of a site: its pages in each look, and its desk.

    Args:
        world: the folder of its world.
        visual_only: whether what greys and colours tell is left to the eye, and not told to programs that read pages aloud.

    Raises:
        UnsuitableSuiteError: it is no world of WorldTravel.
    """

    def __init__(self, world: Path, *, visual_only: bool = False) -> None:
        self._visual_only = visual_only
        self.tables = Tables(world)
        self.desk = Desk(self.tables)
        self.panels = lru_cache(MOST_SEEDS)(self._panels)

    def _panels(self, seed: int) -> Panels:
        city = self.tables.city
        return Panels(
            Press(self.tables, city["id"], city["name"], seed, LINKS, visual_only=self._visual_only)
        )


class Sessions:
    """Trips by session.

    Attributes:
        only: the one session that there is, whatever a request says; None where each client has its own.

    Args:
        seed: of the looks of new ones.
        only: likewise.
    """

    def __init__(self, seed: int, only: str | None = None) -> None:
        self._seed, self.only = seed, only
        self._trips: OrderedDict[str, Trip] = OrderedDict()

    def __len__(self) -> int:
        return len(self._trips)

    def trip(self, name: str) -> Trip:
        """The trip of a session; a new one where there is none."""
        if name not in self._trips:
            self._trips[name] = Trip(self._seed)
            while len(self._trips) > MOST_SESSIONS:
                self._trips.popitem(last=False)
        self._trips.move_to_end(name)
        return self._trips[name]

    def reset(self, name: str, seed: int | None) -> Trip:
        """A new trip for a session, on a site with the looks of a seed; those of all if None."""
        self._trips[name] = Trip(self._seed if seed is None else seed)
        return self.trip(name)


def site_app(
    city: City, requests: Mapping[str, str], sessions: Sessions, looked: Callable[[str], None] | None = None
) -> Starlette:
    """The site of a city.

    | path | |
    |---|---|
    | `/`, `/booking/...`, ... | pages, with forms on those where one books |
    | `/go?place=ID&day=DAY` | leads to the page of a day |
    | `/search?q=WORDS` | places and hotels by words |
    | `/trip` | what is booked; `POST /trip/visit`, `ride`, `stay`, `remove`, `finish` change it |
    | `/requests`, `/requests/ID` | what travellers ask for |
    | `/state.json`, `/answer.json` | the session's trip, and the itinerary that it makes |
    | `POST /reset?seed=N` | a new trip for the session, and other looks of the site |
    | `/health` | that it is there, and of what city |

    A session is the text of the header `x-session`, else a cookie. Nothing that is sent is ever markup.

    Args:
        city: its pages and its desk, which several sites may share.
        requests: what travellers ask for, by the id of the task.
        sessions: of those who come.
        looked: hears the path of each page of the city that somebody looks at.

    Raises:
        ModuleNotFoundError: the extra is not installed.
    """
    from starlette.applications import Starlette
    from starlette.routing import Route

    site = _Site(city, requests, sessions, looked)
    routes = [
        Route("/health", site.health), Route("/state.json", site.state), Route("/answer.json", site.answer),
        Route("/reset", site.reset, methods=["POST"]), Route("/go", site.go), Route("/search", site.search),
        Route("/trip", site.trip), Route("/trip/{what}", site.change, methods=["POST"]),
        Route("/requests", site.requests), Route("/requests/{task}", site.request), Route("/{path:path}", site.page),
    ]  # fmt: skip
    return Starlette(routes=routes)


class _Site:
    def __init__(
        self,
        city: City,
        requests: Mapping[str, str],
        sessions: Sessions,
        looked: Callable[[str], None] | None,
    ) -> None:
        self._city, self._requests, self._sessions, self._looked = city, requests, sessions, looked

    # ------------------------------------------------------------------ for programs

    async def health(self, _: Request) -> Response:
        city = self._city.tables.city
        return self._json({"status": "ok", "city": city["id"], "tasks": sorted(self._requests), "sessions": len(self._sessions)})  # fmt: skip

    async def state(self, request: Request) -> Response:
        return self._with(request, lambda trip, _: self._json(trip.state()))

    async def answer(self, request: Request) -> Response:
        return self._with(request, lambda trip, _: self._json(trip.itinerary()))

    async def reset(self, request: Request) -> Response:
        said = request.query_params.get("seed")
        seed = None if said is None else _number(said)
        if said is not None and seed is None:
            return self._json({"error": "`seed` is a whole number"}, 400)
        if not _from_here(request):
            return self._json({"error": "asked by another site"}, 403)
        name, new = self._session(request)
        self._sessions.reset(name, seed)
        return _keeping(self._json(self._sessions.trip(name).state()), name, new=new)

    # ------------------------------------------------------------------ for people

    async def page(self, request: Request) -> Response:
        path = request.path_params["path"]

        def show(_: Trip, panels: Panels) -> Response:
            if path in ("", "index.html"):
                return self._html(panels.front())
            spec = panels.spec(path)
            if spec is None:
                return self._missing(panels)
            if self._looked is not None:
                self._looked(path)
            return self._html(panels.page(spec))

        return self._with(request, show)

    async def go(self, request: Request) -> Response:
        place, day = (request.query_params.get(name, "") for name in ("place", "day"))

        def lead(_: Trip, panels: Panels) -> Response:
            found = panels.day(place, day)
            if found is None:
                return self._html(
                    panels.told("No such day", "There is no page for this day.", _back(request)), 404
                )
            return self._led(f"/{found.path}")

        return self._with(request, lead)

    async def search(self, request: Request) -> Response:
        words = request.query_params.get("q", "")[:200]
        return self._with(request, lambda _, panels: self._html(panels.search(words)))

    async def trip(self, request: Request) -> Response:
        return self._with(request, lambda trip, panels: self._html(panels.trip(trip)))

    async def requests(self, request: Request) -> Response:
        return self._with(request, lambda _, panels: self._html(panels.requests(list(self._requests))))

    async def request(self, request: Request) -> Response:
        task = request.path_params["task"]

        def show(_: Trip, panels: Panels) -> Response:
            query = self._requests.get(task)
            return self._missing(panels) if query is None else self._html(panels.told(task, query, "/"))

        return self._with(request, show)

    async def change(self, request: Request) -> Response:
        what = request.path_params["what"]
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > MOST_FORM:
                return self._json({"error": "the form is too long"}, 413)
        try:
            form = dict(
                parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
            )
        except ValueError:
            return self._json({"error": f"the form has more than {MOST_FIELDS} fields"}, 400)

        def change(trip: Trip, panels: Panels) -> Response:
            if not _from_here(request):
                return self._html(panels.told("Not from here", "Another site sent this form.", "/"), 403)
            try:
                match what:
                    case "visit" | "ride" | "stay":
                        self._city.desk.book(trip, what, form)
                    case "remove" if (
                        not trip.finished and (number := _number(form.get("id", ""))) is not None
                    ):
                        trip.entries.pop(number, None)
                    case "finish":
                        trip.finished = True
                    case _:
                        return self._missing(panels)
            except BookingRefusedError as refused:
                trip.refuse(what, str(refused))
                return self._html(panels.told("Not booked", str(refused), _back(request)), 409)
            return self._led("/trip")

        return self._with(request, change)

    # ------------------------------------------------------------------ answers

    def _with(self, request: Request, show: Callable[[Trip, Panels], Response]) -> Response:
        """The answer to a request of a session, which keeps its name."""
        name, new = self._session(request)
        trip = self._sessions.trip(name)
        return _keeping(show(trip, self._city.panels(trip.seed)), name, new=new)

    def _session(self, request: Request) -> tuple[str, bool]:
        only = self._sessions.only
        return _session(request) if only is None else (only, False)

    def _missing(self, panels: Panels) -> Response:
        return self._html(panels.told("Not found", "There is no such page.", "/"), 404)

    def _html(self, text: str, status: int = 200) -> Response:
        from starlette.responses import HTMLResponse

        return HTMLResponse(text, status, headers=HEADERS)

    def _json(self, value: Any, status: int = 200) -> Response:
        from starlette.responses import JSONResponse

        return JSONResponse(value, status, headers=HEADERS)

    def _led(self, path: str) -> Response:
        from starlette.responses import RedirectResponse

        return RedirectResponse(quote(path), 303, headers=HEADERS)


def _number(said: str) -> int | None:
    """A whole number of up to nine digits; None of what is none."""
    return int(said) if said.isascii() and said.isdigit() and len(said) < 10 else None


def _session(request: Request) -> tuple[str, bool]:
    """The name of a request's session, and whether its client has to be told of it."""
    named = request.headers.get(HEADER)
    if named:
        return f"header {named[:MOST_NAME]}", False
    cookie = request.cookies.get(COOKIE)
    return (cookie[:MOST_NAME], False) if cookie else (secrets.token_urlsafe(18), True)


def _keeping(response: Response, name: str, *, new: bool) -> Response:
    if new:
        response.set_cookie(COOKIE, name, httponly=True, samesite="lax")
    return response


def _from_here(request: Request) -> bool:
    """Whether no other site's page sent a request."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


def _back(request: Request) -> str:
    """The path from which a form was sent, on this site."""
    came = urlsplit(request.headers.get("referer", ""))
    here = came.netloc == request.headers.get("host") and came.path.startswith("/")
    return came.path if here and not came.path.startswith("//") else "/"


__all__ = ["City", "PageSpec", "Sessions", "site_app"]
