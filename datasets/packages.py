"""The packages that training pictures are made of, and their licences, as a dataset's manifest lists them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from datasets.art import npm_root

Gives = Literal["decks", "pictures", "fonts"]

DEBIAN_DOCS = Path("/usr/share/doc")
"""Every installed Debian package leaves its copyright file in a folder of its name here."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package as `docs/training.md` lists it; `name` with its source, `Debian gnome-cards-data` say."""

    name: str
    gives: Gives
    licence: str


_WALLPAPERS = "GPL-2+, CC BY-SA and others"
_FONTS = "free font licences"

PACKAGES = (
    Package(
        "Debian gnome-cards-data",
        "decks",
        "GPL-3+, some LGPL and public domain (see its copyright file)",
    ),
    Package("Debian kdegames-card-data-kf5", "decks", "GPL-2+, LGPL (see its copyright file)"),
    Package("npm @heruka_urgyen/react-playing-cards", "decks", "CC0"),
    Package("npm svg-cards", "decks", "LGPL-2.1"),
    Package("Debian ufoai-textures", "pictures", _WALLPAPERS),
    Package("Debian plasma-workspace-wallpapers", "pictures", _WALLPAPERS),
    Package("Debian lomiri-wallpapers", "pictures", _WALLPAPERS),
    Package("Debian mate-backgrounds", "pictures", _WALLPAPERS),
    Package("Debian gnome-backgrounds", "pictures", _WALLPAPERS),
    Package("Debian fonts-urw-base35", "fonts", _FONTS),
    Package("Debian fonts-linuxlibertine", "fonts", _FONTS),
    Package("Debian fonts-dejavu", "fonts", _FONTS),
    Package("Debian fonts-liberation2", "fonts", _FONTS),
    Package("Debian fonts-freefont-ttf", "fonts", _FONTS),
)
"""Those that pictures to train on are made of; the held-out ones are none of them."""

USES: dict[str, frozenset[Gives]] = {
    "all": frozenset({"decks", "pictures", "fonts"}),
    "packages": frozenset({"decks", "pictures"}),
    "composed": frozenset({"decks", "pictures", "fonts"}),
    "drawn": frozenset({"pictures"}),
}
"""What a dataset of each kind of deck (`datasets.build.DECKS`) takes from packages."""


def place_of(package: Package) -> Path | None:
    """Where a package's own word on its licence lies; None where it is not installed."""
    source, _, name = package.name.partition(" ")
    if source == "npm":
        stem = name.removeprefix("@").replace("/", "-")
        return next(iter(sorted(npm_root().glob(f"*{stem}*/package"))), None)
    copyright_file = DEBIAN_DOCS / name / "copyright"
    return copyright_file if copyright_file.exists() else None


def used(made_of: str) -> list[dict[str, str]]:
    """The installed packages that a dataset of one kind of deck is made of, each with its licence and where
    the package itself says it."""
    found = [(p, place_of(p)) for p in PACKAGES if p.gives in USES[made_of]]
    return [
        {"name": p.name, "gives": p.gives, "licence": p.licence, "found": str(place)}
        for p, place in found
        if place is not None
    ]
