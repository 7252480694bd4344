"""Cases: answers with the verdicts that a task's author knows, judged and compared with what comes out."""
