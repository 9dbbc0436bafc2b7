"""The verifier's network: what a view shows, how well its box lies, and how its word is weighed."""

import torch
from torch import nn
from ultralytics.nn.modules import Conv

KINDS = ("none", "up", "down")
"""What a view may show: no card, a card face up, a card face down."""

WIDTHS = (16, 32, 64, 96, 128)
"""Channels at a half, a quarter, an eighth, and twice at a sixteenth of a view's size."""


PLACES = 4 * 6
"""Cells of a view at a sixteenth of its size: where its edges run is not to be pooled away."""
LEAN, HIDDEN = 32, 64
"""Channels a cell, and units, from which it is told how well a box lies."""


class CardVerifier(nn.Module):
    """(n, 3, h, w) views scaled to 0-1, to (n, 4) logits: of `KINDS`, and of the overlap (IoU) of the box
    with the card it lies on, as Jiang et al. (2018), "Acquisition of Localization Confidence", choose boxes.

    `weighing` (3,): the logit of a box being a card is the finder's times the first, plus its view's times
    the second, plus the third (`models.verifier_training.weighed`).
    """

    weighing: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        a, b, c, d, e = WIDTHS
        self.layers = nn.Sequential(
            Conv(3, a, 3, 2),
            Conv(a, b, 3, 2),
            Conv(b, b, 3, 1),
            Conv(b, c, 3, 2),
            Conv(c, c, 3, 1),
            Conv(c, d, 3, 2),
            Conv(d, d, 3, 1),
            Conv(d, e, 3, 1),
        )
        self.head = nn.Sequential(nn.Dropout(0.15), nn.Linear(2 * e, len(KINDS)))
        self.overlap = nn.Sequential(
            Conv(e, LEAN, 1, 1),
            nn.Flatten(),
            nn.Linear(LEAN * PLACES, HIDDEN),
            nn.SiLU(),
            nn.Linear(HIDDEN, 1),
        )
        self.register_buffer("weighing", torch.tensor([0.0, 1.0, 0.0]))

    def forward(self, views: torch.Tensor) -> torch.Tensor:
        seen = self.layers(views)
        pooled = torch.cat([seen.mean(dim=(2, 3)), seen.amax(dim=(2, 3))], dim=1)
        return torch.cat([self.head(pooled), self.overlap(seen)], dim=1)

    def verdicts(self, views: torch.Tensor, finder: torch.Tensor) -> torch.Tensor:
        """(n, 3) logits: being a card, the finder's (n,) logits weighed in; down against up; overlap."""
        logits = self(views)
        finders, own, always = self.weighing
        card = finders * finder + own * card_logit(logits) + always
        return torch.stack([card, logits[:, 2] - logits[:, 1], logits[:, 3]], dim=1)


def card_logit(logits: torch.Tensor) -> torch.Tensor:
    """(n,) logits of being a card, whichever side up, of (n, 4) logits."""
    return torch.logsumexp(logits[:, 1:3], dim=1) - logits[:, 0]
