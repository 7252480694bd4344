"""Train the network by which `imgSearch` compares pictures: `planspec/families/veritrip/pictures/views.onnx`.

Method: places of all kinds are invented (`picture_places.invented`, under names that no suite and no measurement uses). Each is rendered in
four views: one as for a corpus, three as travellers' photos, in which viewpoint, hour, weather, crop and exposure are other. A small
convolutional network maps a view to a vector, so that two views of one place are nearer to each other than to any other of
the batch (InfoNCE; van den Oord et al. 2018), with crops, gains, casts and mirrored places drawn anew at each step; every other batch has
places of one kind alone, which are the likest. What is saved is the moving average of the weights. One place in sixteen is kept apart: on it
the first and the tenth hit are printed. The network that ships saw 2,250 places in 4,000 steps.

Needs PyTorch and onnx, which planspec itself does without: pip install torch onnx onnxscript. Two steps, since the first one is for all cores:

    python -m benchmarks.view_network views FOLDER --places 8000 --jobs 2
    python -m benchmarks.view_network train FOLDER --steps 8000 --threads 2
"""

from __future__ import annotations

import argparse
import time
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks.picture_places import invented
from planspec.families.veritrip.pictures import anchor, picture
from planspec.families.veritrip.pictures.vectors import HIGH, LENGTH, WEIGHTS, WIDE
from planspec.parallel import map_parallel

SEED, VIEWS, WIDTH = 7, 4, 240
SIZE = (160, 120)
PART = 100
CHANNELS = (24, 48, 96, 144, 208)
RATE = 3e-3
TARGET = Path(__file__).parent.parent / "planspec" / "families" / "veritrip" / "pictures" / WEIGHTS


def views_of(number: int) -> np.ndarray:
    """Four views of an invented place, small."""
    place = invented(number, "training")
    files = [picture(place, 1, SEED, WIDTH)]
    files += [anchor(place, str(view), SEED, width=WIDTH) for view in range(1, VIEWS)]
    return np.stack(
        [np.asarray(Image.open(BytesIO(file)).resize(SIZE, Image.Resampling.BILINEAR)) for file in files]
    )


