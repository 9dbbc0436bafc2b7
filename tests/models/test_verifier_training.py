"""What the verifier learns from, how its word is weighed, and that what runs is what was trained."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

torch = pytest.importorskip("torch", reason="needs the train extra (PyTorch)")

from datasets.build import write_shard  # noqa: E402
from models.at_table import FRAMES_A_PHOTOGRAPH  # noqa: E402
from models.cli import app  # noqa: E402
from models.evaluate import Labelled, Photograph  # noqa: E402
from models.export import export  # noqa: E402
from models.finder_training import SceneSet, new_finder  # noqa: E402
from models.training import Job, train_verifier  # noqa: E402
from models.verifier_network import CardVerifier  # noqa: E402
from models.verifier_training import (  # noqa: E402
    VerifierData,
    train_set,
    verifier_loss,
    weigh,
    weighed,
)
from models.views import (  # noqa: E402
    LOOKS_A_SCENE,
    UNTOLD,
    ViewSet,
    load_views,
    of_photographs,
    of_scenes,
)
from vision.boxes import Rows  # noqa: E402
from vision.errors import UserError  # noqa: E402
from vision.finder import Finder  # noqa: E402
from vision.types import Detection, Image  # noqa: E402
from vision.verifier import VIEW_HEIGHT, VIEW_WIDTH, Verifier  # noqa: E402
from vision.weights import load_weights  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # tracing warns that it is deprecated

JPEG = cv2.imencode(".jpg", np.zeros((300, 300, 3), np.uint8))[1].tobytes()
CARD = np.array([[100, 80], [160, 80], [160, 170], [100, 170]], float)


def row(dx: float, p: float = 0.9) -> list[float]:
    """A box like the card's, so far to its right."""
    return [130.0 + dx, 125, 90, 60, np.pi / 2, p, 0, np.pi / 2]


class Proposes:
    """A finder that proposes what it was told to, at any size."""

    def __init__(self, *rows: list[float]) -> None:
        self.rows = np.array(rows)
        self.sides: list[int] = []

    def to_verify(self, image: Image, threshold: float, side: int) -> Rows:
        self.sides.append(side)
        return self.rows

    def proposals(self, image: Image, threshold: float, side: int) -> Rows:
        return self.to_verify(image, threshold, side)

    def find_any_size(self, image: Image) -> list[Detection]:
        quad = ((100.0, 80.0), (160.0, 80.0), (160.0, 170.0), (100.0, 170.0))
        return [Detection(quad, "up", 0.9)]


