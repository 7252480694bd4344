"""Analysis of constraints for incomplete plans: parts that fail and that no additions to the plan can repair."""
