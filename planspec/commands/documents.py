"""`explain` and `schema`: reference on diagnostics and on documents."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from planspec.commands.completion import complete_codes, complete_schema_kinds
from planspec.commands.console import CommandLineError, Format, print_json
from planspec.dsl.diagnostics.codes import CODES
from planspec.dsl.diagnostics.suggestions import did_you_mean


def explain(
    code: Annotated[
        str | None,
        typer.Argument(
            help="A diagnostic's code or name, such as PS301; if left out, all are listed.",
            metavar="[CODE]",
            autocompletion=complete_codes,
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Explain a diagnostic, with an example and its fix."""
    from planspec.api.outputs.shown import CodeOutput

    if code is None:
        if format is Format.json:
            print_json([CodeOutput.of(each) for each in CODES.values()])
        else:
            sys.stdout.writelines(f"{each.code}  {each.slug}\n" for each in CODES.values())
        return
    diagnostic = CODES.get(code.upper()) or next((c for c in CODES.values() if c.slug == code.lower()), None)
    if diagnostic is None:
        close = did_you_mean(code.upper(), CODES) or did_you_mean(code, [c.slug for c in CODES.values()])
        raise CommandLineError(f"there is no diagnostic `{code}`; {close or '`planspec explain` lists all of them'}")
    if format is Format.json:
        print_json(CodeOutput.of(diagnostic))
        return
    blocks = [f"{diagnostic.code}: {diagnostic.slug}", diagnostic.why]
    for name, text in (("Wrong:", diagnostic.wrong), ("Right:", diagnostic.right)):
        if text:
            blocks.append(name + "\n\n" + "\n".join(f"    {line}" for line in text.splitlines()))
    sys.stdout.write("\n\n".join(blocks) + "\n")


def schema(
    kind: Annotated[
        str,
        typer.Argument(
            help="library, world, task, suite, a record such as trace, or output/COMMAND.",
            metavar="[KIND]",
            autocompletion=complete_schema_kinds,
        ),
    ] = "task",
    list_: Annotated[bool, typer.Option("--list", help="List the kinds.")] = False,
) -> None:
    """Print the JSON Schema of a document, a record or an output.

    YAML editors use the schemas of documents.
    """
    from planspec.dsl.editing.schema import document_schema
    from planspec.dsl.structure.document_keys import KINDS

    if list_:
        sys.stdout.writelines(f"{name}\n" for name in complete_schema_kinds(""))
        return
    if kind in KINDS:
        json_schema = document_schema(kind)
    else:
        from pydantic import TypeAdapter

        from planspec.api.outputs.register import OUTPUTS, records
        from planspec.api.verdicts import with_checks

        name = kind.removeprefix("output/")
        record_models = records()
        if kind in record_models:
            model = record_models[kind].load()
        elif name in OUTPUTS and name != kind:
            model = OUTPUTS[name]
        else:
            close = did_you_mean(kind, complete_schema_kinds(""))
            raise CommandLineError(
                f"there is no schema `{kind}`; {close or '`planspec schema --list` lists the kinds'}"
            )
        json_schema = with_checks(TypeAdapter(model).json_schema())
    sys.stdout.write(json.dumps(json_schema, indent=2) + "\n")
