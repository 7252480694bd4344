"""Requests to the page's worker have the same results as the command line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planspec.dsl.workspace.workspace import Workspace
from planspec.live.playground.examples import Example, examples, shipped_files, starters
from planspec.live.playground.session import PlaygroundSession

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def examples_by_id() -> dict[str, Example]:
    """Return the playground's examples by id."""
    return {example.id: example for example in (*starters(), *examples(Workspace()))}


@pytest.fixture(scope="module")
def shipped(examples_by_id: dict[str, Example], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the shipped documents, made as a playground makes it."""
    root, own = Workspace().shipped, tmp_path_factory.mktemp("shipped")
    for name in shipped_files(examples_by_id.values(), root):
        (own / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, own / name)
    return own


class Page:
    """Page that sends requests to a session."""

    def __init__(self, root: Path) -> None:
        self.session = PlaygroundSession(root)
        self.parts: list[dict[str, Any]] = []

    def send(self, verb: str, **call: Any) -> dict[str, Any]:
        """Send a request, and return the whole answer."""
        self.parts.clear()
        answer = self.session.answer(
            json.dumps({"verb": verb, **call}), lambda part: self.parts.append(json.loads(part))
        )
        result: dict[str, Any] = json.loads(answer)
        assert result.pop("seconds") >= 0
        return result

    def result(self, verb: str, **call: Any) -> Any:
        """Send a request that must succeed, and return its result."""
        answer = self.send(verb, **call)
        assert set(answer) == {"ok"}, answer
        return answer["ok"]

    def codes(self) -> list[tuple[str, str, int]]:
        """Return code, file and line of each diagnostic of the opened document."""
        return [(one["code"], one["file"], one["line"]) for one in self.result("check")["diagnostics"]]


@pytest.fixture
def page(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """Yield a page in the copied folder."""
    monkeypatch.chdir(shipped)
    page_ = Page(shipped)
    yield page_
    page_.result("open", files={})  # shipped files are restored


def test_the_examples_cover_every_kind_and_include_everything_that_they_use(
    examples_by_id: dict[str, Example],
) -> None:
    suites = [example.suite for example in examples_by_id.values()]
    assert suites.count("examples") == 7
    assert {"afternoon", "crowded", "berlin-001"} <= set(examples_by_id)
    berlin = examples_by_id["berlin-001"]
    assert list(berlin.documents) == [
        "worldtravel-berlin/berlin-001.task.yaml",
        "libraries/worldtravel.library.yaml",
        "worldtravel-berlin/world/world.yaml",
    ]
    assert len(berlin.tables) == 18
    assert list(berlin.answers) == ["reference", "demo-fail", "demo-pass"]


def test_examples_are_free_of_mistakes_and_their_references_pass(
    page: Page, examples_by_id: dict[str, Example]
) -> None:
    for example in examples_by_id.values():
        if example.suite in ("starters", "examples", "worldtravel-berlin"):
            page.result("open", files=example.documents)
            assert page.codes() == []
            for name, answer in example.answers.items():
                verdict = page.result("verify", file=example.task, answer=json.dumps(answer))
                assert verdict["status"] == ("fail" if name == "demo-fail" else "pass"), (example.id, name)


def test_a_verdict_has_readable_margins(page: Page, examples_by_id: dict[str, Example]) -> None:
    berlin = examples_by_id["berlin-001"]
    page.result("open", files=berlin.documents)
    verdict = page.result("verify", file=berlin.task, answer=json.dumps(berlin.answers["demo-fail"]))
    violated = {one["constraint"]: one["by"] for one in verdict["findings"] if one["status"] == "violated"}
    assert violated == {
        "slot[borchardt]": None,
        "dwell[holocaust_memorial]": "-20min",
        "cost[borchardt]": "-29.00 EUR",
    }


def test_a_plan_is_drawn_as_in_the_panel(page: Page, examples_by_id: dict[str, Example]) -> None:
    berlin = examples_by_id["berlin-001"]
    page.result("open", files=berlin.documents)
    drawn = page.result("draw", file=berlin.task, answer=json.dumps(berlin.answers["demo-fail"]))
    assert (drawn["status"], drawn["hard"]) == ("fail", [5, 7])
    assert drawn["plan"]["days"]
    assert page.result("draw", file=berlin.task, answer="no plan") is None


def test_diagnostics_are_those_of_the_current_text(page: Page, examples_by_id: dict[str, Example]) -> None:
    berlin = examples_by_id["berlin-001"]
    library = berlin.documents["libraries/worldtravel.library.yaml"]
    page.result("open", files=berlin.documents)
    assert page.codes() == []
    workspace = page.session._editor.workspace
    text = berlin.documents[berlin.task]
    page.result("edit", file=berlin.task, text=text.replace("near: holocaust_memorial", "near: holocaust_memorail"))
    assert page.codes() == [("PS410", berlin.task, text[: text.index("near: holocaust")].count("\n") + 1)]
    assert page.session._editor.workspace is workspace  # an edited task causes no other file to be read again
    page.result("edit", file=berlin.task, text=text)
    assert page.codes() == []
    page.result(
        "edit",
        file="libraries/worldtravel.library.yaml",
        text=library.replace("constraints:", "constraintz:", 1),
    )
    assert (
        "PS009",
        "libraries/worldtravel.library.yaml",
        library[: library.index("constraints:")].count("\n") + 1,
    ) in page.codes()
    page.result("edit", file="libraries/worldtravel.library.yaml", text=None)  # shipped files are restored
    assert page.codes() == []


def test_editor_requests_have_the_results_of_the_language_server(
    page: Page, examples_by_id: dict[str, Example]
) -> None:
    berlin = examples_by_id["berlin-001"]
    page.result("open", files=berlin.documents)
    text = berlin.documents[berlin.task]

    def position_params(words: str) -> dict[str, Any]:
        before = text[: text.index(words)]
        return {"position": {"line": before.count("\n"), "character": len(before.rpartition("\n")[2]) + 1}}

    def send(method: str, words: str, **more: Any) -> Any:
        return page.result("language", method=method, file=berlin.task, params={**position_params(words), **more})

    assert "walk_up_to: duration" in send("hover", "walk_up_to: 20min")["contents"]["value"]
    assert send("definition", "walk_up_to: 20min")["uri"] == "libraries/worldtravel.library.yaml"
    assert "near" in {item["label"] for item in send("completion", "near: holocaust")["items"]}
    afternoon = examples_by_id["afternoon"]
    wrong = afternoon.documents[afternoon.task].replace("visits[park].start", "visits[parc].start")
    page.result("open", files={afternoon.task: wrong})
    start = {"line": 0, "character": 0}
    where = {"range": {"start": start, "end": start}}
    (mend,) = page.result("language", method="codeAction", file=afternoon.task, params=where)
    assert [edit["newText"] for edit in mend["edit"]["changes"][afternoon.task]] == ["park"]
    assert "is not a document" in page.send("language", method="hover", file="none.yaml", params={})["error"]


def test_a_task_with_mistakes_is_not_judged_but_explained(page: Page, examples_by_id: dict[str, Example]) -> None:
    afternoon = examples_by_id["afternoon"]
    text = afternoon.documents[afternoon.task].replace("visits[park].start", "visits[parc].start")
    page.result("open", files={afternoon.task: text})
    answer = page.send("verify", file=afternoon.task, answer="{}")
    assert [(one["code"], one["file"]) for one in answer["diagnostics"]] == [("PS201", afternoon.task)]
    assert answer["diagnostics"][0]["help"] == "did you mean `park`?"
    assert page.result("explain", code="PS201")["slug"]


def test_a_claim_is_proved_by_two_solvers_and_a_checked_proof(page: Page, examples_by_id: dict[str, Example]) -> None:
    afternoon = examples_by_id["afternoon"]
    page.result("open", files=afternoon.documents)
    validation = page.result("validate", file=afternoon.task)
    assert {name: one["unique"]["status"] for name, one in validation["backends"].items()} == {
        "smt": "unique",
        "sat": "unique",
    }
    (proof,) = validation["proofs"]
    assert (proof["about"], proof["status"]) == ("all", "checked")
    assert proof["steps"] > 0
    assert proof["because_of"] == ["length", "order", "scope:visits.start", "scope:visits.end"]
    assert validation["reference"] == "pass"
    assert [next(iter(part)) for part in page.parts] == [
        "doing",
        "proved",
        "doing",
        "proved",
        "doing",
        "proof",
    ]


def test_differences_between_two_plans_are_given_in_words(page: Page, examples_by_id: dict[str, Example]) -> None:
    afternoon = examples_by_id["afternoon"]
    text = afternoon.documents[afternoon.task].replace("17:00", "17:15")
    page.result("open", files={afternoon.task: text})
    for one in page.result("validate", file=afternoon.task)["backends"].values():
        assert one["unique"]["status"] == "multiple"
        assert all(" -> " in difference and difference.startswith("visits[") for difference in one["unique"]["apart"])
        assert one["unique"]["apart"]


def test_an_infeasible_task_is_proved_and_explained(
    page: Page, examples_by_id: dict[str, Example], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planspec.solvers.questions.conflicts.AMOUNTS_S", 60.0)  # in seconds, for busy machines
    crowded = examples_by_id["crowded"]
    page.result("open", files=crowded.documents)
    validation = page.result("validate", file=crowded.task)
    assert {one["unique"]["status"] for one in validation["backends"].values()} == {"infeasible"}
    assert [proof["status"] for proof in validation["proofs"]] == ["checked"]
    assert page.result("solve", file=crowded.task, backend="sat")["status"] == "infeasible"
    for backend in ("smt", "sat"):
        conflict = page.result("why", file=crowded.task, backend=backend)
        assert (conflict["status"], len(conflict["mus"]), len(conflict["mus"][0])) == ("infeasible", 1, 7)
        amounts = {one["drop"][0]: one["amounts"][0] for one in conflict["relaxations"]}
        assert (amounts["look"]["stated"], amounts["look"]["needed"]) == ("2h", "1h")
        assert amounts["scope:visits.end"]["said"] == "1h"


def test_the_best_plan_is_found_and_judged(page: Page, examples_by_id: dict[str, Example]) -> None:
    round_ = examples_by_id["delivery"]
    page.result("open", files=round_.documents)
    solution = page.result("solve", file=round_.task, backend="sat")
    assert (solution["status"], solution["verdict"]["status"]) == ("optimal", "pass")
    assert solution["objectives"] == [{"said": "driven", "word": "minimize", "value": "21km"}]
    assert page.result("verify", file=round_.task, answer=json.dumps(solution["plan"]))["status"] == "pass"


def test_a_document_is_formatted_as_by_the_formatter(page: Page) -> None:
    page.result("open", files={"a.task.yaml": "planspec: task/1\nid:   a\nquery: q\nplan: {v: {a: int}}\n"})
    assert page.result("format", file="a.task.yaml")["text"].splitlines()[1] == "id: a"


def test_opening_a_project_discards_the_previous_one(
    page: Page, examples_by_id: dict[str, Example], shipped: Path
) -> None:
    crowded = examples_by_id["crowded"]
    before = (shipped / "examples/sudoku.task.yaml").read_text()
    opened = page.result(
        "open", files={**crowded.documents, "examples/sudoku.task.yaml": "planspec: task/1\nid: mine\n"}
    )
    assert opened["examples/sudoku.task.yaml"] == {"kind": "task", "id": "mine"}
    page.result("open", files={})
    assert not (shipped / crowded.task).exists()
    assert (shipped / "examples/sudoku.task.yaml").read_text() == before


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            {"verb": "edit", "file": "../x.yaml", "text": ""},
            "`../x.yaml` is not the name of a file in the project",
        ),
        (
            {"verb": "edit", "file": "/x.yaml", "text": ""},
            "`/x.yaml` is not the name of a file in the project",
        ),
        ({"verb": "open", "files": {"": ""}}, "`` is not the name of a file in the project"),
        ({"verb": "edit", "file": "x.yaml", "text": "x" * 10_000_001}, "`x.yaml` is larger than 10 MB"),
        ({"verb": "verify", "file": "none.task.yaml", "answer": "{}"}, "there is no file"),
        ({"verb": "read", "file": "none.csv"}, "`none.csv`: No such file or directory"),
        ({"verb": "explain", "code": "PS000"}, "no diagnostic is called `PS000`"),
        ({"verb": "sing"}, "no such call"),
        ({"verb": "solve", "file": "x", "backend": "cpsat"}, "no such call"),
    ],
)
def test_invalid_requests_get_an_error(page: Page, call: dict[str, Any], message: str) -> None:
    answer = page.send(**call)
    assert set(answer) == {"error"}
    assert message in answer["error"]


def test_an_unreadable_answer_is_undelivered(page: Page, examples_by_id: dict[str, Example]) -> None:
    afternoon = examples_by_id["afternoon"]
    page.result("open", files=afternoon.documents)
    assert page.result("verify", file=afternoon.task, answer="no plan")["status"] == "undelivered"
