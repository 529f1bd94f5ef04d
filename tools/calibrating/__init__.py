"""Calibration of every p-value, q-value, interval and bracket in the product; see tools/calibration.py."""
