"""`draft`: writes a task for a request in plain words, or compares a task's query with its rules."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from planspec.commands.completion import complete_agents, complete_tasks
from planspec.commands.console import (
    CommandLineError,
    Exit,
    Format,
    check_writable,
    existing_file,
    forbid_overwriting,
    leave,
    note,
    print_json,
    read_bytes,
    reject_nan,
)
from planspec.commands.progress import show_spinner

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from planspec.drafting import Budget, DraftCheckOutput, DraftOutput, ParaphrasesOutput, Question
    from planspec.runs.record import ModelPrice

SECONDS = 20.0
CALLS = 60
COST = re.compile(r"(\d+(?:\.\d+)?)\s*USD", re.IGNORECASE)
REQUEST_BYTES = 1_000_000
"""Maximum size of a request, in bytes."""


def draft(
    text: Annotated[
        str | None,
        typer.Argument(
            help="The request, or a file with it; - for standard input.", metavar="[TEXT|FILE]", show_default=False
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="The agent that writes, such as openai:model=...; may be left out with --resume.",
            metavar="AGENT",
            autocompletion=complete_agents,
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Write the draft to FILE; by default it is printed.", metavar="FILE"),
    ] = None,
    library: Annotated[
        str | None,
        typer.Option(
            help="A library, by id or path; the model writes values of the library's givens.", metavar="LIBRARY"
        ),
    ] = None,
    world: Annotated[str | None, typer.Option(help="A world, by id or path.", metavar="WORLD")] = None,
    like: Annotated[
        str | None,
        typer.Option(
            help="A task whose tables, scope and libraries the draft takes over.",
            metavar="TASK",
            autocompletion=complete_tasks,
        ),
    ] = None,
    drafts: Annotated[int, typer.Option(help="Number of independent drafts to compare.", min=1, max=9)] = 2,
    ask: Annotated[
        bool,
        typer.Option(
            "--ask",
            help="Ask you, instead of the model, whether the request allows a second plan that the draft allows. Also "
            "ask whether you accept the draft.",
        ),
    ] = False,
    check: Annotated[
        str | None,
        typer.Option(
            "--check",
            help="Instead: compare the query of TASK with its rules.",
            metavar="TASK",
            autocompletion=complete_tasks,
            show_default=False,
        ),
    ] = None,
    paraphrase: Annotated[
        str | None,
        typer.Option(
            "--paraphrase",
            help="Instead: reword the query of TASK. Each wording must require the same plans.",
            metavar="TASK",
            autocompletion=complete_tasks,
            show_default=False,
        ),
    ] = None,
    count: Annotated[int, typer.Option(help="Number of paraphrases.", min=1, max=99)] = 1,
    budget: Annotated[
        str,
        typer.Option(help="Limit of model calls (60), of cost (0.50USD), or of both (60,0.50USD).", metavar="BUDGET"),
    ] = str(CALLS),
    prices: Annotated[
        Path | None,
        typer.Option(help="JSON file with the prices of models, as for `run`.", metavar="FILE", show_default=False),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            help="Append each reply to FILE; by default beside --out, as NAME.replies.jsonl.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="Use the replies in LOG, and append further ones to it.", metavar="LOG", show_default=False),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option(help="Time limit of each search, in seconds.", metavar="SECONDS", min=0.001, callback=reject_nan),
    ] = SECONDS,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Let a model draft a task from a request.

    planspec tests the draft, and returns errors, rules without effect and conflicts to the model. The model also judges
    plans: those on which two drafts differ, its own test cases, and plans at the bounds of rules. If a draft judges such
    a plan otherwise, the model corrects the draft. A draft has `meta: {draft: true}` until you accept it.

    Exits 0 if no finding is open, 1 if one is, 3 if the budget is used up or a proof was not found in time. With
    --check, 1 if the query and the rules differ; with --paraphrase, 1 if a wording is refused.
    """
    from planspec import drafting

    if model is None and resume is None:
        raise CommandLineError("name the agent that writes: --model AGENT")
    if sum(each is not None for each in (text, check, paraphrase)) != 1:
        raise CommandLineError("give either a request or --check TASK or --paraphrase TASK")
    if resume is not None:
        existing_file(str(resume), "the log")
    limits = parse_budget(budget)
    table = price_table(prices, limits)
    own = {"--library": library, "--world": world, "--like": like, "--ask": ask or None}
    if check is not None:
        _refuse_options("--check", {"--out": out, **own})
        with show_spinner("checking") as notify:
            checked = drafting.check_text(
                check,
                model=model,
                budget=limits,
                log=log,
                resume=resume,
                prices=table,
                limits=timeout,
                on_call=_notifier(notify),
            )
        _leave_with(checked, format)
    if paraphrase is not None:
        _refuse_options("--paraphrase", own)
        _check_shard(out, count)
        log = log if log is not None or resume is not None or out is None else drafting.log_beside(out)
        with show_spinner("paraphrasing") as notify:
            wordings = drafting.paraphrase(
                paraphrase,
                model=model,
                count=count,
                out=out,
                budget=limits,
                log=log,
                resume=resume,
                prices=table,
                limits=timeout,
                on_call=_notifier(notify),
            )
        _leave_with(wordings, format)
    assert text is not None
    check_writable(out)
    forbid_overwriting([out], [text, *([] if resume is None else [resume])])
    query = _request(text)
    log = log if log is not None or resume is not None or out is None else drafting.log_beside(out)
    check_writable(log)
    with show_spinner("drafting") as notify:
        result = drafting.draft(
            query,
            model=model,
            out=out,
            library=library,
            world=world,
            like=like,
            drafts=drafts,
            budget=limits,
            log=log,
            resume=resume,
            prices=table,
            limits=timeout,
            ask=_ask if ask else None,
            accept=_accept if ask else None,
            on_call=_notifier(notify),
        )
    _print(result, format)
    leave(Exit(result.exit_code))


