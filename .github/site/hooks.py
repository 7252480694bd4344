"""Hooks of MkDocs that add pages to the site.

The added pages are the README as first page, the Python API from docstrings, and a gallery of examples. Pages may link
to files outside docs/; these files are copied into the site.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from typing import Any

from mkdocs.structure.files import File, Files

import planspec
from planspec.live.panel import judged_panel, panel_page

GALLERY = """# Gallery

The shipped examples, as `planspec play` shows them: the reference plan with its verdict. `planspec play ID` also proves
the claims of the task.
"""
STYLE = """.md-typeset a:not(.headerlink) { text-decoration: underline; text-underline-offset: .15em; }
[data-md-color-scheme="default"] { --md-code-hl-comment-color: #5c5c5c; --md-code-hl-generic-color: #5c5c5c; --md-code-hl-variable-color: #5c5c5c; --md-code-hl-operator-color: #5c5c5c; --md-code-hl-punctuation-color: #5c5c5c; }
[data-md-color-scheme="slate"] { --md-code-hl-comment-color: #b6b8c4; --md-code-hl-generic-color: #b6b8c4; --md-code-hl-variable-color: #b6b8c4; --md-code-hl-operator-color: #b6b8c4;
  --md-code-hl-punctuation-color: #b6b8c4; --md-code-hl-constant-color: #b3a6f2; --md-code-hl-keyword-color: #8fb1f0; --md-code-hl-function-color: #e596c8; --md-code-hl-number-color: #f0a08f; }
[data-md-color-scheme="slate"] .md-typeset a, [data-md-color-scheme="slate"] .md-typeset a code { color: #8fb1f0; }
[data-md-color-scheme="default"] .md-typeset a { color: #3344a5; }
.md-typeset h1 { color: var(--md-default-fg-color); }
"""
"""Additions to the theme for accessibility: underlined links, and contrasts of at least 4.5 to 1."""
PROGRAM = """document$.subscribe(() => { for (const wide of document.querySelectorAll(".md-typeset__scrollwrap, .highlight code")) wide.tabIndex = 0; });
"""
"""Script that makes wide tables and code focusable, so that they can be scrolled by keyboard."""
ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = re.compile(r"\]\((?:\.\./)+([^)#]+)(#[^)]*)?\)")
"""Pattern of a link to a file of the checkout outside docs/."""
FROM_README = re.compile(r"\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)")
FENCE = re.compile(r"^```(\w[\w+-]*) (.+)$", re.MULTILINE)
"""Pattern of a code fence with further words after the language: a file name, or an option for the tests."""
COPIES = "checkout/"
"""Folder of the site with the copies of files outside docs/."""


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages, and copies of linked files outside docs/."""
    outside: set[str] = set()
    for path in sorted((ROOT / "docs").glob("*.md")):
        outside |= {target for target, _ in OUTSIDE.findall(path.read_text("utf-8"))}
    readme = (ROOT / "README.md").read_text("utf-8")
    outside |= {target for target, _ in FROM_README.findall(readme) if not target.startswith("docs/")}
    files.append(File.generated(config, "index.md", content=FROM_README.sub(_of_readme, readme)))
    files.append(File.generated(config, "api.md", content=_api()))
    files.append(File.generated(config, "own.css", content=STYLE))
    files.append(File.generated(config, "own.js", content=PROGRAM))
    gallery = dict(_gallery())
    files.append(File.generated(config, "gallery.md", content=GALLERY + "".join(text for text, _ in gallery.values())))
    for name, (_, page) in gallery.items():
        files.append(File.generated(config, f"gallery/{name}.html", content=page))
    for target in sorted(outside):
        text = (ROOT / target).read_text("utf-8")
        # Links in a copied page may lead to files that the site lacks, so relative links become plain text.
        copy = re.sub(r"\[([^]]+)\]\((?!https?:|#)[^)]+\)", r"\1", text) if target.endswith(".md") else text
        files.append(File.generated(config, _place(target), content=copy))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Replace links to files outside docs/ by links to their copies. Show file names of code blocks as titles."""
    text = FENCE.sub(_fence, markdown)
    return text if page.file.src_uri == "index.md" else OUTSIDE.sub(_outside, text)


def _fence(match: re.Match[str]) -> str:
    rest = match[2].strip()
    return f'```{match[1]} title="{rest}"' if "." in rest and " " not in rest else f"```{match[1]}"


def _outside(link: re.Match[str]) -> str:
    return f"]({_place(link[1])}{link[2] or ''})"


def _place(target: str) -> str:
    return COPIES + target.removeprefix(".")


def _of_readme(link: re.Match[str]) -> str:
    target = link[1].removeprefix("docs/") if link[1].startswith("docs/") else _place(link[1])
    return f"]({target}{link[2] or ''})"


def _gallery() -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each example's name with its section of the gallery, and the HTML page shown in its frame."""
    for path in sorted((ROOT / "tasks" / "examples").glob("*.task.yaml")):
        panel = judged_panel(path)
        name = panel.task.replace("@", "-")
        text = (
            f'\n## {panel.title or panel.task}\n\n<iframe src="gallery/{name}.html" title="{panel.task}" loading="lazy" width="100%" height="560" '
            f'style="border: 1px solid #8a857a"></iframe>\n\n??? quote "{path.name}"\n\n    ```yaml\n{indent(path.read_text("utf-8"), "    ")}    ```\n'
        )
        yield name, (text, panel_page(panel))


def _api() -> str:
    """Return the page of the Python API: all public names, functions first."""
    names = sorted(planspec.__all__, key=lambda name: (name[0].isupper(), name.lower()))
    listed = "\n\n".join(f"::: planspec.{name}" for name in names)
    return f"# The Python package\n\nAll names of `planspec`, with what they take, return and raise. [From Python](python.md) shows them at work.\n\n{listed}\n"
