"""What stands around students' code: bubblewrap, or nothing.

A wall starts one command, with some paths to read and one folder to write to, within limits; whatever the
command starts ends with it. Another kind, a container say, is another subclass.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = "/home/student"  # the one folder that can be written to,
SHARED = "/dev/shm"  # beside the memory that processes share
ENVIRONMENT = {
    "HOME": FOLDER,
    "TMPDIR": FOLDER,
    "LANG": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "IPYTHONDIR": f"{FOLDER}/.ipython",
    "MPLCONFIGDIR": f"{FOLDER}/.matplotlib",
    "CUDA_VISIBLE_DEVICES": "",
    "PYTORCH_JIT": "0",  # Python hears nothing of what compiled code calls
    # Memory in large pages: a fork copies the table of its pages, which then is hundreds of times shorter.
    "PYTHONMALLOC": "malloc",
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}


@dataclass(frozen=True)
class Limits:
    """What the code of one submission may use.

    Attributes:
        memory: bytes, of each process and, where there are control groups, of all of them together.
        processes: processes and threads at a time; None for no limit.
        cpu: seconds of processor time of one process.
        file: bytes of one file.
    """

    memory: int = 4_000_000_000
    processes: int | None = 200
    cpu: int = 900
    file: int = 100_000_000

    def set(self) -> None:
        """Limit this process and all that it starts."""
        import resource

        for limit, value in (
            (resource.RLIMIT_DATA, self.memory),
            (resource.RLIMIT_NPROC, self.processes),
            (resource.RLIMIT_CPU, self.cpu),
            (resource.RLIMIT_FSIZE, self.file),
            (resource.RLIMIT_CORE, 0),
        ):
            _, most = resource.getrlimit(limit)
            if value is not None:
                value = value if most == resource.RLIM_INFINITY else min(value, most)
                resource.setrlimit(limit, (value, value))


class Wall(ABC):
    """Starts commands that are not trusted."""

    name: str

    @abstractmethod
    def start(
        self, command: Sequence[str], readable: Sequence[Path], limits: Limits, pipes: Sequence[int]
    ) -> "Walled":
        """Start a command.

        Args:
            command: the program and its arguments.
            readable: files and folders that it may read, beside the system's.
            limits: what it may use; those that only the process itself can set are its own affair.
            pipes: file descriptors that it keeps.

        Returns:
            What has been started.
        """

    @abstractmethod
    def problem(self, secret: Path | None = None) -> str:
        """Return why it does not work here, in a sentence; "" where it works.

        Args:
            secret: a folder that nothing behind the wall may see.
        """


@dataclass
class Walled:
    """A command that runs behind a wall; a folder of its own goes when it ends, or when Python does."""

    process: subprocess.Popen[bytes]
    groups: "ControlGroups | None" = None
    folder: tempfile.TemporaryDirectory[str] | None = None

    def end(self) -> None:
        """End it, with everything that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        if self.groups is not None:
            self.groups.remove()
        if self.folder is not None:
            self.folder.cleanup()


class Bubblewrap(Wall):
    """Debian's bubblewrap: no network, nothing of the machine but what Python needs, and that read-only."""

    name = "bubblewrap"

    def start(
        self, command: Sequence[str], readable: Sequence[Path], limits: Limits, pipes: Sequence[int]
    ) -> Walled:
        """Start a command; see `Wall`."""
        groups = ControlGroups.make(limits)
        process = subprocess.Popen(
            ["bwrap", *_wrapping(readable, limits), "--", *command],
            pass_fds=tuple(pipes),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.environ.get("PATH", os.defpath)},
            preexec_fn=groups.enter if groups else None,
            start_new_session=True,
        )
        return Walled(process, groups)

    def problem(self, secret: Path | None = None) -> str:
        """Say why it does not work here; see `Wall`."""
        if sys.platform != "linux":
            return "the sandbox, bubblewrap, needs Linux (on Windows: WSL)"
        if shutil.which("bwrap") is None:
            return "bubblewrap is not installed (Debian and Ubuntu: `sudo apt install bubblewrap`)"
        command = ["bwrap", *_wrapping([], Limits()), "--", "/bin/true"]
        tried = subprocess.run(command, capture_output=True, text=True, check=False)
        if tried.returncode:
            advice = f"; {_ALLOW}" if _is_forbidden() else ""
            return f"bubblewrap cannot make a sandbox here ({tried.stderr.strip()[:200]}{advice})"
        for place in _SYSTEM + _python():
            if secret and secret.resolve().is_relative_to(place):
                return f"{secret} lies in {place}, which students' code can read: move it"
        return ""

    def limits(self) -> str:
        """Say what limits a submission here, as the end of a sentence."""
        groups = ControlGroups.make(Limits())
        if groups is None:
            return "each process of a submission has limits; control groups for all of them cannot be made"
        groups.remove()
        return "control groups limit memory and processes of a submission"


