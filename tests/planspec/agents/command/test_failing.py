"""A fault ends the agent's program. The record has a message, and the boundary (the stage) at which the fault occurred."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from planspec.agents import AttemptFailedError
from planspec.agents.command import Command, process
from tests.planspec.agents.command.programs import HEAD, make_desk, make_view, python_agent

pytestmark = pytest.mark.slow


def failure(folder: Path, body: str, **limits: Any) -> AttemptFailedError:
    """Run a Python program as an agent, and return the error with which it must fail."""
    with pytest.raises(AttemptFailedError) as raised:
        python_agent(folder, body).answer(make_view(), make_desk(**limits))
    return raised.value


def no_process_has(word: str) -> bool:
    """Wait up to 5 s for all processes with a word in their command line to end. Return whether they did.

    Process ids would not identify the processes, since they differ between namespaces.
    """
    for _ in range(500):
        if not any(word.encode() in _command_line(entry) for entry in Path("/proc").iterdir()):
            return True
        time.sleep(0.01)
    return False


def _command_line(process: Path) -> bytes:
    """Return the command line of another process, given its folder in `/proc`, or empty bytes."""
    if not process.name.isdigit() or int(process.name) == os.getpid():
        return b""
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


on_linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc to look at")
either_way = pytest.mark.parametrize("contained", [True, False], ids=["contained", "uncontained"])


@pytest.mark.parametrize(
    ("body", "boundary", "message"),
    [
        (
            "get(); print('thinking...')",
            "decode",
            "line 1 of the program's output is not JSON: `thinking...`; text that is not for planspec belongs on standard error",
        ),
        (
            "get(); put(type='note', name='a', value=1); print('[1')",
            "decode",
            "line 2 of the program's output is not JSON",
        ),
        (
            "get(); sys.stdout.buffer.write(b'\\xff\\n')",
            "decode",
            "line 1 of the program's output is not UTF-8: `\\xff`",
        ),
        ("get(); print('NaN')", "decode", "is not JSON"),
        ("get(); print('[' * 100_000)", "decode", "is not JSON"),
        ("get(); print('7' * 10_000)", "decode", "is not JSON"),
        ("get(); print('[]')", "decode", "line 1 of the program's output is invalid"),
        ("get(); put(answer={})", "decode", "is invalid"),
        (
            "get(); put(type='answer', answer=None)",
            "decode",
            "`answer` is null; it must be an object, a list or a text",
        ),
        ("get(); put(type='anwser', answer={})", "decode", "'anwser'"),
        ("get(); put(type='answer', answer=1)", "decode", "`answer` is a number; it must be"),
        ("get(); put(type='answer')", "decode", "answer: Field required"),
        ("get(); put(type='answer', answer={}, score=1)", "decode", "score: Extra inputs are not permitted"),
        ("get(); put(type='tokens', input='12')", "decode", "input: "),
        ("get(); put(type='tokens', input=-1)", "decode", "input: "),
        ("get(); put(type='failed', boundary='mood', message='')", "decode", "boundary: "),
        ("get(); put(type='failed', boundary='provider', message='no model')", "provider", "no model"),
        ("get(); sys.exit(3)", "adapter", "the program ended with status 3 before it answered"),
        (
            "get(); raise KeyError('city')",
            "adapter",
            "the program ended with status 1 before it answered; its last line on standard error: `KeyError: 'city'`",
        ),
        ("get()", "adapter", "the program ended with status 0 before it answered"),
        ("get(); os.kill(os.getpid(), 11)", "adapter", "the program was ended by SIGSEGV before it answered"),
        ("get(); answer({}); print('bye')", "adapter", "the program wrote more after its answer: `bye`"),
        ("get(); answer({}); answer({})", "adapter", "the program wrote more after its answer"),
        ("get(); sys.stdout.write('x' * 9_000_000)", "limit", "the program wrote a line of more than 8 MB"),
        (
            "get()\nwhile True: put(type='message', role='a', text='x' * 100_000)",
            "limit",
            "the program wrote more than 64 MB",
        ),
    ],
)
def test_each_failure_of_a_program_has_its_boundary_and_a_plain_message(
    tmp_path: Path, body: str, boundary: str, message: str
) -> None:
    failed = failure(tmp_path, body)
    assert (failed.boundary, message in failed.message) == (boundary, True), failed.message
    assert len(failed.message) < 1_000


@either_way
def test_a_program_that_closes_its_output_but_does_not_exit_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, contained: bool
) -> None:
    monkeypatch.setattr(process, "EXIT_GRACE_S", 0.1)
    with pytest.raises(AttemptFailedError) as raised:
        python_agent(tmp_path, "get(); os.close(1); time.sleep(600)", contained=contained).answer(
            make_view(), make_desk()
        )
    failed = raised.value
    assert failed.boundary == "adapter"
    assert failed.message == "the program closed its standard output before it answered"


@pytest.mark.parametrize("body", ["time.sleep(600)", "get(); time.sleep(600)"])
def test_a_program_that_writes_nothing_times_out_with_a_hint(tmp_path: Path, body: str) -> None:
    failed = failure(tmp_path, body, seconds=0.3)
    assert failed.boundary == "timeout"
    assert failed.message == "0.3 seconds are over, and the program wrote no line; does it flush what it writes?"


@pytest.mark.slow
def test_a_program_that_never_stops_writing_runs_out_of_time(tmp_path: Path) -> None:
    body = "get()\nwhile True: put(type='note', name='n', value=1); time.sleep(0.001)"
    failed = failure(tmp_path, body, seconds=0.5)
    assert (failed.boundary, failed.message) == ("timeout", "0.5 seconds are over")


@pytest.mark.parametrize(
    ("body", "limits", "message"),
    [
        ("get()\nwhile True: call('hotels', city='Bonn')", {"tool_calls": 2}, "2 tool calls are used up"),
        ("get()\nwhile True: put(type='tokens', input=1)", {"steps": 3}, "3 steps are used up"),
        ("get()\nwhile True: put(type='tokens', input=9, output=9)", {"tokens": 30}, "30 tokens are used up"),
    ],
)
def test_the_limits_of_the_attempt_apply_to_programs(
    tmp_path: Path, body: str, limits: dict[str, int], message: str
) -> None:
    failed = failure(tmp_path, body, **limits)
    assert (failed.boundary, failed.message) == ("limit", message)


def test_unread_results_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MOST_UNREAD", 1 << 20)
    body = "get()\nwhile True: put(type='call', name='hotels', arguments={'city': 'Bonn', 'rooms': 9999})"
    failed = failure(tmp_path, body, tool_calls=None)
    assert (failed.boundary, failed.message) == ("limit", "the program leaves more than 1 MB unread")


@either_way
def test_a_file_that_cannot_be_executed_is_a_failure_of_the_adapter(tmp_path: Path, contained: bool) -> None:
    file = tmp_path / "agent"
    file.write_text("#!/no/such/interpreter\n")
    file.chmod(0o755)
    with pytest.raises(AttemptFailedError) as raised:
        Command(str(file), contained=contained).answer(make_view(), make_desk())
    assert raised.value.boundary == "adapter"
    assert raised.value.message.startswith("the program cannot be started: ")


@pytest.mark.slow
def test_a_second_answer_to_one_turn_does_not_answer_the_next_turn(tmp_path: Path) -> None:
    desk = make_desk()
    program = python_agent(tmp_path, "get(); answer('one'); time.sleep(0.4); answer('one again'); get()")
    assert program.answer(make_view(0), desk) == "one"
    time.sleep(0.8)
    with pytest.raises(AttemptFailedError) as raised:
        program.answer(make_view(1), desk)
    assert raised.value.message.startswith("the program wrote more after its answer")


def test_a_program_that_crashes_after_its_answer_is_not_started_again(tmp_path: Path) -> None:
    desk = make_desk()
    program = python_agent(tmp_path, "get(); answer('one'); sys.exit(4)")
    assert program.answer(make_view(0), desk) == "one"
    with pytest.raises(AttemptFailedError, match="the program ended with status 4 before it answered"):
        program.answer(make_view(1), desk)


def test_after_a_failure_the_next_attempt_starts_a_new_program(tmp_path: Path) -> None:
    program = python_agent(tmp_path, "line = get()\nif line['view']['turn']: sys.exit(1)\nanswer('fine')")
    with pytest.raises(AttemptFailedError):
        program.answer(make_view(1), make_desk())
    assert program.answer(make_view(0), make_desk()) == "fine"


@pytest.mark.slow
@on_linux
@either_way
def test_a_program_is_killed_with_its_children_when_its_time_is_over(tmp_path: Path, contained: bool) -> None:
    word = f"600.{time.monotonic_ns()}"
    body = f"""
