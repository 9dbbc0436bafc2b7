"""Which pages may talk to this server: its own."""

from urllib.parse import urlsplit


def same_origin(origin: str | None, host: str | None) -> bool:
    """Whether a request comes from our own page, or from no page at all, as a script's does."""
    return origin is None or urlsplit(origin).netloc == host
