"""The page: FastAPI, a WebSocket and static files."""
