"""A server of the tests' own that serves a tiny model through OpenAI's protocol, or as llama.cpp does, with faults.

`python tests/helpers/model_server.py PORT` serves one in a process of its own.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import tiny_lms
from tiny_lms import torch

NAME = "tiny"


class TinyServer(ThreadingHTTPServer):
    """`manner` is what it returns; each of `faults` spoils the next request: a status, "slow" or "cut"."""

    daemon_threads = True

    def __init__(self, port: int = 0, manner: str = "echo", *, framed: bool = True, key: str = "") -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.manner, self.key, self.framed = manner, key, framed
        self.faults: list[Any] = []
        self.asked: Counter[str] = Counter()
        self.prompts: list[str] = []
        self.seen: list[str | None] = []
        self.most = 10**6
        self.model, self.tokenizer = tiny_lms.causal("llama", framed=framed)
        self.encoder: Any = None
        self.lock = threading.Lock()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing where a client hung up."""

    def ids(self, text: str) -> list[int]:
        """The tokens of a text, after a beginning token if the tokenizer adds one; no end token."""
        found: list[int] = self.tokenizer(text)["input_ids"]
        return found[:-1] if self.framed else found

    def log_probabilities(self, ids: list[int]) -> Any:
        with self.lock:
            return tiny_lms.log_softmax(self.model, ids)

    def choice(self, index: int, text: str, body: dict[str, Any]) -> dict[str, Any]:
        ids = self.ids(text)
        table = self.log_probabilities(ids)
        chosen = int(table[-1].argmax())
        values = [None, *(float(table[i, token]) for i, token in enumerate(ids[1:]))]
        tokens = [self.tokenizer.decode([token]) for token in ids]
        after, value = self.tokenizer.decode([chosen]), float(table[-1, chosen])
        if not body.get("echo") or self.manner == "generated":
            tokens, values = [], []
        if self.manner == "null":
            values = [None] * len(tokens)
        elif self.manner == "zeros":
            values = [None, *([0.0] * (len(tokens) - 1))]
        elif self.manner == "reversed":
            tokens, values = tokens[::-1], values[::-1]
        elif self.manner == "shifted":
            values = [
                None,
                *(float(table[i, token]) for i, token in enumerate(ids) if i),
            ]  # as llama-cpp-python once did
        elif self.manner == "by token":
            values = [None, *(-float(token % 7) - 0.5 for token in ids[1:])]
        elif self.manner == "random":
            values = [None, *(float(-torch.rand(1)) * 9 for _ in tokens[1:])]
        logprobs: Any = {"tokens": [*tokens, after], "token_logprobs": [*values, value]}
        if self.manner == "llama.cpp":
            logprobs = {"content": [{"id": chosen, "token": after, "logprob": value, "top_logprobs": []}]}
        elif self.manner == "none":
            logprobs = None
        return {"index": index, "text": text + after, "logprobs": logprobs, "finish_reason": "length"}

    def completions(self, body: dict[str, Any]) -> Any:
        prompts = [body["prompt"]] if isinstance(body["prompt"], str) else body["prompt"]
        if len(prompts) > 1 and self.manner == "single":
            return 400, {"error": {"message": "one prompt at a time"}}
        if len(prompts) > 1 and self.manner == "llama-cpp-python":
            return 500, {"error": {"message": "", "type": "internal_server_error", "param": None, "code": None}}
        if any(len(self.ids(text)) > 60 for text in prompts):
            return 400, {"error": {"message": "the prompt is longer than the model's context"}}
        self.prompts += prompts
        choices = [self.choice(i, text, body) for i, text in enumerate(prompts)]
        if self.manner == "crowded" and len(prompts) > 1:
            for choice in choices:
                values = choice["logprobs"]["token_logprobs"]
                choice["logprobs"]["token_logprobs"] = [value and value - 1 for value in values]
        used = sum(len(self.ids(text)) + 1 for text in prompts)
        return 200, {"choices": choices[::-1], "usage": {"total_tokens": used}}

    def embeddings(self, body: dict[str, Any]) -> Any:
        if self.encoder is None:
            return 400, {"error": {"message": "this model has no embeddings"}}
        texts = body["input"]
        if len(texts) > self.most:
            return 400, {"error": {"message": "too many texts"}}
        self.prompts += texts
        vectors = self.encoder.sentence_vectors(texts).tolist()
        if self.manner == "one vector":
            vectors = [[1.0] * len(vector) for vector in vectors]
        elif self.manner == "zeros":
            vectors = [[0.0] * len(vector) for vector in vectors]
        elif self.manner == "reversed":
            vectors = vectors[::-1]
        elif self.manner == "random":
            vectors = torch.rand(len(vectors), 16).tolist()
        rows = [{"index": i, "embedding": vector} for i, vector in enumerate(vectors)]
        return 200, {"data": rows[::-1]}

    def tokenize(self, body: dict[str, Any]) -> Any:
        if self.manner != "llama.cpp":
            return 404, {"error": "not found"}
        special = body["add_special"] and self.framed
        ids = self.tokenizer(body["content"], add_special_tokens=False)["input_ids"]
        pieces = [self.tokenizer.decode([token]) for token in ids]
        if special:
            ids, pieces = [self.tokenizer.bos_token_id, *ids], ["<s>", *pieces]
        rows = [{"id": i, "piece": list(p.encode()) if "\ufffd" in p else p} for i, p in zip(ids, pieces, strict=True)]
        return 200, {"tokens": rows}

    def completion(self, body: dict[str, Any]) -> Any:
        table = self.log_probabilities(body["prompt"])[-1]
        biased = table.clone()
        for token, bias in body.get("logit_bias", []):
            biased[token] += bias
        chosen, top = int(biased.argmax()), table.topk(body["n_probs"])
        rows = [{"id": int(i), "logprob": float(v)} for v, i in zip(top.values, top.indices, strict=True)]
        return 200, {
            "completion_probabilities": [{"id": chosen, "logprob": float(table[chosen]), "top_logprobs": rows}]
        }


