"""`docs`: the documentation that this planspec came with."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.console import CallError, Format, print_json
from planspec.dsl.diagnostics.suggestions import did_you_mean

if TYPE_CHECKING:
    from planspec.api.outputs.shown import DocsPageOutput

HEADING = re.compile(r"(#{1,6}) (.+)")
FENCE = "```"


@dataclass(frozen=True, slots=True)
class DocsPage:
    """A page.

    Attributes:
        name: by which it is asked for.
        path: of its file.
    """

    name: str
    path: Path

    @property
    def text(self) -> str:
        """Its Markdown."""
        return self.path.read_text("utf-8")

    @property
    def title(self) -> str:
        """Its first heading."""
        return self.text.partition("\n")[0].removeprefix("# ")

    def section(self, anchor: str) -> str | None:
        """The part under a heading, with the parts below it; None without such a heading."""
        taken: list[str] = []
        depth, fenced = 0, False
        for line in self.text.splitlines(keepends=True):
            fenced ^= line.startswith(FENCE)
            found = None if fenced else HEADING.match(line)
            if found and depth and len(found[1]) <= depth:
                break
            if found and not depth and anchor_of(found[2]) == anchor:
                depth = len(found[1])
            if depth:
                taken.append(line)
        return "".join(taken) or None

    @property
    def anchors(self) -> list[str]:
        """Its headings, as links write them."""
        fenced, made = False, []
        for line in self.text.splitlines():
            fenced ^= line.startswith(FENCE)
            if not fenced and (found := HEADING.match(line)):
                made.append(anchor_of(found[2]))
        return made


def anchor_of(heading: str) -> str:
    """A heading as links name it: small letters, hyphens for blanks, without other marks."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def docs_folder() -> Path:
    """Where the pages lie."""
    return Path(str(files("planspec") / "docs")).resolve()


def docs_pages() -> dict[str, DocsPage]:
    """The pages by name."""
    return {
        path.stem: DocsPage(path.stem, path)
        for path in sorted(docs_folder().glob("*.md"), key=lambda path: path.stem)
    }


def complete_page(incomplete: str) -> list[str]:
    """The names of pages that begin so."""
    return [name for name in docs_pages() if name.startswith(incomplete)]


def docs(
    page: Annotated[
        str | None,
        typer.Argument(
            help="A page, or one of its sections: PAGE#SECTION. If left out, all pages are listed.",
            metavar="[PAGE]", autocompletion=complete_page,
        ),
    ] = None,
    path: Annotated[bool, typer.Option("--path", help="Print where the page, or the folder, lies.")] = False,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:  # fmt: skip
    """Show the documentation.

    On a terminal a page is laid out; elsewhere it is printed as it is, in Markdown.
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
    found = pages.get(name.removesuffix(".md").removeprefix("docs/"))
    if found is None:
        close = did_you_mean(name, pages)
        raise CallError(f"there is no page `{name}`; {close or '`planspec docs` lists all of them'}")
    text = found.section(anchor) if anchor else found.text
    if text is None:
        close = did_you_mean(anchor, found.anchors)
        raise CallError(
            f"the page `{found.name}` has no section `{anchor}`; {close or f'`planspec docs {found.name}` has all of them'}"
        )
    if path:
        sys.stdout.write(f"{found.path}\n")
    elif format is Format.json:
        print_json(_output(found, text))
    elif sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        sys.stdout.write(text)


def _output(page: DocsPage, text: str | None = None) -> DocsPageOutput:
    from planspec.api.outputs.shown import DocsPageOutput

    return DocsPageOutput(page=page.name, title=page.title, path=str(page.path), text=text)
