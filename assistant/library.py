"""The games folder: one folder a game, with its log, its evidence and its journal."""

import contextlib
import re
import threading
from pathlib import Path

from assistant.evidence import EvidenceStore
from assistant.fold import Game
from assistant.live import LiveGame
from assistant.log import GameLog
from vision.errors import UserError

LOG_NAME = "game.sqlite"
EVIDENCE_NAME = "evidence"
JOURNAL_NAME = "events.jsonl"

# No dot at the start and no separator anywhere: a name can never lead out of the folder. Brackets and
# the like may be: a file manager calls a copy "friday (copy)".
_NAME = re.compile(r"\w[^/\\:\x00-\x1f\x7f]{0,99}")


class Library:
    """All games in one folder. A game is opened once and kept open. Safe across threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: dict[str, LiveGame] = {}
        self._lock = threading.Lock()

    def names(self) -> tuple[str, ...]:
        """The games there are, the latest written first."""
        logs = []
        for path in self.folder.glob(f"*/{LOG_NAME}"):
            if not _NAME.fullmatch(path.parent.name):
                continue
            with contextlib.suppress(FileNotFoundError):  # discarded meanwhile
                logs.append((path.stat().st_mtime, path.parent.name))
        return tuple(name for _, name in sorted(logs, reverse=True))

    def open(self, name: str) -> LiveGame:
        """The game of that name. Raises `KeyError` where there is none, `UserError` if damaged."""
        with self._lock:
            if name not in self._open:
                if not _NAME.fullmatch(name) or not self._log(name).is_file():
                    raise KeyError(name)
                self._open[name] = LiveGame(GameLog(self._log(name)))
            return self._open[name]

    def look(self, name: str) -> Game:
        """The game of that name as it stands, without keeping it open: a folder may hold more games
        than a program may hold files. Raises as `open` does."""
        with self._lock:
            if name in self._open:
                return self._open[name].catch_up()
        if not _NAME.fullmatch(name) or not self._log(name).is_file():
            raise KeyError(name)
        with GameLog(self._log(name)) as log:
            return LiveGame(log).game

    def create(self, name: str, model: str | None = None) -> LiveGame:
        """Start a game, or go on with the one of that name; `model` is written with what is seen.

        Raises `UserError` where the name cannot be a folder's or the log cannot be opened.
        """
        if not _NAME.fullmatch(name):
            raise UserError(f"{name!r} cannot name a game; use letters, digits, spaces and hyphens")
        with self._lock:
            if name in self._open:
                self._open[name].close()
            self._open[name] = LiveGame(GameLog(self._log(name)), model)
            return self._open[name]

    def begin(self, wish: str, model: str | None = None) -> tuple[str, LiveGame]:
        """Start a game called `wish`, or `wish-2`, `wish-3`, … where that is taken; no other program
        gets that name then. Raises `UserError` as `create` does."""
        name, count = wish, 1
        while not self._claimed(name):
            count += 1
            name = f"{wish}-{count}"
        return name, self.create(name, model)

    def _claimed(self, name: str) -> bool:
        """Make the game's log, empty; False where it is there already."""
        log = self._log(name)
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            log.touch(exist_ok=False)
        except FileExistsError:
            if log.exists():
                return False
            raise UserError(f"{log.parent}: a file is in the way; give another --games") from None
        except OSError as error:
            raise UserError(
                f"{log}: cannot start a game there ({error.strerror}); check the folder, or give "
                "another with --games"
            ) from error
        return True

    def discard(self, name: str) -> None:
        """Close a game in which nothing was written down and remove its log and its journal; its folder
        too, unless something else lies there. A game with anything in it stays as it is."""
        with self._lock:
            game = self._open.get(name)
            if game is None or any(entry.source == "camera" for entry in game.entries):
                return
            del self._open[name]
            game.close()
        folder = self._folder(name)
        for path in (*folder.glob(f"{LOG_NAME}*"), folder / JOURNAL_NAME):
            path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # not empty: it is not ours alone
            folder.rmdir()

    def evidence(self, name: str) -> EvidenceStore:
        """Where the pictures of a game are kept. Raises `KeyError` for what cannot be a name."""
        return EvidenceStore(self._folder(name) / EVIDENCE_NAME)

    def journal(self, name: str) -> Path:
        """Where the journal of a game is. Raises `KeyError` for what cannot be a name."""
        return self._folder(name) / JOURNAL_NAME

    def close(self) -> None:
        """Close every game that was opened."""
        with self._lock:
            for game in self._open.values():
                game.close()
            self._open.clear()

    def _folder(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise KeyError(name)
        return self.folder / name

    def _log(self, name: str) -> Path:
        return self.folder / name / LOG_NAME
