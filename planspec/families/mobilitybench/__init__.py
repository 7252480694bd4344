"""MobilityBench: questions of travellers in a city, answered with ten map tools whose results are recorded.

An episode is one question with its context, the recorded results of the tools, and the ground truth.
"""
