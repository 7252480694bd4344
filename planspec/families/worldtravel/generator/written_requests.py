"""Reader of a city's `requests.yaml`: requests that an author wrote for single tasks.

A request has the digest of a specification under `for` and is used for the task with this specification. Other tasks
are worded with the phrases of `scenarios.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from pydantic import BaseModel, Field, RootModel

from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.families.worldtravel.generator.city import CityFolder, Strict, read_model, repeated_keys
from planspec.families.worldtravel.generator.documents import SECTION_NAMES, WordedQuery
from planspec.suite_writing.options import UnsuitableSuiteError

FILE = "requests.yaml"
"""Name of the file with written requests in a city's folder. A city need not have it."""
DIGEST_LENGTH = 16
"""Number of hexadecimal digits of a digest."""


class WrittenRequest(BaseModel):
    """A request written for one task.

    Attributes:
        digest: digest of the specification for which it was written; empty if it has not been filled in.
        query: text of the request. Lines are paragraphs.
        tells: quotations from the query that express a given (named input) or a table of the task, by its name.
    """

    model_config = Strict
    digest: str = Field(default="", alias="for", pattern=f"^([0-9a-f]{{{DIGEST_LENGTH}}})?$")
    query: str = Field(min_length=1)
    tells: dict[str, str] = {}

    def worded(self) -> WordedQuery:
        """Return the query with its quotations. Each paragraph has single blanks between words."""
        paragraphs = (_one_line(line) for line in self.query.strip().split("\n"))
        return WordedQuery("\n".join(paragraphs), {name: _one_line(words) for name, words in self.tells.items()})


class _WrittenRequests(RootModel[dict[str, WrittenRequest]]):
    """Content of `requests.yaml`: requests by task id."""


@dataclass
class WrittenRequests:
    """The written requests of a city, and which of them have been used.

    Args:
        city: city whose requests are read.

    Raises:
        UnsuitableSuiteError: `requests.yaml` is invalid.
    """

    city: CityFolder
    used: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._requests = read_requests(self.city)
        self._ids = {request.digest: name for name, request in self._requests.items() if request.digest}

    def take(self, specification: str, names: Collection[str]) -> WordedQuery | None:
        """Return the request written for a specification, or None if there is none.

        Args:
            specification: text of the sections `given` and `tables` of the task.
            names: names of the task's givens and tables.

        Raises:
            UnsuitableSuiteError: the request quotes words for a given or table that the task lacks.
        """
        name = self._ids.get(specification_digest(specification))
        if name is None:
            return None
        for quoted in self._requests[name].tells:
            if quoted not in names:
                place = self.city.location(FILE, name, "tells", quoted)
                raise UnsuitableSuiteError(f"{self.city.folder}: {place}: the task has no `{quoted}`")
        self.used.add(name)
        return self._requests[name].worded()

    @property
    def unused(self) -> tuple[str, ...]:
        """Ids of the requests that `take` has not returned yet, in the order of the file."""
        return tuple(name for name in self._requests if name not in self.used)


def read_requests(city: CityFolder) -> Mapping[str, WrittenRequest]:
    """Return a city's written requests by task id. The mapping is empty if the city has no such file.

    Raises:
        UnsuitableSuiteError: the file is not valid YAML, or an entry is invalid. The message names the line.
    """
    path = city.folder / FILE
    return read_model(path, _WrittenRequests).root if path.is_file() else {}


def request_faults(city: CityFolder) -> Iterator[str]:
    """Yield a message for each quotation that is not in its request, each unknown name and each repeated key."""
    requests = read_requests(city)
    for name, first_line, again in repeated_keys(city.folder / FILE):
        yield f"{FILE}:{again}: `{name}` is already in line {first_line}"
    digests: dict[str, str] = {}
    for name, request in requests.items():
        query = _one_line(request.query)
        for section, words in request.tells.items():
            place = city.location(FILE, name, "tells", section)
            if section not in SECTION_NAMES:
                help_text = did_you_mean(section, SECTION_NAMES)
                yield f"{place}: a task has no given or table `{section}`" + (f" ({help_text})" if help_text else "")
            elif not words.strip():
                yield f"{place}: the quotation is empty"
            elif _one_line(words) not in query:
                yield f"{place}: the query does not have these words"
        if not request.digest:
            continue
        first = digests.setdefault(request.digest, name)
        if first != name:
            yield f"{city.location(FILE, name, 'for')}: `{first}` was written for the same specification"


def specification_digest(specification: str) -> str:
    """Return the digest of a specification: of the sections `given` and `tables` of a task's text."""
    return sha256(specification.encode()).hexdigest()[:DIGEST_LENGTH]


def specification_of(text: str) -> str:
    """Return the sections `given` and `tables` of the text of a generated task."""
    return "".join(_section(text, "given") + _section(text, "tables"))


def section_names(specification: str) -> frozenset[str]:
    """Return the names of the givens and tables in a specification."""
    return frozenset(re.findall(r"^  (\w+):", specification, re.MULTILINE))


def _section(text: str, key: str) -> list[str]:
    """Return the lines of a section of a document: the line of its key, and the indented lines after it."""
    lines = text.splitlines(keepends=True)
    start = next((nr for nr, line in enumerate(lines) if line.startswith(f"{key}:")), len(lines))
    end = next((nr for nr, line in enumerate(lines[start + 1 :], start + 1) if line[:1] not in (" ", "\n")), len(lines))
    return lines[start:end]


def _one_line(text: str) -> str:
    return " ".join(text.split())
