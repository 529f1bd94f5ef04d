"""Enumeration and language-model scoring with one and two threads: how much of a second core is made use of.

    python benchmarks/scaling.py [--rounds 3] [--dask] [--ray]

The rotational null at full size (30,000 words of 300 dimensions, 64 categories, 12 groups) and 1,000 job titles through
a masked model of MiniLM's size with random weights. Libraries have one thread everywhere. Rounds in turn, the median
counts; workers are started and have what is shared before the clock starts. "Ideal" is what this machine gives two
processes that know nothing of each other: cores share memory and clock, so that it may be less than twice one.
Efficiency is ours as a share of that, and of twice one. Bytes moved are those of the messages, counted. Needs `lm`.
"""

from __future__ import annotations

import argparse
import pickle
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np

from aslant.models import Sentence
from aslant.parallel import one_thread_each, spread, use_workers
from aslant.parallel.clusters import software
from aslant.statistics import RotationPlan, count_reached
from aslant.statistics.rotation import Drawing, block_size, reached_in_block
from enumeration import problem
from masked_lm import TEMPLATE, job_titles

ROTATIONS, TITLES = 1_500, 1_000


def enumeration() -> Callable[[], Any]:
    given = problem()
    return lambda: count_reached(given, RotationPlan(ROTATIONS, seed=0)).reached.tolist()


def scoring() -> Callable[[], Any]:
    lm, sentences = masked_model()
    return lambda: lm.masked_scores(sentences)


def masked_model() -> tuple[Any, list[Sentence]]:
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

    from aslant.models.language_models import TransformersMaskedLM

    titles = job_titles(None, TITLES)
    words = dict.fromkeys(" ".join([*titles, "he she is a ."]).split())
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    vocabulary = {word: i for i, word in enumerate([*names, *(f"word{i}" for i in range(30_522 - len(names)))])}
    torch.manual_seed(0)
    config = BertConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536)
    lm = TransformersMaskedLM(BertForMaskedLM(config), BertTokenizerFast(vocab=vocabulary), "random")
    return lm, [Sentence(TEMPLATE, target, title) for title in titles for target in ("he", "she")]


WORK = {"enumeration": enumeration, "LM scoring": scoring}


def alone(name: str) -> None:
    """Do the work once for every line that comes, and answer with the seconds: a process that knows of no other."""
    with use_workers(threads=1), one_thread_each():
        work = WORK[name]()
        work()
        for _ in sys.stdin:
            start = time.perf_counter()
            work()
            print(time.perf_counter() - start, flush=True)


class Alone:
    """Two processes that know nothing of each other."""

    def __init__(self, name: str) -> None:
        command = [sys.executable, __file__, "--alone", name]
        self.both = [subprocess.Popen(command, stdin=-1, stdout=-1, text=True) for _ in range(2)]
        self.seconds()  # until they are ready

    def seconds(self) -> float:
        start = time.perf_counter()
        for each in self.both:
            assert each.stdin is not None
            each.stdin.write("\n")
            each.stdin.flush()
        for each in self.both:
            assert each.stdout is not None
            each.stdout.readline()
        return time.perf_counter() - start

    def close(self) -> None:
        for each in self.both:
            each.kill()
            each.wait()


def timed(work: Callable[[], Any], where: dict[str, Any], rounds: int) -> tuple[list[float], Any]:
    with use_workers(**where):
        found = work()  # workers start, receive what is shared and compile
        times = []
        for _ in range(rounds):
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
    return times, found


def compare(name: str, rounds: int, others: dict[str, dict[str, Any]]) -> None:
    work = WORK[name]()
    kinds: dict[str, dict[str, Any]] = {"1 thread": {"threads": 1}, "2 threads": {"threads": 2}, **others}
    times: dict[str, list[float]] = {kind: [] for kind in kinds}
    answers = {}
    pair = Alone(name)
    ideal: list[float] = []
    for _ in range(rounds):
        for kind, where in kinds.items():
            found, answers[kind] = timed(work, where, 1)
            times[kind] += found
        ideal.append(pair.seconds() / 2)  # of twice the work
    pair.close()
    assert all(answer == answers["1 thread"] for answer in answers.values()), "the results differ"
    one, best = statistics.median(times["1 thread"]), statistics.median(ideal)
    print(f"\n{name}: the same results everywhere; ideal on two cores {best:.2f} s ({one / best / 2:.0%} of twice one)")
    for kind, found in times.items():
        middle = statistics.median(found)
        share = f"{best / middle:5.0%} of ideal, {one / middle / 2:5.0%} of twice one" if kind[0] == "2" else ""
        print(f"  {kind:14} {middle:6.2f} s  ({', '.join(f'{t:.2f}' for t in found)})  {share}")


def moved() -> None:
    """Count the bytes of what goes to a worker once, and of a task and its answer."""
    given = problem()
    drawing = Drawing(given, RotationPlan(ROTATIONS, seed=0), block_size(12, 64, 3))
    item = (0, tuple(range(64)))
    lm, sentences = masked_model()
    queries = plan_of(lm, sentences)
    from aslant.models.plan import Runner, batches

    batch = next(iter(batches(queries, lm.network.limits)))
    rows = [("rotations (32)", drawing, reached_in_block, item), ("LM batch", lm._runner, Runner.run, batch)]
    print("\nbytes moved: once to each worker, with each task, with each answer")
    for name, shared, task, given_item in rows:
        once = len(cloudpickle.dumps(shared))
        there = len(cloudpickle.dumps((task, given_item, software())))
        with one_thread_each():
            back = len(pickle.dumps((True, task(shared, given_item))))
        print(f"  {name:14} {once:12,} {there:8,} {back:8,}")


def plan_of(lm: Any, sentences: list[Sentence]) -> Any:
    from aslant.models.plan import merged

    spelt = lm.speller.spell(sentences)
    hidden = [(found, masks) for found in spelt for masks in (None, len(found.attribute))]
    return merged(request for found, masks in hidden for request in lm._requests(found, "chain", masks))


def overhead() -> None:
    """Time a task that does nothing, on two threads."""
    with use_workers(threads=2):
        list(spread(np.add, range(10), 1))
        start = time.perf_counter()
        list(spread(np.add, range(2_000), 1))
        print(f"\na task that does nothing takes {(time.perf_counter() - start) / 2:.2f} ms on two threads")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dask", action="store_true", help="also a Dask cluster of two processes")
    parser.add_argument("--ray", action="store_true", help="also a Ray of two processors")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.alone:
        alone(asked.alone)
        return
    others: dict[str, dict[str, Any]] = {}
    with ExitStack() as stack:
        if asked.dask:
            from distributed import LocalCluster

            cluster = stack.enter_context(LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0"))
            others["2 on Dask"] = {"dask": cluster.scheduler_address}
        if asked.ray:
            import ray

            ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
            stack.callback(ray.shutdown)
            others["2 on Ray"] = {"ray": "auto"}
        for name in WORK:
            compare(name, asked.rounds, others)
    moved()
    overhead()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    main()
