"""Cases: answers with verdicts by a task's author, judged and compared with the result."""
