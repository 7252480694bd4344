"""Generation of a natural-language request from a task and its wordings (documents with sentence templates)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from planspec.api.requests.formats import Formats
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import HiddenName
from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import EnumType, ListType, RowType, ScalarType, SetType, Type
from planspec.dsl.model.value_text import row_key, show
from planspec.dsl.model.wording import (
    LIST_STYLES,
    OTHER,
    STYLES,
    WITHOUT_BLANKS,
    Group,
    Phrase,
    SectionName,
    Template,
    TemplatePlaceholder,
    Variants,
    Wording,
    base_language,
)
from planspec.dsl.resources.limits import INSTANCES
from planspec.verifiers.environment.query_text.document_places import DocumentPlaces
from planspec.verifiers.environment.query_text.request_values import RequestValues
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.interpret import Env
from planspec.verifiers.meaning.static_text import static_text

ENGLISH = "en"
ENDS = (".", "!", "?", "。", "！", "？", ":", "：", "\n")


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A generated natural-language request.

    Attributes:
        query: text of the request.
        tells: for each given or table, by name, the words of the query that express it.
    """

    query: str
    tells: Mapping[str, str]


class Composer:
    """Generator of a task's request.

    Args:
        ground: the task.
        wordings: wordings of the task and of its libraries, most specific first. The request itself states general
            facts first.
        formats: writes values in the language.
        seed: seed for the choice among alternative templates.
        report: receives an error for each value or rule that no wording expresses.
    """

    def __init__(
        self, ground: Ground, wordings: Sequence[Wording], formats: Formats, seed: int, report: Report
    ) -> None:
        self._ground, self._task, self._wordings, self._formats = ground, ground.task, wordings, formats
        self._seed, self._report = seed, report
        self._language = base_language(wordings[0].language)
        self._blank = "" if self._language in WITHOUT_BLANKS else " "
        self._values = RequestValues(ground.task, DocumentPlaces(ground.task), ())
        self._unsaid = frozenset[str]().union(*(wording.unsaid for wording in wordings))

    def write(self) -> WrittenText:
        """Return the request. Values and rules that no wording expresses are reported as errors."""
        sentences: list[str] = self._opening_or_closing("begin")
        tells: dict[str, str] = {}
        for wording in reversed(self._wordings):
            for section in wording.order:
                for name, text in self._section(wording, section):
                    if text.strip():
                        sentences.append(text)
                    if text.strip() and section != "rules":
                        tells[name] = text
        sentences += self._default_rules()
        sentences += self._opening_or_closing("end")
        self._report_unsaid()
        return WrittenText(self._blank.join(sentences), tells)

    def _opening_or_closing(self, name: str) -> list[str]:
        """Return the opening or closing sentence of the request, from the first wording that has one."""
        variants = next((v for w in self._wordings if (v := getattr(w, name))), ())
        return [self._sentence_of(name, variants, {})] if variants else []

    # -- sections ---------------------------------------------------------------------------------

    def _section(self, wording: Wording, section: SectionName) -> Iterator[tuple[str, str]]:
        """Yield name and text of each given, table or rule that the wording describes and the task has."""
        if section == "given":
            for name, variants in wording.given.items():
                value = self._task.givens.get(name)
                if name in self._set_givens and _is_set(value) and self._is_first(wording, name):
                    yield name, self._sentence_of(name, variants, {}, _number(value))
        elif section == "tables":
            for name, group in wording.tables.items():
                if self._is_first(wording, name) and (rows := self._rows(group)):
                    yield name, self._grouped(name, group, rows)
        else:
            for name, group in wording.rules.items():
                environments = self._instances(name)
                if self._is_first(wording, name) and environments:
                    yield name, self._grouped(name, group, environments)

    def _is_first(self, wording: Wording, name: str) -> bool:
        """Return whether no more specific wording describes a name or declares that it is left out."""
        earlier = self._wordings[: self._wordings.index(wording)]
        return not any(name in {*w.given, *w.tables, *w.rules, *w.unsaid} for w in earlier)

    @property
    def _set_givens(self) -> frozenset[str]:
        hidden = self._task.environment.hidden
        return frozenset(name for name in DocumentPlaces(self._task).givens if HiddenName(name) not in hidden)

    def _rows(self, group: Group) -> list[Env]:
        rows: list[Env] = []
        for env in self._ground.interpreter.bindings(group.clauses or (), {}):
            rows.append(dict(env))
            if len(rows) > INSTANCES:
                self._report.error("PS403", f"more than {INSTANCES:,} rows would be said", group.span, "too many")
                return []
        return rows

    def _instances(self, name: str) -> list[Env]:
        """Return the variable values of each applicable instance of a rule.

        For an objective, return a single empty environment.
        """
        instances: list[Env] = [x.env for x in self._ground.instances if x.constraint.id == name and x.applicable]
        is_objective = any(name in (each.name, each.word) for each in self._task.objectives)
        return instances or ([{}] if is_objective else [])

    def _grouped(self, name: str, group: Group, environments: Sequence[Env]) -> str:
        """Return the sentences for the rows of a table or the instances of a rule, without repeated phrases."""
        variants = self._chosen(name, group.each) if group.each else None
        phrases = dict.fromkeys(self._filled(variants.forms[OTHER], env) for env in environments) if variants else {}
        if not group.text:
            return self._blank.join(phrases)
        count = len(phrases) if phrases else len(environments)
        phrase = self._chosen(f"{name} text", group.text)
        form = phrase.forms.get(self._formats.plural(count), phrase.forms[OTHER])
        return self._filled(form, {}, self._formats.listed(list(phrases), group.join), count)

    def _default_rules(self) -> Iterator[str]:
        """Yield the task's own messages for rules that no wording describes, if the language is English."""
        if self._language != ENGLISH:
            return
        for rule in self._unworded_rules():
            if rule.says is not None:
                texts = (static_text(self._ground, rule.says, env) for env in self._instances(rule.id))
                yield from dict.fromkeys(_sentence(text) for text in texts if text)

    def _unworded_rules(self) -> Iterator[t.Constraint]:
        """Yield applicable constraints that no wording describes. Background constraints are left out."""
        worded = {name for wording in self._wordings for name in wording.rules} | self._unsaid
        yield from (
            c for c in self._task.constraints if c.id not in worded and not c.background and self._instances(c.id)
        )

    def _report_unsaid(self) -> None:
        """Report givens, rows, rules and objectives of the task that no wording describes."""
        worded = {name for w in self._wordings for name in (*w.given, *w.tables, *w.rules)} | self._unsaid
        places = DocumentPlaces(self._task).givens
        for name in sorted(self._set_givens - worded):
            if _is_set(self._task.givens.get(name)):
                self._report_unworded(f"the given `{name}`", places[name], "given")
        tables = {cell.name.name: cell.span for cell in reversed(self._values.cells)}
        for name in sorted(tables.keys() - worded):
            self._report_unworded(f"the rows of `{name}`", tables[name], "tables")
        for rule in self._unworded_rules():
            if self._language != ENGLISH or rule.says is None:
                self._report_unworded(f"the rule `{rule.id}`", rule.span, "rules")
        for objective in self._task.objectives:
            if not {objective.name, objective.word} & worded:
                self._report_unworded(f"the objective `{objective.name}`", objective.expression.span, "rules")

    def _report_unworded(self, what: str, span: Span, section: str) -> None:
        language = self._wordings[0].language
        own = span.source is self._task.document and section == "rules"
        name = f"{self._task.id}.{language}" if own else self._wordings[-1].id
        help_text = f"say it under `{section}` of the wording `{name}`, or name it under `unsaid` there"
        self._report.error("PS332", f"nothing says {what}", span, f"no words in `{language}`", help=help_text)

    # -- templates --------------------------------------------------------------------------------

    def _chosen(self, name: str, variants: Variants) -> Phrase:
        return Random(f"{self._seed} {self._task.id} {name}").choice(variants)

    def _sentence_of(self, name: str, variants: Variants, env: Env, number: Any = None) -> str:
        phrase = self._chosen(name, variants)
        category = OTHER if number is None else self._formats.plural(number)
        return self._filled(phrase.forms.get(category, phrase.forms[OTHER]), env)

    def _filled(self, template: Template, env: Env, each: str = "", count: int = 0) -> str:
        parts = []
        for part in template:
            if isinstance(part, str):
                parts.append(part)
            elif part.value == "each":
                parts.append(each)
            elif part.value == "count":
                parts.append(self._shown(part, count, ScalarType.INT))
            else:
                assert not isinstance(part.value, str)
                parts.append(self._shown(part, self._ground.interpreter.value(part.value, env), part.value.type))
        return "".join(parts)

    def _shown(self, placeholder: TemplatePlaceholder, value: Any, type_: Type) -> str:
        """Return a value as text in the form that its placeholder requires."""
        if value is None:
            if "none" not in placeholder.choices:
                help_text = "write `| none: ...` behind the value" + (
                    "" if placeholder.choices else ", and `| other: #`"
                )
                self._report.error(
                    "PS332", "there are no words for none", placeholder.span, "none here", help=help_text
                )
            return placeholder.choices.get("none", "")
        if not placeholder.choices:
            return self._text(placeholder, value, type_)
        key = str(value).lower() if type_ is ScalarType.BOOL else str(value)
        if not isinstance(type_, EnumType) and type_ is not ScalarType.BOOL:
            number = _number(value)
            key = OTHER if number is None else self._formats.plural(number)
        chosen = placeholder.choices.get(key, placeholder.choices.get(OTHER, ""))
        return chosen.replace("#", self._text(placeholder, value, type_)) if "#" in chosen else chosen

    def _text(self, placeholder: TemplatePlaceholder, value: Any, type_: Type) -> str:
        match type_:
            case SetType(item) | ListType(item):
                join = placeholder.form if placeholder.form in LIST_STYLES else "and"
                return self._formats.listed([self._text(placeholder, each, item) for each in value], join)
            case EnumType():
                return self._word(placeholder, type_.name, value, value)
            case RowType():
                return self._word(placeholder, type_.table, value, row_key(value, self._task.currency))
            case ScalarType() if type_ is not ScalarType.BOOL:
                return self._formats.scalar(value, type_, placeholder.form)
            case _:
                return show(value, type_, self._task.currency)

    def _word(self, placeholder: TemplatePlaceholder, type_name: str, value: Any, key: str) -> str:
        """Return the word for a member of an enum, or for a row of a table."""
        forms = next((f for w in self._wordings if (f := w.words.get(type_name, {}).get(key))), None)
        form = "" if placeholder.form is None or placeholder.form in STYLES else placeholder.form
        if forms is None and not form and isinstance(value, Row):
            return show(value, RowType(type_name), self._task.currency)
        if forms is None and not form and self._language == ENGLISH:
            return key.replace("_", " ")
        if forms is None or form not in forms:
            missing = f"the form `{form}` of `{key}`" if form else f"`{key}`"
            help_text = f"write it under `words`, `{type_name}`"
            self._report.error(
                "PS332", f"there is no word for {missing}", placeholder.span, f"a {type_name}", help=help_text
            )
            return key
        return forms[form]


def _is_set(value: Any) -> bool:
    return value is not None and value != ()


def _number(value: Any) -> Any:
    """Return the number that determines a plural: the value, or the number of its items; None if there is none."""
    if isinstance(value, tuple | frozenset | list):
        return len(value)
    return None if isinstance(value, str | bool | Row) else value


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith(ENDS) else f"{text}."
