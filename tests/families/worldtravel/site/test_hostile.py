"""The site treats any input as text, and keeps the trips of many sessions separate."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import pytest

from planspec.api.loading import load
from planspec.families.worldtravel.site.app import BookableCity, Sessions, site_app
from planspec.families.worldtravel.site.hosting import serve_city
from tests.extras import needs
from tests.families.worldtravel.site.test_site import COLOSSEUM, ROME
from tests.loops import run_coroutine

pytestmark = [pytest.mark.integration, needs("starlette", "uvicorn", "httpx", extra="site")]

MARKUP = (
    "<script>window.pwned=1</script>",
    '"><img src=x onerror=window.pwned=1>',
    "' autofocus onfocus='window.pwned=1",
    "</body></html><script>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:window.pwned=1",
    "<style>*{display:none}</style>",
    "&lt;script&gt;",
    "\u202e<b>",
    "<!--",
)
"""Texts that would be markup or templates if they were interpreted."""
ODD = (
    "",
    "\x00",
    "\r\nset-cookie: a=b",
    "9" * 5_000,
    "-1",
    "1e9",
    "NaN",
    "\ud800",
    "٣",
    "½",
    "../../etc/passwd",
    "2026-W36-4",
    "25:99",
    "A" * 10_000,
)
"""Invalid values of form fields that contain no markup."""
FORMS: Mapping[str, Mapping[str, str]] = {
    "visit": {
        **COLOSSEUM,
        "note": "",
        "family:colosseum_standard": "0",
        "addon:x": "0",
        "pass:park_ticket": "0",
        "course:a_la_carte": "0",
    },
    "ride": {"mode": "bus", "origin": "colosseum", "to": "forum", "day": "2026-09-03", "at": "11:00", "people": "2"},
    "stay": {"hotel": "hassler", "nights": "1", "rooms": "1"},
    "remove": {"id": "1"},
    "finish": {"any": ""},
}
QUERIES = (
    "/search?q={}",
    "/go?place={}&day=2026-09-03",
    "/go?place=colosseum&day={}",
    "/reset?seed={}",
    "/requests/{}",
    "/{}",
    "/booking/{}.html",
)


@pytest.fixture(scope="module")
def city() -> BookableCity:
    return BookableCity(ROME / "world")


@pytest.fixture
def visitor(city: BookableCity) -> Iterator[Any]:
    """Yield an HTTP client of a site in Rome."""
    from starlette.testclient import TestClient

    with TestClient(
        site_app(city, {"rome-003": "A trip, please."}, Sessions(0)), raise_server_exceptions=True
    ) as client:
        yield client


def assert_shown_as_text(answer: Any, sent: str) -> None:
    """Check that a response is not a server error, and shows the input only as text."""
    assert answer.status_code < 500
    assert "set-cookie: a=b" not in str(answer.headers)
    if "html" in answer.headers["content-type"]:
        assert "window.pwned=1>" not in answer.text
        for tag in re.findall(r"<(?:script|img|b)\b[^>]*>", answer.text):
            raise AssertionError(f"{sent!r} became {tag}")
        assert sent not in answer.text or html.escape(sent) == sent or len(sent) < 2


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", FORMS)
def test_no_value_of_a_form_becomes_markup(visitor: Any, form: str) -> None:
    whole = FORMS[form]
    for field in (*whole, "another"):
        for sent in (*MARKUP, *ODD):
            value = sent.encode("utf-8", "surrogatepass")
            actual = {**{name: text.encode() for name, text in whole.items()}, field: value}
            body = b"&".join(quote(name).encode() + b"=" + quote(text).encode() for name, text in actual.items())
            answer = visitor.post(
                f"/trip/{form}", content=body, headers={"content-type": "application/x-www-form-urlencoded"}
            )
            assert_shown_as_text(answer, sent)
    for path in ("/trip", "/state.json", "/answer.json"):
        assert visitor.get(path).status_code == 200
    page = visitor.get("/trip").text
    assert "<script" not in page and "<img" not in page and "{{" not in page.replace("{{ 7 * 7 }}", "")


def test_no_name_of_a_field_becomes_markup(visitor: Any) -> None:
    for sent in MARKUP:
        assert_shown_as_text(visitor.post("/trip/visit", data={**COLOSSEUM, sent: "1", f"fare:{sent}:0": "1"}), sent)


@pytest.mark.parametrize("query", QUERIES)
def test_no_query_and_no_path_becomes_markup(visitor: Any, query: str) -> None:
    for sent in (*MARKUP, *ODD):
        assert_shown_as_text(visitor.get(query.format(quote(sent.encode("utf-8", "surrogatepass"), safe=""))), sent)


def test_sessions_referers_and_bodies_are_not_trusted(visitor: Any) -> None:
    for sent in MARKUP:
        output = sent.encode()
        headers = {
            b"x-session": output,
            b"referer": b"http://testserver/" + output,
            b"cookie": f"planspec_session={quote(sent)}".encode(),
        }
        assert_shown_as_text(visitor.post("/trip/visit", data={"note": sent}, headers=headers), sent)
    assert visitor.post("/trip/visit", content=b"\xff\xfe" * 1_000).status_code == 409
    assert visitor.post("/trip/visit", content=b"a=1&" * 2_000).status_code == 400
    assert visitor.post("/trip/visit", json={"place": "colosseum"}).status_code == 409
    assert visitor.post("/trip/other", data=COLOSSEUM).status_code == 404
    assert visitor.put("/trip/visit", data=COLOSSEUM).status_code == 405
    assert visitor.get("/state.json").json()["entries"] == []


def test_two_hundred_concurrent_sessions_have_separate_trips(city: BookableCity) -> None:
    """Each session books, sees its own trip, resets it, and books again, all in one process."""
    import httpx

    app = site_app(city, {}, Sessions(0))

    async def travel(number: int, client: httpx.AsyncClient, gate: asyncio.Barrier) -> list[Any]:
        headers = {"x-session": f"s{number}"}
        await gate.wait()
        output = await client.post("/trip/visit", data={**COLOSSEUM, "note": f"note {number}."}, headers=headers)
        assert output.status_code == 303
        assert f"note {number}." in (await client.get("/trip", headers=headers)).text
        first = (await client.get("/state.json", headers=headers)).json()["entries"]
        assert (await client.post(f"/reset?seed={number % 3}", headers=headers)).json()["entries"] == []
        await client.post("/trip/stay", data=FORMS["stay"], headers=headers)
        return [*first, *(await client.get("/state.json", headers=headers)).json()["entries"]]

    async def travel_all_at_once() -> list[list[Any]]:
        gate = asyncio.Barrier(200)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
            return await asyncio.gather(*(travel(number, client, gate) for number in range(200)))

    result = run_coroutine(travel_all_at_once())
    assert [[entry["kind"] for entry in entries] for entries in result] == [["visit", "stay"]] * 200
    assert [entries[0]["note"] for entries in result] == [f"note {number}." for number in range(200)]


def test_repeated_resets_remove_a_trip_completely(visitor: Any) -> None:
    for number in range(20):
        visitor.post("/trip/stay", data=FORMS["stay"], follow_redirects=False)
        assert len(visitor.get("/state.json").json()["entries"]) == 1
        visitor.post(f"/reset?seed={number % 8}")
        assert visitor.get("/state.json").json()["entries"] == []


@needs("playwright", extra="browser")
def test_a_browser_executes_no_input_and_requests_no_other_host(city: BookableCity, browser: str) -> None:
    from playwright.sync_api import sync_playwright

    query: list[str] = []
    faults: list[str] = []
    with serve_city(city, load(ROME / "rome-003.task.yaml")) as site, sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = opened.new_page()
        page.on("request", lambda request: query.append(request.url))
        page.on("dialog", lambda dialog: faults.append(dialog.message))
        page.on("pageerror", lambda error: faults.append(str(error)))
        for n, sent in enumerate(MARKUP[:3]):
            page.goto(f"{site.url}booking/colosseum_2026-09-03.html")
            form = page.locator(".pl-visit")
            fields = {**COLOSSEUM, "at": f"{(9 if n else 10)}:30", "note": sent}
            form.locator("[name=ticket]").select_option(fields["ticket"])
            for name in ("at", "minutes", "people", "note", "fare:colosseum_standard:0"):
                form.locator(f'[name="{name}"]').fill(fields[name])
            form.get_by_role("button").click()
            assert sent in page.inner_text("body")
            page.goto(f"{site.url}search?q={quote(sent)}")
            assert page.locator("[name=q]").first.input_value() == sent
            page.goto(f"{site.url}trip")
            assert page.evaluate("window.pwned") is None
            assert page.locator("main img, main script").count() == 0
        opened.close()
    assert faults == []
    assert {url.startswith(site.url) for url in query} == {True}
