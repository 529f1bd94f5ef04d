"""Statistics: arrays in, numbers out. Permutation p-values, intervals, false discovery rates, seeds.

Nothing here knows about words, vectors or results; the measures bring scores and take numbers away.
"""

from slant.statistics.bootstrap import bootstrap_means, cluster_bootstrap_means
from slant.statistics.fdr import benjamini_hochberg
from slant.statistics.grouped_folds import grouped_folds
from slant.statistics.intervals import check_confidence, clopper_pearson, percentile_interval, wilson
from slant.statistics.nearest_rows import nearest
from slant.statistics.permutation import PermutationPvalue, check_choices, partition_pvalue
from slant.statistics.principal import principal_axes
from slant.statistics.random_effects import RandomEffects, combine
from slant.statistics.randomness import MOST_BOOTSTRAP, check_count, generator, seed_of, spawn
from slant.statistics.rank_correlation import correlation_pvalue, rank_correlation_pvalue, rank_correlations
from slant.statistics.regrouping import regrouping_pvalue
from slant.statistics.rotation import RotationCounts, RotationPlan, RotationProblem, count_reached, turned_means
from slant.statistics.sign_flip import sign_flip_pvalue
from slant.statistics.subspaces import centred, explained_ratios, subspace
from slant.statistics.two_means import clustering_accuracy, two_clusters
from slant.statistics.unit_vectors import unit_rows

__all__ = [
    "MOST_BOOTSTRAP",
    "PermutationPvalue",
    "RandomEffects",
    "RotationCounts",
    "RotationPlan",
    "RotationProblem",
    "benjamini_hochberg",
    "bootstrap_means",
    "centred",
    "check_choices",
    "check_confidence",
    "check_count",
    "clopper_pearson",
    "cluster_bootstrap_means",
    "clustering_accuracy",
    "combine",
    "correlation_pvalue",
    "count_reached",
    "explained_ratios",
    "generator",
    "grouped_folds",
    "nearest",
    "partition_pvalue",
    "percentile_interval",
    "principal_axes",
    "rank_correlation_pvalue",
    "rank_correlations",
    "regrouping_pvalue",
    "seed_of",
    "sign_flip_pvalue",
    "spawn",
    "subspace",
    "turned_means",
    "two_clusters",
    "unit_rows",
    "wilson",
]