import signal, subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(["sleep", "{word}"])
subprocess.Popen(["setsid", "sleep", "{word}"])
time.sleep(600)
"""
    with pytest.raises(AttemptFailedError, match="1 seconds are over"):
        python_agent(tmp_path, body, contained=contained).answer(make_view(), make_desk(seconds=1.0))
    assert no_process_has(word)
    assert no_process_has(str(tmp_path))


@on_linux
@either_way
@pytest.mark.parametrize("how", ["child", "daemon", "holding its output"])
def test_processes_that_outlive_a_program_are_killed(tmp_path: Path, contained: bool, how: str) -> None:
    """A daemon has left the program's process group and session, and has no parent."""
    word = f"600.{time.monotonic_ns()}"
    body = f"""
get()
def outlive():
    if "{how}" == "daemon":
        for stream in range(3): os.close(stream)
    os.execvp("sleep", ["sleep", "{word}"])
if os.fork() == 0:
    if "{how}" == "child": outlive()
    os.setsid()
    if os.fork() == 0: outlive()
    os._exit(0)
time.sleep(0.2)
answer("done")
"""
    program = python_agent(tmp_path, body, contained=contained)
    assert program.answer(make_view(), make_desk()) == "done"
    program.close()
    assert no_process_has(word)


@pytest.mark.slow
@on_linux
@either_way
def test_a_program_that_ignores_the_end_of_its_input_is_killed(tmp_path: Path, contained: bool) -> None:
    program = python_agent(tmp_path, "get(); answer('done'); time.sleep(600)", contained=contained)
    assert program.answer(make_view(), make_desk()) == "done"
    program.close()
    assert no_process_has(str(tmp_path))


@pytest.mark.slow
@on_linux
@either_way
def test_programs_end_with_the_process_that_started_them_even_if_it_is_killed(tmp_path: Path, contained: bool) -> None:
    word = f"600.{time.monotonic_ns()}"
    script = tmp_path / "agent.py"
    script.write_text(
        HEAD + f"import subprocess; get(); subprocess.Popen(['setsid', 'sleep', '{word}']); answer('x')\n"
        "time.sleep(600)"
    )
    owner = tmp_path / "owner.py"
    owner.write_text(
        "import sys, time\n"
        "from planspec.agents.command import Command\n"
        "from tests.planspec.agents.command.programs import make_desk, make_view\n"
        f"agent = Command({f'{sys.executable} -S {script}'!r}, contained={contained})\n"
        "print(agent.answer(make_view(), make_desk())[0], flush=True)\n"
        "time.sleep(600)\n"
    )
    root = str(Path(__file__).parents[4])
    started = subprocess.Popen(
        [sys.executable, str(owner)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": root},
        text=True,
    )
    assert started.stdout is not None
    assert started.stdout.readline() == "x\n"
    started.send_signal(signal.SIGKILL)
    started.communicate()
    assert no_process_has(word)
    assert no_process_has(str(script))
