"""The checker of proofs, which decides whether a list of steps refutes a formula.

It needs no solver and no other part of planspec. A formula is a list of clauses. A clause is a list of
literals, whole numbers other than 0: `5` states that variable 5 is true, `-5` that it is false. A clause holds
if one of its literals holds. The formula is refuted if no assignment of the variables satisfies all of its
clauses.

A proof is text in the format LRAT (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp, "Efficient
certified RAT verification", CADE 2017). Each line is one step:

    NUMBER LITERAL ... 0 HINT ... 0

The clause with these literals follows from earlier clauses; the hints are the numbers of those clauses. The formula's
clauses are numbered from 1, and a step's clause has the number at the start of its line. The check assumes that all
literals of the clause are false, and takes the hinted clauses in order. In each hinted clause except the last, exactly
one literal is not yet false and must therefore be true. In the last hinted clause, all literals are false, which
contradicts the assumption. The last step is the empty clause, which no assignment satisfies.

Lines that delete clauses are skipped. Steps that only preserve satisfiability (RAT) are rejected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class InvalidProofError(Exception):
    """The steps do not refute the formula. The message names the line."""


def check(formula: Iterable[Sequence[int]], proof: Iterable[str]) -> int:
    """Check that a proof refutes a formula.

    Args:
        formula: clauses, in the order of their numbers.
        proof: lines of the proof.

    Returns:
        The number of steps up to the empty clause.

    Raises:
        InvalidProofError: a step does not follow from its hints, or no step is the empty clause.
    """
    clauses = dict(enumerate(map(tuple, formula), 1))
    if any(0 in clause for clause in clauses.values()):
        raise InvalidProofError("a clause of the formula has 0, which is not a literal")
    steps = 0
    for line, text in enumerate(proof, 1):
        words = text.split()
        if len(words) > 1 and words[1] == "d":
            continue
        try:
            number, *numbers = map(int, words)
            end = numbers.index(0)
            literals, hints = tuple(numbers[:end]), numbers[end + 1 :]
            if hints.pop() != 0 or 0 in hints or number in clauses:
                raise ValueError
        except (ValueError, IndexError):
            raise InvalidProofError(f"line {line} is not a step") from None
        true = {-literal for literal in literals}
        for hint in hints:
            open_literals = [literal for literal in clauses.get(hint, ()) if -literal not in true]
            if hint not in clauses or len(open_literals) > 1:
                raise InvalidProofError(f"line {line}: clause {hint} does not exist or does not decide a literal")
            if not open_literals:
                break
            true.add(open_literals[0])
        else:
            raise InvalidProofError(f"line {line}: its hints lead to no contradiction")
        steps += 1
        if not literals:
            return steps
        clauses[number] = literals
    raise InvalidProofError("it ends before the empty clause")
