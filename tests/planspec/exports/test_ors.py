"""Suites as servers of the Open Reward Standard. The standard's own server and client are used if they are
installed.
"""

from __future__ import annotations

import ast
import json
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

import planspec
from planspec.exports.bundle import CANARY, UnsuitableExportError
from planspec.exports.ors import RESERVED_NAMES, export_ors
from tests.planspec.commands.test_command_line import run as command
from tests.planspec.environments.talk import TALK

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ors")]

NUMBER = """\
planspec: task/1
id: {id}
query: A number over {least}.
given: {{least: {least}}}
plan: {{answer: {{one: true, n: int}}}}
scope: {{answer: [{{n: 0..40}}]}}
constraints:
  over: {{hard: answer.n > least}}
  near: {{hard: answer.n <= least + 2}}
"""


def openreward() -> Any:
    """Return the standard's package, which `make integrations` installs into a separate environment."""
    return pytest.importorskip("openreward", reason="openreward is not installed here: `make integrations` has it")


@pytest.fixture(scope="module")
def exported_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a suite with two similar tasks and a conversation with a tool."""
    root = tmp_path_factory.mktemp("ors")
    suite = root / "suite"
    suite.mkdir()
    for name, least in (("low", 3), ("high", 20)):
        (suite / f"{name}.task.yaml").write_text(NUMBER.format(id=name, least=least), "utf-8")
    (suite / "talk.task.yaml").write_text(TALK, "utf-8")
    with pytest.raises(UnsuitableExportError, match="different settings"):
        export_ors(suite, root / "out")
    export = export_ors(suite / "talk.task.yaml", root / "talk")
    assert export.tasks == ("talk",)
    (suite / "talk.task.yaml").unlink()
    export = export_ors(suite, root / "out")
    assert export.tasks == ("high", "low")
    return root


def test_the_folder_has_everything_that_a_server_needs(exported_folder: Path) -> None:
    folder = exported_folder / "out"
    wheel = next(folder.glob("planspec-*.whl"))
    assert {path.name for path in folder.iterdir()} == {
        ".dockerignore",
        "Dockerfile",
        "answers.json",
        "requirements.txt",
        "server.py",
        "suite",
        "tasks.json",
        wheel.name,
    }
    assert f"./{wheel.name}\n" in (folder / "requirements.txt").read_text("utf-8")
    assert "planspec/exports/ors.py" in zipfile.ZipFile(wheel).namelist()
    ast.parse((folder / "server.py").read_text("utf-8"))
    tasks = {task["task"]: task for task in json.loads((folder / "tasks.json").read_text("utf-8"))}
    assert tasks["low"]["user"] == ["A number over 3."]
    assert tasks["low"]["place"] == "suite/low.task.yaml" and tasks["low"]["canary"] == CANARY
    assert tasks["low"]["hash"] == planspec.load(folder / "suite" / "low.task.yaml").hash
    answers = json.loads((folder / "answers.json").read_text("utf-8"))
    for name, answer in answers.items():
        assert planspec.verify(folder / "suite" / f"{name}.task.yaml", answer).status == "pass"
    (talk,) = json.loads((exported_folder / "talk" / "tasks.json").read_text("utf-8"))
    assert talk["user"][0].startswith("# Message 1\n\n") and talk["user"][-1] == "Answer the last message alone."


def test_a_suite_that_cannot_be_served_is_refused_and_leaves_no_files(tmp_path: Path) -> None:
    task = tmp_path / "suite" / "talk.task.yaml"
    task.parent.mkdir()
    task.write_text(TALK.replace("    purse: {doc", "    submit: {doc"), "utf-8")
    with pytest.raises(UnsuitableExportError, match="a tool `submit`"):
        export_ors(task, tmp_path / "out")
    with pytest.raises(UnsuitableExportError, match="is in the folder"):
        export_ors(task, task.parent / "out")
    with pytest.raises(UnsuitableExportError, match="is not the name of an image"):
        export_ors(task, tmp_path / "out", image="two words")
    assert [path.name for path in tmp_path.iterdir()] == ["suite"]
    with pytest.raises(UnsuitableExportError, match="is not an empty folder"):
        export_ors(task, task.parent)


@pytest.mark.parametrize(
    ("words", "address"),
    [([], ("127.0.0.1", 8080)), (["9"], ("127.0.0.1", 9)), (["8080", "0.0.0.0"], ("0.0.0.0", 8080))],
)
def test_the_server_listens_on_loopback_unless_an_address_is_given(
    exported_folder: Path, words: list[str], address: tuple[str, int]
) -> None:
    """A fake of the standard's server reports the address at which it would listen."""
    run = (exported_folder / "talk" / "server.py").read_text("utf-8").partition('if __name__ == "__main__":\n')[2]
    addresses: list[tuple[str, int]] = []

    class Server:
        def __init__(self, _: Any) -> None: ...

        def run(self, host: str, port: int) -> None:
            addresses.append((host, port))

    exec(dedent(run), {"sys": SimpleNamespace(argv=["", *words]), "Server": Server, "Planspec": None})
    assert addresses == [address]


