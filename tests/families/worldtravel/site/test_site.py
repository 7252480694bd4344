"""The site: bookings, refusals, sessions, and restrictions of its pages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from planspec.api.judging import Judge
from planspec.api.loading import load
from tests.extras import needs
from tests.families.worldtravel.site.booking import reference
from tests.lengths import try_few
from tests.paths import ROOT

pytestmark = [pytest.mark.integration, needs("starlette", "uvicorn", extra="site")]

CLICKED = {
    "berlin": "berlin-003",
    "vienna": "vienna-012",
    "rome": "rome-001",
    "barcelona": "barcelona-025",
    "florence": "florence-001",
}
"""One task for each city, which a test books by clicking. The tasks include passes, extras and children's menus."""
CITIES = tuple(CLICKED)
ROME = ROOT / "tasks" / "worldtravel-rome"
COLOSSEUM = {
    "place": "colosseum",
    "ticket": "colosseum_standard",
    "day": "2026-09-03",
    "at": "09:30",
    "minutes": "50",
    "people": "2",
    "fare:colosseum_standard:0": "2",
}


@pytest.fixture(scope="module")
def app() -> Any:
    """Return the site as an ASGI application."""
    from planspec.families.worldtravel.site.serving import suite_site

    return suite_site(ROME, [load(ROME / "rome-003.task.yaml")], 0, False)


@pytest.fixture
def visitor(app: Any) -> Iterator[Any]:
    """Yield an HTTP client of the site."""
    from starlette.testclient import TestClient

    with TestClient(app, follow_redirects=False) as client:
        yield client


def state(client: Any, **headers: str) -> Any:
    """Return the bookings of a session as the site shows them in JSON."""
    return client.get("/state.json", headers=headers).json()


def test_a_booking_appears_in_the_state_and_in_the_answer(visitor: Any) -> None:
    result = visitor.post("/trip/visit", data=COLOSSEUM)
    assert (result.status_code, result.headers["location"]) == (303, "/trip")
    now = state(visitor)
    (entry,) = now["entries"]
    assert (entry["kind"], entry["place"], entry["cost"], entry["bought"]) == (
        "visit",
        "Colosseum",
        36.0,
        ["2 × Adult 18+"],
    )
    assert visitor.get("/answer.json").json() == now["answer"]
    assert now["answer"]["itinerary"][0]["schedule"][0]["time"] == "09:30-10:20"
    assert "Colosseum" in visitor.get("/trip").text


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"at": "08:30"}, "This start is sold out."),
        ({"at": "12:30"}, "There are not enough places left for 2 people."),
        ({"at": "03:15"}, "There is no such start on this day."),
        ({"at": "half past"}, "Write the time as 14:30"),
        ({"day": "tomorrow"}, "Write the day as 2026-07-01."),
        ({"people": "3"}, "These are tickets for 2, and 3 go in."),
        ({"people": "1"}, "These are tickets for 2, and 1 go in."),
        ({"people": "-1"}, "People: write a whole number from 1 to 99."),
        ({"minutes": "0"}, "Minutes: write a whole number from 1 to 1440."),
        ({"ticket": "no_such"}, "Choose a ticket."),
        ({"place": "no_such"}, "Choose a place."),
        ({"ticket": "forum_ticket", "place": "colosseum"}, ""),
        ({"fare:colosseum_fast:0": "1"}, "There are fares of another ticket"),
    ],
)
def test_an_impossible_booking_is_refused_with_a_reason(visitor: Any, change: dict[str, str], text: str) -> None:
    result = visitor.post("/trip/visit", data={**COLOSSEUM, **change})
    assert result.status_code == 409
    assert text.replace("'", "&#39;") in result.text
    assert state(visitor)["entries"] == []


def test_booked_places_reduce_the_places_left(visitor: Any) -> None:
    one = {**COLOSSEUM, "at": "12:30", "people": "1", "fare:colosseum_standard:0": "1"}
    assert visitor.post("/trip/visit", data=one).status_code == 303
    assert "sold out" in visitor.post("/trip/visit", data=one).text


def test_a_pass_is_bought_once_and_covers_later_visits(visitor: Any) -> None:
    bought = {
        **COLOSSEUM,
        "fare:colosseum_standard:0": "0",
        "pass:park_ticket": "2",
    }
    assert visitor.post("/trip/visit", data=bought).status_code == 303
    later = {**COLOSSEUM, "at": "10:30", "fare:colosseum_standard:0": "0"}
    assert visitor.post("/trip/visit", data=later).status_code == 303
    assert [entry["cost"] for entry in state(visitor)["entries"]] == [58.0, 0.0]


def test_no_note_becomes_markup(visitor: Any) -> None:
    sent = "<script>alert(1)</script>\"'>"
    visitor.post("/trip/visit", data={**COLOSSEUM, "note": sent})
    page = visitor.get("/trip").text
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert state(visitor)["entries"][0]["note"] == sent
    for path in (f"/search?q={sent}", f"/requests/{sent}", f"/go?place={sent}&day={sent}", f"/{sent}"):
        assert "<script" not in visitor.get(path).text


def test_pages_request_no_other_host_and_run_no_script(visitor: Any) -> None:
    for path in ("/", "/booking/colosseum_2026-09-03.html", "/hotels/index.html", "/ways/bus.html", "/trip"):
        answer = visitor.get(path)
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "form-action 'self'" in policy
        assert "script" not in policy
        assert "<script" not in answer.text
        assert "http://" not in answer.text.replace("http://www.w3.org/2000/svg", "")
        assert "https://" not in answer.text


