"""An editor talks to the server over pipes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types

from tests.loops import finished
from tests.paths import ROOT
from tests.planspec.live.server.client import PATIENCE, editor

pytestmark = pytest.mark.integration

SAMPLE = (ROOT / "docs" / "sample.task.yaml").read_text(encoding="utf-8")


def place(text: str, words: str, behind: int = 0) -> types.Position:
    """The place at which words begin, so many characters behind it."""
    at = text.index(words) + behind
    line = text.count("\n", 0, at)
    return types.Position(line, at - (text.rfind("\n", 0, at) + 1))


def test_an_editor_hears_what_is_wrong_and_asks_what_stands_where(tmp_path: Path) -> None:
    async def session() -> None:
        path = tmp_path / "sample.task.yaml"
        async with editor(tmp_path) as client:
            named = client.type(path, SAMPLE)
            assert (await client.told(1)).diagnostics == ()
            client.type(path, SAMPLE.replace("<= budget", "<= budgt"), 2)
            (wrong,) = (await client.told(2)).diagnostics
            assert (wrong.code, wrong.severity) == ("PS201", types.DiagnosticSeverity.Error)
            assert "did you mean `budget`?" in wrong.message
            client.type(path, SAMPLE, 3)
            assert (await client.told(3)).diagnostics == ()
            where = place(SAMPLE, "party: adults")
            hover = await asyncio.wait_for(
                client.text_document_hover_async(types.HoverParams(named, where)), PATIENCE
            )
            assert hover is not None and isinstance(hover.contents, types.MarkupContent)
            assert "party: int" in hover.contents.value and "`3`" in hover.contents.value
            found = await asyncio.wait_for(
                client.text_document_definition_async(
                    types.DefinitionParams(named, place(SAMPLE, "dwell(v) >="))
                ),
                PATIENCE,
            )
            assert isinstance(found, types.Location)
            assert found.range.start == place(SAMPLE, "dwell(v visits)")

    finished(session())
