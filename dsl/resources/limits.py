"""All limits on input and computation, in one table. If a limit is exceeded, there is a diagnostic or a finding.

The limits are far above the usual sizes of tasks, facts and answers, and low enough that a hostile text costs at
most seconds and some hundred megabytes. `docs/limits.md` is generated from the table at the end.
"""

from __future__ import annotations

from dataclasses import dataclass

# -- documents ------------------------------------------------------------------------------------------

DOCUMENT_BYTES = 10_000_000
"""Bytes of a document's file."""
DOCUMENT_NODES = 1_000_000
"""Scalars, lists and mappings of a document."""
DEPTH = 100
"""Depth of nesting of a document, an expression with its definitions, an answer, or a JSON line."""
EXPRESSION_CHARACTERS = 20_000
"""Characters of an expression."""
DIAGNOSTICS = 1_000
"""Mistakes reported in one file; at this number, reading stops."""
NUMBER = 2**53
"""Absolute value of a number; floats beyond it are not exact."""
WEIGHT = 10**6
"""Weight of a soft constraint."""
SHARD_BYTES = 100_000_000
"""Bytes of a shard, a file of many tasks, decompressed."""

# -- tables' sources ------------------------------------------------------------------------------------

TABLE_BYTES = 500_000_000
"""Bytes of a table's file, and of all cells of a query together."""
TABLE_ROWS = 1_000_000
"""Rows of a source."""
TABLE_COLUMNS = 2_000
"""Columns of a source."""
TABLE_CELLS = 20_000_000
"""Cells of a source."""
TABLE_LINES = 4_000_000
"""Lines of a file; a quoted cell may have several."""
CELL_BYTES = 250_000
"""Bytes of a text or blob in the result of a query."""
QUERY_STEPS = 200_000_000
"""Steps of SQLite's virtual machine for a query."""

# -- evaluation -----------------------------------------------------------------------------------------

STATIC_STEPS = 10_000_000
"""Steps for the part of a task that is the same for every plan."""
SCOPE_ROWS = 300_000
"""Rows in a task's scope."""
INSTANCES = 300_000
"""Instances of a task's constraints."""
DEGREE = 64
"""Factors of a product after its definitions are expanded."""

# -- proofs ------------------------------------------------------------------------------------------

PROOF_BYTES = 500_000_000
"""Bytes of a proof's text, decompressed."""

# -- answers --------------------------------------------------------------------------------------------

ANSWER_BYTES = 10_000_000
"""Bytes of an answer."""
ANSWER_NAME = 1_000
"""Characters of a name in an answer's JSON."""
ANSWER_VALUES = 1_000_000
"""Values of an answer's JSON."""
ANSWER_ITEMS = 100_000
"""Items of one list of an answer."""
JUDGING_STEPS = 20_000_000
"""Steps for the verdict on an answer."""
INTERPRETING_STEPS = 1_000_000
"""Steps of the interpreter on an answer. Beyond them, compiled code, which takes far fewer, verifies it."""
EXPLAINING_STEPS = 1_000_000
"""Steps for the margins and explanations of a verdict."""
ANSWER_TEXT = 20_000
"""Characters of a text in an answer."""
FINDINGS = 1_000
"""Findings on an answer's form that are stored one by one."""
SUGGESTIONS = 50
"""Similar names that are searched for one answer."""

# -- other files ----------------------------------------------------------------------------------------

FILE_BYTES = 10_000_000
"""Bytes of a certificate, a tour, a prompt or another file that is read whole."""
RECORDS_BYTES = 500_000_000
"""Bytes of a file of answers, attempts, queries or facts, or of each line if it is read line by line."""
STREAM_BYTES = 100_000_000_000
"""Bytes of a file with one trace on each line, which is read line by line."""
PACKAGE_BYTES = 50_000_000
"""Bytes of a package from which a playground is made."""
LINK_CHARACTERS = 32_000
"""Characters of a link with a playground's project; browsers accept more, but mail and chat often do not."""

MAP_STREETS = 200_000
"""Streets of an extract of OpenStreetMap."""
MAP_JUNCTIONS = 20_000
"""Junctions of a map; paths are left out first."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A row of the table of limits.

    Attributes:
        of: the limited input, such as `an answer`.
        what: the counted unit, such as `bytes`.
        most: the maximum number of units.
        past: what is reported if the limit is exceeded: the code of a diagnostic, the kind of a finding, or a message.
    """

    of: str
    what: str
    most: int
    past: str


