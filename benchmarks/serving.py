"""A served model against the same one on this machine, and batches of texts against one text at a time.

    python benchmarks/serving.py                  # the server and the tiny model of the tests, in a process of its own
    python benchmarks/serving.py --texts 512
    python benchmarks/serving.py --address http://127.0.0.1:8080/v1      # any server; the local row is then left out

The tests' server runs one text after the other, so that what is measured here is what the way costs: connections, JSON,
the alignment of tokens with the text. A real server gains more by batches. Needs the `lm` extra.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

import tiny_lms
from aslant.models.language_models import TransformersCausalLM
from aslant.models.server_lm import ServerCausalLM

SERVER = Path(__file__).parents[1] / "tests" / "helpers" / "model_server.py"


@contextmanager
def served(address: str | None) -> Iterator[str]:
    if address is not None:
        yield address
        return
    with subprocess.Popen([sys.executable, str(SERVER), "0"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measured(count: int, address: str | None) -> list[tuple[str, float, int]]:
    """Return each way with its seconds for so many texts, and its requests; without an address, first this machine."""
    who, what = ("She", "He"), ("doctor", "nurse", "nurse")
    texts = [f"{who[i % 2]} is a good {what[i % 3]}, number {i}." for i in range(count)]
    rows: list[tuple[str, float, int]] = []
    if address is None:
        own = TransformersCausalLM(*tiny_lms.causal("llama", framed=True), "tiny")
        own.text_scores(["He is a nurse."])
        rows.append(("on this machine", timed(lambda: own.text_scores(texts)), 0))
    with served(address) as place:
        for batch, at_once in ((1, 1), (1, 4), (16, 1), (16, 4)):
            lm = ServerCausalLM(place, at_once=at_once)
            lm.way.batch = min(batch, lm.way.batch)
            before = lm.client.requests
            took = timed(lambda lm=lm: lm.text_scores(texts))  # type: ignore[misc]
            rows.append((f"{batch} to a request, {at_once} at once", took, lm.client.requests - before))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=192)
    parser.add_argument("--address")
    given = parser.parse_args()
    print(f"{given.texts} texts; milliseconds a text, requests, milliseconds a request")
    for name, took, requests in measured(given.texts, given.address):
        each = f"{1e3 * took / requests:8.1f}" if requests else "       –"
        print(f"{name:28} {1e3 * took / given.texts:8.2f} {requests:6} {each}")


if __name__ == "__main__":
    main()
