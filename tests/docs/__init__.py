"""The pages of the documentation are run: every output that they show is what the tool prints."""
