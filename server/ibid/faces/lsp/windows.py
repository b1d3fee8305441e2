"""Tell on Windows whether a process is still running.

Never by ``os.kill(pid, 0)``, which ends the process there.  What the system answers
is interpreted by two pure functions; only `_Kernel` needs Windows.
"""

from __future__ import annotations

from typing import Protocol

SYNCHRONIZE = 0x00100000
ERROR_ACCESS_DENIED = 5
WAIT_OBJECT_0 = 0


class Kernel(Protocol):
    """The two calls needed of kernel32."""

    def open_process(self, pid: int) -> tuple[int, int]:
        """Return a handle, or 0, and the error code."""

    def wait(self, handle: int) -> int:
        """Return WaitForSingleObject's answer without waiting."""


class WindowsProcess:
    """One process, held by a handle so that its number cannot be reused."""

    def __init__(self, pid: int, kernel: Kernel | None = None) -> None:
        self._kernel = kernel or _Kernel()
        self._handle, error = self._kernel.open_process(pid)
        self._visible = may_exist(self._handle, error)

    def is_alive(self) -> bool:
        """Say whether the process runs; a process we may not open counts as running."""
        if not self._handle:
            return self._visible
        return not has_ended(self._kernel.wait(self._handle))


def may_exist(handle: int, error: int) -> bool:
    """Read OpenProcess's answer: denied means it exists."""
    return handle != 0 or error == ERROR_ACCESS_DENIED


def has_ended(waited: int) -> bool:
    """Read WaitForSingleObject's answer: a signalled handle is an ended process."""
    return waited == WAIT_OBJECT_0


class _Kernel:
    """kernel32, loaded on first use."""

    def __init__(self) -> None:
        import ctypes

        self._ctypes = ctypes
        self._dll = ctypes.WinDLL(  # type: ignore[attr-defined,unused-ignore]
            "kernel32", use_last_error=True
        )
        self._dll.OpenProcess.restype = ctypes.c_void_p
        dword = ctypes.c_uint32
        self._dll.OpenProcess.argtypes = (dword, ctypes.c_int, dword)
        self._dll.WaitForSingleObject.restype = dword
        self._dll.WaitForSingleObject.argtypes = (ctypes.c_void_p, dword)

    def open_process(self, pid: int) -> tuple[int, int]:
        handle = self._dll.OpenProcess(SYNCHRONIZE, False, pid)
        error = self._ctypes.get_last_error()  # type: ignore[attr-defined,unused-ignore]
        return handle or 0, error

    def wait(self, handle: int) -> int:
        return int(self._dll.WaitForSingleObject(handle, 0))
