"""Videos unlike the others: what is asked for is made, kept apart and reported apart."""

from pathlib import Path

import pytest

from datasets.simulate_describe import Options
from models import following_videos
from models.following_results import FollowedVideo, Made


@pytest.mark.parametrize("variant", following_videos.VARIANTS)
def test_a_variant_changes_what_it_says_and_nothing_else(
    variant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Options] = []
    monkeypatch.setattr(following_videos, "simulate", lambda options, *_: asked.append(options))
    for name in ("", variant):
        following_videos.make(Made("normal", 1020, "drawn:500", 1, name), tmp_path)
    plain, other = asked
    changed = {f for f in Options.__slots__ if getattr(plain, f) != getattr(other, f)}
    assert changed == set(following_videos.VARIANTS[variant])


def test_a_variant_has_a_file_and_a_column_of_its_own() -> None:
    plain, fast = Made("normal", 7, "drawn:500"), Made("normal", 7, "drawn:500", 1, "30fps")
    assert plain.name != fast.name
    done = [FollowedVideo(made, (), (0.2,), 10, 1.0, 2.0) for made in (fast, plain)]
    assert "|  | target | normal | normal, 30fps |" in following_videos.report(done, "abc")
