"""The published audit of NATURAL PLAN on ten records of each domain."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

DATA = Path(os.environ.get("NATURALPLAN", ROOT / "../shared/data/naturalplan")).resolve()
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the public files of NATURAL PLAN are not here")
TEN = 10


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the suites made from the first ten records of each domain."""
    data, out = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("suites")
    for name in ("calendar", "trip", "meeting"):
        records = json.loads((DATA / f"{name}.json").read_text("utf-8"))
        (data / f"{name}.json").write_text(json.dumps(dict(list(records.items())[:TEN])), "utf-8")
    program = [sys.executable, str(ROOT / "audits/naturalplan/convert.py"), str(data), str(out)]
    subprocess.run(program, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    return out


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(("domain", "several"), [("calendar", 5), ("trip", 0), ("meeting", 0)])
def test_golden_plans_pass_and_some_tasks_have_other_plans(suites: Path, domain: str, several: int) -> None:
    program = [sys.executable, "-m", "planspec", "audit", f"{domain}.suite.yaml", "--no-deep", "--format", "json"]
    printed = subprocess.run(
        program, check=False, cwd=suites, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE
    )
    audit = json.loads(printed.stdout)
    assert audit["references"]["pass"] == TEN
    assert audit["summary"]["several"] == several
    assert audit["summary"]["gap"] == audit["summary"]["none"] == audit["summary"]["unknown"] == 0


def test_the_public_verdicts_are_about_the_published_answers(suites: Path) -> None:
    for domain in ("calendar", "trip", "meeting"):
        names = [
            [json.loads(line)["task"] for line in (suites / f"{domain}.{kind}.jsonl").read_text().splitlines()]
            for kind in ("answers", "verdicts")
        ]
        assert names[0] == names[1]
        assert len(names[0]) == TEN
