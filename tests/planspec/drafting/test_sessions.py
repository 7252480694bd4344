"""Recorded sessions of twenty requests in four domains, replayed without a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.planspec.drafting.sessions import RECORD, SESSIONS, Session, copy_documents, without_folders

pytestmark = pytest.mark.slow

RECORDED: dict[str, dict[str, Any]] = {each["name"]: each for each in json.loads(RECORD.read_text("utf-8"))}


def test_every_request_has_a_session_with_a_finding() -> None:
    assert len(SESSIONS) == 20
    assert [each.name for each in SESSIONS] == list(RECORDED)
    assert {name.partition("-")[0] for name in RECORDED} == {"errands", "talks", "baskets", "trips"}
    assert sum(bool(each["steps"]) for each in RECORDED.values()) >= 19


@pytest.mark.sampled(10)
@pytest.mark.parametrize("session", SESSIONS, ids=lambda each: each.name)
def test_a_session_replays_to_the_same_draft(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    copy_documents(tmp_path)
    recorded = RECORDED[session.name]
    output, _ = session.run(None, recorded["replies"])
    assert output.status == recorded["status"] == "agreed"
    assert output.calls.replayed >= len(recorded["replies"])
    assert without_folders(output.text) == recorded["text"]
