"""The one-stage network: trained on what scenes show, exported, and seen through like the two stages."""

from pathlib import Path

import cv2
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the train extra (PyTorch)")
pytest.importorskip("ultralytics", reason="needs the train extra (Ultralytics)")

from models.export import export  # noqa: E402
from models.finder_training import load_scenes, new_finder  # noqa: E402
from models.sight import OneStage  # noqa: E402
from models.training import Job, train_one_stage  # noqa: E402
from tests.pictures import photograph  # noqa: E402
from vision.errors import UserError  # noqa: E402
from vision.labels import INDEX, LABELS  # noqa: E402
from vision.weights import load_weights  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # tracing warns about shapes it bakes in

QUAD = np.float32([[220, 176], [292, 176], [292, 336], [220, 336]])


def write_scenes(folder: Path, **more: np.ndarray) -> None:
    """Two scenes of a 7H each, in the form `sueca datasets build` writes."""
    image = photograph({"7H": (256, 256, 0.0)}, 110, 512, 512)
    data = cv2.imencode(".jpg", image)[1].ravel()
    arrays = {
        "jpeg": np.concatenate([data, data]),
        "ends": np.array([len(data), 2 * len(data)]),
        "quads": np.stack([QUAD, QUAD]),
        "classes": np.zeros(2, int),
        "counts": np.ones(2, int),
    }
    np.savez(folder / "scenes-0000.npz", **arrays, **more)


def test_scenes_are_read_by_the_cards_they_show(tmp_path: Path) -> None:
    write_scenes(tmp_path, labels=np.full(2, INDEX["7H"]))
    assert [int(c) for c in np.concatenate(load_scenes(tmp_path, "labels").classes)] == [
        INDEX["7H"]
    ] * 2
    assert [int(c) for c in np.concatenate(load_scenes(tmp_path).classes)] == [0, 0]


def test_scenes_of_before_labels_were_written_are_refused(tmp_path: Path) -> None:
    write_scenes(tmp_path)
    with pytest.raises(UserError, match="build the scenes again"):
        load_scenes(tmp_path, "labels")


def test_a_folder_without_scenes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no scenes in"):
        load_scenes(tmp_path)


def test_it_trains_and_keeps_a_checkpoint_with_a_class_for_each_label(tmp_path: Path) -> None:
    write_scenes(tmp_path, labels=np.full(2, INDEX["7H"]))
    kept = train_one_stage(Job(tmp_path, tmp_path / "run", 1, 0.001, 2, None, None, 1))
    model = torch.load(kept, weights_only=False)["model"]
    assert kept.name == "one-stage.pt"
    assert tuple(model.names.values()) == LABELS


def test_exported_it_sees_cards_by_name_without_pytorch(tmp_path: Path) -> None:
    torch.manual_seed(1)
    export("one-stage", new_finder(classes=LABELS).eval(), tmp_path, threshold=1e-5)
    seen = OneStage(load_weights("one-stage", tmp_path)).see(np.zeros((48, 64, 3), np.uint8))
    assert seen
    assert all(one.label in LABELS and 0 < one.p < 1 for one in seen)
    assert all(np.isfinite(one.quad).all() for one in seen)
