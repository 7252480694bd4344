"""Names, types, units and stages: from syntax trees to checked trees, with every mistake reported."""
