"""Attempts as chat messages with tool calls, as trainers read them."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from planspec.agents import Limits, agent
from planspec.environments import open_task
from planspec.exports.conversations import ConversationRow, conversation_rows
from planspec.exports.row_files import write_rows
from planspec.runs import RunFolder
from planspec.runs.attempting import AttemptSpec, attempt
from planspec.runs.running import ChangedSuiteError
from planspec.traces.record import Stage
from tests.planspec.commands.test_command_line import run as command
from tests.planspec.environments.talk import TALK
from tests.planspec.exports.test_rows import empty_run

TEMPLATE = """\
{%- for message in messages %}
<|{{ message.role }}|>
{%- if loop.first and tools %}{{ tools | tojson }}{% endif %}
{{- message.content }}
{%- for call in message.tool_calls or [] %}<tool_call>{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}</tool_call>{% endfor %}
{%- endfor %}"""
"""A chat template that expects arguments as objects, as most templates do."""


class TwoPartAgent:
    """An agent that consists of two parts and records the messages of its model."""

    def answer(self, view: Any, desk: Any) -> Any:
        place = desk.record_stage(Stage(name=f"part {view.turn}"))
        desk.record_message("user", view.query, stage=place)
        call, _ = desk.place_call("purse", "{}", id="own-id", stage=place)
        desk.record_message("assistant", None, calls=[call], stage=place)
        desk.record_message("tool", "fifty", answers=call, stage=place)
        desk.record_message("assistant", "no plan", stage=place)
        return "no plan"


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """Return a run with a passing attempt of the oracle and a failing attempt with messages."""
    file = tmp_path / "suite" / "talk.task.yaml"
    file.parent.mkdir()
    file.write_text(TALK, "utf-8")
    folder = empty_run(file.parent, tmp_path / "run", 2)
    opened = open_task(file)
    with folder.writing() as records:
        for repeat, agent_ in enumerate((agent("oracle"), TwoPartAgent())):
            records.add(attempt(AttemptSpec("talk", repeat, 0), agent_, "some", opened, Limits(seconds=60)))
    return folder


def test_an_agent_without_messages_gets_a_conversation_from_the_setting(run: RunFolder) -> None:
    (row,) = conversation_rows(run.path)
    assert (row.task, row.passed, row.privileged, row.part) == ("talk", True, True, None)
    roles = [message["role"] for message in row.messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user", "assistant"]
    (call,) = row.messages[2]["tool_calls"]
    assert call == {"id": "call-1", "type": "function", "function": {"name": "purse", "arguments": "{}"}}
    assert row.messages[3]["tool_call_id"] == "call-1"
    assert "amount" in json.loads(row.messages[3]["content"])
    assert json.loads(row.messages[-1]["content"])["answer"]
    (tool,) = json.loads(row.tools)
    assert (tool["type"], tool["function"]["name"]) == ("function", "purse")


def test_recorded_messages_are_exported_for_each_part_of_an_agent(run: RunFolder) -> None:
    rows = [row for row in conversation_rows(run.path, failed=True) if not row.passed]
    assert [row.part for row in rows] == ["part 0", "part 1"]
    assert [message["role"] for message in rows[0].messages] == ["user", "assistant", "tool", "assistant"]
    assert rows[0].messages[1]["tool_calls"][0]["id"] == "own-id"
    assert rows[0].messages[2] == {"role": "tool", "content": "fifty", "tool_call_id": "own-id"}


def test_a_suite_that_has_changed_is_refused(run: RunFolder, tmp_path: Path) -> None:
    shutil.rmtree(run.path / "suite")  # as in a run of an earlier release
    (tmp_path / "suite" / "talk.task.yaml").write_text(TALK.replace("a third", "a bit"), "utf-8")
    with pytest.raises(ChangedSuiteError, match="run it again"):
        list(conversation_rows(run.path))


def test_a_run_with_copies_does_not_need_its_suite(run: RunFolder, tmp_path: Path) -> None:
    rows = list(conversation_rows(run.path))
    shutil.rmtree(tmp_path / "suite")
    assert list(conversation_rows(run.path)) == rows != []
    copy = next(run.path.rglob("talk.task.yaml"))
    copy.write_text(TALK.replace("a third", "a bit"), "utf-8")
    with pytest.raises(ChangedSuiteError, match="has changed"):
        list(conversation_rows(run.path))


def test_conversations_are_exported_by_the_command(
    run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "sft.jsonl"
    words = ("export", "rows", str(run.path), "--table", "conversations", "-o", str(out))
    assert command(monkeypatch, capsys, *words)[0] == 0
    assert [json.loads(line) for line in out.read_text("utf-8").splitlines()] == [
        asdict(row) for row in conversation_rows(run.path)
    ]
    code, output, _ = command(monkeypatch, capsys, *words, "--failed", "--format", "json")
    assert (code, json.loads(output)) == (0, {"file": str(out), "table": "conversations", "rows": 3})
    assert command(monkeypatch, capsys, "export", "rows", str(run.path), "--failed", "-o", str(out))[0] == 2
    suite = str(tmp_path / "suite")
    assert command(monkeypatch, capsys, "export", "rows", suite, "--failed", "-o", str(out))[0] == 2


def test_parquet_has_the_same_messages(run: RunFolder, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert write_rows(conversation_rows(run.path, failed=True), ConversationRow, tmp_path / "sft.parquet") == 3
    read = parquet.read_table(tmp_path / "sft.parquet").to_pylist()
    for row, expected in zip(read, conversation_rows(run.path, failed=True), strict=True):
        assert [{k: v for k, v in m.items() if v is not None} for m in row["messages"]] == expected.messages
        assert row["tools"] == expected.tools


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_datasets_loads_conversations_and_a_chat_template_renders_them(
    run: RunFolder, tmp_path: Path, ending: str
) -> None:
    datasets = pytest.importorskip("datasets", reason="no datasets: pip install datasets")
    transformers = pytest.importorskip("transformers", reason="no transformers: pip install transformers")
    tokenizers = pytest.importorskip("tokenizers")
    models = pytest.importorskip("tokenizers.models")
    file = tmp_path / f"sft.{ending}"
    write_rows(conversation_rows(run.path, failed=True), ConversationRow, file)
    kind = "json" if ending == "jsonl" else "parquet"
    rows = datasets.load_dataset(kind, data_files=str(file), split="train", cache_dir=str(tmp_path / "cache"))
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizers.Tokenizer(models.WordLevel({"?": 0}, unk_token="?")),
        chat_template=TEMPLATE,
    )
    messages = rows[0]["messages"]
    for message in messages:
        for call in message.get("tool_calls") or []:
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    text = tokenizer.apply_chat_template(messages, tools=json.loads(rows[0]["tools"]), tokenize=False)
    assert '<tool_call>{"name": "purse", "arguments": {}}</tool_call>' in text
    assert text.count("<|assistant|>") == 3
    assert '"name": "purse"' in text.partition("<|user|>")[0]
