"""What is asked in the end: links, cells, arrays, disks."""
