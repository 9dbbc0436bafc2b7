"""The verifier's network: a small classifier of views, and how its word and the finder's are weighed."""

import torch
from torch import nn
from ultralytics.nn.modules import Conv

KINDS = ("none", "up", "down")
"""What a view may show: no card, a card face up, a card face down."""

WIDTHS = (16, 32, 64, 96, 128)
"""Channels at a half, a quarter, an eighth, and twice at a sixteenth of a view's size."""


class CardVerifier(nn.Module):
    """(n, 3, h, w) views scaled to 0-1, to (n, 3) logits of `KINDS`.

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
        self.register_buffer("weighing", torch.tensor([0.0, 1.0, 0.0]))

    def forward(self, views: torch.Tensor) -> torch.Tensor:
        seen = self.layers(views)
        pooled = torch.cat([seen.mean(dim=(2, 3)), seen.amax(dim=(2, 3))], dim=1)
        logits: torch.Tensor = self.head(pooled)
        return logits

    def verdicts(self, views: torch.Tensor, finder: torch.Tensor) -> torch.Tensor:
        """(n, 2): logit of being a card, the finder's (n,) logits weighed in; logit of down against up."""
        logits = self(views)
        finders, own, always = self.weighing
        card = finders * finder + own * card_logit(logits) + always
        return torch.stack([card, logits[:, 2] - logits[:, 1]], dim=1)


def card_logit(logits: torch.Tensor) -> torch.Tensor:
    """(n,) logits of being a card, whichever side up, of (n, 3) logits of `KINDS`."""
    return torch.logsumexp(logits[:, 1:], dim=1) - logits[:, 0]
