"""A request states every value of its task and nothing else. Gaps in a wording are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

import planspec
from planspec.api.requests.writing import WrittenRequest, write_request
from tests.extras import needs
from tests.planspec.api.requests.towns import LIBRARY, TASK, WORDING, write

pytestmark = needs("babel", extra="words")


def refusal_diagnostics(path: Path, language: str = "en") -> list[str]:
    """Return file, line, code and headline of each diagnostic of a refused request."""
    with pytest.raises(planspec.DiagnosticError) as caught:
        planspec.request(path, language=language)
    return [f"{Path(d.span.source.name).name}:{d.span.line} {d.code} {d.message}" for d in caught.value.diagnostics]


def without_lines(text: str, *lines: str) -> str:
    """Return a text without the lines that contain any of the given strings."""
    assert all(line in text for line in lines)
    return "".join(each for each in text.splitlines(keepends=True) if not any(line in each for line in lines))


def test_a_request_states_givens_tables_and_rules_in_the_order_of_the_wording(tmp_path: Path) -> None:
    written = planspec.request(write(tmp_path))
    assert written.query == (
        "2 guests come. Spend 855 euros. On July 1, 2026 and July 2, 2026. Begin at July 1, 2026, 2:30 PM. "
        "Times 1,140.5. 2 things: the parcel at Main Post Office, open from 9:00 AM (1 hour and 30 minutes, 1.25 kilometers, "
        "quiet) and the keys at Brandt (20 minutes, 300 meters). Stop often. But stop little. There are at most 2 stops. "
        "Main Post Office is visited."
    )
    assert list(written.tells) == ["guests", "budget", "days", "start", "factor", "Visit"]
    assert all(words in written.query for words in written.tells.values())
    assert (written.task, written.language, written.wordings) == ("town", "en", ("errands.en",))


def test_absent_givens_and_empty_tables_are_not_mentioned(tmp_path: Path) -> None:
    task = without_lines(TASK, "budget:", "start:", "factor:", "- {shop:").replace("guests: 2", "guests: 1")
    written = planspec.request(
        write(tmp_path, town_task=task.replace("  Visit:\n    rows:\n", "  Visit: {rows: []}\n"))
    )
    assert written.query == (
        "One guest comes. On July 1, 2026 and July 2, 2026. Stop often. But stop little. There are at most 1 stops."
    )
    assert list(written.tells) == ["guests", "days"]


def test_a_single_row_is_stated_with_the_singular_phrase(tmp_path: Path) -> None:
    written = planspec.request(write(tmp_path, town_task=without_lines(TASK, "shop: smith")))
    assert "One thing: the parcel at Main Post Office" in written.tells["Visit"]


def test_the_query_and_the_quotations_of_the_task_are_not_read(tmp_path: Path) -> None:
    """The test makes them wrong, which does not matter, since a request replaces them."""
    first = planspec.request(write(tmp_path))
    wrong = TASK.replace("query: nothing yet\n", "tells: {budget: words that are nowhere}\n")
    assert planspec.request(write(tmp_path, town_task=wrong)) == first


def test_a_seed_chooses_among_alternatives(tmp_path: Path) -> None:
    wording = WORDING.replace('"Spend {{budget}}."', '["Spend {{budget}}.", "Pay {{budget}}."]').format(language="en")
    path = write(tmp_path, errands_en_wording=wording)
    texts = [planspec.request(path, seed=seed).tells["budget"] for seed in range(12)]
    assert set(texts) == {"Spend 855 euros.", "Pay 855 euros."}
    assert texts == [planspec.request(path, seed=seed).tells["budget"] for seed in range(12)]


def test_a_template_may_use_a_grammatical_form_of_a_word(tmp_path: Path) -> None:
    wording = WORDING.replace("{{row.errand}} at", "{{row.errand | of}} at").format(language="en")
    path = write(tmp_path, errands_en_wording=wording)
    assert refusal_diagnostics(path) == [
        "errands.en.wording.yaml:16 PS332 there is no word for the form `of` of `parcel`"
    ]
    given = wording.replace("parcel: the parcel", "parcel: {is: the parcel, of: of the parcel}")
    assert "of the keys at Brandt" in planspec.request(write(tmp_path, errands_en_wording=given)).query


def test_a_rule_without_words_is_described_in_english_and_reported_in_other_languages(tmp_path: Path) -> None:
    path = write(tmp_path, errands_de_wording=WORDING.format(language="de"))
    assert refusal_diagnostics(path, "de") == [
        "errands.library.yaml:19 PS332 nothing says the rule `cheap`",
        "errands.library.yaml:25 PS332 nothing says the rule `open`",
    ]
    own = "planspec: wording/1\nid: town.de\nlanguage: de\ntask: town\nrules:\n  cheap: Wenige.\n  open: Besuche {v.shop}.\n"
    path = write(tmp_path, errands_de_wording=WORDING.format(language="de"), town_de_wording=own)
    written = planspec.request(path, language="de")
    assert written.query.startswith("2 guests come. Spend 855 Euro.")
    assert written.query.endswith("But stop little. Wenige. Besuche Main Post Office.")
    assert written.wordings == ("town.de", "errands.de")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("budget:", "town.task.yaml:8 PS332 nothing says the given `budget`"),
        ("  often:", "errands.library.yaml:31 PS332 nothing says the rule `often`"),
        ("  minimize:", "errands.library.yaml:32 PS332 nothing says the objective `objective`"),
    ],
)
def test_givens_rules_and_objectives_that_no_template_states_are_reported(
    tmp_path: Path, line: str, message: str
) -> None:
    path = write(tmp_path, errands_en_wording=without_lines(WORDING, line).format(language="en"))
    (found,) = refusal_diagnostics(path)
    assert found.partition("`")[0] == message.partition("`")[0]


def test_rows_without_words_are_reported_unless_they_are_omitted_explicitly(tmp_path: Path) -> None:
    wording = without_lines(WORDING, "  Visit:", "    each:", "    text:", "unsaid").format(language="en")
    path = write(tmp_path, errands_en_wording=wording)
    assert refusal_diagnostics(path) == [
        "town.task.yaml:15 PS332 nothing says the rows of `Shop`",
        "town.task.yaml:19 PS332 nothing says the rows of `Visit`",
    ]
    query = planspec.request(write(tmp_path, errands_en_wording=f"{wording}unsaid: [Shop, Visit]\n")).query
    assert "Brandt" not in query


def test_a_member_without_a_word_is_reported_in_other_languages(tmp_path: Path) -> None:
    wording = WORDING.replace("parcel: the parcel, ", "").replace("  often", "  cheap: x\n  open: x\n  often")
    path = write(
        tmp_path, errands_en_wording=wording.format(language="en"), errands_de_wording=wording.format(language="de")
    )
    assert "parcel at Main Post Office" in planspec.request(path).query
    assert refusal_diagnostics(path, "de") == ["errands.de.wording.yaml:16 PS332 there is no word for `parcel`"]


def test_a_wording_needs_words_for_a_value_that_may_be_none(tmp_path: Path) -> None:
    wording = WORDING.replace("{{row.shop.opens | none: | other: ', open from #'}}", " from {{row.shop.opens}}")
    path = write(tmp_path, errands_en_wording=wording.format(language="en"))
    assert refusal_diagnostics(path) == ["errands.en.wording.yaml:16 PS332 there are no words for none"]


def test_a_language_without_a_wording_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path)
    with pytest.raises(planspec.NotFoundError, match=r"no wording `town.fr` or `errands.fr`; there is `errands.en`"):
        planspec.request(path, language="fr")
    with pytest.raises(planspec.NotFoundError, match=r"`klingon` is no language that can be worded"):
        planspec.request(path, language="klingon")
    assert planspec.request(path, language="en-GB").tells["start"] == "Begin at 1 July 2026, 14:30."
    with pytest.raises(planspec.NotFoundError, match="Babel has no `en-QQ`"):
        planspec.request(path, language="en-QQ")


def test_a_task_with_turns_or_without_a_file_is_refused(tmp_path: Path) -> None:
    turns = f"{TASK}turns:\n  - query: More.\n".replace("query: nothing yet\n", "")
    with pytest.raises(planspec.UnsuitableTaskError, match="has turns"):
        planspec.request(write(tmp_path, town_task=turns))
    task = planspec.loads("planspec: task/1\nid: x\nquery: Hi.\nplan: {v: {n: key int}}\nscope: {}\n")
    with pytest.raises(planspec.UnsuitableTaskError, match="has no file"):
        planspec.request(task)


def test_a_document_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path).with_name("errands.library.yaml")
    assert refusal_diagnostics(path) == ["errands.library.yaml:1 PS017 a task is needed here, not a library"]


def test_mistakes_of_the_task_are_reported(tmp_path: Path) -> None:
    (found,) = refusal_diagnostics(write(tmp_path, town_task=TASK.replace("guests: 2", "guests: many")))
    assert found.startswith("town.task.yaml:7 PS016")


def test_a_written_query_replaces_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        town_task=TASK.replace(
            "query: nothing yet\n", "query: >-\n  Old\n\n  text.\n# Kept.\ntells:\n  budget: text\n"
        ),
    )
    written = planspec.request(path)
    write_request(path, written)
    text = path.read_text("utf-8")
    assert text.replace(written.sections(), "").replace("# Kept.\n", "") == TASK.replace("query: nothing yet\n", "")
    assert "# Kept.\n" in text
    task = planspec.load(path)
    assert task.query == written.query
    write_request(path, written)
    assert path.read_text("utf-8") == text


def test_a_task_without_a_query_gets_one(tmp_path: Path) -> None:
    path = write(tmp_path, town_task=without_lines(TASK, "query:"))
    write_request(path, planspec.request(path))
    assert planspec.load(path).query.startswith("2 guests come.")


def test_a_task_of_a_shard_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(planspec.UnsuitableTaskError, match="not a task's own YAML file"):
        write_request(tmp_path / "all.tasks.yaml#town", WrittenRequest("town", "en", "Hi.", {}, ()))


def test_the_library_of_the_tests_has_no_mistakes(tmp_path: Path) -> None:
    write(tmp_path)
    assert "says:" in LIBRARY
    assert [d for d in planspec.check(tmp_path) if d.severity.value == "error"] == []
