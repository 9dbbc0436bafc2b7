"""Training of the verifier (`models.verifier_network`) on views of what the finder proposes."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
import torch
from scipy.optimize import minimize
from torch import nn
from torch.nn import functional

from models.loop import Batch, device, repeats
from models.reader_training import to_input
from models.verifier_network import CardVerifier, card_logit
from models.views import NO_CARD, UNTOLD, ViewSet
from vision.verifier import VIEW_HEIGHT, VIEW_WIDTH, logit

SMOOTHING = 0.01
"""Label smoothing: a few cards of made scenes show nothing of themselves."""

HELD_BACK = 0.05
"""This part of the made shards, the last, is not learnt from: on them the two words are weighed. They should
be of scenes that the finder has not been trained on either, or its word will be weighed too heavily."""

JOLT_ODDS, SOFT_ODDS, LIGHT_ODDS, GREY_ODDS, NOISE_ODDS = 0.5, 0.15, 0.6, 0.08, 0.3
"""How often a view lies a little off, is blurred, is lit otherwise, loses its colours, is noisy."""

AT_ONCE = 512

OVERLAP_SHARE = 1.0
"""What the loss of the overlap counts beside that of the kind."""

_PARTS = ViewSet.__slots__


def train_set(
    made: Sequence[ViewSet], real: Sequence[ViewSet], part: float
) -> tuple[ViewSet, ViewSet]:
    """What is learnt from, `part` of it of photographs (repeated as needed), and what is held back."""
    back = max(1, round(len(made) * HELD_BACK)) if len(made) > 1 else 0
    learnt, held = list(made[: len(made) - back]), list(made[len(made) - back :])
    views = sum(len(shard) for shard in real)
    if views:
        learnt += list(real) * repeats(sum(len(shard) for shard in learnt), views, part)
    return _joined(learnt), _joined(held or learnt)


def _joined(shards: Sequence[ViewSet]) -> ViewSet:
    return ViewSet(*(np.concatenate([getattr(s, name) for s in shards]) for name in _PARTS))


def shaken(view: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The view mirrored, jolted, its light and sharpness changed: a card is one in the mirror too."""
    if rng.random() < 0.5:
        view = view[:, ::-1]
    if rng.random() < 0.5:
        view = view[::-1]
    view = np.ascontiguousarray(view)
    size = (VIEW_WIDTH, VIEW_HEIGHT)
    if rng.random() < JOLT_ODDS:
        middle = (VIEW_WIDTH / 2, VIEW_HEIGHT / 2)
        matrix = cv2.getRotationMatrix2D(middle, rng.normal(0, 1.5), np.exp(rng.normal(0, 0.02)))
        matrix[:, 2] += rng.normal(0, 0.8, 2)
        view = cv2.warpAffine(view, matrix, size, borderMode=cv2.BORDER_REPLICATE)
    if rng.random() < SOFT_ODDS:
        small = tuple(int(side * rng.uniform(0.35, 0.8)) for side in size)
        view = cv2.resize(cv2.resize(view, small, interpolation=cv2.INTER_AREA), size)
    out = view.astype(np.float32)
    if rng.random() < LIGHT_ODDS:
        tint = np.exp(rng.normal(0, 0.2) + rng.normal(0, 0.06, 3)).astype(np.float32)
        out = out * tint + np.float32(rng.normal(0, 12))
    if rng.random() < GREY_ODDS:
        out = np.repeat(out.mean(axis=2, keepdims=True), 3, axis=2)
    if rng.random() < NOISE_ODDS:
        out = out + rng.normal(0, rng.uniform(1, 8), out.shape).astype(np.float32)
    return np.clip(out, 0, 255).astype(np.uint8)


class VerifierData:
    """Batches of shaken views."""

    def __init__(self, views: ViewSet, batch: int = 256, seed: int = 1) -> None:
        self.views, self.batch, self.seed = views, batch, seed

    def __len__(self) -> int:
        return len(self.views) // self.batch

    def batches(self, epoch: int) -> Iterator[Batch]:
        rng = np.random.default_rng((self.seed, epoch))
        order = rng.permutation(len(self.views))
        for start in range(0, len(self) * self.batch, self.batch):
            some = order[start : start + self.batch]
            images = np.stack([shaken(self.views.views[i], rng) for i in some])
            yield {
                "img": to_input(images),
                "cls": torch.from_numpy(self.views.kinds[some]),
                "overlap": torch.from_numpy(self.views.overlaps[some]),
            }


def new_verifier(base: Path | None = None) -> CardVerifier:
    """A verifier, from scratch or from a checkpoint."""
    model = CardVerifier()
    if base is not None:
        kept = torch.load(base, map_location="cpu", weights_only=False)["model"].float()
        # What knew nothing of overlaps yet learns them from here.
        model.load_state_dict(kept.state_dict(), strict=False)
    return model


def verifier_loss(model: nn.Module, batch: Batch) -> tuple[torch.Tensor, dict[str, float]]:
    """Cross-entropy over `verifier_network.KINDS`, and that of the overlap where it is known."""
    inputs = batch["img"].to(device()).float().div_(255)
    logits = model(inputs.contiguous(memory_format=torch.channels_last)).float()
    kinds, overlaps = batch["cls"].to(device()), batch["overlap"].to(device())
    kind = functional.cross_entropy(
        logits[:, :3], kinds, label_smoothing=SMOOTHING, ignore_index=UNTOLD
    )
    known = ~overlaps.isnan()
    lies = functional.binary_cross_entropy_with_logits(logits[known, 3], overlaps[known])
    off = (logits[known, 3].sigmoid() - overlaps[known]).abs().mean()
    told = kinds != UNTOLD
    right = (logits[told, :3].argmax(1) == kinds[told]).float().mean()
    parts = {"loss": kind, "right": right, "overlap": lies, "off": off}
    return kind + OVERLAP_SHARE * lies, {k: round(float(v.detach()), 4) for k, v in parts.items()}


@torch.no_grad()
def own_logits(model: nn.Module, views: np.ndarray) -> np.ndarray:
    """(n,) the verifier's own logits of being a card."""
    model.eval()
    parts = []
    for start in range(0, len(views), AT_ONCE):
        inputs = to_input(views[start : start + AT_ONCE]).to(device()).float().div_(255)
        parts.append(card_logit(model(inputs).float()).cpu().numpy())
    return np.concatenate(parts)


def weighed(finders: np.ndarray, own: np.ndarray, cards: np.ndarray) -> tuple[float, float, float]:
    """How to weigh the finder's (n,) logits and the verifier's so that together they mean what they say.

    Logistic regression: the weights of either and a constant that make `cards` (n,) booleans likeliest.
    """
    both = np.stack([finders, own, np.ones(len(own))], axis=1).astype(float)

    def unlikely(weights: np.ndarray) -> float:
        logits = both @ weights
        return float(np.logaddexp(0, np.where(cards, -logits, logits)).mean())

    found = minimize(unlikely, np.array([1.0, 0.5, 0.0]))
    a, b, c = (float(x) for x in found.x)
    return a, b, c


def weigh(model: nn.Module, held_back: ViewSet) -> None:
    """Fit the network's `weighing` on views it has not learnt from.

    On one box a card: a weak box beside a sure one lies on a card too, and would make the finder's doubts
    count for little where it is alone in them, as among household things.
    """
    told = held_back.surest & (held_back.kinds != UNTOLD)
    finders = logit(held_back.p[told].astype(float))
    own = own_logits(model, held_back.views[told])
    weights = weighed(finders, own, held_back.kinds[told] != NO_CARD)
    model.weighing.copy_(torch.tensor(weights))
