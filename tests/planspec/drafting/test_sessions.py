"""Recorded sessions of twenty requests in four domains, replayed without a model."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.planspec.drafting.sessions import RECORD, SESSIONS, Session, copy_documents

pytestmark = pytest.mark.slow

RECORDED: dict[str, dict[str, Any]] = {each["name"]: each for each in json.loads(RECORD.read_text("utf-8"))}


def test_every_request_has_a_session_with_a_finding() -> None:
    assert len(SESSIONS) == 20
    assert [each.name for each in SESSIONS] == list(RECORDED)
    assert {name.partition("-")[0] for name in RECORDED} == {"errands", "talks", "baskets", "trips"}
    assert sum(bool(each["steps"]) for each in RECORDED.values()) >= 19


@pytest.mark.sampled(5)
@pytest.mark.parametrize("session", SESSIONS, ids=lambda each: each.name)
def test_a_session_replays_to_the_same_draft(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    copy_documents(tmp_path)
    recorded = RECORDED[session.name]
    output, _ = session.run(None, recorded["replies"])
    assert output.status == recorded["status"] == "agreed"
    assert output.calls.replayed >= len(recorded["replies"])
    assert _without_folders(output.text) == _without_folders(recorded["text"])


def _without_folders(text: str | None) -> str:
    assert text is not None
    return re.sub(r'"[^"\n]*/', '"', text)