def _leave_with(result: DraftCheckOutput | ParaphrasesOutput, format: Format) -> NoReturn:
    """Print a result, and exit with its exit code."""
    if format is Format.json:
        print_json(result)
    else:
        sys.stdout.write(f"{result}\n")
    leave(Exit(result.exit_code))


def _check_shard(out: Path | None, count: int) -> None:
    """Check that the output file can be written and, for several tasks, that its name allows several.

    Raises:
        CommandLineError: a check fails.
    """
    check_writable(out)
    if out is not None and count > 1 and not out.name.endswith(".tasks.yaml"):
        raise CommandLineError(f"`{out}` gets several tasks; name it like `paraphrases.tasks.yaml`")


def _print(result: DraftOutput, format: Format) -> None:
    if format is Format.json:
        print_json(result)
        return
    if result.out is not None:
        sys.stdout.write(f"{result}\ndraft: {result.out}\n")
        return
    sys.stdout.write(result.text or "")
    note(str(result))


def _notifier(notify: Callable[[str], None]) -> Callable[[str, int], None]:
    return lambda kind, number: notify(f"call {number}: {kind}")


def _refuse_options(mode: str, options: Mapping[str, object]) -> None:
    """Check that options for drafts are not combined with `--check` or `--paraphrase`.

    Raises:
        CommandLineError: an option is combined with one of them.
    """
    for name in (name for name, value in options.items() if value is not None):
        raise CommandLineError(f"{name} is for a new draft, and not for {mode}")


def _request(text: str) -> str:
    """Return the request for a draft: the argument itself, or the text of a file or of standard input.

    Raises:
        CommandLineError: there is no such file, or it is not UTF-8 or empty.
    """
    if re.search(r"\s", text.strip()) and not Path(text).is_file():
        query = text
    else:
        try:
            query = read_bytes(text, "the request", REQUEST_BYTES).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise CommandLineError(f"`{text}` is not UTF-8") from None
    if not query.strip():
        raise CommandLineError("the request is empty")
    return query


def parse_budget(text: str) -> Budget:
    """Parse a budget such as `60`, `0.50USD` or `60,0.50USD`.

    Raises:
        CommandLineError: the text is not a budget.
    """
    from planspec.drafting import Budget

    calls, usd = CALLS, None
    for part in text.split(","):
        cost = COST.fullmatch(part.strip())
        if cost is not None:
            usd = float(cost[1])
        elif part.strip().isdecimal() and len(part.strip()) < 10 and int(part) > 0:
            calls = int(part)
        else:
            raise CommandLineError(f"`{text}` is not a budget: write calls and a cost, such as 60,0.50USD")
    return Budget(calls, usd)


def price_table(prices: Path | None, budget: Budget) -> dict[str, ModelPrice]:
    """Return the prices in a file; empty without a file.

    Raises:
        CommandLineError: the budget needs prices, but none are given.
    """
    from planspec.runs.prices import read_prices

    table = {} if prices is None else read_prices(existing_file(str(prices), "the prices"))
    if budget.usd is not None and not table:
        raise CommandLineError("a budget in USD needs --prices: what each model costs")
    return table


def _ask(question: Question) -> str:
    """Ask a question on the terminal. Return `yes`, or the user's explanation of the request.

    Raises:
        CommandLineError: standard input ends before the answer.
    """
    note(str(question))
    with _until_end_of_input():
        return str(typer.prompt("yes, or what the request means instead", default="yes", err=True))


def _accept(result: DraftOutput) -> bool:
    """Print the rules in words, and ask whether they match the request.

    Raises:
        CommandLineError: standard input ends before the answer.
    """
    note(str(result))
    with _until_end_of_input():
        return bool(typer.confirm("Do these rules say what the request says?", default=False, err=True))


@contextmanager
def _until_end_of_input() -> Iterator[None]:
    try:
        yield
    except typer.Abort:
        raise CommandLineError("standard input ended before the answer; --resume goes on from the log") from None
