"""Statistics: arrays in, numbers out. Permutation p-values, intervals, false discovery rates, seeds.

Nothing here knows about words, vectors or results; the measures pass in scores and get numbers back.
"""

from aslant.statistics.intervals import (
    benjamini_hochberg,
    bootstrap_means,
    check_confidence,
    clopper_pearson,
    cluster_bootstrap_means,
    percentile_interval,
    wilson,
)
from aslant.statistics.nearest_rows import clustering_accuracy, nearest, two_clusters
from aslant.statistics.permutation import PermutationPvalue, check_choices, partition_pvalue
from aslant.statistics.random_effects import RandomEffects, combine
from aslant.statistics.randomness import MOST_BOOTSTRAP, check_count, generator, seed_of, spawn
from aslant.statistics.resampled_pvalues import (
    correlation_pvalue,
    rank_correlation_pvalue,
    rank_correlations,
    regrouping_pvalue,
    sign_flip_pvalue,
)
from aslant.statistics.rotation import RotationCounts, RotationPlan, RotationProblem, count_reached, turned_means
from aslant.statistics.subspaces import centred, explained_ratios, principal_axes, subspace, unit_rows

__all__ = [
    "MOST_BOOTSTRAP", "PermutationPvalue", "RandomEffects", "RotationCounts", "RotationPlan", "RotationProblem",
    "benjamini_hochberg", "bootstrap_means", "centred", "check_choices", "check_confidence", "check_count",
    "clopper_pearson", "cluster_bootstrap_means", "clustering_accuracy", "combine", "correlation_pvalue",
    "count_reached", "explained_ratios", "generator", "nearest", "partition_pvalue",
    "percentile_interval", "principal_axes", "rank_correlation_pvalue", "rank_correlations", "regrouping_pvalue",
    "seed_of", "sign_flip_pvalue", "spawn", "subspace", "turned_means", "two_clusters", "unit_rows", "wilson",
]  # fmt: skip
