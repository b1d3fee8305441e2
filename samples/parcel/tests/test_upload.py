"""The uploader gives up after the limit."""

import pytest
from src.upload import RETRY_LIMIT, Uploader


class Broken:
    calls = 0

    def put(self, path):
        self.calls += 1
        raise ConnectionError


def test_gives_up():
    broken = Broken()
    with pytest.raises(ConnectionError):
        Uploader(broken).send("a.bin")
    assert broken.calls == RETRY_LIMIT
