"""Everything that touches disks: packed files, all-or-nothing writing, digests, memory maps, and finished work."""
