"""The site as an ASGI application: a city's pages with forms, sessions, and their bookings as JSON."""

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
"""Header that names the session of a client without cookies: any text of up to `MOST_NAME` characters."""
MOST_NAME = 128
MOST_SESSIONS = 10_000
"""Sessions at a time; beyond this number the least recently used one is dropped."""
MOST_SEEDS = 8
"""Cached looks of the site."""
MOST_FORM = 64_000
"""Bytes of a form."""
MOST_FIELDS = 500
LINKS = (("Your trip", "/trip"),)
"""Links on every page besides those of the city."""
HEADERS = {
    "content-security-policy": f"{POLICY}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "x-content-type-options": "nosniff", "referrer-policy": "same-origin", "cache-control": "no-store",
}  # fmt: skip


class City:
    """The city of a site: its pages in each look, and its booking desk.

    Args:
        world: folder of its world.
        visual_only: whether facts shown only by greys and colours are hidden from screen readers.

    Raises:
        UnsuitableSuiteError: the folder is no world of WorldTravel.
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
        only: name of the single session, whatever a request says; None if each client has its own.

    Args:
        seed: seed of the looks of new trips.
        only: name of the single session, or None.
    """

    def __init__(self, seed: int, only: str | None = None) -> None:
        self._seed, self.only = seed, only
        self._trips: OrderedDict[str, Trip] = OrderedDict()

    def __len__(self) -> int:
        return len(self._trips)

    def trip(self, name: str) -> Trip:
        """Return the trip of a session, or a new one."""
        if name not in self._trips:
            self._trips[name] = Trip(self._seed)
            while len(self._trips) > MOST_SESSIONS:
                self._trips.popitem(last=False)
        self._trips.move_to_end(name)
        return self._trips[name]

    def reset(self, name: str, seed: int | None) -> Trip:
        """Start a new trip for a session, with the looks of a seed, or with the default looks if it is None."""
        self._trips[name] = Trip(self._seed if seed is None else seed)
        return self.trip(name)


