"""Comparisons of two versions of a task, by search and by their syntax trees, agree with the verdicts on every plan."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from planspec.dsl.model.equivalence import are_equivalent
from planspec.solvers.questions.disagreement import disagreement
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.meaning.counterparts import form_differences
from tests.back_ends import SOLVERS
from tests.differential.cases import CASES
from tests.differential.test_meanings import ground_or_reject
from tests.differential.versions import EDITS, accepts, contested_answers, version_text
from tests.random_examples import examples

EDIT_NAMES = st.lists(st.sampled_from(sorted(EDITS)), max_size=2, unique=True).map(tuple)


@settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=examples(25))
@given(st.sampled_from(CASES), EDIT_NAMES, EDIT_NAMES, st.sampled_from(SOLVERS))
def test_two_versions_differ_if_and_only_if_only_one_accepts_some_plan_in_either_scope(
    body: str, first_edits: tuple[str, ...], second_edits: tuple[str, ...], backend: str
) -> None:
    first, second = (
        ground_or_reject(version_text(body, first_edits)),
        ground_or_reject(version_text(body, second_edits)),
    )
    assume(not list(form_differences(first.task, second.task)))
    result = disagreement(first, second, backends=(backend,))
    different = next(contested_answers(first, second), None) is not None
    event(f"{result.status}, {result.scope}")
    if result.status == "unknown":
        assert result.reason is not None
    else:
        assert result.status == ("different" if different else "same")
    assert not (different and are_equivalent(first.task, second.task))
    if result.contested is not None:
        versions = {"first": first, "second": second}
        accepting = versions.pop(result.contested.accepted_by)
        answer = TABLES.encode(accepting.task, result.contested.plan)
        assert (accepts(accepting, answer), *(accepts(each, answer) for each in versions.values())) == (
            True,
            False,
        )
