"""Running the cells of a student's notebook in a fresh Python, without Jupyter's interface."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from queue import Empty
from typing import Any

SECONDS_FOR_CELL = 60
TIMED_OUT = "Timed out"
ENDED = "Ended"
NOT_RUN = "Not run"

Told = Callable[[Any, str, str], object]


def run_cells(cells: Iterable[Any], folder: Path, done: Told, seconds: float = SECONDS_FOR_CELL) -> None:
    """Run code cells one after the other; what goes wrong in one is told, and the next one runs.

    Args:
        cells: code cells, as nbformat reads them.
        folder: the folder in which they run.
        done: called after each cell with the cell, and the name and text of its error; both are empty
            where there was none. The name of what is no error of Python's is `TIMED_OUT`, `ENDED` where
            Python ended, and `NOT_RUN` after that.
        seconds: how long one cell may take.
    """
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import KernelManager

    # No folder of kernels: what remains is this Python, whatever others are installed.
    manager = KernelManager(kernel_spec_manager=KernelSpecManager(kernel_dirs=[]))
    quiet = ["--IPKernelApp.log_level=CRITICAL", "--HistoryManager.hist_file=:memory:"]
    manager.start_kernel(extra_arguments=quiet, cwd=str(folder))
    client = manager.client()
    try:
        client.start_channels(stdin=False)
        client.wait_for_ready(timeout=seconds)
        client.iopub_channel.stop()  # outputs are not looked at
        runs = True
        for cell in cells:
            error, text = _run(manager, client, cell.source, seconds) if runs else (NOT_RUN, "")
            runs = error not in (ENDED, NOT_RUN) and (error != TIMED_OUT or _interrupted(manager, client))
            done(cell, error, text)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _run(manager: Any, client: Any, source: str, seconds: float) -> tuple[str, str]:
    request = client.execute(source, store_history=False, allow_stdin=False, stop_on_error=False)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            reply = client.get_shell_msg(timeout=min(1, seconds))
        except Empty:
            if not manager.is_alive():
                return ENDED, "it ended Python"
            continue
        if reply["parent_header"].get("msg_id") == request:
            content = reply["content"]
            return content.get("ename", ""), content.get("evalue", "")
    return TIMED_OUT, f"it was stopped after {seconds:g} seconds"


def _interrupted(manager: Any, client: Any, seconds: float = 10) -> bool:
    """Interrupt the cell that runs; say whether that stopped it."""
    manager.interrupt_kernel()
    try:
        client.get_shell_msg(timeout=seconds)
    except Empty:
        return False
    return True
