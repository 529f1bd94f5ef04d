"""Real workers outside of this process: a Dask cluster of two and a Ray of two, one of them killed."""

from __future__ import annotations

import functools
import json
import math
import operator
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.corpus import Query, sample_contexts, sampling
from aslant.errors import LostWorkersError, MeasureError, MissingExtraError, WorkersError
from aslant.models.encoder import TransformersEncoder
from aslant.models.language_models import TransformersCausalLM, TransformersMaskedLM
from aslant.models.protocols import Passage, Sentence
from aslant.parallel import as_finished, clusters, cores, spread, spreading, use_workers, workers_in_use
from noticed import Noticed
from tiny_lms import causal, masked, torch

KINDS = ("dask", "ray")
ORIGINAL = clusters.software


def masked_lm(**options: Any) -> TransformersMaskedLM:
    return TransformersMaskedLM(*masked("bert"), "bert", **options)


def causal_lm(**options: Any) -> TransformersCausalLM:
    return TransformersCausalLM(*causal("llama"), "llama", **options)


def tiny_encoder(**options: Any) -> TransformersEncoder:
    model, tok = masked("bert")
    return TransformersEncoder(model.base_model, tok, "bert", **options)


@pytest.fixture(scope="module")
def addresses() -> Iterator[dict[str, Any]]:
    """Fill with what `use_workers` takes for each kind, when it is first asked for; clusters end with the module."""
    with ExitStack() as closing:
        yield {"closing": closing}


@pytest.fixture(params=KINDS)
def where(request: pytest.FixtureRequest, addresses: dict[str, Any]) -> dict[str, Any]:
    kind = request.param
    if kind == "dask" and kind not in addresses:
        pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
        cluster = addresses["closing"].enter_context(clusters.local_dask(2))
        addresses["dask"] = {"dask": cluster.scheduler_address}
    if kind == "ray" and kind not in addresses:
        ray = pytest.importorskip("ray", reason="the extra 'ray' is not installed")
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        with clusters.signals_kept():
            ray.init(
            address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR",
            runtime_env={"env_vars": {"PYTHONPATH": os.pathsep.join(sys.path)}},
        )  # fmt: skip
        addresses["closing"].callback(ray.shutdown)
        addresses["ray"] = {"ray": "auto"}
    return dict(addresses[kind])


def pids(at_least: int = 1) -> set[int]:
    """Who works: asked again until so many have answered, for on a busy machine one may begin late."""

    def slow(_shared: None, _item: int) -> int:
        time.sleep(0.2)
        return os.getpid()

    found: set[int] = set()
    for _ in range(100):
        found |= set(spread(slow, range(8), None))
        if len(found) >= at_least:
            break
    return found


def small_vectors() -> aslant.WordVectors:
    rng = np.random.default_rng(5)
    words = [f"word{i}" for i in range(600)] + [f"name{i}" for i in range(60)]
    return aslant.WordVectors.from_arrays(words, rng.standard_normal((660, 20)).astype(np.float32))


def enumerated(vectors: aslant.WordVectors, **settings: Any) -> str:
    result = aslant.enumerate_biases(
        vectors, names=[f"name{i}" for i in range(60)], groups=4, categories=6, words=600, rotations=3000, rng=3,
        min_names=1, chance=1, **settings,
    )  # fmt: skip
    return json.dumps(result.to_dict(), sort_keys=True)


@functools.cache
def enumerated_here(precision: float | None = None) -> str:
    return enumerated(small_vectors(), workers=1, precision=precision)


def test_results_come_in_order_and_the_errors_of_tasks_as_they_are(where: dict[str, Any]) -> None:
    def divided(shared: int, item: int) -> float:
        if item == 13:
            raise MeasureError("thirteen cannot be used; leave it out.")
        return shared / item

    with use_workers(**where):
        assert list(spread(divided, range(1, 9), 840)) == [840 / item for item in range(1, 9)]
        assert sorted(as_finished(divided, range(1, 9), 840)) == [(item, 840 / item) for item in range(1, 9)]
        for wrong, error in ((13, MeasureError), (0, ZeroDivisionError)):
            with pytest.raises(error) as raised:
                list(spread(divided, [1, wrong], 840))
            assert raised.type is error
            assert wrong == 0 or str(raised.value) == "thirteen cannot be used; leave it out."
    assert workers_in_use() is None


