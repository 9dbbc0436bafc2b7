"""The finder's network: how a card is turned is said without a jump anywhere."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the train extra (PyTorch)")
pytest.importorskip("ultralytics", reason="needs the train extra (Ultralytics)")

from models.finder_network import TURNS, TurnLoss, directions, turns  # noqa: E402
from models.finder_training import label_box, new_finder  # noqa: E402
from vision import finder  # noqa: E402
from vision.geometry import rectangle  # noqa: E402

DEGREES = np.arange(-44, 135, 3.0)


def said_of(degrees: np.ndarray) -> torch.Tensor:
    return turns(torch.from_numpy(np.radians(degrees)))


def test_a_direction_is_said_and_understood_again() -> None:
    assert directions(said_of(DEGREES))[:, 0].numpy() == pytest.approx(np.radians(DEGREES))


def test_what_runs_without_pytorch_understands_the_same() -> None:
    rough = said_of(DEGREES) + 0.3 * torch.randn(
        (len(DEGREES), TURNS), generator=torch.Generator().manual_seed(4)
    )
    without = finder.directions(rough.numpy().T.astype(np.float32))
    assert without == pytest.approx(directions(rough)[:, 0].numpy(), abs=1e-4)


@pytest.mark.parametrize("degrees", range(0, 180, 5))
def test_the_least_turn_of_a_card_changes_the_least_of_what_is_said(degrees: int) -> None:
    one, other = (
        label_box(np.array(rectangle((160, 160), 60, 90, math.radians(d))), 320)[4]
                  for d in (degrees - 0.5, degrees + 0.5))  # fmt: skip
    one, other = (turns(torch.tensor([angle])) for angle in (one, other))
    assert float((one - other).norm()) < 0.1


@pytest.mark.parametrize("degrees", range(-40, 50, 10))
def test_in_doubt_which_sides_are_the_long_ones_a_card_is_not_boxed_as_a_diamond(
    degrees: int,
) -> None:
    doubt = (said_of(np.array([degrees])) + said_of(np.array([degrees + 90]))) / 2
    off = math.degrees(float(directions(doubt))) - degrees
    assert min(abs(off), abs(off - 90)) < 0.1


def loss_of(said: torch.Tensor, width: float, length: float, degrees: float) -> float:
    """What a box at one place costs for its turn, where the true card is `width` by `length`."""
    loss = TurnLoss(new_finder())
    loss._turns = said[None]
    true = torch.tensor([[[5.0, 5.0, length, width, math.radians(degrees)]]])
    there = torch.ones((1, 1), dtype=torch.bool)
    return float(loss.calculate_angle_loss(true, true, there, torch.ones(1), torch.tensor(1.0)))


def test_a_card_taken_for_lying_across_costs_nothing_only_where_it_is_square() -> None:
    right, across = said_of(np.array([20.0])).float(), said_of(np.array([110.0])).float()
    assert loss_of(right, 60, 90, 20) == pytest.approx(0, abs=1e-5)
    assert loss_of(across, 60, 90, 20) > 1
    assert loss_of(across, 60, 60, 20) == pytest.approx(0, abs=1e-5)


def test_the_network_learns_how_a_card_is_turned() -> None:
    torch.manual_seed(0)
    model = new_finder().train()
    picture = torch.rand((1, 3, 96, 96), generator=torch.Generator().manual_seed(1))
    batch = {
        "img": picture,
        "batch_idx": torch.zeros(1),
        "cls": torch.zeros(1),
        "bboxes": torch.tensor([[0.5, 0.5, 0.6, 0.4, 2.2]]),
    }
    optimiser = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for _ in range(40):
        total, parts = model.loss(batch, model(batch["img"]))
        optimiser.zero_grad()
        total.sum().backward()
        optimiser.step()
    assert float(parts["angle_loss"]) < 0.3
