"""The game: rules, scribe, log, live game, review, page and command line."""
