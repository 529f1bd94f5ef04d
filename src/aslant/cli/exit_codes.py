"""What a command's exit code says; docs/operations.md has the table.

0 is "done, and nothing to report". A signal ends a command with 128 and its number (130: Ctrl-C, 143: SIGTERM).
"""

from __future__ import annotations

#: Something was found: a policy is broken, a figure got worse, a model of a list has no file and was skipped.
FOUND = 1
#: What was asked for cannot be used; one sentence says why, and nothing was done.
BAD_INPUT = 2
#: A model or a measure broke off, or aslant itself did; the rest is done and kept.
FAILED = 3
#: A cluster that was there is lost; what is finished is kept, and the same command resumes.
LOST = 4