class Nothing(Wall):
    """No wall: the command can do whatever the user can. Limits on one process hold all the same."""

    name = "nothing"

    def start(
        self, command: Sequence[str], readable: Sequence[Path], limits: Limits, pipes: Sequence[int]
    ) -> Walled:
        """Start a command; see `Wall`."""
        folder = tempfile.TemporaryDirectory(prefix="course-", ignore_cleanup_errors=True)
        environment = {
            **ENVIRONMENT,
            **dict.fromkeys(("HOME", "TMPDIR", "IPYTHONDIR", "MPLCONFIGDIR"), folder.name),
        }
        environment["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(str(path.parent) for path in readable))
        process = subprocess.Popen(
            list(command),
            pass_fds=tuple(pipes),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd=folder.name,
            start_new_session=True,
        )
        return Walled(process, folder=folder)

    def problem(self, secret: Path | None = None) -> str:
        """Say why it does not work here; see `Wall`. It hides nothing."""
        return "" if hasattr(os, "fork") else "grading forks processes, which Windows cannot: use WSL"


_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin")
_LARGE_PAGES = "/sys/kernel/mm/transparent_hugepage"  # where the C library reads whether there are any
_ALLOW = "`sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0` allows it until the next start"


def _python() -> tuple[str, ...]:
    return sys.base_prefix, sys.prefix


def _is_forbidden() -> bool:
    """Say whether AppArmor keeps users from making namespaces, as Ubuntu has it since 24.04."""
    switch = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
    return switch.exists() and switch.read_text().strip() == "1"


def _wrapping(readable: Sequence[Path], limits: Limits) -> list[str]:
    """The arguments of bubblewrap before the command."""
    words = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
    words += ["--uid", "1000", "--gid", "1000", "--hostname", "sandbox"]
    for name, value in ENVIRONMENT.items():
        words += ["--setenv", name, value]
    roots = dict.fromkeys(str(path.parent) for path in readable)
    if roots:
        words += ["--setenv", "PYTHONPATH", os.pathsep.join(roots)]
    for folder in _SYSTEM:
        if os.path.islink(folder):
            words += ["--symlink", os.readlink(folder), folder]
        elif os.path.isdir(folder):
            words += ["--ro-bind", folder, folder]
    for place in ("/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", _LARGE_PAGES):
        words += ["--ro-bind-try", place, place]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for folder in (FOLDER, SHARED):
        words += ["--size", str(2 * limits.file), "--tmpfs", folder]
    places = list(dict.fromkeys((*_python(), *map(str, readable))))
    for place in places:
        words += ["--ro-bind", place, place]
    if not any(place.startswith("/tmp/") for place in places):
        words += ["--symlink", FOLDER, "/tmp"]
    return [*words, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", FOLDER]


WALLS: dict[str, Wall] = {wall.name: wall for wall in (Bubblewrap(), Nothing())}


class ControlGroups:
    """Limits on memory and processes of a whole tree of processes, where this user may set them.

    Linux has two versions of them; both are understood.
    """

    _ROOT = Path("/sys/fs/cgroup")

    def __init__(self, folders: list[Path]) -> None:
        self._folders = folders

    @classmethod
    def make(cls, limits: Limits) -> "ControlGroups | None":
        """Make groups with these limits; None where that is not allowed."""
        settings: dict[str, dict[str, Any]] = {
            "memory": {
                "memory.limit_in_bytes": limits.memory,
                "memory.max": limits.memory,
                "memory.swap.max": 0,
            },
            "pids": {"pids.max": limits.processes},
        }
        name = f"course-{uuid.uuid4().hex}"
        is_first = (cls._ROOT / "memory").is_dir()
        made: list[Path] = []
        try:
            for controller, files in settings.items():
                folder = (cls._ROOT / controller if is_first else cls._ROOT) / name
                if folder not in made:
                    folder.mkdir()
                    made.append(folder)
                written = [
                    (folder / file).write_text(str(value))
                    for file, value in files.items()
                    if (folder / file).exists()
                ]
                if not written:
                    raise OSError(f"no {controller}")
        except OSError:
            cls(made).remove()
            return None
        return cls(made)

    def enter(self) -> None:
        """Put this process into the groups."""
        for folder in self._folders:
            (folder / "cgroup.procs").write_text("0")

    def remove(self) -> None:
        """Remove the groups; nothing may be left in them."""
        for folder in self._folders:
            for _ in range(50):
                with contextlib.suppress(OSError):
                    folder.rmdir()
                    break
                time.sleep(0.01)
