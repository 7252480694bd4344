"""All limits on input and computation, in one table. If a limit is exceeded, there is a diagnostic or a finding.

The limits are far above the usual sizes of tasks, facts and answers, and low enough that a hostile text costs at
most seconds and some hundred megabytes. `docs/limits.md` is generated from the table at the end.
"""

from __future__ import annotations

from dataclasses import dataclass

# -- documents ------------------------------------------------------------------------------------------

DOCUMENT_BYTES = 10_000_000
"""Maximum size of a document's file in bytes."""
DOCUMENT_NODES = 1_000_000
"""Maximum number of scalars, lists and mappings in a document."""
DEPTH = 100
"""Maximum depth of nesting of a document, an expression with its definitions, an answer, or a JSON line."""
EXPRESSION_CHARACTERS = 20_000
"""Maximum number of characters of an expression."""
DIAGNOSTICS = 1_000
"""Maximum number of mistakes reported in one file. At this number, reading stops."""
NUMBER = 2**53
"""Maximum absolute value of a number. Floats beyond it are not exact."""
WEIGHT = 10**6
"""Maximum weight of a soft constraint."""
SHARD_BYTES = 100_000_000
"""Maximum size of a shard (a file of many tasks) in bytes, after decompression."""

# -- tables' sources ------------------------------------------------------------------------------------

TABLE_BYTES = 500_000_000
"""Maximum size in bytes of a table's file, or of all cells of a query's result together."""
TABLE_ROWS = 1_000_000
"""Maximum number of rows of a table's source."""
TABLE_COLUMNS = 2_000
"""Maximum number of columns of a table's source."""
TABLE_CELLS = 20_000_000
"""Maximum number of cells of a table's source."""
TABLE_LINES = 4_000_000
"""Maximum number of lines of a file. A quoted cell may have several."""
CELL_BYTES = 250_000
"""Maximum size in bytes of a text or blob in the result of a query."""
QUERY_STEPS = 200_000_000
"""Maximum number of steps of SQLite's virtual machine for a query."""

# -- evaluation -----------------------------------------------------------------------------------------

STATIC_STEPS = 10_000_000
"""Maximum number of steps for the evaluation of everything that is the same for every plan of a task."""
SCOPE_ROWS = 300_000
"""Maximum number of rows in a task's scope."""
INSTANCES = 300_000
"""Maximum number of instances of a task's constraints."""
DEGREE = 64
"""Maximum number of factors of a product after its definitions are expanded."""

# -- proofs ------------------------------------------------------------------------------------------

PROOF_BYTES = 500_000_000
"""Maximum size of a proof in bytes, after decompression."""

# -- answers --------------------------------------------------------------------------------------------

ANSWER_BYTES = 10_000_000
"""Maximum size of an answer in bytes."""
ANSWER_NAME = 1_000
"""Maximum number of characters of a name in an answer's JSON."""
ANSWER_VALUES = 1_000_000
"""Maximum number of values in an answer's JSON."""
ANSWER_ITEMS = 100_000
"""Maximum number of items of a list in an answer."""
JUDGING_STEPS = 20_000_000
"""Maximum number of steps of the evaluation that leads to the verdict on an answer."""
INTERPRETING_STEPS = 1_000_000
"""Maximum number of steps of the interpreter on an answer. Beyond it, compiled code verifies the answer in fewer steps."""
EXPLAINING_STEPS = 1_000_000
"""Maximum number of steps for the margins and explanations of a verdict."""
ANSWER_TEXT = 20_000
"""Maximum number of characters of a text in an answer."""
FINDINGS = 1_000
"""Maximum number of findings on an answer's form that are stored one by one."""
SUGGESTIONS = 50
"""Maximum number of unknown names in an answer for which similar names are searched."""

# -- other files ----------------------------------------------------------------------------------------

