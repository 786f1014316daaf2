#!/usr/bin/env python3
"""Makes the table of static token embeddings (lib/embedding) from a sentence encoder.

Trains the rows of tokens until the plain sum of a sentence's rows has the direction of the encoder's vector. The programs
only add rows, without the encoder. sources.tsv pins the sources; a source with another hash is refused. Sentences are
ordered by their own hash, so that the first N of them are a random sample that every run repeats.

    scripts/embeddings/train.py OUT.table [--work DIR] [--dimensions 128] [--sentences N] [--epochs 3] [--threads 1]

Needs numpy, scipy, onnxruntime and tokenizers (PyPI), mvn, apt-get, dpkg-deb and go. One core takes about 4 ms a sentence.
DIR keeps the encoder's vectors, so that a stopped run continues.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import struct
import subprocess
import zipfile

import numpy as np
import onnxruntime
import scipy.sparse
import tokenizers

HERE = pathlib.Path(__file__).resolve().parent
CHUNK = 2048        # sentences whose vectors are in one file
LONGEST = 48        # tokens of a sentence that the encoder reads
SPECIAL = 999       # lower ids are BERT's special and unused tokens, which no text has


def run(*command, folder):
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, env=os.environ | {"GOFLAGS": "-mod=mod", "GOSUMDB": "off"}).stdout


def fetch(work):
    """Fetches the sources of sources.tsv, and checks their hashes → (encoder's zip, WordNet's folder, [zips of Go modules])."""
    encoder, wordnet, modules = None, work / "wordnet", []
    for line in (HERE / "sources.tsv").read_text().splitlines()[1:]:
        kind, name, version, expected, _ = line.split("\t")
        if kind == "go":
            told = json.loads(run("go", "mod", "download", "-json", f"{name}@{version}", folder=work))
            actual, file = told["Sum"], pathlib.Path(told["Zip"])
            modules.append(file)
        else:
            if kind == "maven":
                group, artefact = name.split(":")
                run("mvn", "-q", "dependency:get", f"-Dartifact={name}:{version}", "-Dtransitive=false", folder=work)
                encoder = file = pathlib.Path.home() / ".m2/repository" / group.replace(".", "/") / artefact / version / f"{artefact}-{version}.jar"
            else:
                if not list(work.glob(f"{name}_*.deb")):
                    run("apt-get", "-q", "download", f"{name}={version}", folder=work)
                file = next(work.glob(f"{name}_*.deb"))
            actual = hashlib.sha256(file.read_bytes()).hexdigest()
        if actual != expected:
            raise SystemExit(f"{name} {version} hashes to {actual}, not to {expected}: nothing is made of it")
        if kind == "deb":
            run("dpkg-deb", "-x", str(file), str(wordnet), folder=work)
    return encoder, wordnet / "usr/share/wordnet", modules


def glosses(folder):
    """Yields `word: meaning` and the examples of WordNet."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("  "):
                continue  # the licence
            facts, gloss = line.split(" | ", 1)
            word = facts.split()[4].split("(")[0].replace("_", " ")
            pieces = re.split(r';\s*(?=")', gloss.strip())
            yield f"{word}: {pieces[0]}"
            for example in pieces[1:]:
                yield example.strip(' "')