def test_no_more_items_are_taken_than_workers_can_have_waiting(where: dict[str, Any]) -> None:
    taken: list[int] = []

    def endless() -> Iterator[int]:
        while True:
            taken.append(len(taken))
            yield taken[-1]

    with use_workers(**where):
        results = spread(lambda shared, item: shared + item, endless(), 5)
        assert [next(results) for _ in range(6)] == [5, 6, 7, 8, 9, 10]
        results.close()
    assert len(taken) <= 6 + 4


def test_what_is_large_goes_to_each_worker_once(where: dict[str, Any], tmp_path: Path) -> None:
    shared = Noticed(str(tmp_path))
    with use_workers(**where):
        for _ in range(3):
            found = list(spread(lambda shared, item: float(shared.array[item]), range(40), shared))
            assert found == [float(item) for item in range(40)]
    here = str(os.getpid())  # where Dask's scheduler is, in a test
    times = [pid for path in tmp_path.iterdir() if (pid := path.name.split("-")[0]) != here]
    at_most = 6 if "dask" in where else 1  # a first task and Dask's broadcast may meet at a busy worker, each time
    assert 1 <= len(times) <= 2 * at_most  # of 120 tasks
    assert all(times.count(pid) <= at_most for pid in times)


@pytest.mark.parametrize("where", ["dask"], indirect=True)  # Ray's workers take a minute to load torch when busy
def test_a_task_has_one_thread_of_everything_and_no_workers_of_its_own(where: dict[str, Any]) -> None:
    def threads(_shared: None, _item: int) -> tuple[int, int, set[int], bool]:
        import numpy as np
        import torch
        from threadpoolctl import threadpool_info

        np.ones((2, 2)) @ np.ones((2, 2))
        counted = {library["num_threads"] for library in threadpool_info()}
        return cores(), torch.get_num_threads(), counted, workers_in_use() is None

    with use_workers(**where):
        list(spread(threads, [0], None))  # libraries that load inside a task are held from the next one on
        assert list(spread(threads, [0, 1], None)) == [(1, 1, {1}, True)] * 2


@pytest.mark.parametrize("where", ["dask"], indirect=True)  # with Ray, workers die below, and a command enumerates
def test_an_enumeration_outlives_one_of_its_workers_and_is_the_same_to_the_last_bit(where: dict[str, Any]) -> None:
    vectors = small_vectors()
    expected = enumerated_here()
    killed: list[int] = []
    with use_workers(**where):
        workers = pids(at_least=2)
        assert len(workers) == 2

        def progress(step: str, done: int, total: int) -> None:
            if step == "rotations" and done > 0 and not killed:
                killed.append(min(workers))
                os.kill(killed[0], signal.SIGKILL)

        assert enumerated(vectors, progress=progress) == expected
        assert killed
        assert killed[0] not in pids()


class Forgetful:
    """A cluster that loses what its workers share with the first `times` pieces of work."""

    def __init__(self, times: int) -> None:
        self.times = times

    def size(self) -> int:
        return 2

    def submit(self, task: Callable[[Any, Any], Any], shared: Any, item: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.times -= 1
        if self.times >= 0:
            future.cancel()
            future.set_running_or_notify_cancel()
        else:
            future.set_result(task(shared, item))
        return future

    def explained(self, error: BaseException) -> BaseException:
        return WorkersError("lost") if isinstance(error, CancelledError) else error


def test_work_is_handed_out_again_when_what_the_workers_share_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreading, "workers_in_use", lambda: Forgetful(5))
    assert list(spread(operator.mul, range(10), 7)) == [7 * item for item in range(10)]
    assert dict(as_finished(operator.mul, range(10), 7)) == {item: 7 * item for item in range(10)}
    monkeypatch.setattr(spreading, "workers_in_use", lambda: Forgetful(10_000))
    with pytest.raises(WorkersError, match="lost"):
        list(spread(operator.mul, range(10), 7))


JOBS = ("nurse", "doctor", "good nurse", "math", "art", "boys")
SENTENCES = [
    Sentence(f"[TARGET] {verb} a [ATTRIBUTE].", target, job)
    for verb in ("is", "was") for target in ("he", "she") for job in JOBS
]  # fmt: skip
PASSAGES = [Passage(f"he is a nurse {'and she ' * (i % 5)}is good", ((8, 13),)) for i in range(40)]


def scores_of(make: Callable[..., Any]) -> tuple[Any, int]:
    lm = make(token_budget=24)
    return getattr(lm, "masked_scores" if make is masked_lm else "causal_scores")(SENTENCES), lm.passes