def test_another_sites_form_is_refused(visitor: Any) -> None:
    result = visitor.post("/trip/visit", data=COLOSSEUM, headers={"origin": "https://evil.example"})
    assert result.status_code == 403
    assert state(visitor)["entries"] == []


def test_a_form_that_is_too_long_is_refused(visitor: Any) -> None:
    assert visitor.post("/trip/visit", data={"note": "x" * 100_000}).status_code == 413


def test_two_hundred_sessions_are_separate(visitor: Any) -> None:
    for number in range(200):
        headers = {"x-session": f"s{number}"}
        visitor.post("/trip/visit", data={**COLOSSEUM, "note": f"note {number}"}, headers=headers)
    for number in range(200):
        (entry,) = state(visitor, **{"x-session": f"s{number}"})["entries"]
        assert entry["note"] == f"note {number}"
    assert visitor.get("/health").json()["sessions"] >= 200


def test_a_reset_empties_the_trip_and_may_change_the_appearance(visitor: Any) -> None:
    visitor.post("/trip/visit", data=COLOSSEUM)
    before = visitor.get("/booking/colosseum_2026-09-03.html").text
    assert visitor.post("/reset?seed=5").json() == {
        "seed": 5,
        "finished": False,
        "cost": 0.0,
        "entries": [],
        "answer": {"itinerary": []},
        "refused": 0,
        "refusals": [],
    }
    assert visitor.get("/booking/colosseum_2026-09-03.html").text != before
    assert visitor.post("/reset?seed=x").status_code == 400


def test_neither_a_link_nor_another_site_resets_a_trip(visitor: Any) -> None:
    visitor.post("/trip/visit", data=COLOSSEUM)
    assert visitor.get("/reset").status_code == 404
    assert visitor.post("/reset", headers={"origin": "https://evil.example"}).status_code == 403
    assert len(state(visitor)["entries"]) == 1


def test_entries_of_a_trip_can_be_removed_until_it_is_finished(visitor: Any) -> None:
    visitor.post("/trip/visit", data=COLOSSEUM)
    visitor.post(
        "/trip/ride",
        data={
            "mode": "bus",
            "origin": "colosseum",
            "to": "forum",
            "day": "2026-09-03",
            "at": "11:00",
            "people": "2",
        },
    )
    first, second = state(visitor)["entries"]
    assert (second["kind"], second["minutes"], second["cost"]) == ("ride", 10, 6.0)
    visitor.post("/trip/remove", data={"id": str(first["id"])})
    assert len(state(visitor)["entries"]) == 1
    visitor.post("/trip/finish")
    assert visitor.post("/trip/visit", data=COLOSSEUM).status_code == 409
    visitor.post("/trip/remove", data={"id": str(second["id"])})
    assert state(visitor)["finished"]
    assert len(state(visitor)["entries"]) == 1


def test_a_new_stay_replaces_the_hotel(visitor: Any) -> None:
    for hotel in ("hassler", "rome_cavalieri"):
        assert visitor.post("/trip/stay", data={"hotel": hotel, "nights": "2", "rooms": "1"}).status_code == 303
    (entry,) = state(visitor)["entries"]
    assert (entry["hotel"], entry["cost"]) == ("Rome Cavalieri, A Waldorf Astoria Hotel", 910.0)


def test_every_page_and_search_result_exists(visitor: Any) -> None:
    assert visitor.get("/health").json()["tasks"] == ["rome-003"]
    assert "Thursday" in visitor.get("/requests/rome-003").text
    assert "rome-003" in visitor.get("/requests").text
    led = visitor.get("/go?place=colosseum&day=2026-09-04")
    assert visitor.get(led.headers["location"]).status_code == 200
    assert visitor.get("/go?place=colosseum&day=1999-01-01").status_code == 404
    result = visitor.get("/search?q=emperors").text
    assert "/guide/" in result
    assert visitor.get("/no/such.html").status_code == 404


@pytest.mark.thorough
def test_a_suite_with_several_worlds_is_refused() -> None:
    from planspec.families.worldtravel.site.serving import suite_site
    from planspec.suite_writing.options import UnsuitableSuiteError

    tasks = [load(ROOT / "tasks" / f"worldtravel-{c}" / f"{c}-001.task.yaml") for c in CITIES]
    with pytest.raises(UnsuitableSuiteError, match="5 worlds: name one of worldtravel-barcelona"):
        suite_site(ROME, tasks, 0, False)


@pytest.mark.sampled(2)
@needs("playwright", extra="browser")
@pytest.mark.parametrize("city", try_few(CITIES, {"florence"}))
def test_a_visitor_books_a_passing_plan_by_clicking(city: str, browser: str) -> None:
    from playwright.sync_api import sync_playwright

    from planspec.families.worldtravel.site.app import BookableCity
    from planspec.families.worldtravel.site.hosting import serve_city

    folder = ROOT / "tasks" / f"worldtravel-{city}"
    task = load(folder / f"{CLICKED[city]}.task.yaml")
    result = BookableCity(folder / "world")
    query: list[str] = []
    with serve_city(result, task) as site, sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = opened.new_page()
        page.on("request", lambda request: query.append(request.url))
        page.goto(f"{site.url}requests/{task.id}")
        assert task.query.split()[0] in page.inner_text("body")
        assert not site.ended()
        site.book_in_browser(page, {"itinerary": reference(task)})
        assert site.ended()
        assert "finished" in page.inner_text("body")
        answer = page.context.request.get(f"{site.url}answer.json").json()
        opened.close()
        assert site.answer() == answer
    assert Judge(task).answer(json.loads(json.dumps(answer))).status == "pass"
    assert len(query) > 20
    assert [one for one in query if not one.startswith(site.url)] == []
