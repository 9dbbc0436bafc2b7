"""One training loop for all models: bf16 on the CPU, moving average, cosine schedule, resumable.

Ultralytics' own trainer is not used: it warms up for epochs, validates every one, and starts loader
processes that fight a two-core machine. The networks, losses and checkpoints are Ultralytics'.
"""

import copy
import json
import math
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import torch
from torch import nn

from models.loss_plot import plot

Batch = dict[str, torch.Tensor]


class Data(Protocol):
    """A training set: how many batches a pass has, and the batches of one, shuffled by its number."""

    def __len__(self) -> int: ...

    def batches(self, epoch: int) -> Iterator[Batch]: ...


@dataclass(frozen=True, slots=True)
class Recipe:
    """How long and how fast to learn; `rate` is the peak learning rate."""

    epochs: int
    rate: float
    weight_decay: float = 0.01
    warmup_steps: int = 200
    average: float = 0.9995
    """Decay of the moving average of weights; it reaches this after some 10,000 steps' worth of ramp."""
    save_every: int = 200
    threads: int = 2


def repeats(made: int, real: int, part: float) -> int:
    """How often `real` pictures are repeated to be `part` of a set with `made` others; at least once."""
    return max(1, round(made * part / (1 - part) / max(1, real)))


def device() -> torch.device:
    """The GPU where there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def autocast() -> AbstractContextManager[None]:
    """bf16 arithmetic: twice the speed on recent CPUs, and no loss scaling to look after."""
    return torch.autocast(device().type, torch.bfloat16)


def _prefetched(batches: Iterator[Batch], depth: int = 3) -> Iterator[Batch]:
    """Prepare batches in one thread while the network computes."""
    ready: queue.Queue[Batch | Exception | None] = queue.Queue(depth)

    def fill() -> None:
        try:
            for batch in batches:
                ready.put(batch)
            ready.put(None)
        except Exception as error:  # noqa: BLE001 - handed to the consumer, which raises it
            ready.put(error)

    threading.Thread(target=fill, daemon=True).start()
    while (item := ready.get()) is not None:
        if isinstance(item, Exception):
            raise item
        yield item


class _Average:
    """An exponential moving average of a model's weights, ramped up at the start."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.model = copy.deepcopy(model).eval().requires_grad_(False)
        self.decay, self.steps = decay, 0

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        self.steps += 1
        decay = self.decay * (1 - math.exp(-self.steps / 1000))
        for mean, value in zip(
            self.model.state_dict().values(), model.state_dict().values(), strict=True
        ):
            if mean.dtype.is_floating_point:
                mean.lerp_(value.to(mean.dtype), 1 - decay)
            else:
                mean.copy_(value)


def _optimiser(model: nn.Module, recipe: Recipe) -> torch.optim.Optimizer:
    """AdamW; biases and norms are not decayed."""
    decayed = [p for p in model.parameters() if p.requires_grad and p.ndim > 1]
    plain = [p for p in model.parameters() if p.requires_grad and p.ndim <= 1]
    groups = [
        {"params": decayed, "weight_decay": recipe.weight_decay},
        {"params": plain, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=recipe.rate, betas=(0.9, 0.98))


def train(
    model: nn.Module,
    data: Data,
    loss_of: Callable[[nn.Module, Batch], tuple[torch.Tensor, dict[str, float]]],
    recipe: Recipe,
    folder: Path,
    on_epoch: Callable[[int, nn.Module], dict[str, float]] | None = None,
) -> nn.Module:
    """Train and return the averaged model. Goes on from `folder/last.ckpt` if it is there.

    `loss_of(model, batch)` gives the loss and what to log; `folder/log.jsonl` grows a line every 50
    steps and is drawn after every pass as `folder/loss.png`; `on_epoch(epoch, averaged)` may measure and
    its figures are logged.
    """
    torch.set_num_threads(recipe.threads)  # after Ultralytics was imported: it sets cores - 1
    folder.mkdir(parents=True, exist_ok=True)
    model.to(device(), memory_format=torch.channels_last).train()
    average, optimiser = _Average(model, recipe.average), _optimiser(model, recipe)
    total = recipe.epochs * len(data)
    first, step = 0, 0
    last = folder / "last.ckpt"
    if last.exists():
        saved = torch.load(last, map_location=device(), weights_only=True)
        model.load_state_dict(saved["model"])
        average.model.load_state_dict(saved["average"])
        optimiser.load_state_dict(saved["optimiser"])
        average.steps = step = saved["step"]
        first = step // len(data)
    started = time.monotonic()
    with (folder / "log.jsonl").open("a") as log:
        for epoch in range(first, recipe.epochs):
            for batch in _prefetched(data.batches(epoch)):
                if step >= (epoch + 1) * len(data):
                    break  # resumed within this pass: only what was left of it
                rate = _rate(step, total, recipe)
                for group in optimiser.param_groups:
                    group["lr"] = rate
                with autocast():
                    loss, figures = loss_of(model, batch)
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 10.0)
                optimiser.step()
                average.update(model)
                step += 1
                if step % 50 == 0:
                    seconds = round(time.monotonic() - started)
                    line = {"step": step, "of": total, "s": seconds, "rate": rate, **figures}
                    log.write(json.dumps(line) + "\n")
                    log.flush()
                if step % recipe.save_every == 0:
                    _save(last, model, average, optimiser, step)
            _save(last, model, average, optimiser, step)
            if on_epoch:
                log.write(json.dumps({"epoch": epoch, **on_epoch(epoch, average.model)}) + "\n")
                log.flush()
                torch.set_num_threads(recipe.threads)
            plot(folder / "log.jsonl", folder / "loss.png")
    plot(folder / "log.jsonl", folder / "loss.png")  # of a run that was finished before, too
    return average.model


def _rate(step: int, total: int, recipe: Recipe) -> float:
    """Linear warm-up, then a cosine down to a hundredth."""
    if step < recipe.warmup_steps:
        return recipe.rate * (step + 1) / recipe.warmup_steps
    done = (step - recipe.warmup_steps) / max(1, total - recipe.warmup_steps)
    return recipe.rate * (0.01 + 0.99 * (1 + math.cos(math.pi * min(1.0, done))) / 2)


def _save(
    path: Path, model: nn.Module, average: _Average, optimiser: torch.optim.Optimizer, step: int
) -> None:
    part = path.with_suffix(".part")
    torch.save(
        {
            "model": model.state_dict(),
            "average": average.model.state_dict(),
            "optimiser": optimiser.state_dict(),
            "step": step,
        },
        part,
    )
    part.replace(path)
