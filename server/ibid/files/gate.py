"""The one gate through which files of a workspace are read and written (R3, R5).

A workspace may be a stranger's repository.  Every component of a path is opened by
itself and never through a symbolic link; what is opened must be a regular file of at
most 1 MiB, checked on the open descriptor, not by name; a file that is to be replaced
must have one name only.  Nothing here can block on a pipe or a device.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from ibid.errors import InputError

MOST_BYTES = 1 << 20
MOST_NAMES = 2_000  # Of one folder; more are not looked at.

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)
# Windows opens no folders; there each component is looked at before it is used.
_BY_DESCRIPTOR = os.open in os.supports_dir_fd and _NOFOLLOW != 0


class FileRow(NamedTuple):
    """A regular file as it was when it was open."""

    data: bytes
    links: int
    mode: int


class Folder:
    """An open folder below the root; close it, or use it in a ``with`` block."""

    def __init__(self, path: str, descriptor: int | None) -> None:
        self.path = path
        self._descriptor = descriptor

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def open(self, name: str, flags: int, mode: int = 0o644) -> int:
        """Open a file of the folder without following a link; return its descriptor.

        Raises:
            InputError: the name is a symbolic link.
            OSError: as `os.open` says.
        """
        flags |= _NOFOLLOW | _CLOEXEC | _NONBLOCK | _BINARY
        if self._descriptor is None:
            whole = os.path.join(self.path, name)
            if os.path.islink(whole):
                raise InputError(f"{whole} is a symbolic link; Ibid follows none.")
            return os.open(whole, flags, mode)
        return os.open(name, flags, mode, dir_fd=self._descriptor)

    def child(self, name: str, make: bool) -> Folder | None:
        """Return a folder of this one, made if wanted; None when there is none.

        Raises:
            InputError: the name is taken by a link or a file.
        """
        if make:
            self._make(name)
        whole = os.path.join(self.path, name)
        try:
            if self._descriptor is None:
                return _by_name(whole)
            flags = os.O_RDONLY | _NOFOLLOW | _DIRECTORY | _CLOEXEC
            return Folder(whole, os.open(name, flags, dir_fd=self._descriptor))
        except FileNotFoundError:
            return None
        except NotADirectoryError as error:
            raise InputError(f"{whole} is no folder of its own.") from error
        except OSError as error:  # ELOOP: a symbolic link.
            raise InputError(f"Cannot use {whole}: {error.strerror}.") from error

    def _make(self, name: str) -> None:
        try:
            if self._descriptor is None:
                os.mkdir(os.path.join(self.path, name))
            else:
                os.mkdir(name, dir_fd=self._descriptor)
        except FileExistsError:
            return

    def mark(self, name: str) -> tuple[int, ...] | None:
        """Return what changes when a regular file does; None for anything else."""
        try:
            if self._descriptor is None:
                status = os.lstat(os.path.join(self.path, name))
            else:
                status = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        changed = (status.st_mtime_ns, status.st_ctime_ns, status.st_size)
        return (*changed, status.st_ino)

    def names(self) -> list[str]:
        """Return the names in the folder, sorted, at most `MOST_NAMES`."""
        where = self.path if self._descriptor is None else self._descriptor
        return sorted(os.listdir(where))[:MOST_NAMES]

    def replace(self, source: str, target: str) -> None:
        """Let the file ``source`` of this folder take the place of ``target``."""
        if self._descriptor is None:
            folder = self.path
            os.replace(os.path.join(folder, source), os.path.join(folder, target))
            return
        fd = self._descriptor
        os.replace(source, target, src_dir_fd=fd, dst_dir_fd=fd)
        os.fsync(fd)

    def remove(self, name: str) -> None:
        """Remove a file; nothing happens when there is none."""
        try:
            if self._descriptor is None:
                os.unlink(os.path.join(self.path, name))
            else:
                os.unlink(name, dir_fd=self._descriptor)
        except FileNotFoundError:
            return

    def find(self, name: str, most: int = MOST_BYTES) -> FileRow | None:
        """Return a file's bytes, or None when there is none.

        Raises:
            InputError: it is a link, no regular file, too large, or cannot be read.
        """
        whole = os.path.join(self.path, name)
        try:
            descriptor = self.open(name, os.O_RDONLY)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(f"Cannot read {whole}: {error.strerror}.") from error
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(descriptor)
            raise InputError(f"{whole} is no regular file.")
        with open(descriptor, "rb") as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise InputError(f"{whole} is larger than {most:,} bytes.")
        return FileRow(data, status.st_nlink, stat.S_IMODE(status.st_mode))


def open_folder(root: str, relative: str, make: bool = False) -> Folder | None:
    """Return the folder ``relative`` below ``root``, opened component by component.

    ``relative`` has slashes; "" is the root itself, which alone may be reached through
    links.  None when a component is missing and ``make`` is false.

    Raises:
        InputError: a component is a link, a file, or climbs out of the root.
    """
    try:
        folder = _root(root)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not make:
            return None
        raise InputError(f"Cannot use {root}: {error.strerror}.") from error
    for part in [one for one in relative.split("/") if one]:
        if part in (".", "..") or "\0" in part or os.sep in part:
            folder.__exit__()
            raise InputError(f"Not a path inside the project: {relative!r}.")
        with folder:
            try:
                inner = folder.child(part, make)
            except OSError as error:
                raise InputError(
                    f"Cannot make {folder.path}/{part}: {error.strerror}."
                ) from error
        if inner is None:
            return None
        folder = inner
    return folder


def find_file(root: str, relative: str, most: int = MOST_BYTES) -> FileRow | None:
    """Return the file ``relative`` below ``root``, or None when there is none.

    Raises:
        InputError: it may not be read; the message says why.
    """
    above, _, name = relative.rpartition("/")
    folder = open_folder(root, above)
    if folder is None or name in ("", ".", ".."):
        return None
    with folder:
        return folder.find(name, most)


def _root(root: str) -> Folder:
    if not _BY_DESCRIPTOR:
        return _by_name(root)
    return Folder(root, os.open(root, os.O_RDONLY | _DIRECTORY | _CLOEXEC))


def _by_name(path: str) -> Folder:
    """Return a folder where descriptors of folders do not exist (Windows)."""
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(20, "Not a directory", path)
    return Folder(path, None)
