"""HiMAP-Travel's coordinator and executors, played by one small policy that learns from the rewards of both roles."""
