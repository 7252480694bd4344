"""The wordings that ship with planspec state all values of their tasks: numbers, dates and amounts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.requests.writing import write_request
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import ListType, ScalarType, SetType, Type
from planspec.verifiers.environment.query_text.findings import query_findings
from tests.extras import needs
from tests.paths import ROOT

pytestmark = [pytest.mark.slow, needs("babel", extra="words")]

LANGUAGES = ("en", "de", "zh", "ja")
FILES = sorted((ROOT / "tasks").rglob("*.wording.yaml"))
TASKS = sorted(
    {path.name.partition(".")[0]: path.parent / f"{path.name.partition('.')[0]}.task.yaml" for path in FILES}.items()
)
TABLES = {"roster": ("Away", "Wish"), "shop-floor": ("Service",)}
"""Tables whose rows the requests state, by task."""
MONTHS = {"en": "March", "de": "März"}


def test_each_shipped_task_with_a_wording_has_one_in_all_four_languages() -> None:
    assert [task for task, _ in TASKS] == ["ovens", "roster", "shop-floor"]
    assert sorted(path.name for path in FILES) == sorted(
        f"{task}.{code}.wording.yaml" for task, _ in TASKS for code in LANGUAGES
    )


def values(task: Task) -> Iterator[tuple[str, Any, Type]]:
    """Yield the givens of a task, and the cells of the rows that its request states.

    Each is a triple: the key in `tells`, the value, and the type.
    """
    for name, value in task.givens.items():
        yield name, value, task.given_declarations[name].type
    for table in TABLES.get(task.id, ()):
        for row in task.facts[table].rows:
            for column in task.tables[table].columns.values():
                yield table, getattr(row, column.name), column.type


def patterns(value: Any, type_: Type, language: str) -> list[str]:
    """Return patterns, at least one of which matches any text that states the value. They do not use the library
    Babel.
    """
    match type_:
        case ScalarType.DATE:
            day = date.fromordinal(value)
            if language in MONTHS:
                return [rf"\b{MONTHS[language]} {day.day}\b", rf"\b{day.day}\. {MONTHS[language]}"]
            return [f"(?<!\\d){day.month}月{day.day}日"]
        case ScalarType.TIME:
            hour, minute = divmod(value, 60)
            clock = (
                rf"\b{hour % 12 or 12}:{minute:02d} {'AM' if hour < 12 else 'PM'}"
                if language == "en"
                else rf"(?<!\d)0?{hour}:{minute:02d}"
            )
            return [clock]
        case ScalarType.DURATION:
            units = {
                "en": ("hour", "minute"),
                "de": ("Stunde", "Minute"),
                "zh": ("小时", "分钟"),
                "ja": ("時間", "分"),
            }[language]
            hours, minutes = divmod(value, 60)
            return [".*".join(rf"(?<!\d){n} ?{unit}" for n, unit in zip((hours, minutes), units, strict=True) if n)]
        case ScalarType.INT:
            return [rf"(?<!\d){value}(?!\d)"]
        case _:
            return []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("task", "path"), TASKS)
def test_every_value_is_in_the_passage_that_is_quoted_for_it(task: str, path: Path, language: str) -> None:
    written = planspec.request(path, language=language)
    loaded = planspec.load(path)
    found = 0
    for name, value, type_ in values(loaded):
        several = isinstance(type_, SetType | ListType)
        items = (value[0], value[-1]) if several else () if value is None else (value,)
        for item in items:
            options = patterns(item, type_.item if isinstance(type_, SetType | ListType) else type_, language)
            assert not options or any(re.search(option, written.tells[name]) for option in options), (
                name,
                options,
                written.tells[name],
            )
            found += bool(options)
    assert found >= {"ovens": 5, "roster": 30, "shop-floor": 6}[task]


@pytest.mark.parametrize(("task", "path"), TASKS)
def test_the_english_request_states_what_the_rules_use_and_nothing_else(task: str, path: Path, tmp_path: Path) -> None:
    for seed in range(2):
        copy = tmp_path / path.name
        copy.write_text(re.sub(r"\nreference:.*\n(?s:.*)", "\n", path.read_text("utf-8")), "utf-8")
        write_request(copy, planspec.request(path, seed=seed))
        loaded = planspec.load(copy)
        assert [f"{d.code} {d.message}" for d in query_findings(loaded)] == [], (task, seed)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_shipped_wordings_have_no_mistakes(path: Path) -> None:
    assert list(planspec.check(path)) == []


@pytest.mark.parametrize(("task", "path"), TASKS)
def test_requests_have_no_blanks_where_the_language_has_none(task: str, path: Path) -> None:
    for language in ("zh", "ja"):
        query = planspec.request(path, language=language).query
        assert re.findall(r"[\u3040-\u30ff\u4e00-\u9fff。、，] | [\u3040-\u30ff\u4e00-\u9fff]", query) == [], (
            task,
            language,
        )
        assert not re.search(r"[A-Za-z]", query)
