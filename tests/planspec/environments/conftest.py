"""Fixtures of the tests of environments."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planspec.environments.talk import TALK


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """Return the path of a task with turns."""
    file = tmp_path / "talk.task.yaml"
    file.write_text(TALK, "utf-8")
    return file
