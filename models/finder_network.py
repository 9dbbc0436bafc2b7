"""The finder's network: a YOLO nano with oriented boxes, its own way to say how a card is turned.

Ultralytics' head says the angle of a box as one number from -45 to 135 degrees. Somewhere such a number
must jump, and there the network, in doubt between the two ends, says the middle: of cards lying near 135
degrees one in five was boxed more than 20 degrees askew, elsewhere one in twenty. And a card seen so steeply
that it looks as broad as it is long may lie in two ways, whose middle is a diamond. So the turn is said as
two vectors that never jump: one that is the same after half a turn, as a card is, and one that is the same
after a quarter turn, as the directions of its sides are. The second says how the sides run, the first which
are the long ones (`vision.finder.directions`).
"""

from typing import Any

import torch
from torch import nn
from torch.nn import functional
from ultralytics.nn.modules.head import OBB, Detect
from ultralytics.nn.tasks import OBBModel, yaml_model_load
from ultralytics.utils.loss import v8OBBLoss
from ultralytics.utils.tal import dist2rbox

TURNS = 4
"""Numbers that say how a card lies: cosine and sine of twice its direction, then of four times."""

SHARP = 0.1
"""Differences of a cosine or sine from which on the loss grows no faster: 1.5 degrees of a quarter turn's."""

LONG = 0.15
"""A card longer than broad by this part says fully which are its long sides; a square one does not at all."""


class TurnHead(OBB):
    """The head with oriented boxes; `angle` of what it gives are (n, 4, a) cosines and sines as they come."""

    def forward_head(
        self,
        x: list[torch.Tensor],
        box_head: nn.Module,
        cls_head: nn.Module,
        angle_head: nn.ModuleList,
    ) -> dict[str, torch.Tensor]:
        said: dict[str, torch.Tensor] = Detect.forward_head(self, x, box_head, cls_head)
        turns = [head(level).flatten(2) for head, level in zip(angle_head, x, strict=True)]
        return {**said, "angle": torch.cat(turns, dim=2)}


class TurnLoss(v8OBBLoss):
    """Ultralytics' loss, the turn learnt from its own vectors alone.

    The overlap of two boxes says next to nothing about the turn of one that is nearly square.
    """

    def bbox_decode(
        self, anchor_points: torch.Tensor, pred_dist: torch.Tensor, pred_angle: torch.Tensor
    ) -> torch.Tensor:
        """(b, a, 5) boxes: middle, sides, direction of the first side in radians; `pred_angle` (b, a, 4)."""
        self._turns = pred_angle
        parts = pred_dist.unflatten(2, (4, -1)).softmax(3).matmul(self.proj.type(pred_dist.dtype))
        direction = directions(pred_angle.detach())
        return torch.cat([dist2rbox(parts, direction, anchor_points), direction], dim=-1)

    def calculate_angle_loss(
        self,
        pred_bboxes: torch.Tensor,
        target_bboxes: torch.Tensor,
        fg_mask: torch.Tensor,
        weight: torch.Tensor,
        target_scores_sum: torch.Tensor,
        lambda_val: int = 3,
    ) -> torch.Tensor:
        """How far the vectors of the boxes in `fg_mask` are from the true cards'."""
        true = target_bboxes[fg_mask]
        off = functional.smooth_l1_loss(
            self._turns[fg_mask], turns(true[:, 4]), reduction="none", beta=SHARP
        )
        longer = (true[:, 2] / true[:, 3].clamp(min=1e-6) - 1).div(LONG).clamp(0, 1)
        each = off[:, :2].sum(1) * longer + off[:, 2:].sum(1)
        return (each * weight).sum() / target_scores_sum


class CardFinder(OBBModel):
    """A YOLO nano of oriented boxes for `classes` classes, with a `TurnHead`."""

    def __init__(self, classes: int) -> None:
        plan: dict[str, Any] = yaml_model_load("yolo11n-obb.yaml")
        plan["head"][-1][-1][-1] = TURNS
        super().__init__(plan, ch=3, nc=classes, verbose=False)
        # The same layers: only what they say is taken otherwise.
        self.model[-1].__class__ = TurnHead

    def init_criterion(self) -> TurnLoss:
        return TurnLoss(self)


def turns(direction: torch.Tensor) -> torch.Tensor:
    """(n, 4) vectors of (n,) directions of long sides in radians."""
    twice, four = 2 * direction, 4 * direction
    return torch.stack([twice.cos(), twice.sin(), four.cos(), four.sin()], dim=-1)


def directions(said: torch.Tensor) -> torch.Tensor:
    """(..., 1) directions of long sides in radians, [-pi/4, 3/4 pi), of (..., 4) vectors."""
    cos2, sin2, cos4, sin4 = said.unbind(-1)
    quarter = torch.atan2(sin4, cos4) / 4
    across = cos2 * torch.cos(2 * quarter) + sin2 * torch.sin(2 * quarter) < 0
    return (quarter + across * (torch.pi / 2)).unsqueeze(-1)
