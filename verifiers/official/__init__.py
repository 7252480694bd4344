"""Interface of reimplemented public evaluators. They keep all quirks, so that published numbers can be reproduced."""