FILE_BYTES = 10_000_000
"""Maximum size in bytes of a certificate, a prompt or another file that is read as a whole."""
RECORDS_BYTES = 500_000_000
"""Maximum size in bytes of a file of answers, attempts, queries or facts, or of each line if it is read by lines."""
STREAM_BYTES = 100_000_000_000
"""Maximum size in bytes of a file with one trace on each line, which is read line by line."""
PACKAGE_BYTES = 50_000_000
"""Maximum size in bytes of a package from which a playground (a web page that runs planspec) is made."""
LINK_CHARACTERS = 32_000
"""Maximum number of characters of a link that contains a playground's project. Mail and chat often refuse longer links."""

MAP_STREETS = 200_000
"""Maximum number of streets of an extract of OpenStreetMap."""
MAP_JUNCTIONS = 20_000
"""Maximum number of junctions of a map. Footpaths are left out first."""


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
    Limit("a shard of tasks", "bytes, after decompression", SHARD_BYTES, "PS005"),
    Limit("a shard of tasks", "lines", TABLE_LINES, "PS005"),
    Limit("an expression", "characters", EXPRESSION_CHARACTERS, "PS005"),
    Limit("an expression", "levels of nesting, with its definitions expanded", DEPTH, "PS006"),
    Limit("an expression", "factors of a product, with its definitions expanded", DEGREE, "PS402"),
    Limit("a number", "absolute value (2**53)", NUMBER, "PS402"),
    Limit("a soft constraint", "weight", WEIGHT, "PS016"),
    Limit("a table's source", "bytes of the file, or of a query's cells", TABLE_BYTES, "PS005"),
    Limit("a table's source", "lines of the file", TABLE_LINES, "PS005"),
    Limit("a table's source", "rows", TABLE_ROWS, "PS014"),
    Limit("a table's source", "columns", TABLE_COLUMNS, "PS014"),
    Limit("a table's source", "cells", TABLE_CELLS, "PS014"),
    Limit("a table's source", "levels of lists in a JSON line", DEPTH, "PS015"),
    Limit("a query of `sqlite:`", "bytes of one cell", CELL_BYTES, "PS014"),
    Limit("a query of `sqlite:`", "steps of SQLite's virtual machine", QUERY_STEPS, "PS014"),
    Limit("a task", "steps to evaluate the part that is the same for every plan", STATIC_STEPS, "PS415"),
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
        "steps of the interpreter or of code shared by tasks, after which code compiled for the task takes over",
        INTERPRETING_STEPS,
        "",
    ),
    Limit("an answer", "steps for margins and explanations, which are then left out", EXPLAINING_STEPS, ""),
    Limit("an answer", "findings on its shape (further ones are only counted)", FINDINGS, "more"),
    Limit("an answer", "unknown names for which similar ones are suggested", SUGGESTIONS, ""),
    Limit("a proof", "bytes, after decompression", PROOF_BYTES, "`...` is larger than 500 MB"),
    Limit("a certificate, a tour or a prompt", "bytes", FILE_BYTES, "`...` is larger than 10 MB"),
    Limit("a file of answers, attempts or queries", "bytes", RECORDS_BYTES, "`...` is larger than 500 MB"),
    Limit("a file with one trace on each line", "bytes", STREAM_BYTES, "`...` is larger than 100,000 MB"),
    Limit("an extract of OpenStreetMap", "streets", MAP_STREETS, "the extract has more than 200,000 streets"),
    Limit(
        "a map", "junctions, after footpaths are left out", MAP_JUNCTIONS, "the extract has more than 20,000 junctions"
    ),
    Limit("a line of a file of traces", "bytes", RECORDS_BYTES, "a line is larger than 500 MB"),
    Limit("a package for a playground", "bytes", PACKAGE_BYTES, "`...` is larger than 50 MB"),
    Limit(
        "a link to a playground's project",
        "characters of a link",
        LINK_CHARACTERS,
        "the project is too large for a link",
    ),
)
"""All rows of the table, in the order of the documentation."""
