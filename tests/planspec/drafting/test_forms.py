"""Replies that a service forces to match a JSON schema: their content, and the fallback if a service refuses
schemas.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec import drafting
from planspec.agents import Desk, TaskView, agent
from planspec.drafting.bases import query_section
from planspec.drafting.calls import ModelCalls
from planspec.drafting.extraction import UnusableReplyError, mapping_of, section_texts, sections_of
from planspec.drafting.forms import cases_form, document_form, opinions_form, words_form
from planspec.drafting.opinions import plain, read_cases, read_opinions, read_sentences
from tests.extras import needs
from tests.planspec.agents.models.loopback import Response, Service, anthropic_reply, openai_reply
from tests.planspec.drafting.errand import QUERY, RIGHT, SPOILINGS
from tests.planspec.drafting.faulty import FaultyModel

SECTIONS = [name for name, _ in section_texts(mapping_of(RIGHT))]
KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")


def _bodies(document: str) -> dict[str, str]:
    """Return the texts of a document's sections without their keys, by name."""
    return {name: text.partition(":")[2] for name, text in section_texts(mapping_of(document))}


def test_a_reply_in_json_gives_the_same_document_as_a_reply_in_text() -> None:
    form = document_form([*SECTIONS, "title", "unique"])
    reply = json.dumps({**_bodies(RIGHT), "title": "A walk: two stops", "unique": None})
    assert form.is_constrained(reply)
    written = sections_of(form.text(reply), [*SECTIONS, "title", "unique"])
    assert written.pop("title") == 'title: "A walk: two stops"\n'
    task = planspec.loads(f"planspec: task/1\nid: a\n{query_section(QUERY)}{''.join(written.values())}")
    right = planspec.loads(f"planspec: task/1\nid: a\n{query_section(QUERY)}{RIGHT}")
    assert planspec.compare(task, right).same is True


@pytest.mark.parametrize(
    "text", ["given:\n  a: 1", "  a: 1\n", "a: 1", "```yaml\na: 1\n```"], ids=["key", "indented", "bare", "fenced"]
)
def test_a_section_is_read_however_it_is_indented(text: str) -> None:
    form = document_form(["given"])
    ((key, node),) = mapping_of(form.text(json.dumps({"given": text}))).entries
    assert (key.text, plain(node)) == ("given", {"a": 1})


def test_a_yes_or_no_question_may_be_answered_in_both_ways() -> None:
    form = document_form(["given"], or_both=True)
    assert form.text('{"both": true, "given": null}') == "both"
    assert form.text('{"both": false, "given": "a: 1"}') == "given:\n  a: 1\n"


def test_replies_that_follow_the_schema_of_opinions_sentences_or_cases_are_read() -> None:
    reply = '{"1": {"allowed": "yes", "sentence": "none"}, "2": {"allowed": "no", "sentence": "a park"}}'
    opinions = read_opinions(opinions_form(2).text(reply), 2, "First a park.")
    assert [(each.allowed, each.sentence) for each in opinions.values()] == [(True, ""), (False, "a park")]
    words = words_form(["low"]).text('{"low": "It is below 3."}')
    assert read_sentences(words, ["low", "high"]) == {"low": "It is below 3."}
    with pytest.raises(UnusableReplyError, match=r"sentences for `low`, and the rules are high, wide$"):
        read_sentences(words, ["high", "wide"])
    case = {
        "name": "late",
        "right": "no",
        "sentence": "a park",
        "plan": "visits: [{stop: park, start: 16:00}]\nnights: []",
    }
    (read,) = read_cases(cases_form().text(json.dumps({"cases": [case]})), "First a park.")
    assert read.rows == {"visits": [{"stop": "park", "start": "16:00"}], "nights": []}
    assert (read.name, read.opinion.allowed, read.opinion.sentence) == ("late", False, "a park")


@pytest.mark.parametrize(
    "reply", ["given: {a: 1}", '{"given": {"a": 1}}', '{"other": "a: 1"}', "[1]", "{", '{"given": NaN}', "[" * 5_000]
)
def test_a_reply_that_does_not_follow_the_schema_is_left_unchanged(reply: str) -> None:
    assert document_form(["given"]).text(reply) == reply


@pytest.mark.parametrize("text", ["a: 1\nid: evil", "a: 1\n---\nid: evil", "}\nid: evil", "&x {a: *x}"])
def test_hostile_text_in_a_section_adds_no_section(text: str) -> None:
    document = document_form(["given"]).text(json.dumps({"given": text}))
    try:
        written = sections_of(document, ["given"])
    except UnusableReplyError:
        return
    assert set(written) == {"given"}


class Constrained(FaultyModel):
    """A model whose service forces replies to match a JSON schema."""

    def constrained(self) -> Constrained:
        """Return the model itself."""
        return self

    def answer(self, view: TaskView, desk: Desk) -> str:
        """Answer by the schema of the view, if it has one."""
        reply = super().answer(view, desk)
        if view.schema is None:
            return reply
        fields: dict[str, Any] = view.schema["properties"]
        match view.given["kind"]:
            case "draft" | "revise" | "again":
                return json.dumps(
                    dict.fromkeys(fields) | _bodies(reply.partition("```yaml\n")[2].rstrip("`\n") or reply)
                )
            case "question":
                return json.dumps({name: name == "both" or None for name in fields})
            case "cases":
                cases = json.loads(reply)
                return json.dumps(
                    {"cases": [{**each, "name": name, "plan": _yaml(each["plan"])} for name, each in cases.items()]}
                )
            case "words":
                return json.dumps(dict.fromkeys(fields, "A rule."))
            case _:
                return json.dumps({key.text: plain(node) for key, node in mapping_of(reply).entries})


