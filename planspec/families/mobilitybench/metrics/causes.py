"""All causes for which a strict metric can differ from the public toolkit's metric."""

from __future__ import annotations

from enum import StrEnum


class Cause(StrEnum):
    """Cause of a difference between the strict value and the public toolkit's value of a metric on one run."""

    ROW_DROPPED = "row dropped by the public evaluator"
    # plan
    FRAGMENT = "echoed label fragment"
    LABEL_INSIDE = "label within a longer text"
    SHARED_LABEL = "one label for several scenarios"
    SHARED_CHARACTERS = "characters in common with the label"
    LABEL_UNKNOWN = "label that the public evaluator does not know"
    ELSEWHERE = "said in the answer, where the public evaluator does not look"
    NO_SLOTS = "no slot that the public evaluator looks at"
    QUERY_ECHOED = "substring of the query"
    FREE_TEXT = "words in free text"
    OTHER_CONSTRAINTS = "other constraints not looked at"
    NOT_LITERAL = "slot not in the plan word for word"
    # calls
    OTHER_NAMES = "tools by names that the public evaluator does not know"
    CALLS_COUNTED = "repeated calls of a needed tool"
    EXTRA_CALLS = "extra calls not scored"
    VALUES = "values not checked"
    SHARE_OF_ARGUMENTS = "share of the mandatory arguments"
    OTHER_ARGUMENTS = "arguments by names that the public evaluator does not know"
    # answers
    RUN_ERROR = "error of the run not looked at"
    FAILED_CALLS = "failed tool calls not looked at"
    INDEX_WITHOUT_ROUTE = "route index without a route"
    WORDS_WITHOUT_FIGURES = "keywords without figures"
    WORDS_WITHOUT_ANSWER = "keywords without an answer"
    NO_WORDS = "answer without the words that are looked for"
    CONSTRAINTS_UNCHECKED = "constraints of the route not checked"
    TEXT_IN_COMMON = "text in common with the truth"
    HALF_A_POINT = "half a point for one word"
    OTHER_TRUTH = "answer that the public evaluator does not find right"
    NO_TRUTH = "answer right by default"
    UNJUDGED = "nothing is known by which the answer could be judged"
    # tokens
    UNSAID_AS_ZERO = "nothing said counts as 0"
    TOTAL_SPLIT = "a total split into input and output"
    OTHER_STAGES = "parts of the run that the public evaluator does not count"
    UNEXPLAINED = "unexplained"
