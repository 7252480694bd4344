"""Probes: answers with proved verdicts, used to test other projects' scorers."""

from planspec.api.probes.records import Probe, ProbeKind, Probes, ProbeViolation, SkippedProbe
from planspec.api.probes.search import DEADLINE_S, MOST_RIGHT, probe_answers, reference_answer

__all__ = [
    "DEADLINE_S",
    "MOST_RIGHT",
    "Probe",
    "ProbeKind",
    "ProbeViolation",
    "Probes",
    "SkippedProbe",
    "probe_answers",
    "reference_answer",
]