def vectors_of() -> tuple[Any, Any]:
    encoder = tiny_encoder(token_budget=40)
    spans = np.concatenate(list(encoder.span_vectors(PASSAGES)))
    return spans, encoder.sentence_vectors([passage.text for passage in PASSAGES])


@pytest.mark.parametrize("where", ["dask"], indirect=True)
def test_models_give_the_same_numbers_to_the_last_bit(where: dict[str, Any]) -> None:
    with use_workers(threads=1):
        expected = [scores_of(masked_lm), scores_of(causal_lm)]
        vectors = vectors_of()
    with use_workers(**where):
        assert [scores_of(masked_lm), scores_of(causal_lm)] == expected
        assert all(np.array_equal(found, known) for found, known in zip(vectors_of(), vectors, strict=True))


def test_a_corpus_in_shards_gives_the_same_draw(
    where: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    nouns, ends = ("nurse", "clerk", "café owner", "boy"), ("\n", "\r\n", "\n\n", " \n", "\n\ufeff")
    for number in range(3):
        lines = [f"A {rng.choice(nouns)} saw {rng.choice(nouns)} {rng.integers(60)}.{rng.choice(ends)}"
            for _ in range(400)]  # fmt: skip
        (tmp_path / f"{number}.txt").write_bytes(("\ufeff" * (number == 0) + "".join(lines)).encode())
    monkeypatch.setattr(sampling, "SHARD", 1000)
    monkeypatch.setattr(sampling.shards_of, "__defaults__", (1000,))
    queries = {"jobs": Query(("nurse", "café owner"), 30, without=("boy",)), "all": Query(nouns, 7, as_written=True)}
    corpus, other = (aslant.load_corpus(tmp_path, longest=20) for _ in range(2))
    expected = sample_contexts(corpus, queries, rng=4)
    assert len(list(sampling.shards_of(other))) > 20
    with use_workers(**where):
        assert sample_contexts(other, queries, rng=4) == expected
    assert other.too_long == corpus.too_long
    assert other.too_long


def test_text_that_cannot_be_read_is_reported_with_its_line(
    where: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"A nurse slept.\n" * 800)
    corpus = aslant.load_corpus(path)
    path.write_bytes(b"A nurse slept.\n" * 700 + b"A \xff slept.\n" * 100)
    monkeypatch.setattr(sampling.shards_of, "__defaults__", (1000,))
    with use_workers(**where), pytest.raises(aslant.AslantError, match="line 701"):
        sample_contexts(corpus, {"jobs": Query(("nurse",), 2)})


def test_a_dask_cluster_without_workers_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
    monkeypatch.setattr(clusters, "GONE", 1)
    monkeypatch.setattr(spreading, "LOOK", 0.5)
    with clusters.local_dask(1) as cluster, use_workers(dask=cluster.scheduler_address):
        results = spread(lambda shared, item: time.sleep(60), [0], None)
        threading.Timer(1.0, lambda: cluster.scale(0)).start()
        with pytest.raises(WorkersError, match="has lost all its workers"):
            next(results)


def test_a_ray_cluster_may_begin_without_workers_and_not_lose_all(monkeypatch: pytest.MonkeyPatch) -> None:
    found = iter([{}, {"CPU": 2.0}, {"CPU": 0.0}])
    cluster = object.__new__(clusters.RayCluster)
    cluster._seen = math.inf
    cluster.ray = SimpleNamespace(cluster_resources=lambda: next(found), exceptions=SimpleNamespace(RayError=OSError))
    monkeypatch.setattr(clusters, "GONE", -1)
    assert (cluster.size(), cluster.size()) == (1, 2)
    with pytest.raises(LostWorkersError, match="has lost all its workers"):
        cluster.size()


def test_what_dask_gives_up_is_one_sentence() -> None:
    scheduler = pytest.importorskip("distributed.scheduler", reason="the extra 'dask' is not installed")
    lost = scheduler.KilledWorker("run-1", SimpleNamespace(address="tcp://127.0.0.1:1"), 3)
    found = clusters.DaskCluster.explained(object.__new__(clusters.DaskCluster), lost)
    assert isinstance(found, clusters.GivenUpError)
    assert "several workers were lost with the same piece of work" in str(found)


@pytest.mark.parametrize("where", ["ray"], indirect=True)  # killed ones take Dask half a minute on a busy machine
def test_work_that_kills_every_worker_is_given_up_and_others_go_on(where: dict[str, Any]) -> None:
    def deadly(_shared: None, item: int) -> int:
        if item == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    def given_up(item: int, error: Exception) -> int:
        assert isinstance(error, WorkersError)
        assert "several workers were lost with the same piece of work" in str(error)
        return -item

    with use_workers(**where):
        assert dict(as_finished(deadly, [1, 2], None, given_up=given_up)) == {1: -1, 2: 2}


def test_the_innermost_workers_are_used(where: dict[str, Any]) -> None:
    with use_workers(**where):
        assert workers_in_use() is not None
        with use_workers(threads=2):
            assert workers_in_use() is None
            assert cores() == 2
            with use_workers():
                assert cores() == 2
        assert workers_in_use() is not None


def test_other_software_on_one_worker_ends_a_list_of_items(
    where: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with use_workers(**where):
        monkeypatch.setattr(clusters, "software", lambda: (("aslant", "0.0.1"), *ORIGINAL()[1:]))
        with pytest.raises(WorkersError, match="install the same versions"):
            list(as_finished(lambda shared, item: item, [1], None, given_up=lambda item, error: -1))


def test_workers_with_other_software_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "software", lambda: (("aslant", "0.0.1"), ("numpy", "1.0")))
    with pytest.raises(WorkersError, match=r"a worker has aslant 0.0.1 and this process .*; install the same versions"):
        clusters.run(lambda shared, item: 0, None, 0, (("aslant", "9.9"), ("numpy", "1.0")))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"dask": "tcp://127.0.0.1:1"}, "cannot reach a Dask scheduler at 'tcp://127.0.0.1:1'"),
        ({"dask": "somewhere"}, "cannot reach a Dask scheduler at 'somewhere'"),
        ({"ray": "127.0.0.1:1"}, "cannot join a Ray cluster by '127.0.0.1:1'"),
        ({"dask": "a", "ray": "b"}, "dask and ray were both given"),
        ({"threads": 0}, "workers is 0"),
        (
            {"processes": 2},
            r"processes=2 is no longer supported; use threads=2, or dask=dask.distributed.LocalCluster",
        ),
    ],
)
def test_workers_that_cannot_be_had_are_one_sentence(given: dict[str, Any], said: str) -> None:
    for extra, module in (("dask", "distributed"), ("ray", "ray")):
        if extra in given:
            pytest.importorskip(module, reason=f"the extra '{extra}' is not installed")
    with pytest.raises(aslant.AslantError, match=said) as raised, use_workers(**given):
        pass
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(("extra", "module"), [("dask", "distributed"), ("ray", "ray")])
def test_an_extra_that_is_missing_is_named(extra: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"pip install '\.\[{extra}\]'"), use_workers(**{extra: "x:1"}):  # type: ignore[arg-type]
        pass


