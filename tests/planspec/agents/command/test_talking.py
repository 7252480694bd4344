"""A program used as an agent gets the task, calls tools, reports its steps, and answers."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from planspec.agents import Limits, UnknownAgentError, agent
from planspec.agents.command import Command, schemas
from planspec.environments import open_task
from planspec.runs.attempting import AttemptSpec, attempt
from planspec.traces.record import Message, Tokens
from tests.planspec.agents.command.programs import TOOLS, make_desk, make_view, python_agent

PNG = b"\x89PNG\r\n\x1a\n"


def test_a_program_gets_the_whole_view_of_a_task(tmp_path: Path) -> None:
    view = make_view(
        1,
        schema={"type": "object"},
        materials={"Rules": "Häuser"},
        images={"Map": PNG, "Photo": b"\xff\xd8"},
        given={"prices": [1, 2.5]},
        limits=Limits(seconds=9.0, tokens=7),
        seed=3,
        role="You answer.",
    )
    line = python_agent(tmp_path, "answer(get())").answer(view, make_desk(seconds=9.0, tokens=7))
    assert isinstance(line, dict)
    assert line["type"] == "task"
    seen: dict[str, Any] = line["view"]
    assert 0 < seen["left"].pop("seconds") <= 9
    assert seen == {
        "task": "t",
        "family": None,
        "setting": "text",
        "query": "question 2",
        "turn": 1,
        "brief": "say it",
        "seed": 3,
        "role": "You answer.",
        "earlier": [{"query": "question 1", "answer": "answer 1"}],
        "schema": {"type": "object"},
        "materials": {"Rules": "Häuser"},
        "given": {"prices": [1, 2.5]},
        "images": {
            "Map": {"media_type": "image/png", "base64": "iVBORw0KGgo="},
            "Photo": {"media_type": "image/jpeg", "base64": "/9g="},
        },
        "tools": [
            {"name": "hotels", "description": "The hotels of a city.", "parameters": TOOLS.tools()[0].parameters}
        ],
        "limits": {"seconds": 9.0, "tool_calls": None, "steps": 60, "tokens": 7},
        "left": {"tool_calls": None, "steps": 60},
    }


def test_calls_are_answered_and_recorded_and_a_wrong_call_is_not_a_failure(tmp_path: Path) -> None:
    desk = make_desk()
    body = """
get()
put(type="call", id="a", name="hotels", arguments={"city": "Berlin"})
put(type="call", id=2, name="hotels", arguments='{"city": "Bonn", "rooms": 2}')
put(type="call", name="hotels", arguments={"city": "Atlantis"})
put(type="call", id=None, name="hostels")
put(type="call", id=5, name=7, arguments=[1])
answer([get() for _ in range(5)])
"""
    lines = python_agent(tmp_path, body).answer(make_view(), desk)
    assert isinstance(lines, list)
    assert [line["type"] for line in lines] == ["result"] * 5
    assert [line["id"] for line in lines] == ["a", 2, None, None, 5]
    assert lines[0]["result"] == {"hotels": ["Berlin Inn"], "line": "one\u2028line"}
    assert lines[1]["result"]["hotels"] == ["Bonn Inn", "Bonn Inn"]
    codes = [line["result"]["error"]["code"] for line in lines[2:]]
    assert codes == ["not-found", "unknown-tool", "unknown-tool"]
    assert [(call.id, call.name) for call in desk.calls] == [
        ("a", "hotels"),
        ("2", "hotels"),
        ("call-3", "hotels"),
        ("call-4", "hostels"),
        ("5", "7"),
    ]
    assert desk.calls[1].arguments == {"city": "Bonn", "rooms": 2}


def test_a_programs_reports_are_in_the_trace(tmp_path: Path) -> None:
    desk = make_desk()
    body = """
