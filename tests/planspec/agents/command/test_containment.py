"""A contained program (in a sandbox) can access only its own folder and the given files, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import socket
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

import planspec.agents.command.agent as module
import planspec.agents.command.run_folders as run_folders
from planspec.agents import UnknownAgentError, agent, agent_info
from planspec.agents.command import Command
from planspec.agents.command.containment import Sandbox, shipped_tasks_folder, why_unavailable
from planspec.commands.run import RUNS
from planspec.dsl.workspace.workspace import COPIES
from planspec.runs import RunFolder
from tests.planspec.agents.command.programs import HEAD, make_desk, make_view, python_agent
from tests.planspec.commands.test_command_line import run

contained = pytest.mark.skipif(
    why_unavailable() is not None, reason=f"no program can be contained: {why_unavailable()}"
)

LOOK = """
def can(what):
    try:
        return bool(what())
    except (OSError, KeyError):
        return False

def read(path):
    return can(lambda: open(path, "rb").read(1))

def write(path):
    return can(lambda: open(path, "a").write("x"))
"""


def write_run(folder: Path) -> None:
    """Write the files of a run without attempts to a folder."""
    folder.mkdir(parents=True)
    (folder / "run.json").write_text('{\n  "run": "run/1"\n}')
    (folder / "attempts.jsonl").touch()


def answer_of(folder: Path, body: str, **options: Any) -> Any:
    """Return the answer of a Python program that is run as an agent."""
    program = python_agent(folder, LOOK + "get()\n" + body, **options)
    try:
        return program.answer(make_view(), make_desk())
    finally:
        program.close()


@contained
class TestVisibility:
    """Paths that exist for a contained program, and paths that do not."""

    def test_only_its_own_files_and_the_system_are_visible(
        self, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        other = tmp_path_factory.mktemp("other") / "secret"
        other.write_text("x")
        (tmp_path / "beside").write_text("x")
        temporary = Path("/tmp") / f"only-inside-{uuid.uuid4().hex}"
        body = f"""
answer({{
    "self": read(__file__), "system": read("/usr/bin/env"), "beside": read({str(tmp_path / "beside")!r}),
    "other": read({str(other)!r}), "home": read(os.path.expanduser("~/.bashrc")), "shadow": read("/etc/shadow"),
    "changed": write(__file__), "system changed": write("/usr/bin/env"), "temporary": write({str(temporary)!r}),
}})
"""
        assert answer_of(tmp_path, body) == {
            "self": True,
            "system": True,
            "beside": False,
            "other": False,
            "home": False,
            "shadow": False,
            "changed": False,
            "system changed": False,
            "temporary": True,
        }
        assert not temporary.exists()

    def test_a_program_can_write_to_its_own_folder(self, tmp_path: Path) -> None:
        (tmp_path / "notes").write_text("x")
        own = f"os.path.join({str(tmp_path)!r}, 'notes')"
        assert answer_of(tmp_path, f"answer([read({own}), write({own}), os.getcwd()])", cwd=tmp_path) == [
            True,
            True,
            str(tmp_path),
        ]
        assert (tmp_path / "notes").read_text() == "xx"

    def test_shown_files_are_read_only(self, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
        shown = tmp_path_factory.mktemp("shown") / "data"
        shown.write_text("x")
        body = f"answer([read({str(shown)!r}), write({str(shown)!r})])"
        assert answer_of(tmp_path, body, reads=str(shown.parent)) == [True, False]

    def test_shipped_references_are_hidden_even_if_planspec_is_visible(self, tmp_path: Path) -> None:
        """The option `reads` shows the whole installation, which includes tasks with answers and certificates."""
        gold = next(shipped_tasks_folder().rglob("*.reference.json"))
        package = shipped_tasks_folder().parent
        code = package / "api" / "judging.py"
        body = f"answer([read({str(code)!r}), read({str(gold)!r}), can(lambda: os.listdir({str(shipped_tasks_folder())!r}))])"
        assert answer_of(tmp_path, body, reads=str(package)) == [True, False, False]

    def test_hidden_subfolders_of_the_working_folder_are_empty_and_that_folder_cannot_be_hidden(
        self, tmp_path: Path
    ) -> None:
        secret = tmp_path / "suite" / "tasks"
        secret.mkdir(parents=True)
        (secret / "gold").write_text("x")
        program = python_agent(tmp_path, LOOK + f"get(); answer([read({str(secret / 'gold')!r})])", cwd=tmp_path)
        assert program.answer(make_view(), make_desk()) == [True]
        program.close()
        program.conceal([secret])
        assert program.answer(make_view(), make_desk()) == [False]
        program.close()
        with pytest.raises(
            UnknownAgentError,
            match="holds what the program must not see, or lies in it; give it a folder of its own",
        ):
            program.conceal([tmp_path])

    def test_runs_and_copies_of_suites_are_hidden_anywhere(self, tmp_path: Path) -> None:
        """The folder `records` is hidden as a whole, because it contains only runs and later records would be
        written there.
        """
        for place in ("records/old", "work/one", "runs/new"):
            write_run(tmp_path / place)
        (tmp_path / "copies").mkdir()
        (tmp_path / "copies" / COPIES).write_text("{}")
        for place in ("work/notes", "runs/report.html", "mine/run.json"):
            (tmp_path / place).parent.mkdir(exist_ok=True)
            (tmp_path / place).write_text("{}")
        body = """
