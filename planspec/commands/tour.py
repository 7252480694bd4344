"""`tour`: finds a shortest tour through points, and proves that none is shorter."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from planspec.commands.console import (
    CommandLineError,
    Exit,
    Format,
    GivenValues,
    check_writable,
    forbid_overwriting,
    leave,
    load_answered_task,
    note,
    parse_given,
    print_json,
    read_bytes,
)
from planspec.commands.progress import show_best_on_interrupt, show_spinner
from planspec.commands.search_limits import EffortLimit, search_limits, timeout_option

if TYPE_CHECKING:
    from planspec.api.search import Tour
    from planspec.api.tours import DistanceMetric, TourProblem


class DistanceKind(StrEnum):
    """Formula for the distance between two points of a CSV file."""

    great_circle = "great-circle"
    web_mercator = "web-mercator"


class Method(StrEnum):
    """Method that proves a tour shortest."""

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
    task: Annotated[str | None, typer.Option(help="The task's file or id, if the plan does not name it.")] = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
    metric: Annotated[
        DistanceKind | None,
        typer.Option(help="The distance between the points of a CSV file; if left out, great-circle."),
    ] = None,
    open_path: Annotated[bool, typer.Option("--open", help="Find a path that does not return.")] = False,
    start: Annotated[str | None, typer.Option(help="The first node: its name, or number from 1.")] = None,
    end: Annotated[str | None, typer.Option(help="The last node of a path.")] = None,
    timeout: Annotated[float | None, timeout_option("the search and its proof")] = None,
    effort: EffortLimit = None,
    method: Annotated[Method | None, typer.Option(help="The method; if left out, the one that fits the size.")] = None,
    proof: Annotated[
        Path | None,
        typer.Option(
            "--proof",
            help="Write a certificate that no tour is shorter, which can be checked without a solver.",
            metavar="OUT",
        ),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option("--check", help="Instead, check such a certificate for FILE without a solver.", metavar="OUT"),
    ] = None,
    given: GivenValues = None,
) -> None:
    """Find a shortest tour, and prove it shortest.

    The status says `optimal` if the tour is proved shortest.
    """
    from planspec.api.tours import certify_tour, shortest_tour
    from planspec.errors import TourInputError

    if check is not None:
        options = {"--proof": proof, "--open": open_path, "--start": start, "--end": end, "--method": method}
        conflicting = next((name for name, value in options.items() if value), None)
        if conflicting is not None:
            raise CommandLineError(f"--check takes the claim from the certificate; leave out {conflicting}")
    check_writable(proof)
    forbid_overwriting((proof,), (file,))
    try:
        problem = _read_problem(file, metric, task, parse_given(given))
        labels = problem.labels
        if check is not None:
            _check_certificate(check, problem, format)
        closed, first, last = not open_path, _node_index(start, labels), _node_index(end, labels)

        def show(best: Tour) -> None:
            print_tour(best, labels, format)

        with show_best_on_interrupt(show) as keep, show_spinner(f"a tour of {len(labels)} nodes") as notify:

            def report_progress(best: Tour) -> None:
                keep(best)
                notify(f"length {best.length}, bound {best.bound}")

            result = shortest_tour(
                problem,
                limits=search_limits(timeout, effort),
                closed=closed,
                start=first,
                end=last,
                method=None if method is None else method.value,
                on_progress=report_progress,
                proving=proof is not None,
            )
    except TourInputError as error:
        raise CommandLineError(f"`{file}`: {error}") from None
    if proof is not None:
        parts = certify_tour(result, problem, proof, closed=closed, start=first, end=last)
        if parts is None:
            reason = (
                "there is nothing to prove about two nodes or fewer"
                if result.status == "optimal"
                else "the search was limited"
            )
            note(f"no certificate is written: {reason}")
        else:
            note(f"proved shortest: {proof}, {parts} {'part' if parts == 1 else 'parts'}")
    print_tour_and_exit(result, labels, format)


def _check_certificate(path: Path, problem: TourProblem, format: Format) -> NoReturn:
    """Check a certificate that a tour is shortest, and end the command."""
    from planspec.api.tours import read_tour_certificate, why_wrong

    labels = problem.labels
    try:
        certificate = read_tour_certificate(read_bytes(str(path), "a certificate of a tour"))
    except ValueError as error:
        raise CommandLineError(f"`{path}` is not a certificate of a tour: {error}") from None
    fault = why_wrong(certificate, problem)
    valid = fault is None
    first, last = (None if node is None or not valid else labels[node] for node in (certificate.start, certificate.end))
    if format is Format.json:
        print_json(
            {
                "n": len(labels),
                "length": certificate.length,
                "valid": valid,
                "reason": fault,
                "closed": certificate.closed,
                "start": first,
                "end": last,
                "tour": [labels[node] for node in certificate.tour] if valid else [],
            }
        )
    elif valid:
        ends = ("" if first is None else f" from {first}") + ("" if last is None else f" to {last}")
        kind = "closed tour" if certificate.closed else f"path{ends}"
        sys.stdout.write(f"valid: no {kind} through these {len(labels)} nodes is shorter than {certificate.length}\n")
    else:
        sys.stdout.write(f"wrong: {fault}\n")
    leave(Exit.HOLDS if valid else Exit.FAILS)


def print_tour_and_exit(result: Tour, labels: Sequence[str | int], format: Format) -> NoReturn:
    """Print a tour, and end the command."""
    print_tour(result, labels, format)
    leave({"optimal": Exit.HOLDS, "infeasible": Exit.FAILS}.get(result.status, Exit.UNDECIDED))


def print_tour(result: Tour, labels: Sequence[str | int], format: Format) -> None:
    """Print a tour.

    Args:
        result: the tour.
        labels: names of the nodes.
        format: output format.
    """
    order = [labels[node] for node in result.tour]
    if format is Format.json:
        print_json(
            {
                "n": result.n,
                "length": result.length,
                "bound": result.bound,
                "status": result.status,
                "tour": order,
                "method": result.method,
            }
        )
    else:
        parts = [f"{result.status}: {result.n} {'node' if result.n == 1 else 'nodes'}"]
        if result.length is not None:
            parts.append(f"length {result.length}")
        if result.status != "optimal":
            parts.append(f"bound {result.bound}")
        if result.gap:
            parts.append(f"gap {100 * result.gap:.2f} %")
        sys.stdout.write(f"{', '.join(parts)}\n")
        if order:
            sys.stdout.write("".join(f"{label}\n" for label in order))
        note(f"({result.method}, {result.seconds:.2f} s)")


def _read_problem(file: str, metric: DistanceKind | None, task: str | None, given: Mapping[str, str]) -> TourProblem:
    """Read a tour problem from a TSPLIB file, a CSV file of points, or a plan.

    Raises:
        CommandLineError: the file is not UTF-8, a metric is used for a file with lengths, or values of givens are used
            for a file that is not a plan.
    """
    from planspec.api.tours import places_problem, points_problem, tsplib_problem

    try:
        text = read_bytes(file, "a tour problem").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CommandLineError(f"`{file}` is not UTF-8") from None
    distance: DistanceMetric = "great-circle" if metric is None else metric.value
    if PurePath(file).suffix.lower() == ".json" or text.lstrip()[:1] in ("{", "["):
        return places_problem(_plan_places(text, task, given), distance)
    if given:
        raise CommandLineError(f"--given is for the task of a plan, and `{file}` is none")
    if _is_csv(file, text):
        return points_problem(text, distance)
    if metric is not None:
        raise CommandLineError(f"`{file}` is a TSPLIB file, which defines its own lengths; leave out --metric")
    return tsplib_problem(text)


def _plan_places(text: str, task: str | None, given: Mapping[str, str]) -> Sequence[tuple[str, float, float]]:
    """Return the places of a plan, each with latitude and longitude in degrees, in the plan's order.

    Raises:
        CommandLineError: the text is not a plan of a known task, or its places have no coordinates.
    """
    from planspec.api.judging import Judge
    from planspec.scores.plan_places import plan_places
    from planspec.verifiers.answers.envelope import Undelivered, read_answer

    answer = read_answer(text)
    if isinstance(answer, Undelivered):
        raise CommandLineError(f"the plan cannot be read: {answer.reason}")
    judge = Judge(load_answered_task(task, answer.task, given))
    plan, _ = judge.format.decode(judge.task, answer.plan)
    return plan_places(plan, judge.task.currency)


def _is_csv(file: str, text: str) -> bool:
    """Return whether a file is CSV, by its suffix or, for an unknown suffix, by its first line.

    Any other file is TSPLIB, whose first line has a keyword and a colon.
    """
    suffix = PurePath(file).suffix.lower()
    if suffix in (".csv", ".tsp", ".atsp"):
        return suffix == ".csv"
    first = next((line for line in text.splitlines() if line.strip()), "")
    return "," in first and ":" not in first


def _node_index(label: str | None, labels: Sequence[str | int]) -> int | None:
    """Return the index of a node; None if `label` is None.

    Args:
        label: name of the node, or its number, counted from 1.
        labels: names of all nodes.

    Raises:
        CommandLineError: there is no such node, or several nodes have the name.
    """
    if label is None:
        return None
    named = [node for node, own in enumerate(labels) if own == label]
    if len(named) > 1:
        raise CommandLineError(f"{len(named)} points are called `{label}`; give the number of one, from 1")
    if named:
        return named[0]
    if label.isascii() and label.isdigit() and len(label) < 10 and 1 <= int(label) <= len(labels):
        return int(label) - 1
    raise CommandLineError(f"there is no node `{label}`; nodes have the numbers 1 to {len(labels)}, or names")
