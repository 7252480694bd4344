"""The atomic steps published in `data/steps.yaml`, and their recognition in an agent's sentences about its steps."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from planspec.errors import PlanspecError
from planspec.families.mobilitybench.calls import TOOLS
from planspec.families.mobilitybench.episode import TOOLS as PUBLIC
from planspec.families.mobilitybench.yaml_text import parse_yaml

FILE = "steps.yaml"
_CLAUSE = re.compile(
    r"[;；。，,、\n]|\b(?:and|then|und|dann|danach|anschliessend)\b|然后|并且|再|并|してから|その後|次に|、そして"
)


class InvalidStepsError(PlanspecError, ValueError):
    """Error if the table of steps is invalid, or refers to a tool that does not exist."""


class _StepModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Words(_StepModel):
    en: tuple[str, ...] = ()
    zh: tuple[str, ...] = ()
    de: tuple[str, ...] = ()
    ja: tuple[str, ...] = ()


class AtomicStep(_StepModel):
    """An atomic step of a plan, such as finding a place or planning a route.

    Attributes:
        does: description for people.
        tools: tools that perform the step.
        label: the public toolkit's name of the step.
        en: groups of English words. A sentence expresses the step if it contains a word of each group.
        zh: groups of Chinese words.
        de: groups of German words.
        ja: groups of Japanese words.
        unless: words that a sentence about the step must not contain, by language.
    """

    does: str
    tools: tuple[str, ...]
    label: str | None = None
    en: tuple[tuple[str, ...], ...] = Field(min_length=1)
    zh: tuple[tuple[str, ...], ...] = Field(min_length=1)
    de: tuple[tuple[str, ...], ...] = Field(min_length=1)
    ja: tuple[tuple[str, ...], ...] = Field(min_length=1)
    unless: _Words = Field(default=_Words(), alias="not")


class _Table(_StepModel):
    steps: dict[str, AtomicStep]


@cache
def atomic_steps() -> Mapping[str, AtomicStep]:
    """Return the published steps by name.

    Raises:
        InvalidStepsError: the table is invalid.
    """
    return read_steps(
        files("planspec.families.mobilitybench").joinpath("data").joinpath(FILE).read_text(encoding="utf-8")
    )


def read_steps(text: str) -> Mapping[str, AtomicStep]:
    """Parse a table of steps.

    Raises:
        InvalidStepsError: the text is not a table, refers to a tool that does not exist, or assigns a tool to
            two steps.
    """
    try:
        steps = _Table.model_validate(parse_yaml(text)).steps
    except (ValidationError, yaml.YAMLError) as error:
        raise InvalidStepsError(str(error)) from None
    performed_by: dict[str, str] = {}
    for name, step in steps.items():
        for tool in step.tools:
            if tool not in TOOLS:
                raise InvalidStepsError(f"`{name}`: there is no tool `{tool}`")
            if tool in performed_by:
                raise InvalidStepsError(f"`{tool}` does `{performed_by[tool]}` and `{name}`")
            performed_by[tool] = name
    return steps


def step_of(tool: str) -> str:
    """Return the name of the atomic step that a tool performs.

    Args:
        tool: name of the tool, in the paper or in the public toolkit.

    Raises:
        KeyError: the tool performs no step.
    """
    return _steps_by_tool()[tool]


def recognised_steps(planned: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names of the atomic steps that sentences mention, each once, in the order of the table.

    Args:
        planned: one sentence or several.
    """
    sentences = [planned] if isinstance(planned, str) else list(planned)
    names: set[str] = set()
    for sentence in sentences:
        names |= _steps_in(sentence)
    return tuple(name for name in atomic_steps() if name in names)


# ------------------------------------------------------------------ one sentence


@cache
def _steps_by_tool() -> Mapping[str, str]:
    steps = {tool: name for name, step in atomic_steps().items() for tool in step.tools}
    return steps | {public: steps[tool] for public, tool in PUBLIC.items()}


@dataclass(frozen=True, slots=True)
class _StepPattern:
    """Compiled regular expressions that recognise a step in a sentence.

    Attributes:
        ways: for each language, an expression for each group of words. All groups of a language must match.
        unless: expression that must not match; None if there is none.
    """

    ways: tuple[tuple[re.Pattern[str], ...], ...]
    unless: re.Pattern[str] | None

    def matches(self, sentence: str) -> bool:
        if self.unless is not None and self.unless.search(sentence):
            return False
        return any(all(group.search(sentence) for group in groups) for groups in self.ways)


@cache
def _step_patterns() -> Mapping[str, _StepPattern]:
    return {
        name: _StepPattern(
            (
                *(tuple(_compile_words(words, ()) for words in groups) for groups in (step.en, step.de)),
                *(tuple(_compile_words((), words) for words in groups) for groups in (step.zh, step.ja)),
            ),
            _compile_exclusion(step.unless),
        )
        for name, step in atomic_steps().items()
    }


@cache
def _tool_names() -> re.Pattern[str]:
    """Compile a pattern of the names of tools. Names without `_` are left out, since they are also English words."""
    names = [name for name in _steps_by_tool() if "_" in name]
    return re.compile(rf"(?<![a-z0-9_])(?:{'|'.join(map(re.escape, names))})(?![a-z0-9_])")


def _compile_exclusion(words: _Words) -> re.Pattern[str] | None:
    spaced, unspaced = (*words.en, *words.de), (*words.zh, *words.ja)
    return _compile_words(spaced, unspaced) if spaced or unspaced else None


def _compile_words(spaced: Sequence[str], unspaced: Sequence[str]) -> re.Pattern[str]:
    """Compile a pattern of alternative words.

    Args:
        spaced: words of languages that separate words by blanks. They match only at the beginning of a word.
        unspaced: words of other languages, which match anywhere.
    """
    words = [rf"(?<![a-zäöü]){re.escape(_fold_text(word))}" for word in spaced]
    return re.compile("|".join([*words, *(re.escape(_fold_text(word)) for word in unspaced)]))


def _fold_text(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _steps_in(sentence: str) -> set[str]:
    plain = _fold_text(sentence)
    identifier = re.sub(r"[ -]", "_", plain)
    if identifier in atomic_steps():
        return {identifier}
    if identifier in _steps_by_tool():
        return {_steps_by_tool()[identifier]}
    steps = {_steps_by_tool()[tool] for tool in _tool_names().findall(plain)}
    bare = _tool_names().sub(" ", plain)
    for part in {bare, *_CLAUSE.split(bare)}:
        steps |= {name for name, pattern in _step_patterns().items() if pattern.matches(part)}
    return steps