a = [os.path.join(at, name) for at, _, names in os.walk(".") for name in names]
answer([sorted(a), can(lambda: os.rename("work", "other") is None)])
"""
        assert answer_of(tmp_path, body, cwd=tmp_path) == [
            ["./agent.py", "./mine/run.json", "./work/notes"],
            False,
        ]
        sandbox = Sandbox(tmp_path, (), network=False).command(Path(sys.executable), ["true"])
        assert str(tmp_path / "records") in sandbox
        assert str(tmp_path / "records" / "old") not in sandbox

    def test_a_part_of_a_hidden_folder_is_not_shown(self, tmp_path: Path) -> None:
        suite = tmp_path / "suite"
        write_run(tmp_path / "old" / "run")
        (suite / "answers").mkdir(parents=True)
        (suite / "answers" / "gold.json").write_text("{}")
        for seen in ("old/run/attempts.jsonl", "old/run", "old"):
            with pytest.raises(UnknownAgentError, match=r"must not see|holds records of runs"):
                python_agent(tmp_path, "get()", reads=str(tmp_path / seen))
        for seen in ("answers", "answers/gold.json"):
            program = python_agent(tmp_path, "get()", reads=str(suite / seen))
            with pytest.raises(UnknownAgentError, match="must not see, or lies in it"):
                program.conceal([suite])

    def test_a_program_beside_hidden_tasks_is_visible_but_an_answer_named_in_its_command_line_is_refused(
        self, tmp_path: Path
    ) -> None:
        (tmp_path / "gold.json").write_text("{}")
        program = python_agent(tmp_path, LOOK + "get(); answer(os.listdir(os.path.dirname(__file__)))")
        program.conceal([tmp_path])
        assert program.answer(make_view(), make_desk()) == ["agent.py"]
        program.close()
        with pytest.raises(UnknownAgentError, match=r"gold\.json` holds what the program must not see"):
            Command(f"{sys.executable} {tmp_path / 'agent.py'} {tmp_path / 'gold.json'}").conceal([tmp_path])

    def test_a_hidden_file_cannot_be_read(self, tmp_path: Path) -> None:
        gold = tmp_path / "gold.json"
        gold.write_text("x")
        program = python_agent(
            tmp_path, LOOK + f"get(); answer([read({str(gold)!r}), write({str(gold)!r})])", cwd=tmp_path
        )
        program.conceal([gold])
        assert program.answer(make_view(), make_desk()) == [False, False]
        program.close()

    def test_a_tree_that_is_too_large_to_search_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(run_folders, "MOST_ENTRIES", 2)
        (tmp_path / "more").mkdir()
        for name in ("a", "b"):
            (tmp_path / "more" / name).touch()
        with pytest.raises(UnknownAgentError, match=r"more than 2 files, .*; give it a folder of its own"):
            python_agent(tmp_path, "get()", cwd=tmp_path)

    def test_no_other_process_is_visible(self, tmp_path: Path) -> None:
        body = "answer(sorted(int(name) for name in os.listdir('/proc') if name.isdigit()))"
        assert len(answer_of(tmp_path, body)) <= 3
        body = f"answer([can(lambda: os.kill({os.getpid()}, 0) is None), os.getppid()])"
        assert answer_of(tmp_path, body) == [False, 1]

    def test_a_script_finds_its_own_interpreter(self, tmp_path: Path) -> None:
        (tmp_path / "bin").mkdir()
        script = tmp_path / "bin" / "agent"
        script.write_text(f"#!{sys.executable}\n" + HEAD + "import pytest\nget(); answer(pytest.__name__)")
        script.chmod(0o755)
        program = Command(str(script))
        assert program.answer(make_view(), make_desk()) == "pytest"
        program.close()

    def test_a_shim_of_a_version_manager_finds_its_versions(self, tmp_path: Path) -> None:
        for name, chosen in (
            ("shims/shell", '"${0%/*}/../versions/1/shell"'),
            ("versions/1/shell", "/bin/sh"),
        ):
            program_folder = tmp_path / "manager" / name
            program_folder.parent.mkdir(parents=True)
            program_folder.write_text(f'#!/bin/sh\nexec {chosen} "$@"\n')
            program_folder.chmod(0o755)
        script = tmp_path / "agent.sh"
        script.write_text("""read -r task; echo '{"type": "answer", "answer": "chosen"}'\n""")
        program = Command(f"shell {script}", env=f"PATH={tmp_path / 'manager' / 'shims'}:/usr/bin")
        assert program.answer(make_view(), make_desk()) == "chosen"
        program.close()


@contained
@pytest.mark.parametrize("network", [False, True])
def test_the_network_is_reachable_only_on_request(tmp_path: Path, network: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        body = f"import socket; answer([can(lambda: socket.create_connection(('127.0.0.1', {port}), 5))])"
        assert answer_of(tmp_path, body, network=network) == [network]


TASK = """\
planspec: task/1
id: {id}
title: One number
query: Say a number.
plan: {{answer: {{one: true, n: int}}}}
constraints: {{over: {{hard: answer.n > 3}}}}
scope: {{answer: [{{n: 0..9}}]}}
reference: {{answer: {{n: 4}}}}
"""
ATTACK = """
import signal
view = get()["view"]
found = {{
    "suite": read({suite!r}), "records": read({records!r}), "records changed": write({records!r}),
    "worker ended": can(lambda: os.kill(os.getppid(), 0) is None and os.getppid() != 1),
    "key": "A_KEY" in os.environ, "memory": read(f"/proc/{{os.getppid()}}/mem"),
}}
put(type="note", name="found", value=found)
answer({{"answer": {{"n": 5}}}})
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Return the file of a suite with two tasks."""
    folder = tmp_path / "suite"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.task.yaml").write_text(TASK.format(id=name))
    file = folder / "s.suite.yaml"
    file.write_text("planspec: suite/1\nid: s\ntitle: S\ntasks: [a.task.yaml, b.task.yaml]\n")
    return file


@pytest.mark.slow
@contained
def test_a_contained_agent_finds_neither_the_suite_nor_the_records_nor_the_run(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The agent works in a folder that contains all of them."""
    monkeypatch.setenv("A_KEY", "secret")
    out = tmp_path / "run"
    body = ATTACK.format(suite=str(suite), records=str(out / "attempts.jsonl"))
    (tmp_path / "agent.py").write_text(HEAD + LOOK + body)
    spec = f"command:run={sys.executable} agent.py,cwd={tmp_path}"
    code, _, errors = run(monkeypatch, capsys, "run", str(suite), "--agent", spec, "--out", str(out))
    assert (code, "warning" in errors) == (0, False)
    for attempt in RunFolder(out).attempts():
        visible = attempt.trace.extra["found"]
        assert isinstance(visible, dict)
        assert (attempt.status, attempt.uncontained) == ("pass", False)
        assert not any(visible.values())


