"""Make a suite from a log of questions, each with a label and slots: `python docs/question_log.py LOG FOLDER`."""

import json
import sys
from pathlib import Path

from planspec.families.mobilitybench.episode import Context, Episode, RecordedResult
from planspec.families.mobilitybench.live import LiveTools
from planspec.families.mobilitybench.map import grow_city
from planspec.families.mobilitybench.metrics.intent import intent_of
from planspec.families.mobilitybench.program import InvalidSlotsError, UnansweredCallError, execute, programs
from planspec.families.mobilitybench.snapshot import Recorder
from planspec.families.mobilitybench.suite import SuiteWriter

log, folder = sys.argv[1:]
city = grow_city("Berlin", 3, 300)
context = Context(location="13.405000,52.520000", city=city.name, time="08:00", extra={"day": city.today})
with SuiteWriter(Path(folder), "Questions of a log") as suite:
    for number, line in enumerate(Path(log).read_text("utf-8").splitlines(), 1):
        question = json.loads(line)
        scenario = intent_of(question["intent"]).scenario
        if scenario is None:
            sys.stdout.write(f"line {number}: `{question['intent']}` is the label of no scenario\n")
            continue
        recorder = Recorder(LiveTools(city, 8 * 60).ask)
        try:
            done = execute(programs()[scenario], question["constraints"], context, recorder.call)
        except (InvalidSlotsError, UnansweredCallError) as reason:
            sys.stdout.write(f"line {number}: {scenario.value}: {reason}\n")
            continue
        snapshot = tuple(
            RecordedResult(call=n, tool=c.tool, arguments=dict(c.arguments), result=json.loads(c.result))
            for n, c in enumerate(recorder.snapshot())
        )
        episode = Episode(
            id=f"log-{number}",
            family=scenario.family,
            scenario=scenario,
            query=question["query"],
            context=context,
            constraints=question["constraints"],
            program=done.program,
            steps=done.steps,
            snapshot=snapshot,
            given=done.given,
            currency=city.currency,
        )
        suite.add(episode.with_checksum())
        sys.stdout.write(f"line {number}: {scenario.value}: {', '.join(call.tool for call in done.program)}\n")