def _yaml(plan: Any) -> str:
    """Return a plan as YAML, one line for each table."""
    return "".join(f"{table}: {json.dumps(rows)}\n" for table, rows in plan.items())


@pytest.mark.slow
def test_a_draft_with_replies_in_json_finds_and_corrects_a_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    log = tmp_path / "log.jsonl"
    result = drafting.draft(QUERY, model=Constrained(QUERY, RIGHT, SPOILINGS[0]), log=log, drafts=2)
    assert "compare" in {each.step for each in result.found}
    assert result.text is not None
    right = planspec.loads(f"planspec: task/1\nid: right\n{query_section(QUERY)}{RIGHT}")
    assert planspec.compare(right, planspec.loads(result.text)).same is True
    forms = {(each["kind"], each["form"]) for each in map(json.loads, log.read_text("utf-8").splitlines())}
    assert {form for _, form in forms} == {"schema"}
    assert {"draft", "revise", "judge", "words", "cases"} <= {kind for kind, _ in forms}
    again = drafting.draft(QUERY, model=None, resume=log, drafts=2)
    assert again.text == result.text


REPLY = json.dumps({"constraints": "low:\n  hard: 1 < 2"})
PROMPT = "Constrain.\n\nReply with one YAML document in one fenced block, and nothing else.\n"
PLAIN = "```yaml\nconstraints:\n  low: {hard: 1 < 2}\n```"


@pytest.mark.integration
@needs("openai", "anthropic", extra="openai,anthropic")
class TestServices:
    """Replies of services on loopback, in the wire formats of OpenAI and Anthropic."""

    @pytest.fixture(autouse=True)
    def _clear_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in (*KEYS, "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.delenv(name, raising=False)

    def calls(self, service: Service, log: Path, options: str = "") -> ModelCalls:
        """Return calls of a model of the service."""
        spec = f"openai:model=m,base_url={service.url}/v1,retries=0{options}"
        return ModelCalls(agent(spec), log=log)

    @pytest.mark.parametrize("options", ["", ",tools=text"])
    def test_a_service_constrains_replies_by_a_strict_schema(self, tmp_path: Path, options: str) -> None:
        log = tmp_path / "log.jsonl"
        with Service(openai_reply(REPLY)) as service:
            text = self.calls(service, log, options).reply("draft", PROMPT, document_form(["constraints", "title"]))
            other = self.calls(service, log, options).reply("draft", PROMPT, document_form(["constraints"]))
        assert text == REPLY, "a reply without a required property is taken as text"
        assert sections_of(other, ["constraints"])
        first, second = (request.body for request in service.requests)
        assert first["response_format"]["json_schema"]["strict"] is True
        assert second["response_format"]["json_schema"]["schema"]["required"] == ["constraints"]
        assert "fenced" not in json.dumps(second["messages"])
        assert [json.loads(line)["form"] for line in log.read_text("utf-8").splitlines()] == ["text", "schema"]

    def test_a_service_that_refuses_gets_the_prompt_in_text_and_no_further_schema(self, tmp_path: Path) -> None:
        log = tmp_path / "log.jsonl"
        refusal = Response({"error": {"message": "response_format is not supported"}}, 400)
        with Service(refusal, openai_reply(PLAIN)) as service:
            calls = self.calls(service, log)
            form = document_form(["constraints"])
            assert sections_of(calls.reply("draft", PROMPT, form), ["constraints"])
            assert calls.reply("draft", PROMPT, form, 2) == PLAIN
        assert ["response_format" in request.body for request in service.requests] == [True, False, False]
        assert "fenced" in json.dumps(service.requests[1].body["messages"])
        first, second = map(json.loads, log.read_text("utf-8").splitlines())
        assert first["form"] == second["form"] == "text"
        assert "response_format is not supported" in first["refused"]
        assert "refused" not in second
        assert calls.made == 2

    def test_a_service_that_ignores_the_schema_is_read_as_text(self, tmp_path: Path) -> None:
        log = tmp_path / "log.jsonl"
        with Service(openai_reply(PLAIN)) as service:
            reply = self.calls(service, log).reply("draft", PROMPT, document_form(["constraints"]))
        assert reply == PLAIN
        assert json.loads(log.read_text("utf-8"))["form"] == "text"

    def test_a_service_that_fails_with_and_without_a_schema_is_reported(self, tmp_path: Path) -> None:
        with Service(Response({}, 401)) as service, pytest.raises(drafting.ModelFailedError, match="status 401"):
            self.calls(service, tmp_path / "log.jsonl").reply("draft", PROMPT, document_form(["constraints"]))
        assert len(service.requests) == 2

    def test_an_option_switches_schemas_off(self, tmp_path: Path) -> None:
        with Service(openai_reply(PLAIN)) as service:
            calls = self.calls(service, tmp_path / "log.jsonl", ",structured=false")
            calls.reply("draft", PROMPT, document_form(["constraints"]))
        assert "response_format" not in service.requests[0].body

    def test_anthropic_s_service_constrains_replies(self, tmp_path: Path) -> None:
        with Service(anthropic_reply({"type": "text", "text": REPLY})) as service:
            model = agent(f"anthropic:model=m,base_url={service.url},retries=0")
            calls = ModelCalls(model, log=tmp_path / "log.jsonl")
            reply = calls.reply("draft", PROMPT, document_form(["constraints"]))
        assert sections_of(reply, ["constraints"])
        form = service.requests[0].body["output_config"]["format"]
        assert (form["type"], form["schema"]["required"]) == ("json_schema", ["constraints"])
