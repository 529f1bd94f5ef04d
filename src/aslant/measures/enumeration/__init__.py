"""Unsupervised bias enumeration (Swinger et al. 2019), and surveys of what it finds."""
