"""The program ends properly if it is interrupted, or if its output is closed or cannot be written."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import settings

from tests.lengths import try_few
from tests.planspec.commands.test_command_line import TINY

PROFILE = settings.default
assert PROFILE is not None
ROUNDS, DERANDOMIZED = max(4, PROFILE.max_examples // 40), PROFILE.derandomize
PLANSPEC = f"{sys.executable} -P -m planspec"


def _run_in_bash(command: str) -> subprocess.CompletedProcess[str]:
    words = ["bash", "-c", command]
    return subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, timeout=60)


@pytest.mark.parametrize("words", ["schema task", "--help"])
class TestLostOutput:
    """Standard output is closed or cannot be written."""

    @pytest.mark.slow
    def test_a_reader_that_disconnects_ends_the_program_silently(self, words: str) -> None:
        result = _run_in_bash(f"{PLANSPEC} {words} | true; exit ${{PIPESTATUS[0]}}")
        assert (result.returncode, result.stderr) == (141, "")

    @pytest.mark.slow
    def test_a_full_device_is_reported(self, words: str) -> None:
        result = _run_in_bash(f"{PLANSPEC} {words} > /dev/full")
        assert result.returncode == 2
        assert result.stderr == "error: standard output cannot be written: No space left on device\n"

    @pytest.mark.slow
    def test_a_closed_output_is_reported(self, words: str) -> None:
        result = _run_in_bash(f"{PLANSPEC} {words} >&-")
        assert (result.returncode, result.stderr) == (2, "error: standard output is closed\n")


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("encoding", try_few(["ascii", "cp1252", "ascii:surrogateescape"], {"cp1252"}))
def test_no_encoding_loses_a_result(encoding: str, tmp_path: Path) -> None:
    """Characters that the encoding lacks are escaped, values in JSON are unchanged, and documents are written in
    UTF-8.
    """
    task = TINY.replace("id: tiny", "id: tiny\ntitle: 饭店 \U0001f600 café")
    (tmp_path / "tiny.task.yaml").write_text(task, "utf-8")
    program_call = f"cd {tmp_path}; PYTHONIOENCODING={encoding} {PLANSPEC}"
    for words in ("tasks show tiny", "tasks list .", "check"):
        result = _run_in_bash(f"{program_call} {words}")
        assert (result.returncode, "Error" in result.stderr) == (0, False), result.stderr
    output = _run_in_bash(f"{program_call} tasks show tiny --format json")
    assert json.loads(output.stdout)["title"] == "饭店 \U0001f600 café"
    output = _run_in_bash(f"{program_call} fmt - < tiny.task.yaml")
    assert (output.returncode, output.stdout) == (0, task)


@pytest.mark.thorough
@pytest.mark.slow
def test_a_closed_standard_error_changes_no_outcome(tmp_path: Path) -> None:
    (tmp_path / "tiny.task.yaml").write_text(TINY, "utf-8")
    for errors in ("2>&-", "2>/dev/full"):
        assert _run_in_bash(f"cd {tmp_path}; {PLANSPEC} fmt tiny.task.yaml {errors}").returncode == 0
        assert _run_in_bash(f"cd {tmp_path}; {PLANSPEC} check none.yaml {errors}").returncode == 2


@pytest.mark.slow
def test_no_opened_file_gets_the_descriptor_of_a_closed_standard_stream(tmp_path: Path) -> None:
    """The first opened file could otherwise get descriptor 1 and receive the output."""
    (tmp_path / "tiny.task.yaml").write_text(TINY, "utf-8")
    result = _run_in_bash(f"cd {tmp_path}; {PLANSPEC} solve tiny.task.yaml -o plan.json <&- >&- 2>&-")
    assert result.returncode in (0, 2)
    assert (tmp_path / "plan.json").read_text("utf-8").startswith("{")


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "validate"])
def test_ctrl_c_during_loading_causes_no_traceback(command: str, tmp_path: Path) -> None:
    """The signal is sent at random times after the interpreter has started.

    When the interpreter ends, it removes all signal handlers. The signal then kills the process, which shells also
    show as 130.
    """
    (tmp_path / "tiny.task.yaml").write_text(TINY, "utf-8")
    draw = random.Random(command) if DERANDOMIZED else random.Random()
    for _ in range(ROUNDS):
        with subprocess.Popen(
            [sys.executable, "-P", "-v", "-m", "planspec", command, "tiny.task.yaml"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as program:
            assert program.stderr is not None
            for line in program.stderr:
                if b"planspec/cli" in line:  # -v prints each module before it is loaded
                    break
            time.sleep(draw.uniform(0, 0.6))
            program.send_signal(signal.SIGINT)
            _, errors = program.communicate(timeout=60)
        assert program.returncode in (0, 130, -signal.SIGINT)
        assert b"Traceback" not in errors