def test_commands_run_on_a_cluster(where: dict[str, Any], tmp_path: Path, run: Any) -> None:
    vectors = small_vectors()
    (tmp_path / "names.txt").write_text("\n".join(f"name{i}" for i in range(60)))
    vectors.save(tmp_path / "v.npz")
    (option, address), *_ = where.items()
    base = ["enumerate", str(tmp_path / "v.npz"), "--names", str(tmp_path / "names.txt"), "--groups", "4",
        "--categories", "6", "--words", "600", "--rotations", "500", "--chance", "1",
        "--min-names", "5", "--quiet", "--no-cache"]  # fmt: skip
    for place, more in (("here", ["--workers", "1"]), ("there", [f"--{option}", address])):
        done = run(*base, *more, "--json", str(tmp_path / f"{place}.json"))
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "here.json").read_bytes() == (tmp_path / "there.json").read_bytes()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--dask", "tcp://127.0.0.1:1"], "cannot reach a Dask scheduler"),
        (["--dask", "tcp://127.0.0.1:1", "--workers", "2"], "--workers 2 is for this machine"),
        (["--dask", "x:1", "--ray", "auto"], "dask and ray were both given"),
    ],
)
def test_a_cluster_that_cannot_be_used_is_exit_code_two(more: list[str], said: str, run: Any) -> None:
    pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
    done = run("enumerate", *more)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_torch_has_its_threads_back_afterwards() -> None:
    before = torch.get_num_threads()
    lm = masked_lm()
    lm.masked_scores([Sentence("[TARGET] is a [ATTRIBUTE].", "he", "nurse")])
    assert torch.get_num_threads() == before