LIMITS = (
    Limit("a document", "bytes", DOCUMENT_BYTES, "PS005"),
    Limit("a document", "scalars, lists and mappings", DOCUMENT_NODES, "PS005"),
    Limit("a document", "levels of lists and mappings", DEPTH, "PS006"),
    Limit("a document", "mistakes that are reported", DIAGNOSTICS, "PS020"),
    Limit("a shard of tasks", "bytes, unpacked", SHARD_BYTES, "PS005"),
    Limit("a shard of tasks", "lines", TABLE_LINES, "PS005"),
    Limit("an expression", "characters", EXPRESSION_CHARACTERS, "PS005"),
    Limit("an expression", "levels, including the definitions that it uses", DEPTH, "PS006"),
    Limit("an expression", "factors of a product, including the definitions that it uses", DEGREE, "PS402"),
    Limit("a number", "its absolute value, 2**53", NUMBER, "PS402"),
    Limit("a soft constraint", "its weight", WEIGHT, "PS016"),
    Limit("a table's source", "bytes of the file, or of a query's cells", TABLE_BYTES, "PS005"),
    Limit("a table's source", "lines of the file", TABLE_LINES, "PS005"),
    Limit("a table's source", "rows", TABLE_ROWS, "PS014"),
    Limit("a table's source", "columns", TABLE_COLUMNS, "PS014"),
    Limit("a table's source", "cells", TABLE_CELLS, "PS014"),
    Limit("a table's source", "levels of lists in a JSON line", DEPTH, "PS015"),
    Limit("a query of `sqlite:`", "bytes of one cell", CELL_BYTES, "PS014"),
    Limit("a query of `sqlite:`", "steps of SQLite's virtual machine", QUERY_STEPS, "PS014"),
    Limit("a task", "steps for the part that is the same for every plan", STATIC_STEPS, "PS415"),
    Limit("a task", "rows in its scope", SCOPE_ROWS, "PS416"),
    Limit("a task", "instances of its constraints", INSTANCES, "PS416"),
    Limit("an answer", "bytes", ANSWER_BYTES, "undelivered"),
    Limit("an answer", "levels of lists and objects", DEPTH, "undelivered"),
    Limit("an answer", "characters of a name", ANSWER_NAME, "undelivered"),
    Limit("an answer", "characters of a string in a table", ANSWER_TEXT, "wrong-type"),
    Limit("an answer", "values", ANSWER_VALUES, "undelivered"),
    Limit("an answer", "items of one list", ANSWER_ITEMS, "undelivered"),
    Limit("an answer", "steps for its verdict, by compiled code", JUDGING_STEPS, "not-judged"),
    Limit(
        "an answer",
        "steps of the interpreter, or of code shared by tasks, after which the task's own code takes over",
        INTERPRETING_STEPS,
        "",
    ),
    Limit("an answer", "steps for margins and explanations, which are then left out", EXPLAINING_STEPS, ""),
    Limit("an answer", "findings on its shape; further findings are only counted", FINDINGS, "more"),
    Limit("an answer", "similar names that are suggested", SUGGESTIONS, ""),
    Limit("a proof", "bytes of its text, unpacked", PROOF_BYTES, "`...` is larger than 500 MB"),
    Limit("a certificate, a tour, a prompt", "bytes", FILE_BYTES, "`...` is larger than 10 MB"),
    Limit("a file of answers, attempts, queries", "bytes", RECORDS_BYTES, "`...` is larger than 500 MB"),
    Limit("a file with one trace on each line", "bytes", STREAM_BYTES, "`...` is larger than 100,000 MB"),
    Limit("an extract of OpenStreetMap", "streets", MAP_STREETS, "the extract has more than 200,000 streets"),
    Limit("a map", "junctions, without paths", MAP_JUNCTIONS, "the extract has more than 20,000 junctions"),
    Limit("a line of a file of traces", "bytes", RECORDS_BYTES, "a line is larger than 500 MB"),
    Limit("a package of a playground", "bytes", PACKAGE_BYTES, "`...` is larger than 50 MB"),
    Limit(
        "a link to a playground's project",
        "characters of a link",
        LINK_CHARACTERS,
        "the project is too large for a link",
    ),
)
"""All rows of the table, in the order of the documentation."""
