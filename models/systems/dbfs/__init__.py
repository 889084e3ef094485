"""Systems ``dbfs``, ``dbfs-files`` and ``dbfs-load``: files in a database on Exadata."""