get()
put(type="tokens", input=10, output=2)
put(type="tokens", input=5, output=None, stage="planner", seconds=0.001)
put(type="message", role="assistant", text="I think")
put(type="note", name="plan", value=[1])
put(type="note", name="plan", value={"steps": 2})
print(file=sys.stderr)
print("a warning", file=sys.stderr)
answer("done")
"""
    assert python_agent(tmp_path, body).answer(make_view(), desk) == "done"
    trace = desk.trace("t", "command", "done", None)
    assert trace.tokens == (Tokens(input=10, output=2), Tokens(stage="planner", input=5))
    assert trace.messages == (Message(role="assistant", text="I think"),)
    assert (trace.extra["plan"], trace.extra["stderr"]) == ({"steps": 2}, "\na warning\n")
    assert desk.steps_left == 58
    first, second = trace.generations
    assert first.time is None and second.time is not None and second.time.seconds >= 0.001


def test_the_end_of_a_long_standard_error_is_kept(tmp_path: Path) -> None:
    desk = make_desk()
    body = 'get(); sys.stderr.write("begin" + "x" * 300_000 + "end"); sys.stderr.flush(); answer("done")'
    program = python_agent(tmp_path, body)
    program.answer(make_view(), desk)
    text = desk.notes["stderr"]
    assert len(text) == 64 * 1024
    assert text.endswith("xxend")


def test_the_last_line_may_lack_a_line_feed_and_blank_lines_are_ignored(tmp_path: Path) -> None:
    body = 'get(); sys.stdout.write("\\n \\r\\n" + json.dumps({"type": "answer", "answer": {"n": 1}}))'
    assert python_agent(tmp_path, body).answer(make_view(), make_desk()) == {"n": 1}


def test_a_large_result_reaches_a_program_that_writes_before_it_reads(tmp_path: Path) -> None:
    body = """
get()
for number in range(20):
    put(type="call", id=number, name="hotels", arguments={"city": "x" * 100, "rooms": 5_000})
answer(sum(len(get()["result"]["hotels"]) for _ in range(20)).__str__())
"""
    assert python_agent(tmp_path, body).answer(make_view(), make_desk()) == "100000"


def test_halves_of_surrogate_pairs_are_replaced(tmp_path: Path) -> None:
    body = """get(); print('{"type": "answer", "answer": "a\\\\ud800b"}', flush=True)"""
    assert python_agent(tmp_path, body).answer(make_view(), make_desk()) == "a\ufffdb"


def test_one_process_serves_all_turns_of_an_attempt_and_a_new_one_the_next_attempt(tmp_path: Path) -> None:
    body = """
me = os.urandom(8).hex()
while (line := get()):
    answer([me, line["view"]["query"]])
"""
    program = python_agent(tmp_path, body)
    desk = make_desk()
    first, second = program.answer(make_view(0), desk), program.answer(make_view(1), desk)
    other = program.answer(make_view(0), make_desk())
    program.close()
    assert isinstance(first, list)
    assert second == [first[0], "question 2"]
    assert isinstance(other, list)
    assert other[0] != first[0]


def test_a_program_that_exited_after_its_answer_is_started_again_for_the_next_turn(tmp_path: Path) -> None:
    desk = make_desk()
    body = 'me = os.urandom(8).hex(); line = get(); print(me, file=sys.stderr); answer([me, line["view"]["query"]])'
    program = python_agent(tmp_path, body)
    first, second = program.answer(make_view(0), desk), program.answer(make_view(1), desk)
    assert isinstance(first, list)
    assert isinstance(second, list)
    assert first[0] != second[0]
    assert (first[1], second[1]) == ("question 1", "question 2")
    assert desk.notes["stderr"] == f"{first[0]}\n{second[0]}\n"


def test_a_program_runs_in_its_folder_with_its_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "seen")
    monkeypatch.setenv("ANOTHER_KEY", "not seen")
    body = """
get()
answer([os.getcwd(), *map(os.environ.get, ("A", "B", "A_KEY", "ANOTHER_KEY", "PATH"))])
"""
    program = python_agent(tmp_path, body, cwd=tmp_path, env="A=1 'B=two words'", inherit="A_KEY")
    expected = [str(tmp_path.resolve()), "1", "two words", "seen", None, os.environ["PATH"]]
    assert program.answer(make_view(), make_desk()) == expected
    assert "seen" not in json.dumps(dict(program.about()))
    everything = python_agent(tmp_path, body, cwd=tmp_path, env="A=1 B=2", contained=False)
    given = everything.answer(make_view(), make_desk())
    assert isinstance(given, list)
    assert given[3:5] == ["seen", "not seen"]


def test_a_shell_script_can_be_an_agent(tmp_path: Path) -> None:
    script = tmp_path / "agent.sh"
    script.write_text(
        "#!/bin/sh\n"
        "read -r task\n"
        """echo '{"type": "call", "id": 1, "name": "hotels", "arguments": {"city": "Kiel"}}'\n"""
        "read -r result\n"
        """case "$result" in *'"Kiel Inn"'*) echo '{"type": "answer", "answer": "Kiel Inn"}' ;; esac\n"""
    )
    script.chmod(0o755)
    assert Command("./agent.sh", cwd=tmp_path).answer(make_view(), make_desk()) == "Kiel Inn"


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_a_program_in_javascript_can_be_an_agent(tmp_path: Path) -> None:
    script = tmp_path / "agent.js"
    script.write_text("""\
