"""`tour`: a shortest way through points, and how far it is proved."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from planspec.commands.console import (
    CallError,
    Exit,
    Format,
    answered_task,
    check_writable,
    leave,
    note,
    print_json,
    read_bytes,
    refuse_overwriting,
)
from planspec.commands.progress import best_known, waiting
from planspec.commands.search_limits import Effort, search_limits, timeout_option
from planspec.files import replace_text

if TYPE_CHECKING:
    from planspec.solvers.tour import Tour, points
    from planspec.solvers.tour.outcome import Integers

NodeName = str | int


class DistanceKind(StrEnum):
    """The distance between two points of a CSV file."""

    great_circle = "great-circle"
    web_mercator = "web-mercator"


class Method(StrEnum):
    """Ways to a proof."""

    held_karp = "held-karp"
    circuit = "circuit"
    dfj = "dfj"


def tour(
    file: Annotated[
        str,
        typer.Argument(
            help="A TSPLIB file, a CSV of points, or a plan's JSON; `-` for standard input.", metavar="FILE"
        ),
    ],
    task: Annotated[
        str | None, typer.Option(help="The task's file or id, if the plan does not name it.")
    ] = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
    metric: Annotated[
        DistanceKind | None,
        typer.Option(help="The distance between the points of a CSV file; if left out, great-circle."),
    ] = None,
    open_path: Annotated[bool, typer.Option("--open", help="Find a path that does not return.")] = False,
    start: Annotated[str | None, typer.Option(help="The first node: its name, or number from 1.")] = None,
    end: Annotated[str | None, typer.Option(help="The last node of a path.")] = None,
    timeout: Annotated[float | None, timeout_option("the search and its proof")] = None,
    effort: Effort = None,
    method: Annotated[
        Method | None, typer.Option(help="The method; if left out, the one that fits the size.")
    ] = None,
    proof: Annotated[
        Path | None,
        typer.Option(
            "--proof",
            help="Write a certificate there that no tour is shorter, which needs no solver.",
            metavar="OUT",
        ),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(
            "--check", help="Check such a certificate of FILE instead, without a solver.", metavar="OUT"
        ),
    ] = None,
) -> None:
    """Find a shortest tour, and prove it shortest.

    The status says `optimal` if the tour is proved shortest.
    """
    from planspec.errors import TourInputError
    from planspec.solvers.tour import shortest

    if check is not None:
        asked = {"--proof": proof, "--open": open_path, "--start": start, "--end": end, "--method": method}
        told = next((name for name, value in asked.items() if value), None)
        if told is not None:
            raise CallError(f"--check says what the certificate claims, and {told} asks for something else")
    check_writable(proof)
    refuse_overwriting((proof,), (file,))
    try:
        matrix, labels = _read(file, metric, task)
        if check is not None:
            _check(check, matrix, labels, format)
        closed, first, last = not open_path, _node(start, labels), _node(end, labels)

        def show(best: Tour) -> None:
            write_tour(best, labels, format)

        with best_known(show) as keep, waiting(f"a tour of {len(labels)} nodes") as say:

            def known(best: Tour) -> None:
                keep(best)
                say(f"length {best.length}, bound {best.bound}")

            limits = search_limits(timeout, effort)
            found = shortest(
                matrix, closed=closed, start=first, end=last, limit_seconds=limits.seconds, effort=limits.effort,
                method=None if method is None else method.value, on_progress=known, proving=proof is not None,
            )  # fmt: skip
    except TourInputError as error:
        raise CallError(f"`{file}`: {error}") from None
    if proof is not None:
        from planspec.solvers.tour.proof_file import certificate, certificate_text

        made = certificate(found, matrix, closed=closed, start=first, end=last)
        if made is None:
            few = (
                "there is nothing to prove of two nodes or fewer"
                if found.status == "optimal"
                else "the search was limited"
            )
            note(f"no certificate is written: {few}")
        else:
            replace_text(proof, certificate_text(made))
            note(f"proved shortest: {proof}, {len(made.parts)} {'part' if len(made.parts) == 1 else 'parts'}")
    print_tour(found, labels, format)


def _check(path: Path, matrix: Integers, labels: Sequence[NodeName], format: Format) -> NoReturn:
    """Check a certificate that a tour is the shortest, and end the command."""
    from planspec.solvers.tour.proof_file import read_certificate, wrong_certificate

    try:
        made = read_certificate(read_bytes(str(path), "a certificate of a tour"))
    except ValueError as error:
        raise CallError(f"`{path}` is no certificate of a tour: {error}") from None
    wrong = wrong_certificate(made, matrix)
    known = wrong is None
    first, last = (None if node is None or not known else labels[node] for node in (made.start, made.end))
    if format is Format.json:
        print_json({
            "n": len(labels), "length": made.length, "valid": known, "reason": wrong, "closed": made.closed, "start": first,
            "end": last, "tour": [labels[node] for node in made.tour] if known else [],
        })  # fmt: skip
    elif known:
        ends = ("" if first is None else f" from {first}") + ("" if last is None else f" to {last}")
        kind = "closed tour" if made.closed else f"path{ends}"
        sys.stdout.write(
            f"valid: no {kind} through these {len(labels)} nodes is shorter than {made.length}\n"
        )
    else:
        sys.stdout.write(f"wrong: {wrong}\n")
    leave(Exit.HOLDS if wrong is None else Exit.FAILS)


def print_tour(found: Tour, labels: Sequence[NodeName], format: Format) -> NoReturn:
    """Print a tour and end the command with the exit status that belongs to it."""
    write_tour(found, labels, format)
    leave({"optimal": Exit.HOLDS, "infeasible": Exit.FAILS}.get(found.status, Exit.UNDECIDED))


def write_tour(found: Tour, labels: Sequence[NodeName], format: Format) -> None:
    """Print a tour.

    Args:
        found: the answer.
        labels: the name of each node.
        format: text, or JSON.
    """
    order = [labels[node] for node in found.tour]
    if format is Format.json:
        print_json({
            "n": found.n, "length": found.length, "bound": found.bound, "status": found.status, "tour": order,
            "method": found.method,
        })  # fmt: skip
    else:
        said = [f"{found.status}: {found.n} {'node' if found.n == 1 else 'nodes'}"]
        if found.length is not None:
            said.append(f"length {found.length}")
        if found.status != "optimal":
            said.append(f"bound {found.bound}")
        if found.gap:
            said.append(f"gap {100 * found.gap:.2f} %")
        sys.stdout.write(f"{', '.join(said)}\n")
        if order:
            sys.stdout.write("".join(f"{label}\n" for label in order))
        note(f"({found.method}, {found.seconds:.2f} s)")


def _read(file: str, metric: DistanceKind | None, task: str | None) -> tuple[Integers, list[NodeName]]:
    """The lengths that a file gives, and the names of its nodes.

    Raises:
        CallError: the file is not UTF-8, or a metric is asked for where the file has its own.
    """
    from planspec.solvers.tour import points, tsplib

    try:
        text = read_bytes(file, "a tour problem").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CallError(f"`{file}` is not UTF-8") from None
    places: Sequence[points.GeoPoint] | None = None
    if PurePath(file).suffix.lower() == ".json" or text.lstrip()[:1] in ("{", "["):
        places = _of_plan(text, task)
    elif _is_csv(file, text):
        places = points.parse(text)
    if places is not None:
        matrix = points.matrix(places, "great-circle" if metric is None else metric.value)
        return matrix, [place.name or number for number, place in enumerate(places, 1)]
    if metric is not None:
        raise CallError(f"`{file}` is a TSPLIB file, which says itself how lengths are computed")
    instance = tsplib.parse(text)
    return instance.matrix, list(range(1, len(instance.matrix) + 1))


def _of_plan(text: str, task: str | None) -> Sequence[points.GeoPoint]:
    """The places of a plan, in its order.

    Raises:
        CallError: it is no plan of a known task, or says of no place where it is.
    """
    from planspec.api.judging import Judge
    from planspec.measures.plan_places import plan_places
    from planspec.solvers.tour.points import GeoPoint
    from planspec.verifiers.answers.envelope import Undelivered, read_answer

    read = read_answer(text)
    if isinstance(read, Undelivered):
        raise CallError(f"the plan cannot be read: {read.reason}")
    judge = Judge(answered_task(task, read.task))
    plan, _ = judge.format.decode(judge.task, read.plan)
    return [GeoPoint(*place) for place in plan_places(plan, judge.task.currency)]


def _is_csv(file: str, text: str) -> bool:
    """Whether a file is CSV, by its name, or else by its first line: a TSPLIB file begins with a keyword and a colon."""
    suffix = PurePath(file).suffix.lower()
    if suffix in (".csv", ".tsp", ".atsp"):
        return suffix == ".csv"
    first = next((line for line in text.splitlines() if line.strip()), "")
    return "," in first and ":" not in first


def _node(label: str | None, labels: Sequence[NodeName]) -> int | None:
    """The node that a name or a number from 1 means.

    Raises:
        CallError: none, or more than one.
    """
    if label is None:
        return None
    named = [node for node, own in enumerate(labels) if own == label]
    if len(named) > 1:
        raise CallError(f"{len(named)} points are called `{label}`; say the number of one, from 1")
    if named:
        return named[0]
    if label.isascii() and label.isdigit() and len(label) < 10 and 1 <= int(label) <= len(labels):
        return int(label) - 1
    raise CallError(f"there is no node `{label}`; nodes are 1 to {len(labels)}, or called by name")
