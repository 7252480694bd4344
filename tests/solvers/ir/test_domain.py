from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planspec.solvers.ir.domain import FAR, Domain

SETS = st.frozensets(st.integers(-12, 12))


def is_well_formed(domain: Domain) -> bool:
    """Return whether the intervals of a domain are sorted and do not touch."""
    ends = [end for interval in domain.intervals for end in interval]
    touching = any(a[1] + 1 >= b[0] for a, b in zip(domain.intervals, domain.intervals[1:], strict=False))
    return ends == sorted(ends) and not touching


@given(values=SETS)
def test_a_domain_of_values_has_exactly_these_values_in_order(values: frozenset[int]) -> None:
    domain = Domain.of(values)
    assert list(domain) == sorted(values)
    assert domain.size == len(values)
    assert is_well_formed(domain)
    assert all((value in domain) == (value in values) for value in range(-14, 15))


@given(values=SETS.filter(bool))
def test_the_ends_of_a_domain_are_its_minimum_and_maximum(values: frozenset[int]) -> None:
    assert (Domain.of(values).low, Domain.of(values).high) == (min(values), max(values))


@given(left=SETS, right=SETS)
def test_set_operations_agree_with_those_of_python_sets(left: frozenset[int], right: frozenset[int]) -> None:
    a, b = Domain.of(left), Domain.of(right)
    for result, expected in ((a & b, left & right), (a | b, left | right), (a - b, left - right)):
        assert frozenset(result) == expected
        assert is_well_formed(result)


@given(left=SETS, right=SETS)
def test_two_domains_intersect_if_they_have_a_common_value(left: frozenset[int], right: frozenset[int]) -> None:
    a, b = Domain.of(left), Domain.of(right)
    assert a.meets(b) == b.meets(a) == bool(left & right)
    assert a.meets(a) == bool(left)


@given(left=SETS, right=SETS, offset=st.integers(-3, 3))
def test_a_shifted_domain_is_within_another_if_the_other_has_all_its_values(
    left: frozenset[int], right: frozenset[int], offset: int
) -> None:
    shifted = Domain.of(left).shifted(offset)
    assert frozenset(shifted) == {value + offset for value in left}
    assert (shifted <= Domain.of(right)) == (frozenset(shifted) <= right)
    assert Domain.of(left & right).shifted(offset) <= shifted


@given(values=SETS, candidates=st.lists(st.integers(-14, 14)))
def test_indicators_are_true_for_members_of_the_domain(values: frozenset[int], candidates: list[int]) -> None:
    assert Domain.of(values).indicators(candidates) == tuple(int(value in values) for value in candidates)


@given(left=SETS, right=SETS)
def test_domains_of_equal_sets_of_values_are_equal(left: frozenset[int], right: frozenset[int]) -> None:
    assert (Domain.of(left) == Domain.of(right)) == (left == right)
    assert Domain.of(left) | Domain.of(right) == Domain.of(left | right)


def test_an_interval_without_an_end_extends_to_the_limit() -> None:
    assert Domain.interval(None, 3).intervals == ((-FAR, 3),)
    assert Domain.interval(3, None).intervals == ((3, FAR),)
    assert Domain.interval(4, 3).intervals == ()


@given(low=st.integers(-5, 5), values=SETS)
def test_the_complement_of_the_complement_is_the_domain(low: int, values: frozenset[int]) -> None:
    everything = Domain.interval(None, None)
    domain = Domain.of(values)
    assert everything - (everything - domain) == domain
    assert domain & Domain.interval(low, None) == Domain.of(v for v in values if v >= low)
    assert domain - Domain.interval(None, low) == Domain.of(v for v in values if v > low)
