"""The finder's network: a YOLO nano with oriented boxes, its own way to say how a card lies.

Ultralytics' head says a box by its sides' distances from where it looks from, in the box's own frame, and by
the angle of that frame from -45 to 135 degrees. Somewhere such a number must jump, and there the network, in
doubt between two ways to say one card, says something between them: of cards lying near 135 degrees one in
five was boxed more than 20 degrees askew and others became a heap of boxes, each where it was looked at
from; a card seen so steeply that it looks as broad as it is long became a diamond. And a rectangle cannot say
at all how a card looks from a chair at the table.

So a card is said by the ellipse inscribed in it (`vision.geometry.inscribed`), nothing of which ever jumps:
its middle, in the picture's frame; its half axes; its direction, as a vector that is the same after half a
turn; and how the card's sides run round it, as a vector that is the same after a quarter turn.
"""

from typing import Any

import torch
from torch import nn
from torch.nn import functional
from ultralytics.nn.modules.head import OBB, Detect
from ultralytics.nn.tasks import OBBModel, yaml_model_load
from ultralytics.utils.loss import RotatedBboxLoss, v8OBBLoss
from ultralytics.utils.metrics import probiou

from vision.boxes import BINS, MIDDLE

TURNS = 4
"""Numbers that say how a card lies: cosine and sine of twice its ellipse's direction, then of four times the
turn of its sides."""

SHARP = 0.1
"""Differences of a cosine or sine from which on the loss grows no faster: 1.5 degrees of a quarter turn's."""

LONG = 0.15
"""An ellipse longer than broad by this part has a direction that counts fully; a circle has none."""


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


class PlaceLoss(RotatedBboxLoss):
    """Ultralytics' loss of the boxes' overlap and distances, the distances being those of `places`."""

    def forward(
        self,
        pred_dist: torch.Tensor,
        pred_bboxes: torch.Tensor,
        anchor_points: torch.Tensor,
        target_bboxes: torch.Tensor,
        target_scores: torch.Tensor,
        target_scores_sum: torch.Tensor,
        fg_mask: torch.Tensor,
        imgsz: torch.Tensor,
        stride: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        weight = target_scores[fg_mask].sum(-1, keepdim=True)
        overlap = probiou(pred_bboxes[fg_mask], target_bboxes[fg_mask], floor=self.floor)
        said = pred_dist[fg_mask].view(-1, BINS)
        far = self.dfl_loss(said, places(target_bboxes, anchor_points)[fg_mask])
        total = target_scores_sum
        return ((1 - overlap) * weight).sum() / total, (far * weight).sum() / total


class TurnLoss(v8OBBLoss):
    """Ultralytics' loss on the ellipses, as the oriented boxes about them, and on how cards are turned.

    The overlap it asks for (ProbIoU) is one of normal distributions, and a card's has the same axes as its
    ellipse. A batch's `bboxes` (n, 5) are those boxes, its `turns` (n,) those of `inscribed`.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__(model)
        self.bbox_loss = PlaceLoss(self.reg_max).to(self.device)
        self.assigner.register_forward_hook(self._remember)

    def _remember(
        self, assigner: nn.Module, inputs: object, outputs: tuple[torch.Tensor, ...]
    ) -> None:
        """Keep which card of its picture each place was given: Ultralytics' loss throws it away."""
        self._assigned = outputs[4]

    def loss(
        self, preds: dict[str, torch.Tensor], batch: dict[str, torch.Tensor]
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        self._true_turns = self._by_picture(batch, len(preds["scores"]))
        loss: tuple[torch.Tensor, dict[str, torch.Tensor]] = super().loss(preds, batch)
        return loss

    def _by_picture(self, batch: dict[str, torch.Tensor], pictures: int) -> torch.Tensor:
        """(pictures, n) turns of the cards of each, laid out as Ultralytics lays out their boxes."""
        owners, boxes = batch["batch_idx"].view(-1, 1), batch["bboxes"].clone()
        boxes[:, 4] = batch["turns"]
        rows = torch.cat([owners, batch["cls"].view(-1, 1), boxes], dim=1).to(self.device)
        return self.preprocess(rows, pictures, torch.ones(4, device=self.device))[..., 5]

    def bbox_decode(
        self, anchor_points: torch.Tensor, pred_dist: torch.Tensor, pred_angle: torch.Tensor
    ) -> torch.Tensor:
        """(b, a, 5) boxes: middle, axes, direction of the longer in radians; `pred_angle` (b, a, 4)."""
        self._turns = pred_angle
        parts = pred_dist.unflatten(2, (4, -1)).softmax(3).matmul(self.proj.type(pred_dist.dtype))
        middle = anchor_points + parts[..., :2] - MIDDLE
        said = pred_angle.detach()
        direction = torch.atan2(said[..., 1:2], said[..., :1]) / 2
        return torch.cat([middle, 2 * parts[..., 2:], direction], dim=-1)

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
        true, turn = target_bboxes[fg_mask], self._true_turns.gather(1, self._assigned)[fg_mask]
        off = functional.smooth_l1_loss(
            self._turns[fg_mask], vectors(true[:, 4], turn), reduction="none", beta=SHARP
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


def places(boxes: torch.Tensor, points: torch.Tensor) -> torch.Tensor:
    """(b, a, 4) what the head says, in bins, of (b, a, 5) boxes seen from (a, 2) points, all in strides.

    How far the middle is to the right of the point and below it, from `MIDDLE` on since a bin has no sign,
    and half of either side.
    """
    said = torch.cat([boxes[..., :2] - points + MIDDLE, boxes[..., 2:4] / 2], dim=-1)
    return said.clamp(0, BINS - 1 - 0.01)


def vectors(direction: torch.Tensor, turn: torch.Tensor) -> torch.Tensor:
    """(n, 4) what the head says of ellipses' (n,) directions and sides' (n,) turns in radians."""
    twice, four = 2 * direction, 4 * turn
    return torch.stack([twice.cos(), twice.sin(), four.cos(), four.sin()], dim=-1)
