"""Further tests of a draft without errors: other drafts, descriptions of its rules, cases, and plans at boundaries."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from planspec.api.cases.testing import test
from planspec.api.comparison import compare
from planspec.api.judging import Judge
from planspec.api.solving import validate
from planspec.drafting.extraction import mapping_of
from planspec.drafting.findings import DraftCheck, Problem, Question, Step, own_rules, rule_names, rules_text
from planspec.drafting.forms import BOTH, cases_form, document_form, words_form
from planspec.drafting.loop import Draft, DraftLoop
from planspec.drafting.opinions import (
    JudgedPlan,
    Opinion,
    Rows,
    cases_section,
    plain,
    plan_text,
    read_cases,
    read_sentences,
    rows_of,
    verdict_on,
    violations,
    violations_text,
)
from planspec.drafting.prompts import Prompts
from planspec.dsl.yaml.nodes import Mapping as YamlMapping

if TYPE_CHECKING:
    from collections.abc import Callable

    from planspec.api.comparison_report import TaskComparison
    from planspec.dsl.model.task import Task
    from planspec.solvers.backends.outcome import Limits
    from planspec.verifiers.meaning.verdict import Finding

MOST_QUESTIONS = 3
"""Maximum number of questions about a second plan."""
MOST_DIFFERENCES = 8
"""Maximum number of plans used to make two drafts agree."""
MOST_BOUNDARY = 12
"""Maximum number of near-violating plans that the model judges in one reply."""


@dataclass(slots=True)
class Rounds:
    """Tests of a draft by further calls to the model.

    Attributes:
        loop: the loop of drafts.
        limits: limits of each search.
        ask: asks the user a question; None to ask the model.
        words: descriptions of the draft's rules.
        mutants: number of the draft's mutants (variants with a changed rule) that its cases detect, and number of all.
    """

    loop: DraftLoop
    limits: Limits
    ask: Callable[[Question], str] | None = None
    words: dict[str, str] = field(default_factory=dict)
    mutants: tuple[int, int] = (0, 0)

    def question(self, draft: Draft) -> None:
        """Ask the user or the model whether the request allows a second plan. If it allows both plans, add a note."""
        for _ in range(MOST_QUESTIONS):
            question = draft.check.second_plan(draft.sound)
            if question is None:
                return
            differences, ask = question.difference_text, self.ask
            if ask is not None:
                answer = self.loop.calls.record_person(str(question), partial(ask, question)).strip()
                if answer.casefold() in ("", "y", "yes"):
                    self.loop.notes.append(f"a person allows several plans, such as {_one_line(differences)}")
                    return
                self.loop.notes.append(f"a person answered what the query does not say: {answer}")
                self.loop.answers.append(f"Asked whether these may differ: {_one_line(differences)} - {answer}")
                problem = Problem("question", f"A second plan is not meant: {answer}\n{differences}", may_stay=True)
                if self.loop.revise(draft, problem) == "unchanged":
                    self.loop.open.append(problem.text)
                    return
                continue
            prompt = draft.prompts.question(draft.document, differences)
            form = document_form(draft.check.base.allowed, or_both=True)
            reply = self.loop.calls.reply("question", prompt, form, draft.number)
            if reply.strip(" `'\".\n").casefold() == BOTH:
                self.loop.notes.append(f"the request allows several plans, such as {_one_line(differences)}")
                return
            before = draft.document
            self.loop.accept(draft, reply)
            if draft.document.split() == before.split():
                return

    def reconcile(self, draft: Draft, other: Draft) -> bool:
        """Compare two drafts by solvers, and correct the one with a wrong verdict. Return whether they agree."""
        for _ in range(MOST_DIFFERENCES):
            (comparison,) = compare(draft.sound, other.sound, limits=self.limits).tasks
            if comparison.same:
                return True
            if comparison.rows is None:
                self.loop.open.append(_undecided(comparison))
                return False
            if not self._correct(draft, other, comparison):
                return False
        self.loop.open.append(f"drafts {draft.number} and {other.number} still differ")
        return False

    def _correct(self, draft: Draft, other: Draft, comparison: TaskComparison) -> bool:
        """Let the model judge a plan on which two drafts differ and correct the wrong draft.

        Return whether that worked.
        """
        rows: Rows = comparison.rows
        accepts = comparison.accepted_by == "first"
        refusing = other if accepts else draft
        rules = violations_text(refusing.sound, comparison.refused)
        remark = f"One formalisation of the request accepts plan 1. Another one refuses it by:\n{rules}"
        opinions = self.loop.judge(draft, [rows], [remark])
        if opinions is None:
            self.loop.open.append(f"the drafts differ on a plan that the model does not judge:\n{plan_text(rows)}")
            return False
        opinion = opinions[1]
        name = "" if opinion.allowed else f"another draft refuses it by {_one_line(rules)}"
        self.loop.add_judged(name, rows, opinion)
        wrong = other if opinion.allowed == accepts else draft
        if self.loop.obey(wrong, "compare"):
            return True
        if wrong.number == 0:
            self.loop.notes.append(f"the sentences do not carry the rules:\n{rules}")
        return False

    def say_back(self, draft: Draft) -> None:
        """Let the model describe the rules in words, and write a second draft from these words. Compare both drafts."""
        again = other_draft(0, draft, self.limits, quotes=False)
        names = rule_names(draft.written)
        prompt = again.prompts.say(rules_text(draft.written))
        words = self.loop.read("words", prompt, words_form(names), lambda reply: read_sentences(reply, names))
        if words is None:
            self.loop.notes.append("the rules were not said in words")
            return
        self.words = words
        sentences = "\n".join(f"{name}: {text}" for name, text in self.words.items())
        again.prompts = replace(again.prompts, sentences=sentences)
        self.loop.write(again)
        noted = len(self.loop.open)
        if not self.reconcile(draft, again):
            differences = self.loop.open[noted:]
            del self.loop.open[noted:]  # a rule can be described incompletely although the draft is right
            self.loop.notes += [f"the rules in words may say less than the rules: {text}" for text in differences]

    def cases(self, draft: Draft) -> None:
        """Let the model write plans with verdicts. The draft must agree with verdicts that a second call confirms."""
        query = draft.check.base.query
        cases = self.loop.read(
            "cases", draft.plan_prompts.cases(), cases_form(), lambda reply: read_cases(reply, query)
        )
        if cases is None:
            self.loop.notes.append("the model wrote no cases")
            return
        judge = Judge(draft.sound)
        readable = [each for each in cases if not any(one.level == "shape" for one in _violations(judge, each.rows))]
        if len(readable) < len(cases):
            self.loop.notes.append(f"{len(cases) - len(readable)} of {len(cases)} cases are no plans of the task")
        self._judge_and_correct(draft, readable, "cases")

    def boundary(self, draft: Draft) -> None:
        """Let the model judge plans that violate one rule by the smallest amount, and a plan that violates none."""
        own = set(own_rules(draft.sound))
        task = self._with_cases(draft)
        if not own or task is None:
            return
        report = test([task], suggest=True, limits=self.limits, total_s=None)
        plans: list[JudgedPlan] = []
        for case in () if report.suggestions is None else report.suggestions.cases:
            rules = [each for each in case.notices if each.constraint in own]
            rows = _answer(case.text)
            if rules and rows is not None:
                name = "; ".join(f"{each.constraint}: {each.change}" for each in rules)
                plans.append(JudgedPlan(name, rows, Opinion(case.passes)))
        claims = validate(draft.sound, limits=self.limits)
        if claims.witness is not None:
            plans.append(JudgedPlan("a plan of the draft", rows_of(draft.sound, claims.witness), Opinion(True)))
        self._judge_and_correct(
            draft, [each for each in plans if plan_text(each.rows) not in self.loop.judged][:MOST_BOUNDARY], "boundary"
        )
        self._count_mutants(draft)

    def _judge_and_correct(self, draft: Draft, plans: list[JudgedPlan], step: Step) -> None:
        """Let the model judge plans, store its opinions, and correct the draft where its verdicts differ.

        A case is judged again only if the draft's verdict differs from the one in the case.
        """
        judge = Judge(draft.sound)
        if step == "cases":
            agreed = [each for each in plans if not _differs(judge, each)]
            for each in agreed:
                self.loop.add_judged(each.name, each.rows, each.opinion)
            plans = [each for each in plans if each not in agreed]
        if not plans:
            return
        opinions = self.loop.judge(draft, [each.rows for each in plans])
        if opinions is None:
            self.loop.open.append(f"the model does not judge the plans of the step `{step}`")
            return
        for number, each in enumerate(plans, 1):
            opinion = opinions[number]
            if step == "cases" and opinion.allowed != each.opinion.allowed:
                self.loop.notes.append(f"the case `{each.name}` is left out: two opinions on it differ")
                continue
            sentence = opinion.sentence or each.opinion.sentence
            self.loop.add_judged(each.name, each.rows, replace(opinion, sentence=sentence))
        self.loop.obey(draft, step)

    def _with_cases(self, draft: Draft) -> Task | None:
        section = cases_section(Judge(draft.sound), list(self.loop.judged.values()))
        written = {**draft.written, **({"cases": section} if section else {})}
        task, _ = draft.check.task(written)
        return task

    def _count_mutants(self, draft: Draft) -> None:
        task = self._with_cases(draft)
        if task is None or task.cases is None:
            return
        own = set(own_rules(task))
        mutants = [each for each in test([task], mutate=True).mutants or () if each.constraint in own]
        self.mutants = (sum(each.noticed is True for each in mutants), len(mutants))


def other_draft(number: int, draft: Draft, limits: Limits, *, quotes: bool = True) -> Draft:
    """Return a new, empty draft over the tables of a draft."""
    base = draft.check.base
    base = base.over(draft.written) if base.part == "task" else base
    check = DraftCheck(base, limits, draft.check.workspace, quotes=quotes)
    words = draft.prompts.words
    if base.part != draft.check.base.part:
        fixed = [text for name, text in base.quoted.items() if name not in ("uses", "world")]
        words = "".join((words, *fixed))
    return Draft(number, Prompts(base, words, draft.prompts.answers if quotes else ()), check)


def _differs(judge: Judge, each: JudgedPlan) -> bool:
    """Return whether a draft contradicts the opinion on a plan, or the plan lies outside the draft's scope."""
    verdict = verdict_on(judge, each.rows)
    outside = each.opinion.allowed and verdict.in_scope is False
    return outside or (verdict.status == "pass") != each.opinion.allowed


def _violations(judge: Judge, rows: Rows) -> list[Finding]:
    return violations(verdict_on(judge, rows))


def _answer(text: str) -> Rows | None:
    """Return the answer of a suggested case as rows by table; None if the answer has another form."""
    (_, case), *_ = mapping_of(text).entries
    if not isinstance(case, YamlMapping):
        return None
    answers = [plain(node) for key, node in case.entries if key.text == "answer"]
    return answers[0] if answers and isinstance(answers[0], dict) else None


def _undecided(comparison: TaskComparison) -> str:
    reasons = "; ".join(comparison.reasons) or "not decided in time"
    return f"two drafts could not be compared: {reasons}"


def _one_line(text: str) -> str:
    return ", ".join(" ".join(line.split()) for line in text.splitlines() if line.strip())