@contained
def test_an_agent_in_the_folder_of_the_suite_is_refused(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (suite.parent / "agent.py").write_text(HEAD)
    spec = f"command:run={sys.executable} agent.py,cwd={suite.parent}"
    code, _, errors = run(monkeypatch, capsys, "run", str(suite), "--agent", spec, "--out", str(tmp_path / "run"))
    assert code == 2
    assert "give it a folder of its own with cwd=, or use contained=off" in errors


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("containment_off", [True, False])
def test_an_uncontained_agent_is_reported_and_recorded(
    suite: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    containment_off: bool,
) -> None:
    why = "contained=off" if containment_off else "there are no namespaces here"
    monkeypatch.setattr(module, "why_unavailable", lambda: why)
    (tmp_path / "agent.py").write_text(HEAD + "get(); answer({'answer': {'n': 5}})")
    spec = f"repair:k=0,of=(command:run={sys.executable} {tmp_path / 'agent.py'}{',contained=off' if containment_off else ''})"
    out = tmp_path / "run"
    _, _, errors = run(monkeypatch, capsys, "run", str(suite), "--agent", spec, "--out", str(out))
    assert f"warning: the agent's program is not contained: {why}" in errors
    assert RunFolder(out).read_header().uncontained == why
    words = ("report", str(out), "-o", str(tmp_path / "page.html"), "--no-proofs", "--format", "json")
    assert json.loads(run(monkeypatch, capsys, *words)[1])["runs"][0]["uncontained"] is (
        containment_off or bool(why_unavailable())
    )


@pytest.mark.slow
@contained
def test_a_reference_outside_of_the_suites_folder_is_hidden(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold.json"
    gold.write_text('{"answer": {"n": 4}}')
    task = suite.parent / "a.task.yaml"
    task.write_text(TASK.format(id="a").replace("{answer: {n: 4}}", "../gold.json"))
    body = f"get(); put(type='note', name='found', value=read({str(gold)!r})); answer({{'answer': {{'n': 5}}}})"
    (tmp_path / "agent.py").write_text(HEAD + LOOK + body)
    spec, out = f"command:run={sys.executable} agent.py,cwd={tmp_path}", tmp_path / "run"
    assert run(monkeypatch, capsys, "run", str(suite), "--agent", spec, "--out", str(out))[0] == 0
    assert [attempt.trace.extra["found"] for attempt in RunFolder(out).attempts()] == [False, False]


@pytest.mark.slow
def test_an_agent_of_a_python_file_is_marked_as_not_contained(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text("class A:\n    def answer(self, view, desk):\n        return '{}'\n")
    for number, spec in enumerate(
        (f"python:file={tmp_path / 'mine.py'}", f"repair:of=(python:file={tmp_path / 'mine.py'})")
    ):
        out = tmp_path / f"run{number}"
        errors = run(monkeypatch, capsys, "run", str(suite), "--agent", spec, "--out", str(out))[2]
        assert "warning: the agent's program is not contained: it runs in planspec's own process" in errors
        assert all(attempt.uncontained for attempt in RunFolder(out).attempts())
    assert agent_info(agent("repair:of=empty")).uncontained is None


def test_the_default_folder_of_runs_is_hidden_as_a_whole() -> None:
    assert str(RUNS) == run_folders.RUNS
