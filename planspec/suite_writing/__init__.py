"""Writers of worlds and tasks, for importers of public data sets and generators."""
