"""From trained networks to the OpenVINO files that run without PyTorch.

The exported networks take (n, h, w, 3) uint8 BGR and do the scaling themselves, so that what runs on a
table is what was trained. The finder gives its heads' raw outputs (`vision.finder.decode` makes boxes
of them), which keeps it free of any fixed picture size.
"""

from pathlib import Path

import openvino
import torch
from torch import nn

from models.manifest import enter
from models.reader_network import Outputs
from vision.crop import CROP_HEIGHT, CROP_WIDTH


class _Pixels(nn.Module):
    """(n, h, w, 3) uint8 BGR to what the networks were trained on."""

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return images.flip(3).permute(0, 3, 1, 2).float() / 255


class ExportedFinder(nn.Module):
    """Outputs boxes (n, 64, a) and scores (n, classes, a) as logits, angles (n, 1, a) in radians."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.pixels, self.model = _Pixels(), model.eval().float()

    def forward(self, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        self.model.model[-1].training = True  # the head then hands out raw outputs
        out = self.model(self.pixels(images))
        return out["boxes"], out["scores"], out["angle"]


class ExportedReader(nn.Module):
    """Outputs (n, 42) logits and (n, d) features, which deck profiles are made of."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.pixels, self.model = _Pixels(), model.eval().float()

    def forward(self, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        out: Outputs = self.model(self.pixels(images))
        return out.logits, out.features


def export(
    name: str, network: nn.Module, folder: Path, temperature: float = 1.0, threshold: float = 0.4
) -> None:
    """Write `NAME.xml`, `NAME.bin` (fp16) into `folder` and enter them into its manifest.

    `name` is finder, reader or one-stage.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if name == "reader":
        wrapped, shape = ExportedReader(network), [-1, CROP_HEIGHT, CROP_WIDTH, 3]
        example = torch.zeros(2, CROP_HEIGHT, CROP_WIDTH, 3, dtype=torch.uint8)
    else:
        wrapped, shape = ExportedFinder(network), [-1, -1, -1, 3]
        example = torch.zeros(1, 384, 640, 3, dtype=torch.uint8)
    with torch.no_grad():
        converted = openvino.convert_model(
            wrapped, example_input=example, input=[openvino.PartialShape(shape)]
        )
    openvino.save_model(converted, folder / f"{name}.xml", compress_to_fp16=True)
    enter(name, folder, temperature, threshold)
