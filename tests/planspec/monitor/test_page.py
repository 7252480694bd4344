"""The examples on the page about the monitor work as shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import run_page
from tests.paths import ROOT


@pytest.mark.slow
def test_every_program_prints_the_output_on_the_page(tmp_path: Path) -> None:
    wrong, _ = run_page((ROOT / "docs" / "monitor.md").read_text(encoding="utf-8"), tmp_path)
    assert not wrong, "\n\n".join(map(str, wrong))
