"""Statistics: arrays in, numbers out. Permutation p-values, intervals, false discovery rates, seeds.

Nothing here knows about words, vectors or results; the measures bring scores and take numbers away.
"""

from slant.statistics.fdr import benjamini_hochberg
from slant.statistics.intervals import check_confidence, clopper_pearson, percentile_interval, wilson
from slant.statistics.permutation import PermutationPvalue, partition_pvalue
from slant.statistics.randomness import generator, seed_of, spawn

__all__ = [
    "PermutationPvalue",
    "benjamini_hochberg",
    "check_confidence",
    "clopper_pearson",
    "generator",
    "partition_pvalue",
    "percentile_interval",
    "seed_of",
    "spawn",
    "wilson",
]