def site_app(
    city: City, requests: Mapping[str, str], sessions: Sessions, on_page: Callable[[str], None] | None = None
) -> Starlette:
    """Return the site of a city.

    | path | |
    |---|---|
    | `/`, `/booking/...`, ... | pages, with booking forms on some |
    | `/go?place=ID&day=DAY` | redirects to the page of a day |
    | `/search?q=WORDS` | places and hotels by words |
    | `/trip` | bookings; `POST /trip/visit`, `ride`, `stay`, `remove`, `finish` change them |
    | `/requests`, `/requests/ID` | the travellers' requests |
    | `/state.json`, `/answer.json` | the session's trip, and its itinerary |
    | `POST /reset?seed=N` | a new trip for the session, and other looks of the site |
    | `/health` | status and city |

    A session is named by the header `x-session`, or else by a cookie. Input is never treated as markup.

    Args:
        city: pages and desk, which several sites may share.
        requests: requests of travellers, by task id.
        sessions: sessions of the clients.
        on_page: called with the path of each city page that is opened.

    Raises:
        ModuleNotFoundError: the extra is not installed.
    """
    from starlette.applications import Starlette
    from starlette.routing import Route

    site = _Site(city, requests, sessions, on_page)
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
        on_page: Callable[[str], None] | None,
    ) -> None:
        self._city, self._requests, self._sessions, self._on_page = city, requests, sessions, on_page

    # ------------------------------------------------------------------ for programs

    async def health(self, _: Request) -> Response:
        city = self._city.tables.city
        return self._json({"status": "ok", "city": city["id"], "tasks": sorted(self._requests), "sessions": len(self._sessions)})  # fmt: skip

    async def state(self, request: Request) -> Response:
        return self._with(request, lambda trip, _: self._json(trip.state()))

    async def answer(self, request: Request) -> Response:
        return self._with(request, lambda trip, _: self._json(trip.itinerary()))

    async def reset(self, request: Request) -> Response:
        text = request.query_params.get("seed")
        seed = None if text is None else _number(text)
        if text is not None and seed is None:
            return self._json({"error": "`seed` is a whole number"}, 400)
        if not _from_here(request):
            return self._json({"error": "asked by another site"}, 403)
        name, new = self._session(request)
        self._sessions.reset(name, seed)
        return _with_cookie(self._json(self._sessions.trip(name).state()), name, new=new)

    # ------------------------------------------------------------------ for people

    async def page(self, request: Request) -> Response:
        path = request.path_params["path"]

        def show(_: Trip, panels: Panels) -> Response:
            if path in ("", "index.html"):
                return self._html(panels.front())
            spec = panels.spec(path)
            if spec is None:
                return self._missing(panels)
            if self._on_page is not None:
                self._on_page(path)
            return self._html(panels.page(spec))

        return self._with(request, show)

    async def go(self, request: Request) -> Response:
        place, day = (request.query_params.get(name, "") for name in ("place", "day"))

        def redirect(_: Trip, panels: Panels) -> Response:
            spec = panels.day(place, day)
            if spec is None:
                return self._html(
                    panels.message("No such day", "There is no page for this day.", _back(request)), 404
                )
            return self._redirect(f"/{spec.path}")

        return self._with(request, redirect)

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
            return self._missing(panels) if query is None else self._html(panels.message(task, query, "/"))

        return self._with(request, show)

    async def change(self, request: Request) -> Response:
        action = request.path_params["what"]
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
                return self._html(panels.message("Not from here", "Another site sent this form.", "/"), 403)
            try:
                match action:
                    case "visit" | "ride" | "stay":
                        self._city.desk.book(trip, action, form)
                    case "remove" if (
                        not trip.finished and (number := _number(form.get("id", ""))) is not None
                    ):
                        trip.entries.pop(number, None)
                    case "finish":
                        trip.finished = True
                    case _:
                        return self._missing(panels)
            except BookingRefusedError as refused:
                trip.refuse(action, str(refused))
                return self._html(panels.message("Not booked", str(refused), _back(request)), 409)
            return self._redirect("/trip")

        return self._with(request, change)

    # ------------------------------------------------------------------ answers

    def _with(self, request: Request, show: Callable[[Trip, Panels], Response]) -> Response:
        """Return the response to a session's request, with the session's cookie if it is new."""
        name, new = self._session(request)
        trip = self._sessions.trip(name)
        return _with_cookie(show(trip, self._city.panels(trip.seed)), name, new=new)

    def _session(self, request: Request) -> tuple[str, bool]:
        only = self._sessions.only
        return _session(request) if only is None else (only, False)

    def _missing(self, panels: Panels) -> Response:
        return self._html(panels.message("Not found", "There is no such page.", "/"), 404)

    def _html(self, text: str, status: int = 200) -> Response:
        from starlette.responses import HTMLResponse

        return HTMLResponse(text, status, headers=HEADERS)

    def _json(self, value: Any, status: int = 200) -> Response:
        from starlette.responses import JSONResponse

        return JSONResponse(value, status, headers=HEADERS)

    def _redirect(self, path: str) -> Response:
        from starlette.responses import RedirectResponse

        return RedirectResponse(quote(path), 303, headers=HEADERS)


def _number(text: str) -> int | None:
    """Return a whole number of up to nine digits, or None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _session(request: Request) -> tuple[str, bool]:
    """Return the name of a request's session, and whether its client needs the cookie."""
    name = request.headers.get(HEADER)
    if name:
        return f"header {name[:MOST_NAME]}", False
    cookie = request.cookies.get(COOKIE)
    return (cookie[:MOST_NAME], False) if cookie else (secrets.token_urlsafe(18), True)


def _with_cookie(response: Response, name: str, *, new: bool) -> Response:
    if new:
        response.set_cookie(COOKIE, name, httponly=True, samesite="lax")
    return response


def _from_here(request: Request) -> bool:
    """Return whether the request comes from this site's own pages, or from no page."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


def _back(request: Request) -> str:
    """Return the path of the page that sent a form, on this site."""
    referer = urlsplit(request.headers.get("referer", ""))
    is_local = referer.netloc == request.headers.get("host") and referer.path.startswith("/")
    return referer.path if is_local and not referer.path.startswith("//") else "/"


__all__ = ["City", "PageSpec", "Sessions", "site_app"]
