"""Natural-language requests, generated from a task's specification with templates from wording documents."""
