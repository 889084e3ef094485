"""Claims of known truth: made from the catalogue and the models, and the same ones broken in ten ways.

Written from the format of a claim file alone: nothing here knows how a claim is judged.
"""
