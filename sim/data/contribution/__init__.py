"""Measurements that somebody brings as a folder: what they are about, how they are split, and their figures."""
