"""Certificates of shortest tours: JSON files with a tour and a proof that no tour is shorter."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from planspec.solvers.tour.closed_tour_problem import closed_tour_problem
from planspec.solvers.tour.network import network
from planspec.solvers.tour.outcome import Integers, Tour, length_of
from planspec.solvers.tour.proof import IntegerPrices, InvalidTourProofError, PricedCut, TourPart, check_bound

Node = Annotated[int, Field(ge=0)]
Pair = tuple[Node, Node]


class _Record(BaseModel):
    """Base class of the JSON objects in the certificate of a tour. Unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class CutRecord(_Record):
    """A cut: the nodes of its set, its teeth, and its price. See `planspec.solvers.tour.proof.PricedCut`."""

    price: int = Field(ge=0)
    side: list[Node]
    teeth: list[Pair] = []


class PricesRecord(_Record):
    """Integer dual prices of nodes and cuts: the actual prices times `scale`."""

    scale: int = Field(ge=1)
    nodes: list[int]
    cuts: list[CutRecord]


class PartRecord(_Record):
    """A node of the tree that proves a lower bound on all tours. It stands for a subset of all tours.

    Either `prices` prove the bound for all tours of the subset, or the subset is split on an edge. `split` has the two
    nodes of the edge, the index in `TourCertificate.parts` of the tours without it, and that of the tours with it.
    """

    prices: list[PricesRecord]
    split: tuple[Node, Node, Node, Node] | None = None


class TourCertificate(_Record):
    """The certificate that a tour is the shortest.

    - `tour` lists the nodes in order, counted from 0.
    - `matrix_sha256` is the hash of the lengths as JSON without spaces: a list of rows, with 0 on the diagonal.
    - `parts` is the tree that proves that no tour is shorter. Its first entry stands for all tours.
    - Nodes and edges in `parts` are those of an undirected graph in which every tour is closed. For an open path, the
      graph has an additional node at distance 0 from the others, and the path is the closed tour without this node. For
      asymmetric lengths, each node i, including the additional node, is split into an arrival node i and a departure
      node i + n, where n is the number of nodes before the split.
    """

    planspec: Literal["tour/1"]
    closed: bool
    start: Node | None
    end: Node | None
    tour: list[Node]
    length: int
    matrix_sha256: str
    parts: list[PartRecord]


def certificate(
    result: Tour, matrix: Integers, *, closed: bool, start: int | None, end: int | None
) -> TourCertificate | None:
    """Return the certificate that a tour is the shortest; None if the tour has no proof.

    Args:
        result: the tour with its proof.
        matrix: lengths from row to column.
        closed: whether the tour returns to its first node.
        start: the required first node; None if any node may be the first.
        end: the required last node of an open path; None if any node may be the last.
    """
    if result.proof is None or result.length is None:
        return None
    return TourCertificate(
        planspec="tour/1",
        closed=closed,
        start=start,
        end=end,
        tour=list(result.tour),
        length=result.length,
        matrix_sha256=_matrix_hash(matrix),
        parts=list(_records(result.proof)),
    )


def _matrix_hash(matrix: Integers) -> str:
    lengths = matrix.copy()
    np.fill_diagonal(lengths, 0)  # the diagonal has no meaning
    return sha256(json.dumps(lengths.tolist(), separators=(",", ":")).encode()).hexdigest()


def _records(proof: TourPart) -> Iterator[PartRecord]:
    waiting, count = [proof], 1
    for part in waiting:
        split = None
        if part.split is not None and part.without is not None and part.having is not None:
            split = (*part.split, count, count + 1)
            waiting += [part.without, part.having]
            count += 2
        yield PartRecord(prices=[_prices_record(each) for each in part.prices], split=split)


def _prices_record(prices: IntegerPrices) -> PricesRecord:
    cuts = [CutRecord(price=cut.price, side=list(cut.side), teeth=list(cut.teeth)) for cut in prices.cuts]
    return PricesRecord(scale=prices.scale, nodes=list(prices.nodes), cuts=cuts)


