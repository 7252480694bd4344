"""`docs`: the documentation installed with planspec."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.console import CommandLineError, Format, print_json
from planspec.dsl.diagnostics.suggestions import did_you_mean

if TYPE_CHECKING:
    from planspec.api.outputs.shown import DocsPageOutput

HEADING = re.compile(r"(#{1,6}) (.+)")
FENCE = "```"


@dataclass(frozen=True, slots=True)
class DocsPage:
    """A page of the documentation.

    Attributes:
        name: stem of the file, such as `proofs`.
        path: path of the Markdown file.
    """

    name: str
    path: Path

    @property
    def text(self) -> str:
        """Markdown text of the page."""
        return self.path.read_text("utf-8")

    @property
    def title(self) -> str:
        """First heading of the page."""
        return self.text.partition("\n")[0].removeprefix("# ")

    def section(self, anchor: str) -> str | None:
        """Return a section with its subsections, or None if no heading has the anchor."""
        lines: list[str] = []
        depth, fenced = 0, False
        for line in self.text.splitlines(keepends=True):
            fenced ^= line.startswith(FENCE)
            match = None if fenced else HEADING.match(line)
            if match and depth and len(match[1]) <= depth:
                break
            if match and not depth and heading_anchor(match[2]) == anchor:
                depth = len(match[1])
            if depth:
                lines.append(line)
        return "".join(lines) or None

    @property
    def anchors(self) -> list[str]:
        """Anchors of all headings."""
        fenced, anchors = False, []
        for line in self.text.splitlines():
            fenced ^= line.startswith(FENCE)
            if not fenced and (match := HEADING.match(line)):
                anchors.append(heading_anchor(match[2]))
        return anchors


def heading_anchor(heading: str) -> str:
    """Return the anchor of a heading: lower case, hyphens for spaces, no punctuation."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def docs_folder() -> Path:
    """Return the folder of the documentation."""
    return Path(str(files("planspec") / "docs")).resolve()


def docs_pages() -> dict[str, DocsPage]:
    """Return the pages of the documentation, by name."""
    return {
        path.stem: DocsPage(path.stem, path) for path in sorted(docs_folder().glob("*.md"), key=lambda path: path.stem)
    }


def complete_page(incomplete: str) -> list[str]:
    """Complete the name of a page."""
    return [name for name in docs_pages() if name.startswith(incomplete)]


def docs(
    page: Annotated[
        str | None,
        typer.Argument(
            help="A page, or one of its sections: PAGE#SECTION. If left out, all pages are listed.",
            metavar="[PAGE]",
            autocompletion=complete_page,
        ),
    ] = None,
    path: Annotated[bool, typer.Option("--path", help="Print the path of the page, or of the folder.")] = False,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Show the documentation.

    On a terminal, a page is rendered; otherwise it is printed as Markdown.
    """
    pages = docs_pages()
    if page is None:
        if path:
            sys.stdout.write(f"{docs_folder()}\n")
        elif format is Format.json:
            print_json([_output(one) for one in pages.values()])
        else:
            width = max(map(len, pages))
            sys.stdout.writelines(f"{one.name:{width}}  {one.title}\n" for one in pages.values())
        return
    name, _, anchor = page.partition("#")
    match = pages.get(name.removesuffix(".md").removeprefix("docs/"))
    if match is None:
        close = did_you_mean(name, pages)
        raise CommandLineError(f"there is no page `{name}`; {close or '`planspec docs` lists all of them'}")
    text = match.section(anchor) if anchor else match.text
    if text is None:
        close = did_you_mean(anchor, match.anchors)
        raise CommandLineError(
            f"the page `{match.name}` has no section `{anchor}`; {close or f'`planspec docs {match.name}` has all of them'}"
        )
    if path:
        sys.stdout.write(f"{match.path}\n")
    elif format is Format.json:
        print_json(_output(match, text))
    elif sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        sys.stdout.write(text)


def _output(page: DocsPage, text: str | None = None) -> DocsPageOutput:
    from planspec.api.outputs.shown import DocsPageOutput

    return DocsPageOutput(page=page.name, title=page.title, path=str(page.path), text=text)
