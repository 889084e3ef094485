"""Estimates and intervals, quantiles, histograms: numbers about numbers."""
