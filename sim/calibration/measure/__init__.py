"""From a directory to an answer: what is behind it, which jobs tell most, running them, and the fit."""