def views_of(folder: Path, finder: Proposes, face: int = 0) -> ViewSet:
    """What is cut of a scene with one card, in one of the looks at it."""
    scenes = SceneSet([JPEG], [CARD[None]], [np.array([face])])
    list(of_scenes(scenes, finder, folder))  # type: ignore[arg-type]
    kept = load_views(folder)[0]
    once = slice(len(kept) // LOOKS_A_SCENE)
    return ViewSet(*(getattr(kept, name)[once] for name in ViewSet.__slots__))


def test_every_box_that_lies_on_a_card_is_one_and_any_other_is_none(tmp_path: Path) -> None:
    finder = Proposes(row(2), row(8, 0.5), row(120, 0.1))
    assert views_of(tmp_path / "up", finder).kinds.tolist() == [1, 1, 0]
    assert views_of(tmp_path / "down", finder, face=1).kinds.tolist() == [2, 2, 0]


def test_of_a_box_nearly_on_a_card_only_the_overlap_is_learnt(tmp_path: Path) -> None:
    kept = views_of(tmp_path, Proposes(row(0), row(24), row(120)))
    assert kept.kinds.tolist() == [1, UNTOLD, 0]
    assert kept.overlaps.tolist() == pytest.approx([1, 36 / 84, 0], abs=0.02)


def test_of_the_boxes_on_a_card_it_is_told_which_the_finder_would_take(tmp_path: Path) -> None:
    kept = views_of(tmp_path, Proposes(row(8, 0.5), row(0), row(120, 0.2)))
    assert kept.surest.tolist() == [False, True, True]


def test_a_scene_is_seen_at_several_sizes(tmp_path: Path) -> None:
    finder = Proposes(row(0))
    views_of(tmp_path, finder)
    assert len(set(finder.sides)) == LOOKS_A_SCENE


def test_views_that_are_there_are_not_cut_again(tmp_path: Path) -> None:
    views_of(tmp_path, Proposes(row(0)))
    again = Proposes(row(120))
    assert views_of(tmp_path, again).kinds.tolist() == [1]
    assert again.sides == []


def photograph(tmp_path: Path, complete: bool) -> Photograph:
    path = tmp_path / "one.png"
    cv2.imwrite(str(path), np.zeros((300, 300, 3), np.uint8))
    return Photograph(path, "here", (Labelled("7D", (100, 80, 160, 170), None),), complete)


def test_of_photographs_only_weak_boxes_in_the_open_are_taken_for_nothing(tmp_path: Path) -> None:
    finder = Proposes(row(0), row(30, 0.1), row(120, 0.1), row(120, 0.5))
    list(of_photographs([photograph(tmp_path, True)], finder, tmp_path))  # type: ignore[arg-type]
    kept = load_views(tmp_path)[0]
    assert kept.kinds.tolist() == [1, 0] * 2  # at two sizes
    assert np.isnan(kept.overlaps).all()  # a person's upright box does not say how the card lies


class ProposesBright(Proposes):
    """Proposes what is bright, and, surely, what lies beside it on the table."""

    def proposals(self, image: Image, threshold: float, side: int) -> Rows:
        rows, columns = np.nonzero(cv2.medianBlur(image, 9).mean(axis=2) > 200)
        x, y, width, height = columns.mean(), rows.mean(), np.ptp(columns) + 1, np.ptp(rows) + 1
        away = width * (2 if x < image.shape[1] / 2 else -2)
        return np.array(
            [[x, y, width, height, 0, 0.9, 0, 0], [x + away, y, width, height, 0, 0.9, 1, 0]]
        )


def test_at_a_table_s_size_sure_boxes_in_the_open_are_nothing_too(tmp_path: Path) -> None:
    picture = np.full((600, 600, 3), 40, np.uint8)
    picture[200:350, 250:350] = 240
    path = tmp_path / "one.png"
    cv2.imwrite(str(path), picture)
    one = Photograph(path, "here", (Labelled("7D", (250, 200, 350, 350), None),), True)
    list(of_photographs([one], ProposesBright(), tmp_path))  # type: ignore[arg-type]
    near, frames = [1] * 2, [1, 0] * FRAMES_A_PHOTOGRAPH
    assert load_views(tmp_path)[0].kinds.tolist() == near + frames


def test_a_photograph_with_cards_not_labelled_teaches_nothing(tmp_path: Path) -> None:
    some = [photograph(tmp_path, False), photograph(tmp_path, True)]
    list(of_photographs(some, Proposes(row(0)), tmp_path))  # type: ignore[arg-type]
    assert len(load_views(tmp_path)[0]) == 2


def test_pictures_in_which_nothing_is_proposed_give_no_views(tmp_path: Path) -> None:
    list(of_photographs([photograph(tmp_path, False)], Proposes(row(0)), tmp_path))  # type: ignore[arg-type]
    assert load_views(tmp_path)[0].views.shape == (0, VIEW_HEIGHT, VIEW_WIDTH, 3)


def test_views_are_cut_by_a_command(tmp_path: Path) -> None:
    scenes = tmp_path / "data"
    scenes.mkdir()
    write_shard(
        scenes / "scenes-0000.npz",
        jpeg=np.frombuffer(JPEG * 2, np.uint8),
        ends=np.array([len(JPEG), 2 * len(JPEG)]),
        quads=CARD[None],
        classes=np.array([0]),
        counts=np.array([1, 0]),
    )
    said = CliRunner().invoke(
        app, ["cut-views", str(scenes), "--out", str(tmp_path / "v"), "--json"]
    )
    assert json.loads(said.stdout)["pictures"] == 2, said.output
    assert len(load_views(tmp_path / "v")) == 1


def test_a_manifest_of_photographs_that_is_not_there_is_refused(tmp_path: Path) -> None:
    said = CliRunner().invoke(app, ["cut-views", str(tmp_path / "no.json"), "--out", str(tmp_path)])
    assert isinstance(said.exception, UserError)


def test_without_views_the_command_that_cuts_them_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cut-views"):
        load_views(tmp_path)


def test_views_of_before_are_refused_in_one_line(tmp_path: Path) -> None:
    write_shard(
        tmp_path / "views-0000.npz", views=np.zeros((0, 88, 64, 3)), p=[], kinds=[], overlaps=[]
    )
    with pytest.raises(UserError, match="does not say surest: delete it"):
        load_views(tmp_path)


def a_shard(count: int, kind: int, seed: int = 0) -> ViewSet:
    rng = np.random.default_rng(seed)
    views = rng.integers(0, 255, (count, VIEW_HEIGHT, VIEW_WIDTH, 3)).astype(np.uint8)
    p, lies = np.full(count, 0.5, np.float32), np.full(count, 0.7, np.float32)
    return ViewSet(views, p, np.full(count, kind, np.int64), lies, np.ones(count, bool))


def test_the_last_shards_are_held_back_and_photographs_get_their_share() -> None:
    made = [a_shard(10, 0) for _ in range(39)] + [a_shard(7, 2)] * 2
    learnt, held = train_set(made, [a_shard(5, 1)], 0.2)
    assert held.kinds.tolist() == [2] * 14
    assert (learnt.kinds == 1).mean() == pytest.approx(0.2, abs=0.01)


def test_what_is_weighed_together_means_what_it_says() -> None:
    rng = np.random.default_rng(1)
    finders, own = rng.normal(0, 2, (2, 20_000))
    truth = 0.5 * finders + 1.5 * own - 0.7
    cards = rng.random(20_000) < 1 / (1 + np.exp(-truth))
    assert weighed(finders, own, cards) == pytest.approx((0.5, 1.5, -0.7), abs=0.07)


def test_only_one_box_a_card_is_weighed() -> None:
    kept = a_shard(60, 0)
    kept.kinds[::2] = 1
    kept.p[::2] = 0.8  # where the finder would take a box its word is good,
    weak = a_shard(60, 1)
    weak.p[:] = 0.06  # and of the boxes beside it, which it doubts, all lie on cards
    weak.surest[:] = False
    both = ViewSet(
        *(np.concatenate([getattr(s, n) for s in (kept, weak)]) for n in ViewSet.__slots__)
    )
    torch.manual_seed(3)
    alone, together = CardVerifier().eval(), CardVerifier().eval()
    together.load_state_dict(alone.state_dict())
    weigh(alone, kept)
    weigh(together, both)
    assert torch.allclose(alone.weighing, together.weighing)


def test_the_same_seed_shakes_views_alike() -> None:
    data = VerifierData(a_shard(8, 1), batch=4, seed=3)
    first, second = list(data.batches(0)), list(data.batches(0))
    assert all(torch.equal(a["img"], b["img"]) for a, b in zip(first, second, strict=True))
    assert not torch.equal(first[0]["img"], next(iter(data.batches(1)))["img"])


def loss_of(kinds: list[int], overlaps: list[float]) -> float:
    """The loss of two grey views."""
    torch.manual_seed(2)
    batch = {
        "img": torch.full((2, 3, VIEW_HEIGHT, VIEW_WIDTH), 99, dtype=torch.uint8),
        "cls": torch.tensor(kinds),
        "overlap": torch.tensor(overlaps),
    }
    with torch.no_grad():
        return float(verifier_loss(CardVerifier().eval(), batch)[0])


def test_what_is_not_known_of_a_view_does_not_count() -> None:
    nan = float("nan")
    assert loss_of([1, UNTOLD], [0.7, 0.7]) == pytest.approx(loss_of([1, 1], [0.7, 0.7]))
    assert loss_of([1, 1], [0.7, nan]) == pytest.approx(loss_of([1, 1], [0.7, 0.7]))
    assert loss_of([1, 1], [0.7, 0.1]) != pytest.approx(loss_of([1, 1], [0.7, 0.7]))


def test_the_exported_verifier_says_what_the_trained_one_says(tmp_path: Path) -> None:
    torch.manual_seed(1)
    network = CardVerifier().eval()
    network.weighing.copy_(torch.tensor([0.7, 1.3, 0.2]))
    export("verifier", network, tmp_path, threshold=0.6)
    picture = np.random.default_rng(0).integers(0, 255, (200, 200, 3)).astype(np.uint8)
    quad = ((60.0, 40.0), (120.0, 40.0), (120.0, 130.0), (60.0, 130.0))
    verifier = Verifier(load_weights("verifier", tmp_path))
    verdicts = verifier.verify(picture, [quad, quad], np.array([0.3, 0.8]))
    from vision.verifier import view

    pixels = torch.from_numpy(view(picture, quad)[..., ::-1].copy()).permute(2, 0, 1)[None] / 255
    with torch.no_grad():
        said = network.verdicts(pixels.repeat(2, 1, 1, 1), torch.logit(torch.tensor([0.3, 0.8])))
    assert np.allclose(verdicts.p, torch.sigmoid(said[:, 0]), atol=0.01)
    assert np.allclose(verdicts.down, said[:, 1], atol=0.02)
    assert np.allclose(verdicts.overlap, torch.sigmoid(said[:, 2]), atol=0.01)
    assert verdicts.p[1] > verdicts.p[0]  # the finder's word counts
    assert verifier.weights.threshold == 0.6


def test_a_trained_verifier_comes_along_with_the_finder(tmp_path: Path) -> None:
    views = a_shard(16, 0)
    np.savez(tmp_path / "views-0000.npz", **{k: getattr(views, k) for k in ViewSet.__slots__})
    job = Job(tmp_path, tmp_path / "run", 1, 0.001, 8, None, None, 1)
    network = torch.load(train_verifier(job), weights_only=False)["model"].float()
    export("finder", new_finder().eval(), tmp_path, threshold=0.4)
    assert Finder.from_folder(tmp_path).all_weights[-1].threshold == 0.4
    export("verifier", network, tmp_path, threshold=0.5)
    finder = Finder.from_folder(tmp_path)
    assert [w.threshold for w in finder.all_weights] == [0.4, 0.5]
    assert finder.threshold == 0.5
    assert finder.find(np.zeros((96, 96, 3), np.uint8), threshold=0.0005) is not None
