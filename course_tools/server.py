"""A Jupyter server for one person on this machine: JupyterLab for lectures, formgrader for marking."""

import os
import secrets
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


def serve(
    folder: Path,
    place: str,
    headless: bool,
    port: int,
    prepare: Callable[[Any], None] = lambda server: None,
) -> None:
    """Serve a folder until Control-C, and open or print the address.

    Args:
        folder: what is served.
        place: the page, as a part of the address.
        headless: print the address and open nothing; so it is without a display or a terminal, too.
        port: the first port to try.
        prepare: called with the server before it starts.
    """
    from jupyterlab.labapp import LabApp

    graphical = (
        sys.platform in ("darwin", "win32") or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    )
    opens = graphical and sys.stdout.isatty() and not headless
    token = secrets.token_hex(16)
    arguments = [f"--ServerApp.root_dir={folder}", f"--ServerApp.port={port}", "--Application.log_level=WARN"]
    arguments += [f"--ServerApp.open_browser={opens}", f"--LabApp.default_url=/{place}"]
    arguments += [f"--IdentityProvider.token={token}"]
    # JupyterLab would ask the network for updates, and the reader, over a lecture, whether to show its news.
    arguments += [f"--LabApp.app_settings_dir={Path(__file__).parent / 'lab_settings'}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments += ["--allow-root"]
    server = LabApp.initialize_server(arguments)
    prepare(server)
    address = f"{server.connection_url}{place}{'&' if '?' in place else '?'}token={token}"
    # Said by the loop, which first opens the port: the address works from the moment it is printed.
    server.io_loop.add_callback(click.echo, f"The course is at {address}\nControl-C twice ends it.")
    server.start()
