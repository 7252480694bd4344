"""Cases: test answers with verdicts that the task's author expects. They are judged, and the verdicts compared."""
