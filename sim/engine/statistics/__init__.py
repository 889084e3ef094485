"""Estimates and their confidence intervals, quantiles, histograms."""
