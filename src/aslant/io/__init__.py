"""What touches disks: packed files, whole-or-nothing writing, digests, memory maps, and finished work."""
