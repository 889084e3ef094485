"""Reading and writing published figures, fitted parameters and a user's own measurements."""
