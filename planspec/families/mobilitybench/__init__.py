"""MobilityBench: questions of travellers in a city, which agents answer with ten map tools.

An episode is one question with its context, the recorded results of the tools, and the ground truth.
"""