def prose(modules):
    """Yields the sentences of Markdown files and of comments in the Go modules."""
    for module in modules:
        with zipfile.ZipFile(module) as archive:
            for name in archive.namelist():
                if re.search(r"(^|/)(vendor|third_party|testdata|translations)/|zz_generated|\.pb\.go$", name):
                    continue
                if name.endswith(".md"):
                    text = re.sub(r"```.*?```", "\n\n", archive.read(name).decode("utf-8", "replace"), flags=re.S)
                    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"(?m)^\s*([-*#>|]|\d+\.)+ *", "\n", text))
                elif name.endswith(".go"):
                    comments = re.findall(r"(?m)(?:^[ \t]*//[^\n]*\n)+", archive.read(name).decode("utf-8", "replace"))
                    text = "\n\n".join(re.sub(r"(?m)^[ \t]*// ?", "", c) for c in comments if "opyright" not in c and "go:build" not in c)
                else:
                    continue
                for paragraph in re.split(r"\n\s*\n", text):
                    for sentence in re.split(r"(?<=[.!?:])\s+(?=[A-Z`\"'(])", " ".join(paragraph.split())):
                        words = sentence.split()
                        letters = sum(c.isalpha() or c == " " for c in sentence)
                        if 5 <= len(words) <= 60 and letters > .8 * len(sentence) and "http" not in sentence:
                            yield sentence


def gather(work):
    """Writes sentences.txt, every sentence once: at most 0.6 of programs for each of WordNet, mixed."""
    encoder, wordnet, modules = fetch(work)
    order = lambda texts: sorted({t for t in texts if len(t) > 8}, key=lambda t: hashlib.sha256(t.encode()).digest())
    words, programs = order(glosses(wordnet)), order(prose(modules))
    print(f"{len(words)} sentences of WordNet, {len(programs)} of programs", flush=True)
    texts = order(words + programs[:int(.6 * len(words))])
    (work / "sentences.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    with zipfile.ZipFile(encoder) as archive:
        for name in archive.namelist():
            if name.endswith((".onnx", "tokenizer.json")):
                (work / ("encoder.onnx" if name.endswith(".onnx") else "tokenizer.json")).write_bytes(archive.read(name))


class Encoder:
    def __init__(self, work, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(str(work / "encoder.onnx"), options)

    def __call__(self, bags):
        """Lists of ids → unit vectors [len(bags), width]: the mean of the last states."""
        ids, mask = np.zeros((2, len(bags), max(map(len, bags))), np.int64)
        for row, bag in enumerate(bags):
            ids[row, :len(bag)], mask[row, :len(bag)] = bag, 1
        states = self.session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})[0]
        mean = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return (mean / np.linalg.norm(mean, axis=1, keepdims=True)).astype(np.float16)

    def kept(self, file, bags, batch):
        """Like __call__ for many bags, cached in `file`; a batch has bags of similar lengths."""
        if file.exists():
            return np.load(file)
        out = None
        order = np.argsort([len(b) for b in bags], kind="stable")
        for first in range(0, len(bags), batch):
            part = order[first:first + batch]
            vectors = self([bags[i] for i in part])
            out = np.zeros((len(bags), vectors.shape[1]), np.float16) if out is None else out
            out[part] = vectors
        np.save(file.with_suffix(".part.npy"), out)
        file.with_suffix(".part.npy").rename(file)
        return out