def test_the_container_listens_on_every_address(exported_folder: Path) -> None:
    assert 'CMD ["python", "server.py", "8080", "0.0.0.0"]' in (exported_folder / "talk" / "Dockerfile").read_text(
        "utf-8"
    )


def test_the_command_reports_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("export", "ors", "berlin-001", "--out", str(tmp_path / "out"), "--format", "json")
    code, output, _ = command(monkeypatch, capsys, *words)
    assert (code, json.loads(output)["tasks"]) == (0, ["berlin-001"])
    assert not (tmp_path / "out" / "suite").exists()  # planspec's wheel contains the suite


def test_the_reserved_names_are_those_of_the_package() -> None:
    openreward()
    from openreward.environments import Environment

    assert {name for name in dir(Environment) if not name.startswith("_")} <= RESERVED_NAMES


@contextmanager
def client_of(folder: Path) -> Iterator[Any]:
    """Serve a folder until the block ends, and yield a client of the server."""
    package = openreward()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-P", str(folder / "server.py"), str(port)],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            assert server.poll() is None, "the server ended"
            try:
                urlopen(f"{address}/health", timeout=1).close()
                break
            except (URLError, OSError):
                time.sleep(0.25)
        with package.OpenReward(api_key="none", base_url=address) as client:
            yield client.environments.get("planspec", base_url=address)
    finally:
        server.terminate()
        server.wait(30)


def reward_of(environment: Any, task: Any, answer: str, calls: dict[str, Any] | None = None) -> Any:
    """Return the reward of an answer in a new session."""
    with environment.session(task=task) as session:
        for name, arguments in (calls or {}).items():
            session.call_tool(name, arguments)
        return session.call_terminal_tool(answer)


def test_a_client_of_the_standard_plays_an_episode(exported_folder: Path) -> None:
    with client_of(exported_folder / "talk") as environment:
        assert environment.list_splits() == ["test"]
        (task,) = environment.list_tasks("test")
        assert environment.is_assistant_message_final()
        with environment.session(task=task) as session:
            assert [message.role for message in session.get_messages()] == ["system", "user"]
            system, first, *_ = session.get_prompt()
            assert "Ask for the purse." in system.text and first.text.startswith("# Message 1")
            tools = {tool.name: tool for tool in session.list_tools()}
            tool = tools["purse"]
            assert set(tools) == {"purse", "submit"} and tool.input_schema["type"] == "object"
            assert json.loads(session.call_tool("purse", {}).blocks[0].text) == {"amount": 20}
            wrong = json.loads(session.call_tool("purse", {"colour": "red"}).blocks[0].text)
            assert wrong["error"]["code"] == "invalid-arguments"
            over = session.call_terminal_tool('{"answer": {"n": 20}}')
            assert (over.reward, over.finished, over.metadata["calls"]) == (1, True, 2)
        for answer, paid in (('{"answer": {"n": 20}}', 1), ('{"answer": {"n": 1}}', 0)):
            with environment.session(task=task) as session:
                over = session.call_tool("submit", {"answer": answer})
                assert (over.reward, over.finished) == (paid, True)
    (exported_folder / "talk" / "suite" / "talk.task.yaml").write_text(
        TALK.replace("spent a third", "spent much"), "utf-8"
    )
    with (
        client_of(exported_folder / "talk") as environment,
        pytest.raises(Exception, match="is not the one that was exported"),
    ):
        reward_of(environment, environment.list_tasks("test")[0], "{}")


@pytest.mark.parametrize("suite", ["worldtravel-berlin", "travelplanner-small", "mobilitybench", "veritrip"])
def test_only_the_right_answer_is_rewarded(suite: str, tmp_path: Path) -> None:
    openreward()
    export = export_ors(suite, tmp_path / "out")
    answers = json.loads((export.folder / "answers.json").read_text("utf-8"))
    ids = [export.tasks[0], export.tasks[4]]
    others = {ids[0]: ids[1], ids[1]: ids[0]}
    with client_of(export.folder) as environment:
        tasks = {task.task_spec["task"]: task for task in environment.list_tasks("test")}
        assert list(tasks) == list(export.tasks)
        for name in ids:
            texts = {
                "oracle": json.dumps(answers[name]),
                "empty": "{}",
                "nothing": "",
                "constant": "I do not know.",
                "another's": json.dumps(answers[others[name]]),
            }
            rewards = {kind: reward_of(environment, tasks[name], answer).reward for kind, answer in texts.items()}
            assert rewards == {"oracle": 1, "empty": 0, "nothing": 0, "constant": 0, "another's": 0}
