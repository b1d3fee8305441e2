"""Send files to the parcel service."""

import time

RETRY_LIMIT = 3


def backoff(attempt: int) -> float:
    """Return the seconds to wait before the given attempt."""
    return min(30.0, 0.5 * 2**attempt)


class Uploader:
    """Sends one file at a time."""

    def __init__(self, transport):
        self.transport = transport

    def send(self, path: str) -> str:
        """Send the file at ``path`` and return its receipt number."""
        for attempt in range(RETRY_LIMIT):
            try:
                return self.transport.put(path)
            except ConnectionError:
                time.sleep(backoff(attempt))
        raise ConnectionError(f"gave up on {path} after {RETRY_LIMIT} attempts")
