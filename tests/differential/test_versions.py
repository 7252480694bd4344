"""Two versions of a task: what a search and a look at their trees say of them is what the verifier says, plan by plan."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from planspec.dsl.model.equivalence import are_equivalent
from planspec.solvers.questions.disagreement import disagreement
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.meaning.counterparts import form_differences
from tests.differential.cases import CASES
from tests.differential.test_meanings import grounded
from tests.differential.versions import EDITS, accepts, contested, version

EDITED = st.lists(st.sampled_from(sorted(EDITS)), max_size=2, unique=True).map(tuple)


@settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=40)
@given(st.sampled_from(CASES), EDITED, EDITED, st.sampled_from(("cpsat", "smt", "sat")))
def test_versions_are_told_apart_exactly_where_a_plan_of_either_scope_tells_them_apart(
    body: str, here: tuple[str, ...], there: tuple[str, ...], backend: str
) -> None:
    first, second = grounded(version(body, here)), grounded(version(body, there))
    assume(not list(form_differences(first.task, second.task)))
    found = disagreement(first, second, backends=(backend,))
    different = next(contested(first, second), None) is not None
    event(f"{found.status}, {found.scope}")
    if found.status == "unknown":
        assert found.reason is not None
    else:
        assert found.status == ("different" if different else "same")
    assert not (different and are_equivalent(first.task, second.task))
    if found.contested is not None:
        versions = {"first": first, "second": second}
        accepting = versions.pop(found.contested.accepted_by)
        answer = TABLES.encode(accepting.task, found.contested.plan)
        assert (accepts(accepting, answer), *(accepts(each, answer) for each in versions.values())) == (
            True,
            False,
        )
