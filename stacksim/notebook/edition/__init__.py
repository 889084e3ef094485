"""HTML edition of lessons: pages, slides and handouts that open without a kernel, a server or the net."""
