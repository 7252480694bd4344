"""Train the network with which `imgSearch` compares pictures: `planspec/families/veritrip/pictures/views.onnx`.

Method: places of all kinds are invented under names that no suite and no measurement uses. Four views of each place are
rendered (`training.views`), which differ in viewpoint, hour, weather, crop and exposure. A small convolutional network
maps a view to a vector. The loss is low if two views of one place are nearer to each other than to all other views of
the batch (InfoNCE; van den Oord et al. 2018). At each step, views are randomly cropped, mirrored, and changed in
brightness and warmth. Two of four batches have groups of places that the current network considers most similar (hard
negatives). One has places of all kinds, and one has places of a single kind. The moving average of the weights is
saved. The first 500 places are held out; recall@1 and recall@10 on them are printed.

It needs PyTorch and onnx, which planspec itself does not need: pip install torch onnx onnxscript. Training
continues from existing weights, so more places can be rendered between two trainings. The shipped network was made by

    python -m training.views FOLDER --places 8000 --jobs 2
    python -m training.network FOLDER --weights network.pt --steps 7000
    python -m training.views FOLDER --places 12000 --jobs 2
    python -m training.network FOLDER --weights network.pt --steps 5000 --rate 2e-3
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from training.views import VIEWS, kind_of

from planspec.families.veritrip.pictures import vectors
from planspec.families.veritrip.pictures.vectors import INPUT_HEIGHT, INPUT_WIDTH, VECTOR_LENGTH, WEIGHTS

CHANNELS, DEPTHS = (24, 48, 96, 160, 256), (1, 1, 2, 2)
APART = 500
"""Number of held-out places."""
SHARPNESS = 20.0
GROUP, FRESH = 8, 400
"""Number of places in a group of similar places, and number of steps after which groups are formed again."""
REPORTED, SAVED = 200, 1000
"""Numbers of steps after which progress is printed, and after which the network is saved."""
TARGET = Path(vectors.__file__).with_name(WEIGHTS)


class Block(nn.Module):
    """Block that halves width and height and then applies residual layers.

    Each layer convolves the channels one by one, and then mixes the channels of each pixel.
    """

    def __init__(self, before: int, after: int, depth: int) -> None:
        super().__init__()
        self.wide = nn.Sequential(nn.Conv2d(before, after, 3, 2, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU())
        self.deep = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(after, after, 3, 1, 1, groups=after, bias=False),
                nn.BatchNorm2d(after),
                nn.ReLU(),
                nn.Conv2d(after, after, 1, bias=False),
                nn.BatchNorm2d(after),
            )
            for _ in range(depth)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.wide(x)
        for deep in self.deep:
            x = functional.relu(x + deep(x))
        return x


class Network(nn.Module):
    """Network from views (n by 3 by INPUT_HEIGHT by INPUT_WIDTH) to unit vectors (n by VECTOR_LENGTH)."""

    def __init__(self) -> None:
        super().__init__()
        begin = nn.Sequential(nn.Conv2d(3, CHANNELS[0], 3, 2, 1, bias=False), nn.BatchNorm2d(CHANNELS[0]), nn.ReLU())
        blocks = (Block(*two, depth) for two, depth in zip(pairwise(CHANNELS), DEPTHS, strict=True))
        self.body = nn.Sequential(begin, *blocks)
        self.head = nn.Linear((2 + INPUT_HEIGHT // 2 ** len(CHANNELS)) * CHANNELS[-1], VECTOR_LENGTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.body(x)
        mean, peak = x.mean((2, 3)), (x * x * x + 1e-6).mean((2, 3)).sqrt()
        # the vertical position of a detail is stable between views, the horizontal one is not
        y = self.head(torch.cat([mean, peak, x.mean(3).flatten(1)], 1))
        return y / (y * y).sum(1, keepdim=True).sqrt()


class Places:
    """Training data: views of places, from which batches are drawn.

    Args:
        views: views of the places, n by VIEWS by height by width by 3, as bytes.
        kinds: kind of each place.
        chance: random source of the batches.
    """

    def __init__(self, views: np.ndarray, kinds: np.ndarray, chance: np.random.Generator) -> None:
        self.views, self._chance = views, chance
        self._alike = [np.flatnonzero(kinds == kind) for kind in sorted(set(kinds))]
        self._groups: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.views)

    def regroup(self, net: nn.Module) -> None:
        """Group each place with the places that the current network considers most similar (hard negatives)."""
        e = vectors_of(net, self.views[np.arange(len(self)), self._chance.integers(VIEWS, size=len(self))])
        parts = np.array_split(e, 32)
        self._groups = np.concatenate([np.argsort(-(part @ e.T), axis=1)[:, :GROUP] for part in parts])

    def batch(self, step: int, size: int) -> np.ndarray:
        """Draw a batch of at most `size` places."""
        if self._groups is not None and step % 2:
            seeds = self._chance.choice(len(self), 2 * size // GROUP, replace=False)
            return self._chance.permutation(np.unique(self._groups[seeds]))[:size]
        every = np.arange(len(self))
        among = self._alike[self._chance.integers(len(self._alike))] if step % 4 else every
        return self._chance.choice(among, min(size, len(among)), replace=False)

    def pairs(self, places: np.ndarray) -> torch.Tensor:
        """Return two views of each place: one view of every place, then the other views in the same order."""
        two = np.stack([self._chance.permutation(VIEWS)[:2] for _ in places])
        mirrored = np.tile(self._chance.random(len(places)) < 0.5, 2)
        return vary_views(self.views[np.tile(places, 2), two.T.reshape(-1)], mirrored)


def vary_views(pixels: np.ndarray, mirrored: np.ndarray) -> torch.Tensor:
    """Crop views at random and change their brightness and warmth.

    Either both views of a place are mirrored or neither is, since a mirrored place counts as another place.
    """
    x = _tensor(pixels)
    size = 1 - 0.3 * torch.rand(len(x)) * (torch.rand(len(x)) < 0.7)
    place = torch.zeros(len(x), 2, 3)
    place[:, 0, 0] = size * torch.from_numpy(1 - 2.0 * mirrored)
    place[:, 1, 1] = size * (1 + 0.1 * (torch.rand(len(x)) - 0.5)).clamp(max=1)
    place[:, :, 2] = (1 - size)[:, None] * (2 * torch.rand(len(x), 2) - 1)
    grid = functional.affine_grid(place, [len(x), 3, INPUT_HEIGHT, INPUT_WIDTH], align_corners=False)
    x = _normalize_colours(functional.grid_sample(x, grid, padding_mode="reflection", align_corners=False))
    gain, lift = 1 + 0.5 * (torch.rand(len(x), 1, 1, 1) - 0.5), torch.rand(len(x), 1, 1, 1) - 0.5
    return x * gain * (1 + 0.24 * (torch.rand(len(x), 3, 1, 1) - 0.5)) + lift * 0.6


def _tensor(pixels: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(pixels)).permute(0, 3, 1, 2).float() / 255


def _normalize_colours(x: torch.Tensor) -> torch.Tensor:
    return (x - 0.45) * 4


def vectors_of(net: nn.Module, pixels: np.ndarray) -> np.ndarray:
    """Return the vectors of whole views, one row each."""
    net.eval()
    batches = []
    with torch.no_grad():
        for at in range(0, len(pixels), 128):
            x = functional.interpolate(
                _tensor(pixels[at : at + 128]), (INPUT_HEIGHT, INPUT_WIDTH), mode="bilinear", antialias=True
            )
            batches.append(net(_normalize_colours(x)))
    return torch.cat(batches).numpy()


def retrieval_text(net: nn.Module, views: np.ndarray) -> str:
    """Return text with recall@1 and recall@10.

    The query is a traveller's view of a place. It must retrieve the corpus view of the same place.
    """
    e = vectors_of(net, views.reshape(-1, *views.shape[2:])).reshape(len(views), VIEWS, VECTOR_LENGTH)
    near = e[:, 1:].reshape(-1, VECTOR_LENGTH) @ e[:, 0].T
    own = np.repeat(np.arange(len(views)), VIEWS - 1)
    rank = (near > near[np.arange(len(own)), own][:, None]).sum(1)
    return f"recall@1 {(rank == 0).mean():.3f}, recall@10 {(rank < 10).mean():.3f} of {len(views)}"


def train(folder: Path, weights: Path, steps: int, size: int, rate: float) -> None:
    """Train on the views in a folder, starting from the weights in the file if it exists, and save the weights."""
    torch.manual_seed(1)
    views = np.concatenate([np.load(path) for path in sorted(folder.glob("*.npy"))])
    kinds = np.array([kind_of(number) for number in range(APART, len(views))])
    places = Places(views[APART:], kinds, np.random.default_rng(0))
    net = Network().to(memory_format=torch.channels_last)
    if weights.exists():
        net.load_state_dict(torch.load(weights))
    smooth = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.998), use_buffers=True)
    optimiser = torch.optim.AdamW(net.parameters(), rate, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=0.1)
    print(f"{len(places)} places, {sum(p.numel() for p in net.parameters())} numbers", flush=True)
    began, mean = time.perf_counter(), 0.0
    for step in range(steps):
        if step and step % FRESH == 0:
            places.regroup(smooth)
        batch = places.batch(step, size)
        pairs = places.pairs(batch).contiguous(memory_format=torch.channels_last)
        net.train()
        with torch.autocast("cpu", torch.bfloat16):
            e = net(pairs)
        loss = _loss(e.float(), len(batch))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        smooth.update_parameters(net)
        mean = 0.97 * mean + 0.03 * loss.item() if step else loss.item()
        last = step == steps - 1
        if last or step % REPORTED == REPORTED - 1:
            spent = time.perf_counter() - began
            print(
                f"{step + 1} steps, {spent:.0f} s: loss {mean:.3f}; {retrieval_text(smooth, views[:APART])}",
                flush=True,
            )
        if last or step % SAVED == SAVED - 1:
            torch.save(smooth.module.state_dict(), weights)
            save(smooth.module)


def _loss(e: torch.Tensor, count: int) -> torch.Tensor:
    """Return the cross-entropy of identifying, for each view, the other view of the same place in the batch.

    It is averaged over both directions."""
    near = e[:count] @ e[count:].T * SHARPNESS
    own = torch.arange(count)
    return (functional.cross_entropy(near, own) + functional.cross_entropy(near.T, own)) / 2


def save(net: nn.Module) -> None:
    """Export the network as ONNX, for OpenCV."""
    net.eval()
    torch.onnx.export(
        net,
        (torch.zeros(1, 3, INPUT_HEIGHT, INPUT_WIDTH),),
        str(TARGET),
        input_names=["views"],
        output_names=["vectors"],
        dynamic_axes={"views": {0: "n"}, "vectors": {0: "n"}},
        opset_version=17,
        dynamo=False,
    )
    print(f"{TARGET.name}: {TARGET.stat().st_size / 1e6:.2f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--weights", type=Path, required=True, help="file of the weights; an existing file is continued"
    )
    parser.add_argument("--steps", type=int, default=7000)
    parser.add_argument("--rate", type=float, default=3e-3, help="highest learning rate")
    parser.add_argument("--batch", type=int, default=96, help="maximum number of places in a step")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    train(arguments.folder, arguments.weights, arguments.steps, arguments.batch, arguments.rate)


if __name__ == "__main__":
    main()
