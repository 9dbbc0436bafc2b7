"""From trained networks to the OpenVINO files that run without PyTorch.

The exported networks take (n, h, w, 3) uint8 BGR and do the scaling themselves, so that what runs on a
table is what was trained. The finder gives its heads' raw outputs (`vision.boxes.decode` makes boxes
of them), which keeps it free of any fixed picture size.
"""

import copy
from pathlib import Path

import openvino
import torch
from torch import nn

from models.manifest import enter
from models.reader_network import CardReader, Outputs
from models.verifier_network import CardVerifier
from vision.crop import CORNER_HEIGHT, CORNER_WIDTH, WHOLE_HEIGHT, WHOLE_WIDTH
from vision.verifier import VIEW_HEIGHT, VIEW_WIDTH


def _pixels(images: torch.Tensor) -> torch.Tensor:
    """(n, h, w, 3) uint8 BGR to (n, 3, h, w) of 0-1, still BGR."""
    return images.permute(0, 3, 1, 2).float() / 255


def _taking_bgr(network: nn.Module) -> nn.Module:
    """A copy of a network trained on RGB that takes BGR: its first filters' channels change places.

    To turn the picture's channels about instead took OpenVINO a seventh of a finder's look.
    """
    network = copy.deepcopy(network).eval().float()
    for layer in network.modules():
        if isinstance(layer, nn.Conv2d) and layer.in_channels == 3:
            layer.weight.data = layer.weight.data.flip(1)
    return network


class ExportedFinder(nn.Module):
    """Outputs boxes (n, 64, a) and scores (n, classes, a) as logits, and turns (n, 4, a), which
    `vision.boxes.decode` makes angles of."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = _taking_bgr(model)

    def forward(self, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        self.model.model[-1].training = True  # the head then hands out raw outputs
        out = self.model(_pixels(images))
        return out["boxes"], out["scores"], out["angle"]


class ExportedReader(nn.Module):
    """Takes `vision.crop.both_ways_up` of n crops; outputs (n, 42) logits and (n, d) features, which deck
    profiles are made of."""

    def __init__(self, model: CardReader) -> None:
        super().__init__()
        self.model = _taking_bgr(model)

    def forward(
        self, wholes: torch.Tensor, corners: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        out: Outputs = self.model.both_ways(_pixels(wholes), _pixels(corners))
        return out.logits, out.features


class ExportedVerifier(nn.Module):
    """Takes n views and the finder's (n,) logits; outputs (n, 3) logits: being a card, lying face down,
    the overlap of its box with it."""

    def __init__(self, model: CardVerifier) -> None:
        super().__init__()
        self.model = _taking_bgr(model)

    def forward(self, views: torch.Tensor, finder: torch.Tensor) -> torch.Tensor:
        return self.model.verdicts(_pixels(views), finder)


def export(
    name: str, network: nn.Module, folder: Path, temperature: float = 1.0, threshold: float = 0.4
) -> None:
    """Write `NAME.xml`, `NAME.bin` (fp16) into `folder` and enter them into its manifest.

    `name` is finder, verifier, reader or one-stage.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wrapped: nn.Module
    if name == "reader":
        wrapped = ExportedReader(network)
        shapes = [[-1, WHOLE_HEIGHT, WHOLE_WIDTH, 3], [-1, CORNER_HEIGHT, CORNER_WIDTH, 3]]
        example = [torch.zeros(4, *shape[1:], dtype=torch.uint8) for shape in shapes]
    elif name == "verifier":
        wrapped, shapes = ExportedVerifier(network), [[-1, VIEW_HEIGHT, VIEW_WIDTH, 3], [-1]]
        example = [torch.zeros(4, VIEW_HEIGHT, VIEW_WIDTH, 3, dtype=torch.uint8), torch.zeros(4)]
    else:
        wrapped, shapes = ExportedFinder(network), [[-1, -1, -1, 3]]
        example = [torch.zeros(1, 384, 640, 3, dtype=torch.uint8)]
    with torch.no_grad():
        converted = openvino.convert_model(
            wrapped,
            example_input=tuple(example),
            input=[openvino.PartialShape(shape) for shape in shapes],
        )
    openvino.save_model(converted, folder / f"{name}.xml", compress_to_fp16=True)
    enter(name, folder, temperature, threshold)