def train(bags, target, single, dimensions, epochs):
    """→ the table, float32 [vocabulary, dimensions]."""
    random = np.random.RandomState(1)
    size = len(single)
    target = target - target.mean(axis=0)
    axes = np.linalg.svd(target[random.permutation(len(target))[:40000]], full_matrices=False)[2][:dimensions].T
    target = target @ axes
    target /= np.linalg.norm(target, axis=1, keepdims=True)
    # Initial rows: the encoder's vectors of single tokens, longer for rare ones; BERT's ids are about sorted by frequency.
    table = (single - single.mean(axis=0)) @ axes
    rarity = np.log(1 + np.maximum(1, np.arange(size) - 995))
    table = (table * (rarity / rarity.mean() / np.linalg.norm(table, axis=1).mean())[:, None]).astype(np.float32)
    table[:SPECIAL] = 0
    counts = [len(b) for b in bags]
    matrix = scipy.sparse.csr_matrix((np.ones(sum(counts), np.float32), np.concatenate(bags).astype(np.int32), np.cumsum([0] + counts)), shape=(len(bags), size))
    held, trained = np.split(random.permutation(len(bags)), [3000])
    first_moment, second_moment, steps = np.zeros_like(table), np.zeros_like(table), np.zeros(size, np.int64)

    def agreement():
        sums = matrix[held] @ table
        return float(((sums * target[held]).sum(axis=1) / (np.linalg.norm(sums, axis=1) + 1e-9)).mean())

    print(f"cosine with the encoder on sentences not trained: {agreement():.3f} at the start", flush=True)
    for epoch in range(epochs):  # Adam on 1 - cosine, only for the rows of a batch
        random.shuffle(trained)
        for first in range(0, len(trained), 512):
            batch = trained[first:first + 512]
            bag, wanted = matrix[batch], target[batch]
            sums = bag @ table
            length = np.linalg.norm(sums, axis=1, keepdims=True) + 1e-6
            unit = sums / length
            slope = bag.T.tocsr() @ (((unit * wanted).sum(axis=1, keepdims=True) * unit - wanted) / length)
            rows = np.unique(bag.indices)
            rows = rows[rows >= SPECIAL]
            steps[rows] += 1
            first_moment[rows] = .9 * first_moment[rows] + .1 * slope[rows]
            second_moment[rows] = .99 * second_moment[rows] + .01 * slope[rows] ** 2
            n = steps[rows][:, None]
            table[rows] -= 2e-3 * first_moment[rows] / (1 - .9 ** n) / (np.sqrt(second_moment[rows] / (1 - .99 ** n)) + 1e-8)
        print(f"{agreement():.3f} after epoch {epoch + 1}", flush=True)
    return table


def write(file, table, tokens):
    """Writes the file in the format of lib/embedding/static_table.h."""
    scale = float(np.abs(table).max() / 127)
    rows = np.round(table / np.float32(scale)).astype(np.int8)
    words = "\n".join(tokens).encode()
    content = struct.pack("<III", *rows.shape, len(words)) + words + rows.tobytes()
    digest = hashlib.sha256(content).digest()
    file.write_bytes(b"amtable1" + digest + content)
    print(f"{file}: {rows.shape[0]} tokens of {rows.shape[1]}, {file.stat().st_size} bytes, contents {digest.hex()}")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out", type=pathlib.Path)
    p.add_argument("--work", type=pathlib.Path, default=pathlib.Path.home() / ".cache/agent-memory-embeddings")
    p.add_argument("--dimensions", type=int, default=128)
    p.add_argument("--sentences", type=int, default=0, help="the first so many; 0: all")
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--threads", type=int, default=1)
    a = p.parse_args()
    a.work.mkdir(parents=True, exist_ok=True)
    if not (a.work / "tokenizer.json").exists():
        gather(a.work)
    tokenizer = tokenizers.Tokenizer.from_file(str(a.work / "tokenizer.json"))
    tokenizer.enable_truncation(LONGEST)
    tokenizer.no_padding()
    size, begin, end = tokenizer.get_vocab_size(), tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    texts = (a.work / "sentences.txt").read_text(encoding="utf-8").split("\n")[:-1]
    texts = texts[:a.sentences or len(texts)]
    ids = [e.ids for e in tokenizer.encode_batch(texts)]
    encoder = Encoder(a.work, a.threads)
    single = encoder.kept(a.work / "single.npy", [[begin, t, end] for t in range(size)], 256).astype(np.float32)
    chunks = []
    for first in range(0, len(ids), CHUNK):
        part = ids[first:first + CHUNK]
        chunks.append(encoder.kept(a.work / f"chunk{first // CHUNK}-{len(part)}.npy", part, 64))
        if first // CHUNK % 4 == 0:
            print(f"{first + len(part)} of {len(ids)}", flush=True)
    bags = [[t for t in bag if t >= SPECIAL] for bag in ids]
    table = train(bags, np.concatenate(chunks).astype(np.float32), single, a.dimensions, a.epochs)
    write(a.out, table, [tokenizer.id_to_token(i) for i in range(size)])


if __name__ == "__main__":
    main()
