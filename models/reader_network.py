"""The reader's network: a YOLO nano classifier that sees the whole card, and a small one for its corners.

Decks agree on nothing but their indices. A classifier of whole cards learns the pictures of the courts it
has seen and, on a printer's it has not, goes by them with the K in plain sight. So two corners are looked at
finer and on their own, with a loss of their own, and what both say is added: as two witnesses' evidence is,
in logits.
"""

from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional
from ultralytics.nn.modules import Conv
from ultralytics.nn.tasks import ClassificationModel

from vision.crop import CORNER_HEIGHT, CORNER_WIDTH, WHOLE_HEIGHT, WHOLE_WIDTH
from vision.labels import LABELS

CORNER_FEATURES = 256


class Outputs(NamedTuple):
    """(n, 42) logits of both together, of the whole card and of the corners, and (n, d) features."""

    logits: torch.Tensor
    whole: torch.Tensor
    corners: torch.Tensor
    features: torch.Tensor


class CornerNetwork(nn.Module):
    """(n, 3, h, w) corners to (n, 256) features: what glyphs are there, wherever in the corner."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            Conv(3, 24, 3, 2),
            Conv(24, 32, 3, 1),
            Conv(32, 64, 3, 2),
            Conv(64, 64, 3, 1),
            Conv(64, 128, 3, 2),
            Conv(128, 128, 3, 1),
        )

    def forward(self, corners: torch.Tensor) -> torch.Tensor:
        seen = self.layers(corners)
        return torch.cat([seen.amax(dim=(2, 3)), seen.mean(dim=(2, 3))], dim=1)


class CardReader(nn.Module):
    """Both looks at one card. Takes (n, 3, h, w) crops scaled to 0-1, of `vision.crop`'s size."""

    def __init__(self, scale: str = "n") -> None:
        super().__init__()
        self.whole = ClassificationModel(
            f"yolo11{scale}-cls.yaml", ch=3, nc=len(LABELS), verbose=False
        )
        self.corner = CornerNetwork()
        self.corner_head = nn.Sequential(nn.Dropout(0.1), nn.Linear(CORNER_FEATURES, len(LABELS)))
        self.names = dict(enumerate(LABELS))

    def forward(self, crops: torch.Tensor) -> Outputs:
        small = functional.interpolate(
            crops, size=(WHOLE_HEIGHT, WHOLE_WIDTH), mode="bilinear", align_corners=False
        )
        top = crops[:, :, :CORNER_HEIGHT, :CORNER_WIDTH]
        bottom = crops[:, :, -CORNER_HEIGHT:, -CORNER_WIDTH:].flip(2, 3)
        whole, features = _classified(self.whole, small)
        corners, found = self._corners(torch.cat([top, bottom]))
        return Outputs(whole + corners, whole, corners, torch.cat([features, found], dim=1))

    def both_ways(self, small: torch.Tensor, corners: torch.Tensor) -> Outputs:
        """The mean of a card's two ways up, of what `vision.crop.both_ways_up` makes of n crops.

        The corners are the same whichever way up it lies, and are looked at once.
        """
        whole, features = (
            out.reshape(2, -1, out.shape[1]).mean(dim=0) for out in _classified(self.whole, small)
        )
        said, found = self._corners(corners)
        return Outputs(whole + said, whole, said, torch.cat([features, found], dim=1))

    def _corners(self, both: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(n, 42) logits and (n, 256) features of (2n, 3, h, w) corners: the strongest sign of each kind in
        the corner at the top left and in the one that is there when the card is turned over; one of them may
        be covered."""
        found = self.corner(both).reshape(2, -1, CORNER_FEATURES).amax(dim=0)
        return self.corner_head(found), found


def _classified(model: nn.Module, inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """(n, 42) logits and (n, 1280) features of an Ultralytics classifier."""
    x = inputs
    for layer in model.model[:-1]:  # a plain chain: the classifier has no skip layers
        x = layer(x)
    head = model.model[-1]
    features = head.pool(head.conv(x)).flatten(1)
    return head.linear(head.drop(features)), features
