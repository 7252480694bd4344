"""An agent can read a page and book with Playwright's MCP server and the shipped configuration."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from planspec.api.loading import load
from planspec.families.worldtravel.site.app import BookableCity
from planspec.families.worldtravel.site.hosting import serve_city
from tests.extras import needs
from tests.families.worldtravel.site.test_site import ROME
from tests.lengths import try_few
from tests.loops import run_coroutine
from tests.paths import ROOT

pytestmark = [
    pytest.mark.integration,
    needs("starlette", "uvicorn", extra="site"),
    needs("mcp", extra="mcp"),
    needs("playwright", extra="browser"),
]

SERVER = "@playwright/mcp@0.0.83"
"""Version of the server with which the test runs. The shipped configuration requests the latest one."""
SHIPPED = json.loads((ROOT / "integrations" / "playwright-mcp" / "mcp.json").read_text("utf-8"))
WORDS = [SERVER if word.startswith("@playwright/mcp@") else word for word in SHIPPED["mcpServers"]["browser"]["args"]]
DAY = "2026-09-03"
PAGE = f"booking/colosseum_{DAY}.html"
LINE = re.compile(r'^ *- \w+ "(?P<name>[^"]*)".*\[ref=(?P<ref>e\d+)\]', re.MULTILINE)


@pytest.fixture(scope="module")
def npx() -> str:
    """Return the program that fetches the server. Tests are skipped if it or the registry is unavailable."""
    matches = shutil.which("npx")
    if matches is None:
        pytest.skip("npx is not installed")
    assert SERVER in WORDS
    got = subprocess.run([matches, "--yes", SERVER, "--version"], capture_output=True, check=False, timeout=120)
    if got.returncode:
        pytest.skip(f"npx fetches no package: {got.stderr.decode(errors='replace').strip().splitlines()[-1:]}")
    return matches


@pytest.mark.thorough
@pytest.mark.parametrize("visual_only", try_few([False, True], {False}))
def test_an_agent_sees_sold_out_starts_and_books(visual_only: bool, npx: str, browser: str, tmp_path: Path) -> None:
    task = load(ROME / "rome-003.task.yaml")
    with serve_city(BookableCity(ROME / "world", visual_only=visual_only), task) as site:
        read, stored, refused = run_coroutine(_visit(npx, browser, site.url, tmp_path))
    assert ("[disabled]" in read) != visual_only
    (entry,) = json.loads(stored)["entries"]
    assert (entry["place"], entry["start"]) == ("Colosseum", 9 * 60)
    assert "ERR_BLOCKED_BY_CLIENT" in refused


async def _visit(npx: str, browser: str, url: str, folder: Path) -> tuple[str, str, str]:
    """Return the text of a page, the bookings after its form was filled in, and the response to a request of
    another host.
    """
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    held = [url.rstrip("/") if word.startswith("http://") else word for word in WORDS]
    words = [*held, "--executable-path", browser, "--no-sandbox"]
    async with (
        stdio_client(StdioServerParameters(command=npx, args=words, cwd=folder)) as (reading, writing),
        ClientSession(reading, writing) as session,
    ):
        await session.initialize()

        async def call(tool: str, **arguments: Any) -> str:
            result = await session.call_tool(tool, arguments)
            return "\n".join(part.text for part in result.content if part.type == "text")

        await call("browser_navigate", url=url + PAGE)
        page = await call("browser_snapshot")
        refs = {found["name"]: found["ref"] for found in reversed(list(LINE.finditer(page)))}
        values = {"Time": "09:00", "Length of your visit, in minutes": "90", "People": "2", "Adult 18+": "2"}
        fields = [
            {"target": refs[name], "name": name, "type": "textbox", "value": text} for name, text in values.items()
        ]
        await call("browser_fill_form", fields=fields)
        book = re.findall(r'button "Book" \[ref=(e\d+)\]', page)[0]
        await call("browser_click", target=book)
        await call("browser_navigate", url=f"{url}state.json")
        result = await call("browser_evaluate", function="() => document.body.innerText")
        refused = await call("browser_navigate", url="http://example.com/")
        return page, json.loads(re.search(r'^".*"$', result, re.MULTILINE)[0]), refused  # type: ignore[index]
