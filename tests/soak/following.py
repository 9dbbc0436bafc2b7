"""Five thousand pixel-free deals a level, followed by the scribe; about a quarter of an hour on a free core.

Run by `make soak`; writes docs/following-events.md.
"""

from models.following_events import main

if __name__ == "__main__":
    main(["--deals", "5000", "--situations", "200", "--out", "docs/following-events.md"])
