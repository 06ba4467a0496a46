"""Parting a fork from its siblings inside a sandbox: a process tree, shared memory and files of its own.

The wall around all of them is the sandbox's. This one stands between one submission and the next, which live
in forks of the same process. Linux only.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Sequence

_NEW_FILES, _NEW_MEMORY, _NEW_USER, _NEW_PROCESSES = 0x20000, 0x8000000, 0x10000000, 0x20000000
_END_WITH_PARENT, _READABLE_BY_SIBLINGS, _NO_NEW_RIGHTS = 1, 4, 38
_CAPABILITIES = 0x20080522  # the version of the call that sets them
FOLDER_SIZE = b"size=128m"


def can_part() -> bool:
    """Say whether `apart` works here."""
    if sys.platform != "linux":
        return False
    child = os.fork()
    if not child:
        code = 1
        try:
            _unshare()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def apart(work: Callable[[], None], folders: Sequence[str]) -> None:
    """Do some work in a fork of this process that reaches no other one; whatever it starts ends with it.

    Args:
        work: what to do.
        folders: what is empty for the work, can be written to, and then is gone; it begins in the first.
    """
    _control(_READABLE_BY_SIBLINGS, 1)  # else the next step is root's alone
    _unshare()
    child = os.fork()
    if not child:
        code = 1
        try:
            end_with_parent()
            for folder in folders:
                _checked(_libc().mount(b"tmpfs", folder.encode(), b"tmpfs", 0, FOLDER_SIZE))
            os.chdir(folders[0])
            with open("/proc/sys/user/max_user_namespaces", "w") as file:
                file.write("0")  # it can make no other users, who would have rights again
            _control(_NO_NEW_RIGHTS, 1)
            _drop_capabilities()
            work()
            code = 0
        finally:
            os._exit(code)
    os.waitpid(child, 0)


def end_with_parent() -> None:
    """Let this process end when the one that started it does, however that ends."""
    if sys.platform == "linux":
        _control(_END_WITH_PARENT, signal.SIGKILL)


def hide_from_siblings() -> None:
    """Keep other processes of this user from reading this one's memory, and its forks' until `apart`."""
    if sys.platform == "linux":
        _control(_READABLE_BY_SIBLINGS, 0)


def _unshare() -> None:
    user, group = os.getuid(), os.getgid()
    _checked(_libc().unshare(_NEW_FILES | _NEW_MEMORY | _NEW_USER | _NEW_PROCESSES))
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _drop_capabilities() -> None:
    head = (ctypes.c_uint32 * 2)(_CAPABILITIES, 0)
    _checked(_libc().capset(head, (ctypes.c_uint32 * 6)()))


def _control(option: int, value: int) -> None:
    _checked(_libc().prctl(option, value, 0, 0, 0))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> None:
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
