"""From a directory to an answer: facts about its storage, the most informative jobs, their runs, and the fit."""