def render(folder: Path, places: int, jobs: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for begin in range(0, places, PART):
        path = folder / f"{begin:06}.npy"
        if not path.exists():
            part = np.stack(list(map_parallel(views_of, list(range(begin, min(places, begin + PART))), jobs)))
            np.save(path, part)
            print(f"{begin + len(part)} of {places} places", flush=True)


def kind_of(number: int) -> str:
    """What an invented place is, as far as pictures are alike: a room to eat in, a hotel, or a sight."""
    return type(invented(number, "training")).__name__


def train(folder: Path, steps: int, places: int, threads: int) -> None:
    import torch
    from torch import nn
    from torch.nn import functional
    from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

    torch.manual_seed(1)
    torch.set_num_threads(threads)

    class Block(nn.Module):
        def __init__(self, before: int, after: int) -> None:
            super().__init__()
            self.wide = nn.Sequential(
                nn.Conv2d(before, after, 3, 2, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU()
            )
            self.deep = nn.Sequential(
                nn.Conv2d(after, after, 3, 1, 1, groups=after, bias=False), nn.BatchNorm2d(after), nn.ReLU(),
                nn.Conv2d(after, after, 1, bias=False), nn.BatchNorm2d(after),
            )  # fmt: skip

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = self.wide(x)
            return functional.relu(x + self.deep(x))

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            begin = nn.Sequential(
                nn.Conv2d(3, CHANNELS[0], 3, 2, 1, bias=False), nn.BatchNorm2d(CHANNELS[0]), nn.ReLU()
            )
            self.body = nn.Sequential(begin, *(Block(*two) for two in pairwise(CHANNELS)))
            self.head = nn.Linear(2 * CHANNELS[-1], LENGTH)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = self.body(x)
            mean, peak = x.mean((2, 3)), (x * x * x + 1e-6).mean((2, 3)).sqrt()
            y = self.head(torch.cat([mean, peak], 1))
            return y / (y * y).sum(1, keepdim=True).sqrt()

    def varied(pixels: np.ndarray, mirrored: np.ndarray) -> torch.Tensor:
        """Parts of views, lighter or darker, warmer or colder; both of a place mirrored or none, since its mirror image is another."""
        x = tensor(pixels)
        size = 1 - 0.3 * torch.rand(len(x)) * (torch.rand(len(x)) < 0.7)
        place = torch.zeros(len(x), 2, 3)
        place[:, 0, 0] = size * torch.from_numpy(1 - 2.0 * mirrored)
        place[:, 1, 1] = size * (1 + 0.1 * (torch.rand(len(x)) - 0.5)).clamp(max=1)
        place[:, :, 2] = (1 - size)[:, None] * (2 * torch.rand(len(x), 2) - 1)
        grid = functional.affine_grid(place, [len(x), 3, HIGH, WIDE], align_corners=False)
        x = normed(functional.grid_sample(x, grid, padding_mode="reflection", align_corners=False))
        gain, lift = 1 + 0.5 * (torch.rand(len(x), 1, 1, 1) - 0.5), torch.rand(len(x), 1, 1, 1) - 0.5
        return x * gain * (1 + 0.24 * (torch.rand(len(x), 3, 1, 1) - 0.5)) + lift * 0.6

    def tensor(pixels: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(pixels)).permute(0, 3, 1, 2).float() / 255

    def small(pixels: np.ndarray) -> torch.Tensor:
        return functional.interpolate(tensor(pixels), (HIGH, WIDE), mode="bilinear", antialias=True)

    def normed(x: torch.Tensor) -> torch.Tensor:
        return (x - 0.45) * 4

    def told(net: nn.Module) -> str:
        net.eval()
        with torch.no_grad():
            flat = kept.reshape(-1, *kept.shape[2:])
            parts = [net(normed(small(flat[at : at + 128]))) for at in range(0, len(flat), 128)]
            e = torch.cat(parts).numpy().reshape(len(kept), VIEWS, LENGTH)
        near = e[:, 1:].reshape(-1, LENGTH) @ e[:, 0].T
        own = np.repeat(np.arange(len(kept)), VIEWS - 1)
        rank = (near > near[np.arange(len(own)), own][:, None]).sum(1)
        return f"top-1 {(rank == 0).mean():.3f}, top-10 {(rank < 10).mean():.3f} of {len(kept)}"

    every = np.concatenate([np.load(path) for path in sorted(folder.glob("*.npy"))])
    apart = len(every) // 16
    kinds = np.array([kind_of(number) for number in range(len(every))])[apart:]
    kept, every = every[:apart], every[apart:]
    alike = [np.flatnonzero(kinds == kind) for kind in sorted(set(kinds))]
    net, chance, began = Network(), np.random.default_rng(0), time.perf_counter()
    net = net.to(memory_format=torch.channels_last)
    smooth = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.998), use_buffers=True)
    optimiser = torch.optim.AdamW(net.parameters(), RATE, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.1)
    print(f"{len(every)} places, {sum(p.numel() for p in net.parameters())} numbers", flush=True)
    loss_told = 0.0
    for step in range(steps):
        # the likest places are those of one kind: every other batch has no others
        among = alike[chance.integers(len(alike))] if step % 2 else np.arange(len(every))
        at = chance.choice(among, min(places, len(among)), replace=False)
        two = np.stack([chance.permutation(VIEWS)[:2] for _ in at])
        both = np.concatenate([at, at])
        mirrored = np.tile(chance.random(len(at)) < 0.5, 2)
        views = varied(every[both, two.T.reshape(-1)], mirrored)
        net.train()
        with torch.autocast("cpu", torch.bfloat16):
            e = net(views.contiguous(memory_format=torch.channels_last))
        e = e.float()
        near = e[: len(at)] @ e[len(at) :].T * 20
        own = torch.arange(len(at))
        loss = (functional.cross_entropy(near, own) + functional.cross_entropy(near.T, own)) / 2
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        smooth.update_parameters(net)
        loss_told = loss.item() if not step else 0.97 * loss_told + 0.03 * loss.item()
        if step % 200 == 199 or step == steps - 1:
            print(
                f"{step + 1} steps, {time.perf_counter() - began:.0f} s: loss {loss_told:.3f}; {told(smooth)}",
                flush=True,
            )
        if step % 1000 == 999 or step == steps - 1:
            save(smooth.module)


def save(net) -> None:
    import torch

    net.eval()
    torch.onnx.export(
        net, (torch.zeros(1, 3, HIGH, WIDE),), str(TARGET), input_names=["views"], output_names=["vectors"],
        dynamic_axes={"views": {0: "n"}, "vectors": {0: "n"}}, opset_version=17, dynamo=False,
    )  # fmt: skip
    print(f"{TARGET.name}: {TARGET.stat().st_size / 1e6:.2f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=("views", "train"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--places", type=int, default=8000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--batch", type=int, default=96, help="places of a step")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.step == "views":
        render(arguments.folder, arguments.places, arguments.jobs)
    else:
        train(arguments.folder, arguments.steps, arguments.batch, arguments.threads)


if __name__ == "__main__":
    main()
