"""Natural-language requests, written from a task's specification with templates from wording documents."""
