"""HiMAP-Travel with one small policy as coordinator and executors, trained on the rewards of both roles."""
