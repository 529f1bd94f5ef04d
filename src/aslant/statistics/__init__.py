"""Statistics: arrays in, numbers out. Permutation p-values, intervals, false discovery rates, seeds.

Nothing here knows about words, vectors or results; the measures pass in scores and get numbers back.
"""

from aslant.statistics.bootstrap import bootstrap_means, cluster_bootstrap_means
from aslant.statistics.fdr import benjamini_hochberg
from aslant.statistics.grouped_folds import grouped_folds
from aslant.statistics.intervals import check_confidence, clopper_pearson, percentile_interval, wilson
from aslant.statistics.nearest_rows import nearest
from aslant.statistics.permutation import PermutationPvalue, check_choices, partition_pvalue
from aslant.statistics.principal import principal_axes
from aslant.statistics.random_effects import RandomEffects, combine
from aslant.statistics.randomness import MOST_BOOTSTRAP, check_count, generator, seed_of, spawn
from aslant.statistics.rank_correlation import correlation_pvalue, rank_correlation_pvalue, rank_correlations
from aslant.statistics.regrouping import regrouping_pvalue
from aslant.statistics.rotation import RotationCounts, RotationPlan, RotationProblem, count_reached, turned_means
from aslant.statistics.sign_flip import sign_flip_pvalue
from aslant.statistics.subspaces import centred, explained_ratios, subspace
from aslant.statistics.two_means import clustering_accuracy, two_clusters
from aslant.statistics.unit_vectors import unit_rows

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
