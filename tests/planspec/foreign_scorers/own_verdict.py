"""A scorer as a program: planspec's own verdict. It accepts violations by 1 of a constraint named as its argument."""

import json
import sys

import planspec

request = json.loads(sys.stdin.readline())
verdict = planspec.verify(request["task"], json.dumps(request["answer"]))
violated = [finding for finding in verdict.findings if finding.status == "violated" and finding.level != "soft"]
overlooked = all(finding.constraint.partition("[")[0] in sys.argv[1:] and finding.margin == -1 for finding in violated)
print(json.dumps({"pass": overlooked and verdict.status != "undelivered"}))  # noqa: T201 the output of a program
