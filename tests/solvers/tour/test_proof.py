"""Proofs that a tour is shortest are accepted. They are refused if the tour, its lengths or the bounds are changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planspec.errors import TourInputError
from planspec.solvers.tour import shortest
from planspec.solvers.tour.outcome import Integers
from planspec.solvers.tour.proof import IntegerPrices, InvalidTourProofError, PricedCut, TourPart, check_bound
from planspec.solvers.tour.proof_file import (
    TourCertificate,
    certificate,
    certificate_text,
    read_certificate,
    wrong_certificate,
)
from tests.random_examples import examples


def random_lengths(n: int, seed: int, *, symmetric: bool = True) -> Integers:
    """Return a random matrix of lengths."""
    matrix = np.random.default_rng(seed).integers(1, 100, (n, n))
    np.fill_diagonal(matrix, 0)
    return np.minimum(matrix, matrix.T) if symmetric else matrix


def certify_tour(
    matrix: Integers, *, closed: bool = True, start: int | None = None, end: int | None = None
) -> TourCertificate:
    """Return the proof that a shortest tour is shortest."""
    result = shortest(matrix, closed=closed, start=start, end=end, proving=True)
    assert result.status == "optimal"
    proof = certificate(result, matrix, closed=closed, start=start, end=end)
    assert proof is not None
    return proof


@settings(deadline=None, max_examples=examples(40))
@given(st.integers(3, 9), st.integers(0, 10_000), st.booleans(), st.booleans())
def test_the_proof_of_a_shortest_tour_is_accepted(n: int, seed: int, symmetric: bool, closed: bool) -> None:
    matrix = random_lengths(n, seed, symmetric=symmetric)
    proof = certify_tour(matrix, closed=closed)
    assert wrong_certificate(proof, matrix) is None
    assert proof.length == shortest(matrix, closed=closed, method="held-karp").length
    assert read_certificate(certificate_text(proof).encode()) == proof


@pytest.mark.parametrize(("n", "symmetric"), [(60, True), (30, False)])
def test_a_proof_with_branches_is_accepted(n: int, symmetric: bool) -> None:
    seed = 3
    matrix = random_lengths(n, seed, symmetric=symmetric)
    proof = certify_tour(matrix)
    assert wrong_certificate(proof, matrix) is None


@pytest.mark.parametrize(("start", "end"), [(2, None), (None, 4), (0, 3)])
def test_the_ends_of_a_path_are_part_of_the_proof(start: int | None, end: int | None) -> None:
    matrix = random_lengths(7, 5)
    proof = certify_tour(matrix, closed=False, start=start, end=end)
    assert wrong_certificate(proof, matrix) is None
    freed = proof.model_copy(update={"start": None, "end": None})
    free = shortest(matrix, closed=False).length
    assert (wrong_certificate(freed, matrix) is None) <= (proof.length == free)


def exchange_nodes(data: dict[str, Any]) -> None:
    """Exchange two nodes of the tour, and correct its length."""
    matrix = random_lengths(12, 1)
    tour = data["tour"]
    tour[1], tour[6] = tour[6], tour[1]
    data["length"] = sum(int(matrix[a, b]) for a, b in zip(tour, tour[1:] + tour[:1], strict=True))


TAMPERINGS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "the length": (lambda data: data.update(length=data["length"] - 1), "its tour has length"),
    "a node twice": (lambda data: data["tour"].__setitem__(0, data["tour"][1]), "does not visit each node once"),
    "the matrix": (lambda data: data.update(matrix_sha256="0" * 64), "other lengths"),
    "no part": (lambda data: data.update(parts=[]), "it has no part"),
    "no prices": (lambda data: [part.update(prices=[], split=None) for part in data["parts"]], "and it is not split"),
    "other prices": (
        lambda data: [
            part.update(split=None, prices=[{"scale": 1, "nodes": [0] * 12, "cuts": []}]) for part in data["parts"]
        ],
        "and it is not split",
    ),
    "prices of other nodes": (
        lambda data: data["parts"][0].update(prices=[{"scale": 1, "nodes": [0] * 11, "cuts": []}]),
        "another number of nodes",
    ),
    "a cut around all": (
        lambda data: data["parts"][0].update(
            prices=[{"scale": 1, "nodes": [0] * 12, "cuts": [{"price": 10**6, "side": list(range(12)), "teeth": []}]}]
        ),
        "a cut has no two sides",
    ),
    "two teeth": (
        lambda data: data["parts"][0].update(
            prices=[
                {
                    "scale": 1,
                    "nodes": [0] * 12,
                    "cuts": [{"price": 10**6, "side": [0, 1, 2], "teeth": [[0, 5], [1, 6]]}],
                }
            ]
        ),
        "not an odd number",
    ),
    "teeth within": (
        lambda data: data["parts"][0].update(
            prices=[{"scale": 1, "nodes": [0] * 12, "cuts": [{"price": 10**6, "side": [0, 1, 2], "teeth": [[0, 1]]}]}]
        ),
        "not an odd number",
    ),
    "a circle of parts": (lambda data: data["parts"][0].update(prices=[], split=[0, 1, 0, 0]), "do not follow it"),
    "a part twice": (
        lambda data: data.update(parts=[{"prices": [], "split": [0, 1, 1, 1]}, data["parts"][0]]),
        "that another part already has",
    ),
    "an edge of no node": (
        lambda data: data.update(parts=[{"prices": [], "split": [0, 9999, 1, 2]}, {"prices": []}, {"prices": []}]),
        "an edge that does not exist",
    ),
    "an end": (lambda data: data.update(end=3), "an end that the tour does not have"),
}


@pytest.mark.parametrize("part", TAMPERINGS)
def test_a_tampered_proof_is_refused_with_its_reason(part: str) -> None:
    matrix = random_lengths(12, 1)
    data = json.loads(certificate_text(certify_tour(matrix)))
    tamper, message = TAMPERINGS[part]
    tamper(data)
    reason = wrong_certificate(read_certificate(json.dumps(data).encode()), matrix)
    assert reason is not None and message in reason


def test_a_longer_tour_is_not_proved_the_shortest() -> None:
    """The proof has the right length of the tour, but its dual prices prove only a smaller lower bound."""
    matrix = random_lengths(12, 1)
    data = json.loads(certificate_text(certify_tour(matrix)))
    exchange_nodes(data)
    reason = wrong_certificate(read_certificate(json.dumps(data).encode()), matrix)
    assert reason is not None and "no tour is shorter" in reason


@settings(deadline=None, max_examples=examples(60))
@given(st.data())
def test_no_dual_prices_prove_a_bound_above_the_length_of_the_shortest_tour(data: st.DataObject) -> None:
    n = data.draw(st.integers(3, 6))
    matrix = random_lengths(n, data.draw(st.integers(0, 99)))
    best = min(
        sum(int(matrix[a, b]) for a, b in zip((0, *rest), (*rest, 0), strict=True))
        for rest in permutations(range(1, n))
    )
    edges = [(i, j) for i in range(n) for j in range(i + 1, n)]
    cuts = st.builds(
        PricedCut,
        st.integers(0, 40),
        st.lists(st.integers(0, n - 1), min_size=1, max_size=n - 1, unique=True).map(tuple),
        st.lists(st.sampled_from(edges), max_size=3, unique=True).map(tuple),
    )
    prices = st.builds(
        IntegerPrices,
        st.integers(1, 4),
        st.lists(st.integers(-60, 120), min_size=n, max_size=n).map(tuple),
        st.lists(cuts, max_size=3).map(tuple),
    )
    leaf = st.builds(TourPart, st.lists(prices, max_size=3))
    parts = st.recursive(
        leaf,
        lambda inner: st.builds(TourPart, st.lists(prices, max_size=2), st.sampled_from(edges), inner, inner),
        max_leaves=4,
    )
    with pytest.raises(InvalidTourProofError):
        check_bound(matrix.tolist(), set(edges), set(), best + 1, data.draw(parts))


def test_a_proof_can_be_requested_only_from_the_method_that_produces_proofs() -> None:
    with pytest.raises(TourInputError, match="only `dfj` returns a proof"):
        shortest(random_lengths(5, 1), method="held-karp", proving=True)
    with pytest.raises(TourInputError, match="only `dfj` returns a proof"):
        shortest(random_lengths(5, 1), windows=[None] * 5, proving=True)