const lines = require("readline").createInterface({ input: process.stdin });
const put = (line) => process.stdout.write(JSON.stringify(line) + "\\n");
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "task") put({ type: "call", id: "h", name: "hotels", arguments: { city: message.view.query } });
  else put({ type: "answer", answer: { chosen: message.result.hotels[0], id: message.id } });
});
""")
    program = Command(f"node '{script}'")
    given = program.answer(make_view(query="Köln"), make_desk())
    program.close()
    assert given == {"chosen": "Köln Inn", "id": "h"}


def test_a_run_records_the_command_line_and_the_hashes_of_its_files(tmp_path: Path) -> None:
    file = tmp_path / "agent.py"
    file.write_text("pass\n")
    assert Command("python3 agent.py --fast", cwd=tmp_path, contained=False).about() == {
        "command": ["python3", "agent.py", "--fast"],
        "sha256": {"agent.py": hashlib.sha256(b"pass\n").hexdigest()},
        "contained": "no: contained=off",
    }


def test_an_agent_is_made_from_a_spec(tmp_path: Path) -> None:
    command = agent(f"command:run=({sys.executable} -c 'print(1,2)'),cwd={tmp_path},env=A=1 B=2")
    assert isinstance(command, Command)
    assert command.about()["command"][1:] == ["-c", "print(1,2)"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"run": ""}, "names no program"),
        ({"run": "no-such-program-anywhere x"}, "there is no program `no-such-program-anywhere`"),
        ({"run": "./missing.sh"}, "there is no program `./missing.sh`"),
        ({"run": "sh 'a"}, "`run` cannot be split: No closing quotation"),
        ({"run": "sh", "cwd": Path("no-such-folder")}, "there is no folder `no-such-folder`"),
        ({"run": "sh", "env": "A"}, "`A` in `env` is not NAME=value"),
        ({"run": "sh", "inherit": "NO_SUCH_VARIABLE"}, "no variable `NO_SUCH_VARIABLE` to inherit"),
        ({"run": "sh", "reads": "no-such-thing"}, "there is nothing at `no-such-thing`"),
        ({"run": "sh", "env": "=1"}, "`=1` in `env` is not NAME=value"),
    ],
)
def test_a_program_that_cannot_run_is_reported_before_the_run(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UnknownAgentError, match="the agent `command`: ") as raised:
        Command(**options)
    assert message in str(raised.value)


TASK = """\
planspec: task/1
id: talk
title: Two turns
plan: {answer: {one: true, n: int}}
constraints: {over: {hard: answer.n > 3}}
scope: {answer: [{n: 0..9}]}
turns:
  - {query: Say a number over 3.}
  - {query: And an even one., constraints: {even: {hard: answer.n % 2 == 0}}}
"""


def test_one_process_answers_all_turns_of_an_attempt(tmp_path: Path) -> None:
    file = tmp_path / "talk.task.yaml"
    file.write_text(TASK)
    body = """
while (line := get()):
    before = [turn["answer"] for turn in line["view"]["earlier"]]
    put(type="note", name=f"turn {line['view']['turn']}", value=[os.getpid(), before])
    answer({"answer": {"n": 6 if before else 5}})
"""
    program = python_agent(tmp_path, body)
    attempt_ = attempt(AttemptSpec("talk", 0, 0), program, "command", open_task(file), Limits(seconds=20))
    program.close()
    assert attempt_.failure is None
    assert attempt_.status == "pass"
    assert [turn.answer for turn in attempt_.turns] == [{"answer": {"n": 5}}, {"answer": {"n": 6}}]
    first, second = attempt_.trace.extra["turn 0"], attempt_.trace.extra["turn 1"]
    assert isinstance(first, list)
    assert second == [first[0], ['{"answer": {"n": 5}}']]
    assert attempt_.about["command"] == program.about()["command"]


def test_the_schemas_describe_every_line() -> None:
    schemas_ = schemas()
    lines = {
        way: {
            name: sorted(schema["required"])
            for name, schema in schemas_[way]["$defs"].items()
            if "type" in schema.get("properties", {})
        }
        for way in ("to", "from")
    }
    assert lines == {
        "to": {"TaskLine": ["type", "view"], "ResultLine": ["id", "result", "type"]},
        "from": {
            "CallLine": ["name", "type"],
            "TokensLine": ["type"],
            "MessageLine": ["role", "text", "type"],
            "NoteLine": ["name", "type", "value"],
            "AnswerLine": ["answer", "type"],
            "FailedLine": ["boundary", "message", "type"],
        },
    }
    assert "schema" in schemas_["to"]["$defs"]["View"]["required"]
