"""Cases: answers for which a task's author wrote the expected verdict. They are judged, and the verdicts compared."""
