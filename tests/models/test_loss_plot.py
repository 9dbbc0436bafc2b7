"""The picture of a training run, drawn out of its log."""

import json
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.loss_plot import BOTTOM, COLOURS, HEIGHT, LEFT, RIGHT, TOP, WIDTH, curves, draw, plot

INNER = (slice(TOP, HEIGHT - BOTTOM), slice(LEFT, WIDTH - RIGHT))
"""Of the picture what lies between the axes."""


def line(step: int, **parts: float) -> str:
    return json.dumps({"step": step, "of": 400, "s": 7, "rate": 0.001, **parts})


def written(picture: np.ndarray, colour: tuple[int, int, int]) -> np.ndarray:
    """(n, 2): row and column of every pixel of exactly that colour between the axes."""
    return np.argwhere((picture[INNER] == colour).all(axis=2))


def test_every_logged_part_but_time_and_rate_is_a_curve() -> None:
    log = "\n".join([line(50, box=2.0, cls=1.0), line(100, box=1.5, cls=0.5)])
    assert curves(log) == {"box": [(50, 2.0), (100, 1.5)], "cls": [(50, 1.0), (100, 0.5)]}


def test_what_was_measured_after_a_pass_is_no_part_of_the_loss() -> None:
    log = "\n".join([line(50, loss=2.0), json.dumps({"epoch": 0, "recall": 0.9})])
    assert curves(log) == {"loss": [(50, 2.0)]}


def test_steps_that_a_resumed_run_logged_again_count_once_and_as_they_came_last() -> None:
    before = [line(50, loss=4.0), line(100, loss=3.0), line(150, loss=9.0), line(200, loss=9.0)]
    after = [line(150, loss=2.0)]  # from the checkpoint of step 100, and only this far
    assert curves("\n".join(before + after)) == {"loss": [(50, 4.0), (100, 3.0), (150, 2.0)]}


def test_a_line_cut_short_by_the_interruption_is_passed_over() -> None:
    log = "\n".join(
        [line(50, loss=4.0), '{"step": 100, "lo' + line(100, loss=3.0), line(150, loss=2.0)]
    )
    assert curves(log) == {"loss": [(50, 4.0), (150, 2.0)]}


def test_a_curve_runs_from_left_to_right_and_falls_as_the_loss_falls() -> None:
    picture = draw({"loss": [(step, 400 / step) for step in range(50, 2001, 50)]})
    rows, columns = written(picture, COLOURS[0]).T
    assert columns.max() - columns.min() > 0.9 * (WIDTH - LEFT - RIGHT)
    assert rows[columns < columns.min() + 20].min() < 150
    assert rows[columns > columns.max() - 20].min() > 300


def test_each_part_has_a_colour_of_its_own_and_its_name_in_it() -> None:
    picture = draw({"box": [(50, 2.0), (100, 1.5)], "cls": [(50, 1.0), (100, 0.5)]})
    for colour in COLOURS[:2]:
        assert len(written(picture, colour))
        assert (np.abs(picture[:, WIDTH - RIGHT + 5 :].astype(int) - colour).max(axis=2) < 60).any()
    assert not len(written(picture, COLOURS[2]))


@pytest.mark.parametrize("margin", [(slice(None), slice(0, LEFT - 5)), (slice(-BOTTOM + 5, None),)])
def test_both_axes_carry_numbers(margin: tuple[slice, ...]) -> None:
    picture = draw({"loss": [(50, 2.0), (100, 1.5)]})
    assert (picture[margin] < 128).any()


def test_a_loss_of_nothing_and_a_single_point_are_drawn_too() -> None:
    assert draw({"loss": [(50, 0.0)]}).shape == (HEIGHT, WIDTH, 3)


def test_a_log_becomes_a_png_and_an_empty_one_none(tmp_path: Path) -> None:
    log, target = tmp_path / "log.jsonl", tmp_path / "loss.png"
    log.write_text("")
    plot(log, target)
    assert not target.exists()
    log.write_text(line(50, loss=4.0) + "\n" + line(100, loss=2.0) + "\n")
    plot(log, target)
    assert cv2.imread(str(target)).shape == (HEIGHT, WIDTH, 3)


def test_a_run_keeps_its_picture_after_every_pass_and_when_it_is_over(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="needs the train extra (PyTorch)")
    from models.loop import Recipe, train

    there = []

    class Ones:
        def __len__(self) -> int:
            return 60

        def batches(self, epoch: int) -> Iterator[dict[str, "torch.Tensor"]]:
            there.append((tmp_path / "loss.png").exists())
            for _ in range(len(self)):
                yield {"x": torch.ones(1, 1, 1, 1)}

    def loss(model: "torch.nn.Module", batch: dict[str, "torch.Tensor"]):  # type: ignore[no-untyped-def]
        far = (model(batch["x"]).float() - 3).square().mean()
        return far, {"far": float(far.detach())}

    train(torch.nn.Conv2d(1, 1, 1), Ones(), loss, Recipe(epochs=2, rate=0.1), tmp_path)
    assert there == [False, True]
    picture = cv2.imread(str(tmp_path / "loss.png"))
    assert len(written(picture, COLOURS[0]))
    (tmp_path / "loss.png").unlink()
    train(torch.nn.Conv2d(1, 1, 1), Ones(), loss, Recipe(epochs=2, rate=0.1), tmp_path)
    assert (tmp_path / "loss.png").exists()