class Handler(BaseHTTPRequestHandler):
    server: TinyServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each answer waits 40 ms for the acknowledgement of its head

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        rows = [{"id": NAME}, {"id": "other"}] if self.server.manner == "two" else [{"id": NAME}]
        bos = self.server.tokenizer.bos_token
        self.answer(lambda _: (200, {"data": rows, "bos_token": bos} if self.path.endswith(("s",)) else {}))

    def do_POST(self) -> None:
        name = self.path.rpartition("/")[2]
        known = ("completions", "embeddings", "tokenize", "completion")
        self.answer(getattr(self.server, name) if name in known else lambda _: (404, {"error": "not found"}))

    def answer(self, act: Any) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked[self.path] += 1
        self.server.seen.append(self.headers.get("Authorization"))
        fault = self.server.faults.pop(0) if self.server.faults else None
        if self.server.key and self.headers.get("Authorization") != f"Bearer {self.server.key}":
            fault = 401
        if fault == "slow":
            time.sleep(2)
        if isinstance(fault, int | tuple):
            status, headers = fault if isinstance(fault, tuple) else (fault, {})
            self.send(status, {"error": {"message": f"fault; you sent {self.headers.get('Authorization')}"}}, headers)
            return
        status, found = act(json.loads(body or b"{}"))
        self.send(status, found, {}, cut=fault == "cut")

    def send(self, status: int, found: Any, headers: dict[str, str], *, cut: bool = False) -> None:
        content = json.dumps(found).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if cut else content)
        self.wfile.flush()
        self.close_connection = cut


if __name__ == "__main__":
    server = TinyServer(int(sys.argv[1]))
    print(server.address, flush=True)
    server.serve_forever()
