"""Names, types, units and stages: syntax trees -> checked trees, with every mistake reported."""
