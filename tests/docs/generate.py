"""Generator of the pages and lists that are derived from the code: `python -m tests.docs.generate`, from the root."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterable
from itertools import chain, groupby
from pathlib import Path

import planspec
from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.check.names import KEYWORDS
from planspec.dsl.diagnostics.codes import CODES
from planspec.dsl.resources.limits import LIMITS, Limit
from planspec.files import PACKAGE
from planspec.live.language.lexemes import CONSTANT_WORDS
from tests.docs.pages import run_page
from tests.docs.sample import value_or_codes
from tests.paths import ROOT

PAGES = (
    "README.md",
    "docs/tutorial.md",
    "docs/benchmark.md",
    "docs/proofs.md",
    "docs/versions.md",
    "docs/audit.md",
    "docs/cases.md",
    "docs/checkers.md",
    "docs/data.md",
    "docs/one-constraint.md",
    "docs/travelplanner.md",
    "docs/monitor.md",
    "docs/veritrip.md",
    "docs/worldtravel.md",
    "docs/webscape.md",
    "docs/mobilitybench.md",
    "docs/agents.md",
    "docs/environments.md",
    "docs/python.md",
)
"""Pages whose commands are run."""
RANGES = {
    "PS0": "Files, YAML, schema",
    "PS1": "Syntax",
    "PS2": "Names",
    "PS3": "Types and units",
    "PS4": "Sense",
    "PS5": "Back ends",
    "PS6": "Suites and cases",
    "PS7": "Plans and answers",
    "PS9": "Internal",
}
ROOT_NAMES = "__all__: list[str]  # noqa: PYI035 the table in `__init__.py` has the names"
GRAMMAR_BUILTINS = re.compile(r"(?<=\\\\b\()abs\|[a-z_|]*(?=\))")
LOGICAL = ("implies", "or", "and", "not")
GRAMMAR_WORDS = {
    "keyword.control.planspec": (*(word for word in KEYWORDS if word not in LOGICAL), "step", "desc"),
    "keyword.operator.logical.planspec": LOGICAL,
    "constant.language.planspec": CONSTANT_WORDS,
}
"""For each scope (class of tokens) in VS Code's grammar of expressions, its words. `step` and `desc` are keywords
in some places only.
"""
BUILTIN_TABLE = re.compile(r"(?<=<!-- builtins -->\n).*?(?=<!-- end -->)", re.DOTALL)


def diagnostics_page() -> str:
    """Return the index of diagnostics, from the table of codes."""
    lines = [
        "# Diagnostics",
        "",
        "Every mistake that planspec reports in a document has a code. `planspec explain PS301` prints one entry of this",
        "page. A code is never reused.",
    ]
    for prefix, title in RANGES.items():
        lines += ["", f"## {prefix}: {title}"]
        for code in CODES.values():
            if not code.code.startswith(prefix):
                continue
            lines += ["", f"### {code.code} {code.slug}", "", code.why]
            for name, text in (("Wrong", code.wrong), ("Right", code.right)):
                if text:
                    lines += ["", f"{name}:", "", *(f"    {line}" for line in text.split("\n"))]
    return "\n".join(lines) + "\n"


def limits_page() -> str:
    """Return the page of limits, from the table in the code."""
    lines = [
        "# Limits",
        "",
        "Everything that planspec reads or computes has a limit, far above usual sizes. Beyond it, planspec never hangs, but reports the",
        "diagnostic, finding or message in parentheses.",
        *chain.from_iterable(_limits_of(part, limits) for part, limits in groupby(LIMITS, key=lambda limit: limit.of)),
        "",
        "A step of the interpreter evaluates one expression; a step of compiled code is one loop iteration or function call.",
        "`not-judged` fails the plan, because an unchecked constraint never counts as satisfied.",
        "",
        "## Which files are read",
        "",
        "Files must be regular: devices, pipes and sockets are refused without waiting.",
        "A document names other files by relative or absolute paths: documents under `uses:`, `world:` and `tasks:`, tables under `csv:`, `jsonl:`,",
        "`sqlite:` and `parquet:`, and answers under `reference:` and `cases:`. planspec reads them wherever they are, with the user's rights, and",
        "diagnostics quote lines with mistakes. A document cannot write, run or download anything. A service that checks untrusted documents",
        "should run planspec in a container, or as another user.",
    ]
    return "\n".join(lines) + "\n"


def _limits_of(part: str, limits: Iterable[Limit]) -> list[str]:
    """Return the lines of the page about the limits of one part of planspec's input, such as a document."""
    items = (f"- {limit.what}: {limit.most:,}{limit.past and f' ({_in_code_font(limit.past)})'}" for limit in limits)
    return ["", f"{part[0].upper()}{part[1:]}:", "", *items]


def _in_code_font(past: str) -> str:
    return past if " " in past else f"`{past}`"


def builtin_table() -> str:
    """Return the table of builtins. Each has an example with its value over the sample task."""
    lines = []
    for row in BUILTINS.values():
        lines += [
            f"### {row.name}",
            "",
            f"`{row.signature}`",
            "",
            row.doc if row.none_when == "never" else f"{row.doc} None if {row.none_when}.",
            "",
            "```planspec",
            row.example,
            f"=> {value_or_codes(row.example)}",
            "```",
            "",
        ]
    return "\n".join(lines) + "\n"


def language_page(page: str) -> str:
    """Return the language reference with the current table of builtins."""
    return BUILTIN_TABLE.sub(lambda _: "\n" + builtin_table(), page)


def root_stub() -> str:
    """Return the stub of the root module, from which type checkers read its names."""
    modules: dict[str, str] = vars(planspec)["_MODULE"]
    lines = [f"from planspec.{modules[name]} import {name} as {name}" for name in planspec.__all__]
    monitor = "from planspec import monitor as monitor"
    return "\n".join([monitor, *sorted(lines), "", "__version__: str", ROOT_NAMES, ""])


def editor_grammar(grammar: str) -> str:
    """Return VS Code's grammar of expressions with the current names of builtins and the current keywords."""
    for scope, words in GRAMMAR_WORDS.items():
        pattern = re.compile(rf'(?<="{re.escape(scope)}", "match": "\\\\b\(\?:)[a-z|]*')
        grammar = pattern.sub("|".join(words), grammar)
    return GRAMMAR_BUILTINS.sub(lambda _: "|".join(sorted(BUILTINS)), grammar)


def main() -> None:
    """Rewrite every list and every page."""
    (PACKAGE / "__init__.pyi").write_text(root_stub(), encoding="utf-8")
    grammar = ROOT / "editors" / "vscode" / "syntaxes" / "expression.tmLanguage.json"
    grammar.write_text(editor_grammar(grammar.read_text(encoding="utf-8")), encoding="utf-8")
    (ROOT / "docs" / "diagnostics.md").write_text(diagnostics_page(), encoding="utf-8")
    (ROOT / "docs" / "limits.md").write_text(limits_page(), encoding="utf-8")
    language = ROOT / "docs" / "language.md"
    language.write_text(language_page(language.read_text(encoding="utf-8")), encoding="utf-8")
    for name in sys.argv[1:] or PAGES:
        path = ROOT / name
        with tempfile.TemporaryDirectory() as folder:
            differences, text = run_page(path.read_text(encoding="utf-8"), Path(folder))
        for difference in differences:
            sys.stdout.write(f"{name}: {difference}\n")
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
