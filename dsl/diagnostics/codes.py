"""The table of diagnostic codes with their explanations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of mistake. A code is never reused.

    Args:
        code: the code, such as `PS201`.
        slug: its short name.
        why: explanation of the mistake, and the reason why it is refused.
        wrong: the smallest text with the mistake.
        right: the corrected text.
    """

    code: str
    slug: str
    why: str
    wrong: str
    right: str


# fmt: off
_ROWS = (
    # PS0: files, YAML, schema
    Code("PS001", "not-utf8", "Documents and table files must be UTF-8 text. The message names the invalid byte.", "a file saved as Latin-1", "the same file saved as UTF-8"),
    Code("PS002", "yaml-syntax", "YAML could not parse the file, so nothing after this place was checked.", "uses: [trips", "uses: [trips]"),
    Code("PS003", "duplicate-key", "A mapping repeats a key, or an enum repeats a member. Readers disagree on which one counts, so both are refused.", "id: a\nid: b", "id: a"),
    Code("PS004", "yaml-feature", "Tags, anchors, aliases, directives, several documents in a file that is not a shard, and exotic line breaks are refused: they change the meaning of a text in ways that a reader does not see.", "budget: !money 12", "budget: 12 EUR"),
    Code("PS005", "too-large", "The file, the document or the expression exceeds its limit: 10 MB and a million scalars, lists and mappings for a document, 500 MB for a table's file, 100 MB for a shard, 20,000 characters for an expression.", "a 60 MB task.yaml", "rows in a csv: file beside the world"),
    Code("PS006", "too-deep", "The document or the expression nests deeper than the limit: 100 levels, including the definitions that an expression uses.", "((((...))))", "parts of it under names in `define:`"),
    Code("PS007", "unreadable-file", "The path does not name a file that can be read: it is missing, a folder, not permitted, or packed data that breaks off.", "planspec check missing.yaml", "planspec check tasks/my.task.yaml"),
    Code("PS008", "unknown-document", "The first key of a document must be `planspec:`, with its kind: library/1, world/1, task/1 or suite/1.", "id: x", "planspec: task/1\nid: x"),
    Code("PS009", "unknown-key", "The document or entry has a key that its kind does not define.", "constraint: {}", "constraints: {}"),
    Code("PS010", "missing-key", "A required key of the document or entry is missing.", "planspec: task/1\nid: x", "planspec: task/1\nid: x\nquery: Where to?"),
    Code("PS011", "wrong-shape", "A value has the wrong form: a mapping, a list, a name or a text is required. Or two keys are given that exclude each other.", "uses: {a: b}", "uses: [a]"),
    Code("PS012", "unresolved-document", "No document with that path or id was found: not beside the file, not in worlds/, libraries/ or tasks/ above it, and not among the shipped documents.", "uses: [tripz]", "uses: [trips]"),
    Code("PS013", "ambiguous-document", "Two documents in one place have the same id.", "two files with `id: berlin` in worlds/", "one of them renamed"),
    Code("PS014", "table-source", "A table's rows could not be read from their source: the file is missing, a header is absent, a query fails, or an extra is not installed.", "Leg: {csv: missing.csv}", "Leg: {csv: legs.csv}"),
    Code("PS015", "bad-row", "A row of a table cannot be read. The message names its line.", "a,b\n1", "a,b\n1,2"),
    Code("PS016", "bad-cell", "A value of a row, a given or a setting does not have the required type.", "day: 2026-02-30", "day: 2026-02-28"),
    Code("PS017", "wrong-document-kind", "The document is of another kind than the one required. A shard holds only tasks; where one document is required, name one of its tasks.", "world: trips  # a library", "world: berlin"),
    Code("PS018", "cyclic-documents", "Documents use each other in a cycle.", "a uses b, b uses a", "a uses b"),
    Code("PS019", "yaml-cut", "Inside `{...}` YAML ends a value at a comma, even between brackets, and ignores a colon without a space. One expression or pair has become several keys.", "{place: f(a, b)}", "place: f(a, b)"),
    Code("PS020", "too-many-mistakes", "The file has more mistakes than planspec reports. They usually have one cause: a tab, an indentation, another language.", "a thousand constraints that name a missing table", "the table declared, and the file checked again"),
    # PS1: syntax
    Code("PS101", "unexpected-character", "A character that cannot begin any part of an expression.", "a $ b", "a + b"),
    Code("PS102", "unexpected-token", "The expression ends too early, or continues with something that is not allowed there.", "a +", "a + b"),
    Code("PS103", "single-equals", "`=` names a keyword argument; equality is `==`.", "v.place = p", "v.place == p"),
    Code("PS104", "quoted-rule", "A whole rule is in quotes. In the language itself, quotes mark a text, so the rule would be a text.", 'hard: "a == b"', "hard: a == b"),
    Code("PS105", "bad-literal", "A number whose form or unit does not exist, or a value that its type does not have.", "12:75", "12:15"),
    Code("PS106", "bad-signature", "A definition's left side is a name, or a name with `name Type` parameters in parentheses.", "dwell(v): v.end - v.start", "dwell(v visits): v.end - v.start"),
    Code("PS107", "bad-message", "A message has an unmatched brace or an empty placeholder. Double a brace to write it literally.", '"{p needs"', '"{p} needs"'),
    Code("PS108", "foreign-syntax", "Syntax of other languages that this one does not have: `&&`, `!`, `/`, powers, assignments, slices.", "x && y", "x and y"),
    # PS2: names
    Code("PS201", "unknown-name", "No visible variable, given, definition, table, type or builtin has the name, and the type expected here has no such member or key.", "hard: arival <= 12:00", "hard: arrival <= 12:00"),
    Code("PS202", "name-clash", "Givens, definitions, tables, types and builtins share one namespace; constraints share another.", "define: {count: 3}", "define: {how_many: 3}"),
    Code("PS203", "shadowing", "A variable or parameter has the name of something that is visible here.", "any(true for v in a for v in b)", "any(true for v in a for w in b)"),
    Code("PS204", "unknown-column", "The table has no column of that name.", "v.begin", "v.start"),
    Code("PS205", "unknown-type", "No built-in type, enum or table has the name.", "{start: tiem}", "{start: time}"),
    Code("PS206", "circular-definition", "Definitions, or the keys of tables, depend on each other in a cycle; there is no recursion.", "a: b + 1\nb: a", "a: 1\nb: a + 1"),
    Code("PS207", "unknown-member", "The enum has no such member, or the table has no row with that key. An index such as `Place[\"St. Petersburg\"]` is then always none, and a text equals the key of no row. This is a warning, since a rule with it checks nothing. If the row may be missing, say with `is none` or `??` what holds then.", "Mode.trian", "Mode.train"),
    Code("PS208", "wrong-arity", "A call has too many or too few arguments, or a `for` too many or too few variables.", "ceil_div(3)", "ceil_div(3, 2)"),
    Code("PS209", "unknown-constraint", "`without`, or a turn's `drop`, names a constraint that no used library declares, or that is not in force at that turn.", "without: [budgte]", "without: [budget]"),
    Code("PS210", "unused-name", "A definition or given of the task is never used.", "define: {spare: 1}", "the definition taken out"),
    Code("PS211", "ambiguous-name", "The bare name could be a member of several enums here; name the enum.", "for k in {meal}", "for k in {Activity.meal}"),
    Code("PS212", "not-callable", "Only definitions with parameters and builtins can be called, and they cannot be used without a call.", "budget(3)", "budget"),
    Code("PS213", "wrong-argument", "The function has no keyword argument of that name, or a required one is missing.", "first(v for v in visits)", "first(v for v in visits, by=v.start)"),
    Code("PS214", "unknown-kind", "The documents list their kinds of constraints under `kinds`, and this one is not among them.", "kind: widnow", "kind: window"),
    # PS3: types and units
    Code("PS301", "mismatched-types", "The two sides of a comparison are of types that are never equal.", "v.start >= 180min", "v.end - v.start >= 180min"),
    Code("PS302", "unit-arithmetic", "The operator or function has no meaning for these types.", "v.start + v.end", "v.start + 30min"),
    Code("PS303", "wrong-type", "A value of one type is given where another type is required.", "visits[3]", "visits[pergamon]"),
    Code("PS304", "not-a-condition", "A condition is required here: something true or false.", "hard: v.start", "hard: v.start <= 12:00"),
    Code("PS305", "compare-none", "Nothing equals none, and a condition is never none. Test a value with `is none`.", "b == none", "b is none"),
    Code("PS306", "not-a-collection", "A collection is required here: a table, an enum, a set, a list or a range.", "x in 3", "x in {3}"),
    Code("PS307", "different-types", "The branches of a conditional, the sides of `??`, the items of a set or the ends of a range are of different types.", "1 if c else 3min", "1min if c else 3min"),
    Code("PS308", "planned-where-static", "`for:`, `when:`, the scope, and ranges and sets that are iterated cannot depend on the plan, which a search has yet to find.", "when: lodging.cost > 0 EUR", "when: budget is not none"),
    Code("PS309", "unguarded-none", "A condition that may meet none stands under `not`, left of `implies` or in a filter of `all` or `count`, where none makes the whole condition true. Guard it or use `??`.", "not days[d].hotel.cheap", "days[d].hotel is not none and not days[d].hotel.cheap"),
    Code("PS310", "decimal-arithmetic", "A unit times a decimal is exact only under a comparison or in an objective.", "max(1.1 * budget, 9 EUR)", "total <= 1.1 * budget"),
    Code("PS311", "misplaced-range", "A range is only allowed right of `in`, in a `for`, in a domain, or in parentheses.", "a == 1..3", "a in 1..3"),
    Code("PS312", "not-a-row", "Only rows have columns.", "budget.amount", "budget"),
    Code("PS313", "bag-index", "A table without a key cannot be indexed, and an index has no more parts than the key.", "Window[p]", "the(w for w in Window if w.place == p)"),
    Code("PS314", "currency", "All money is in the world's one currency.", "12 USD in a world of EUR", "12 EUR"),
    Code("PS315", "untyped-literal", "The type of this `none` or empty set cannot be determined.", "none ?? none", "the literal taken out"),
    Code("PS316", "unknown-test", "`is unknown` tests a column of a plan's row that refers to a table.", "budget is unknown", "v.place is unknown"),
    Code("PS317", "not-ordered", "Values of this type have no order.", "v.place < p", "v.start < w.start"),
    Code("PS318", "planned-in-view", "What agents see is computed before there is a plan. Shows and tools read static tables, givens and their arguments, and never the plan, not even through definitions.", "shows: {so_far: {each: v in visits, as: v.place}}", "shows: {places: {each: p in Place, as: p}}"),
    Code("PS319", "hidden-in-view", "A show or tool reads something that `hidden` keeps from agents: in a result, a filter that depends on an argument, a sort, a refusal or a text, possibly through definitions. An order or a refusal reveals a value as much as its cell does.", "hidden: [Hotel.plain]\nreturns: {plain: arg.hotel.plain}", "hidden: [Hotel.plain]\nreturns: {hotels: {each: h in Hotel if h.plain, as: h}}"),
    Code("PS320", "told-nowhere", "`tells` quotes words that the query does not contain. If nothing can be quoted, as with a drawing, mark the entry as `trusted`.", "query: Be back by eight.\ntells: {back_by: by nine}", "tells: {back_by: by eight}"),
    Code("PS321", "counted-once", "A set holds each value once, so `sum`, `count` and `all_different` of a set expression count equal values once. A generator without its own parentheses yields every value. If only different values should count, use a definition with a parameter of a set type.", "sum((v.cost for v in visits))", "sum(v.cost for v in visits)"),
    Code("PS322", "counted-condition", "`count` counts bindings, so a condition as its term has no effect. Put the condition behind `if`.", "count(v.mode == taxi for v in visits)", "count(v for v in visits if v.mode == taxi)"),
    # PS4: sense
    Code("PS401", "empty-domain", "The scope leaves a field without any value, or a step is not positive.", "start: 20:00..08:00", "start: 08:00..20:00"),
    Code("PS402", "overflow", "A number exceeds 2**53, beyond which not every part of the tool is exact.", "99999999999999999", "9999999"),
    Code("PS403", "same-instance", "Two instances of a constraint have the same id.", "for: w in (a.x for ...)", "a `for:` over distinct values"),
    Code("PS404", "one-row", "A `one` table has exactly one row and no key; its scope is one mapping.", "lodging: [{...}, {...}]", "lodging: {...}"),
    Code("PS405", "always-true", "The condition holds for every plan, so it checks nothing.", "hard: 1 <= 2", "the constraint taken out"),
    Code("PS406", "always-false", "The condition fails for every plan.", "hard: 2 <= 1", "the constraint corrected"),
    Code("PS407", "open-field", "The scope must give the possible values of a field, unless the field has a default or may be none.", "visits: [{place: p}]", "visits: [{place: p, start: 08:00..20:00}]"),
    Code("PS408", "duplicate-row", "Two rows of a table have the same key.", "- {id: a}\n- {id: a}", "- {id: a}\n- {id: b}"),
    Code("PS409", "missing-given", "A library declares a given without a default, and the task gives it no value.", "given: {}", "given: {budget: 900 EUR}"),
    Code("PS410", "dangling-reference", "A cell refers to a row that its table does not have.", "place: pergamno", "place: pergamon"),
    Code("PS411", "scope-cuts", "The bounds of the scope exclude rows that the facts offer.", "end: 08:00..22:00 with a slot at 23:00", "end: 08:00..25:00"),
    Code("PS412", "no-scope", "The task has no `scope`, so a search leaves every table of the plan empty.", "query: Where to?  # and no scope", "scope: {visits: [{place: museum}]}"),
    Code("PS413", "unwritable", "The scope offers a time before 00:00 or past 99:59, or a day outside the years 1 to 9999, which no answer can express.", "start: (00:30 - 60min)..02:00", "start: max(00:30 - 60min, 00:00)..02:00"),
    Code("PS414", "same-key-in-scope", "Two required rows of the scope have the same key. No plan has two rows with one key, so there is no plan.", "visits: [{place: museum}, {place: museum}]", "visits: [{place: museum}, {place: park}]"),
    Code("PS415", "too-many-steps", "The part of a task that is the same for every plan takes too many steps to evaluate, or a rule takes too many steps to judge any answer.", "count(i for i in 0..1000000000) > 3", "count(i for i in 0..100) > 3"),
    Code("PS416", "too-many-instances", "The task has more instances of constraints, or more rows in its scope, than planspec supports.", "for: i in 1..10000000", "for: i in 1..100"),
    Code("PS417", "best-says-nothing", "`unique_best` describes plans that also keep every soft constraint. Here it says no more than `unique`: there is no soft constraint, or every open field counts already because there is no `unique`.", "unique_best: [lodging.place]  # and every constraint is hard", "unique: [lodging.place]"),
    Code("PS418", "unseen-character", "A key of a table has a non-breaking space (U+00A0) or a character without width (U+200B). It looks like another name, and an answer or a rule with that name does not refer to this row.", "id,n\na[U+200B]b,1", "id,n\nab,1"),
    Code("PS421", "implied-constraint", "Every plan that satisfies the other hard constraints satisfies this one, in the scope and without its bounds (`check --deep`). Answers are still judged by it: remove it only if it is not intended.", "hard: v.start >= 9:00  # beside v.start >= 10:00", "the constraint taken out"),
    Code("PS422", "never-violated", "No plan violates the constraint, whatever the other constraints are, in the scope and without its bounds (`check --deep`).", "hard: v.start >= 8:00 or v.start < 10:00", "hard: v.start >= 10:00"),
    Code("PS423", "contradiction", "A hard constraint cannot hold in the scope, or two of them cannot both hold (`check --deep`).", "hard: v.start < 9:00  # start: 9:00..12:00", "hard: v.start < 10:00"),
    Code("PS424", "useless-row", "A row of the task's own facts that no plan can use (`check --deep`).", "- {at: 23:00, left: 0}", "the row taken out"),
    Code("PS425", "date-outside", "A row of the task's own facts lies on a day on which the plan has no rows (`check --deep`).", "- {day: 2026-08-01}  # a trip in July", "- {day: 2026-07-01}"),
    Code("PS426", "soft-at-war", "No plan that satisfies the hard constraints satisfies this soft constraint (`check --deep`).", "soft: v.start < 9:00  # hard: v.start >= 9:00", "soft: v.start < 10:00"),
    Code("PS427", "no-plan", "No plan in scope satisfies all hard constraints, though any two of them can hold (`check --deep`); `planspec why` explains.", "three rules of which each excludes what two leave", "planspec why TASK"),
    Code("PS428", "row-not-asked", "The scope has a required row that no rule requires: an answer without it passes, although a search always includes it (`check --deep`).", "scope: {visits: [{place: museum}]}", "closed: true"),
    Code("PS429", "leans-on-scope", "There is exactly one plan within the scope, but another one without one of the scope's bounds, and the verifier accepts it (`check --deep`). An answer may be that plan: the scope bounds the search and never judges an answer.", "scope: {visits: {start: 10:00..18:00 step 30min}}  # the query says: on full and half hours", "hard: all(v.start in (t for t in 10:00..18:00 step 30min) for v in visits)"),
    Code("PS430", "untold-fact", "A fact decides whether a plan passes, but agents cannot learn it under this setting. Two worlds that differ only in this fact look the same through every show and every call, and accept different plans (`check --deep`).", "a table of opening hours that no tool returns", "shows: {Open: all}"),
    Code("PS431", "broken-call", "A call that an agent can make fails through a fault of the tool: its result has two parts with one name, or it takes too many steps (`check --deep`).", "{each: f in Fare, by: f.ticket, as: f.price}  # of all places", "{each: f in Fare if f.place == arg.place, by: f.ticket, as: f.price}"),
    Code("PS432", "too-few-calls", "A setting allows fewer calls than its tools need to provide everything on which the verdict depends (`check --deep`). An agent has to guess some of it.", "calls: 2  # one hotel at a time, of five", "calls: 6"),
    # PS5: back ends
    Code("PS501", "too-many-cells", "A condition that no back end can express symbolically has too many combinations to be tabulated. The message gives their number.", "contains over two tables of 1,000 rows", "narrower domains in the scope"),
    Code("PS502", "not-supported", "The back ends have no encoding for this; the verifier supports it.", "a planned divisor", "a static divisor"),
    Code("PS503", "solver-overflow", "The bounds of a number in the search exceed 2**53.", "sum of products of wide domains", "narrower domains in the scope"),
    # PS6: suites and cases
    Code("PS601", "suite-entry", "A suite names a task that does not exist, or names one twice.", "tasks: [a, a]", "tasks: [a]"),
    Code("PS602", "shared-id", "Two documents of one kind that are checked together, or two tasks of shards in a suite, have the same id, so the id is ambiguous.", "two tasks with `id: temple-day` in a folder", "one of them renamed"),
    Code("PS603", "case-verdict", "A case declares the expected verdict on its answer exactly once: `passes`, or what it `violates`, the kinds under `shape`, or `undelivered`.", "late: {answer: late.json, passes: true, violates: [order]}", "late: {answer: late.json, violates: [order]}"),
    Code("PS604", "case-answer", "A case has one answer: `answer`, or `from` with a `change`. The file or the reference does not exist, or the answer to change is not a plan.", "late: {answer: reference, change: {visits: []}, violates: [order]}", "late: {from: reference, change: {visits: []}, violates: [order]}"),
    Code("PS605", "case-constraint", "A case names a constraint or an instance that the task does not have, that never applies, or that is not hard under `violates` or not soft under `soft`.", "late: {answer: late.json, violates: [ordr]}", "late: {answer: late.json, violates: [order]}"),
    Code("PS606", "case-change", "A case changes a table or a column that the plan does not have, or a row that the answer does not have. Rows are named as findings name them; new rows are listed under `+`.", "change: {visits: {musem: {start: 15:00}}}", "change: {visits: {museum: {start: 15:00}}}"),
    Code("PS607", "case-margin", "A margin is a number with its unit, as `planspec verify` shows it.", "margin: {purse: 14 euros too much}", "margin: {purse: -14.00 EUR}"),
    Code("PS608", "case-turn", "`at` names a turn of the task, from 1.", "at: 4  # of three turns", "at: 3"),
    # PS7: plans and answers
    Code("PS701", "undelivered", "The answer is not a JSON object in the task's format, so there is no plan to judge.", "[1, 2]", '{"visits": []}'),
    Code("PS702", "unknown-task", "No task with that id ships with planspec or is in the folder.", "planspec verify p.json --task berlin-999", "planspec tasks list"),
    # PS9: internal
    Code("PS901", "internal", "planspec has a bug. The message says what to report.", "", ""),
)
# fmt: on

CODES: dict[str, Code] = {row.code: row for row in _ROWS}
assert len(CODES) == len(_ROWS)
