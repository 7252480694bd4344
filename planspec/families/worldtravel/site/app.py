"""Booking site as an ASGI application: a city's pages with booking forms, sessions, and bookings as JSON."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlsplit

from planspec.families.worldtravel.site.desk import BookingDesk, BookingRefusedError
from planspec.families.worldtravel.site.site_pages import SitePages
from planspec.families.worldtravel.site.trip import Trip
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec
from planspec.families.worldtravel.webscape.rendering import POLICY, PageRenderer
from planspec.families.worldtravel.webscape.tables import Tables

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

COOKIE = "planspec_session"
HEADER = "x-session"
"""HTTP header with the name of the session, for clients without cookies. The name has up to `MOST_NAME` characters."""
MOST_NAME = 128
MOST_SESSIONS = 10_000
"""Maximum number of stored sessions. If there are more, the least recently used session is dropped."""
MAX_CACHED_SEEDS = 8
"""Maximum number of seeds (visual styles of the site) whose pages are cached."""
MOST_FORM = 64_000
"""Maximum size of a form, in bytes."""
MOST_FIELDS = 500
LINKS = (("Your trip", "/trip"),)
"""Names and paths of links on every page, in addition to the links to pages of the city."""
HEADERS = {
    "content-security-policy": f"{POLICY}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
}


class BookableCity:
    """A city's booking desk, and its pages for each seed of the visual style.

    Args:
        world: folder with the city's tables.
        visual_only: whether facts shown only by greys and colours are hidden from screen readers.

    Raises:
        UnsuitableSuiteError: the folder has no tables of a WorldTravel city.
    """

    def __init__(self, world: Path, *, visual_only: bool = False) -> None:
        self._visual_only = visual_only
        self.tables = Tables(world)
        self.desk = BookingDesk(self.tables)
        self.site_pages = lru_cache(MAX_CACHED_SEEDS)(self._make_site_pages)

    def _make_site_pages(self, seed: int) -> SitePages:
        city = self.tables.city
        return SitePages(
            PageRenderer(self.tables, city["id"], city["name"], seed, LINKS, visual_only=self._visual_only)
        )


class Sessions:
    """Trips (lists of bookings) by session.

    Args:
        seed: seed of the site's visual style in new sessions.
        shared_name: name of the session that all clients share; None if each client has its own.
    """

    def __init__(self, seed: int, shared_name: str | None = None) -> None:
        self._seed, self.shared_name = seed, shared_name
        self._trips: OrderedDict[str, Trip] = OrderedDict()

    def __len__(self) -> int:
        return len(self._trips)

    def trip(self, name: str) -> Trip:
        """Return the trip of a session. A new session gets a new trip."""
        if name not in self._trips:
            self._trips[name] = Trip(self._seed)
            while len(self._trips) > MOST_SESSIONS:
                self._trips.popitem(last=False)
        self._trips.move_to_end(name)
        return self._trips[name]

    def reset(self, name: str, seed: int | None) -> Trip:
        """Start a new trip for a session. If `seed` is None, the site has its default style."""
        self._trips[name] = Trip(self._seed if seed is None else seed)
        return self.trip(name)


def site_app(
    city: BookableCity,
    requests: Mapping[str, str],
    sessions: Sessions,
    on_page: Callable[[str], None] | None = None,
) -> Starlette:
    """Return the booking site of a city.

    | path | content |
    |---|---|
    | `/`, `/booking/...`, ... | pages of the city, some with booking forms |
    | `/go?place=ID&day=DAY` | redirection to the booking page of a place on a day |
    | `/search?q=WORDS` | places and hotels that match words |
    | `/trip` | bookings; `POST /trip/visit`, `ride`, `stay`, `remove`, `finish` change them |
    | `/requests`, `/requests/ID` | the travellers' requests |
    | `/state.json`, `/answer.json` | the trip of the session, and its itinerary |
    | `POST /reset?seed=N` | a new trip for the session, with the visual style of a seed |
    | `/health` | status and city |

    The header `x-session` names the session. If it is missing, a cookie names the session. Input is never
    treated as markup.

    Args:
        city: pages and booking desk. Several sites may share them.
        requests: texts of the travellers' requests, by task id.
        sessions: sessions of the clients.
        on_page: called with the path of each city page that is opened.

    Raises:
        ModuleNotFoundError: the extra `site` is not installed.
    """
    from starlette.applications import Starlette
    from starlette.routing import Route

    site = _Site(city, requests, sessions, on_page)
    routes = [
        Route("/health", site.health),
        Route("/state.json", site.state),
        Route("/answer.json", site.answer),
        Route("/reset", site.reset, methods=["POST"]),
        Route("/go", site.go),
        Route("/search", site.search),
        Route("/trip", site.trip),
        Route("/trip/{what}", site.change, methods=["POST"]),
        Route("/requests", site.requests),
        Route("/requests/{task}", site.request),
        Route("/{path:path}", site.page),
    ]
    return Starlette(routes=routes)


class _Site:
    def __init__(
        self,
        city: BookableCity,
        requests: Mapping[str, str],
        sessions: Sessions,
        on_page: Callable[[str], None] | None,
    ) -> None:
        self._city, self._requests, self._sessions, self._on_page = city, requests, sessions, on_page

    # ------------------------------------------------------------------ for programs

    async def health(self, _: Request) -> Response:
        city = self._city.tables.city
        return self._json_response(
            {"status": "ok", "city": city["id"], "tasks": sorted(self._requests), "sessions": len(self._sessions)}
        )

    async def state(self, request: Request) -> Response:
        return self._respond(request, lambda trip, _: self._json_response(trip.state()))

    async def answer(self, request: Request) -> Response:
        return self._respond(request, lambda trip, _: self._json_response(trip.itinerary()))

    async def reset(self, request: Request) -> Response:
        text = request.query_params.get("seed")
        seed = None if text is None else _parse_number(text)
        if text is not None and seed is None:
            return self._json_response({"error": "`seed` is a whole number"}, 400)
        if not _is_from_this_site(request):
            return self._json_response({"error": "asked by another site"}, 403)
        name, new = self._session(request)
        self._sessions.reset(name, seed)
        return _set_cookie_if_new(self._json_response(self._sessions.trip(name).state()), name, new=new)

    # ------------------------------------------------------------------ for people

    async def page(self, request: Request) -> Response:
        path = request.path_params["path"]

        def show(_: Trip, site_pages: SitePages) -> Response:
            if path in ("", "index.html"):
                return self._html_response(site_pages.front())
            spec = site_pages.spec(path)
            if spec is None:
                return self._not_found_response(site_pages)
            if self._on_page is not None:
                self._on_page(path)
            return self._html_response(site_pages.page(spec))

        return self._respond(request, show)

    async def go(self, request: Request) -> Response:
        place, day = (request.query_params.get(name, "") for name in ("place", "day"))

        def redirect(_: Trip, site_pages: SitePages) -> Response:
            spec = site_pages.day(place, day)
            if spec is None:
                return self._html_response(
                    site_pages.message("No such day", "There is no page for this day.", _referring_path(request)),
                    404,
                )
            return self._redirect_response(f"/{spec.path}")

        return self._respond(request, redirect)

    async def search(self, request: Request) -> Response:
        words = request.query_params.get("q", "")[:200]
        return self._respond(request, lambda _, site_pages: self._html_response(site_pages.search(words)))

    async def trip(self, request: Request) -> Response:
        return self._respond(request, lambda trip, site_pages: self._html_response(site_pages.trip(trip)))

    async def requests(self, request: Request) -> Response:
        return self._respond(
            request, lambda _, site_pages: self._html_response(site_pages.requests(list(self._requests)))
        )

    async def request(self, request: Request) -> Response:
        task = request.path_params["task"]

        def show(_: Trip, site_pages: SitePages) -> Response:
            query = self._requests.get(task)
            return (
                self._not_found_response(site_pages)
                if query is None
                else self._html_response(site_pages.message(task, query, "/"))
            )

        return self._respond(request, show)

    async def change(self, request: Request) -> Response:
        action = request.path_params["what"]
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > MOST_FORM:
                return self._json_response({"error": "the form is too long"}, 413)
        try:
            form = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS))
        except ValueError:
            return self._json_response({"error": f"the form has more than {MOST_FIELDS} fields"}, 400)

        def change(trip: Trip, site_pages: SitePages) -> Response:
            if not _is_from_this_site(request):
                return self._html_response(
                    site_pages.message("Not from here", "Another site sent this form.", "/"), 403
                )
            try:
                match action:
                    case "visit" | "ride" | "stay":
                        self._city.desk.book(trip, action, form)
                    case "remove" if not trip.finished and (number := _parse_number(form.get("id", ""))) is not None:
                        trip.entries.pop(number, None)
                    case "finish":
                        trip.finished = True
                    case _:
                        return self._not_found_response(site_pages)
            except BookingRefusedError as refused:
                trip.refuse(action, str(refused))
                return self._html_response(
                    site_pages.message("Not booked", str(refused), _referring_path(request)), 409
                )
            return self._redirect_response("/trip")

        return self._respond(request, change)

    # ------------------------------------------------------------------ answers

    def _respond(self, request: Request, show: Callable[[Trip, SitePages], Response]) -> Response:
        """Return the response of `show` for the session's trip. Set a cookie if the session is new."""
        name, new = self._session(request)
        trip = self._sessions.trip(name)
        return _set_cookie_if_new(show(trip, self._city.site_pages(trip.seed)), name, new=new)

    def _session(self, request: Request) -> tuple[str, bool]:
        shared_name = self._sessions.shared_name
        return _requested_session(request) if shared_name is None else (shared_name, False)

    def _not_found_response(self, site_pages: SitePages) -> Response:
        return self._html_response(site_pages.message("Not found", "There is no such page.", "/"), 404)

    def _html_response(self, text: str, status: int = 200) -> Response:
        from starlette.responses import HTMLResponse

        return HTMLResponse(text, status, headers=HEADERS)

    def _json_response(self, value: Any, status: int = 200) -> Response:
        from starlette.responses import JSONResponse

        return JSONResponse(value, status, headers=HEADERS)

    def _redirect_response(self, path: str) -> Response:
        from starlette.responses import RedirectResponse

        return RedirectResponse(quote(path), 303, headers=HEADERS)


def _parse_number(text: str) -> int | None:
    """Parse a whole number of up to nine digits. Return None for any other string."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _requested_session(request: Request) -> tuple[str, bool]:
    """Return the name of a request's session, and whether the session is new and needs a cookie."""
    name = request.headers.get(HEADER)
    if name:
        return f"header {name[:MOST_NAME]}", False
    cookie = request.cookies.get(COOKIE)
    return (cookie[:MOST_NAME], False) if cookie else (secrets.token_urlsafe(18), True)


def _set_cookie_if_new(response: Response, name: str, *, new: bool) -> Response:
    if new:
        response.set_cookie(COOKIE, name, httponly=True, samesite="lax")
    return response


def _is_from_this_site(request: Request) -> bool:
    """Return whether a request comes from a page of this site, or does not come from a page."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


def _referring_path(request: Request) -> str:
    """Return the path of the page from which a request came, or `/` if it is not on this site."""
    referer = urlsplit(request.headers.get("referer", ""))
    is_local = referer.netloc == request.headers.get("host") and referer.path.startswith("/")
    return referer.path if is_local and not referer.path.startswith("//") else "/"


__all__ = ["BookableCity", "PageSpec", "Sessions", "site_app"]
