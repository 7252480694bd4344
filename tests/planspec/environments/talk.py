"""A conversation of two turns with a tool, a limit on calls, and a setting without tools."""

TALK = """\
planspec: task/1
id: talk
given: {purse: 30, least: 3}
plan: {answer: {one: true, n: int}}
scope: {answer: [{n: 0..40}]}
constraints:
  over: {hard: answer.n > least}
  purse: {hard: answer.n <= purse}
environment:
  shows: {least: [least]}
  tools:
    purse: {doc: What is in the purse., returns: {amount: purse}}
  settings:
    ask: {calls: 2, brief: Ask for the purse.}
    told: {tools: none}
turns:
  - query: A number as large as the purse.
  - query: I have spent a third.
    given: {purse: 20}
    shows: {spent: {text: "There are {purse} left."}}
"""
