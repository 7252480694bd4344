"""Fixtures of the generator's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec.families.worldtravel.generator.city import CityFolder
from tests.families.worldtravel.generator.towns import write_town


@pytest.fixture
def town(tmp_path: Path) -> CityFolder:
    """Return an invented town."""
    return CityFolder.read(write_town(tmp_path / "town"))