def read_certificate(data: bytes) -> TourCertificate:
    """Parse the certificate of a shortest tour from JSON.

    Raises:
        ValueError: the text is not a certificate; the message explains why.
    """
    try:
        return TourCertificate.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{where}: {first['msg']}" if where else first["msg"]) from None


def wrong_certificate(record: TourCertificate, matrix: Integers) -> str | None:
    """Return why a certificate does not prove its tour shortest, as an English clause; None if it does prove it.

    The check uses integer arithmetic and loads no solver.

    Args:
        record: the certificate.
        matrix: lengths from row to column.
    """
    n = len(matrix)
    if record.matrix_sha256 != _matrix_hash(matrix):
        return "it is a certificate for other lengths"
    if sorted(record.tour) != list(range(n)):
        return "its tour does not visit each node once"
    if (record.closed and record.end is not None) or any(
        node is not None and node >= n for node in (record.start, record.end)
    ):
        return "it names an end that the tour does not have"
    if record.start not in (None, record.tour[0]) or record.end not in (
        None,
        record.tour[-1],
    ):
        return "its tour has other ends than the named ones"
    length = length_of(matrix, tuple(record.tour), closed=record.closed)
    if length != record.length:
        return f"its tour has length {length}, but the certificate says {record.length}"
    graph = network(closed_tour_problem(matrix, closed=record.closed, start=record.start, end=record.end))
    allowed = {(i, j) for i, j in np.argwhere(np.triu(graph.allowed, 1)).tolist()}
    try:
        check_bound(
            graph.cost.tolist(),
            allowed,
            set(graph.forced),
            record.length,
            _build_tree(record.parts, graph.n),
        )
    except InvalidTourProofError as error:
        return f"it does not show that no tour is shorter: {error}"
    return None


def _build_tree(records: list[PartRecord], n: int) -> TourPart:
    """Build the tree of a proof from a certificate's records, and return its root.

    Args:
        records: a record for each node of the tree. `split` refers to other records by index.
        n: number of nodes of the undirected graph to which the nodes and edges in the records belong.

    Raises:
        InvalidTourProofError: the records do not form a tree.
    """
    parts = [TourPart([_parse_prices(each) for each in record.prices]) for record in records]
    if not parts:
        raise InvalidTourProofError("it has no part")
    taken: set[int] = set()
    for number, (part, record) in enumerate(zip(parts, records, strict=True)):
        if record.split is not None:
            i, j, without, having = record.split
            if not number < without < len(parts) or not number < having < len(parts):
                raise InvalidTourProofError(f"part {number} is split into parts that do not follow it")
            if without == having or taken & {without, having}:
                raise InvalidTourProofError(f"part {number} is split into a part that another part already has")
            if i == j or max(i, j) >= n:
                raise InvalidTourProofError(f"part {number} is split on an edge that does not exist")
            taken |= {without, having}
            part.split, part.without, part.having = (min(i, j), max(i, j)), parts[without], parts[having]
    return parts[0]


def _parse_prices(record: PricesRecord) -> IntegerPrices:
    cuts = tuple(
        PricedCut(cut.price, tuple(cut.side), tuple((min(pair), max(pair)) for pair in cut.teeth))
        for cut in record.cuts
    )
    return IntegerPrices(record.scale, tuple(record.nodes), cuts)


def certificate_text(record: TourCertificate) -> str:
    """Return the certificate of a tour as JSON, with one entry of `parts` per line."""
    fields: dict[str, Any] = record.model_dump(exclude={"parts"})
    parts = ",\n  ".join(
        json.dumps(part.model_dump(exclude_defaults=True), separators=(",", ":")) for part in record.parts
    )
    head = ",\n ".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in fields.items())
    return f'{{{head},\n "parts": [\n  {parts}]}}\n'
