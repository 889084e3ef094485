"""Presentation of answers, part by part: in a terminal by rich, in Jupyter as HTML with a picture."""
