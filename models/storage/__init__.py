"""Storage: fabrics, cells, arrays, disks."""
