"""How answers are shown, part by part: in a terminal by rich, in Jupyter as HTML with a picture."""
