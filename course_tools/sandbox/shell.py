"""A notebook's cells without a kernel: IPython runs them; what they show is kept as a notebook keeps it."""

import base64
import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from traceback import walk_tb
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from course_lib.checks.core import CheckError, refuse_replaced_functions
from course_tools.sandbox.remote import CUT

OUTPUT_LIMIT = 1_000_000  # characters that one cell may show; more is dropped


class Shell:
    """Runs the cells of one notebook.

    Attributes:
        names: what the notebook has defined.
    """

    def __init__(self) -> None:
        os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
        self._outputs = _Outputs()
        self._shell = _Capturing.instance(outputs=self._outputs)
        self.names: dict[str, Any] = self._shell.user_ns
        self._files: set[str] = set()

    def run(self, source: str, name: str) -> list[dict[str, Any]]:
        """Run a cell.

        Args:
            source: its code.
            name: what it is called in tracebacks.

        Returns:
            What it showed, as the outputs of a notebook's cell.
        """
        self._outputs.clear()
        with (
            redirect_stdout(_Stream(self._outputs, "stdout")),
            redirect_stderr(_Stream(self._outputs, "stderr")),
        ):
            self._shell.run_cell(source, store_history=True)
        return self._outputs.kept

    @contextmanager
    def silence(self) -> Iterator[None]:
        """Run code whose output nobody sees."""
        nowhere = _Stream(self._outputs, "stdout")
        with redirect_stdout(nowhere), redirect_stderr(nowhere):
            yield
        self._outputs.clear()

    def replaced(self) -> str:
        """Say what was replaced that belongs to Python, the checks or IPython; "" if nothing."""
        try:
            refuse_replaced_functions()
        except CheckError as error:
            return error.fact.split()[0]
        return "ast_transformers" if self._shell.ast_transformers else ""

    def line(self, error: BaseException) -> int | None:
        """Return the last line of the notebook's cells that an exception passed through."""
        own = [number for frame, number in walk_tb(error.__traceback__) if frame.f_globals is self.names]
        return own[-1] if own else None


class _Outputs:
    """The outputs of a cell, up to a limit."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.kept: list[dict[str, Any]] = []
        self._characters = 0

    def add(self, output: dict[str, Any], characters: int) -> None:
        before, self._characters = self._characters, self._characters + characters
        if self._characters <= OUTPUT_LIMIT:
            self.kept.append(output)
        elif before <= OUTPUT_LIMIT:
            self.kept.append({"output_type": "display_data", "metadata": {}, "data": {"text/plain": CUT}})

    def add_text(self, name: str, text: str) -> None:
        last = self.kept[-1] if self.kept else {}
        fits = text[: max(OUTPUT_LIMIT - self._characters, 0)]
        if last.get("name") == name:
            last["text"] += fits
            self._characters += len(fits)
        elif fits:
            self.add({"output_type": "stream", "name": name, "text": fits}, len(fits))
        if len(fits) < len(text) and self._characters <= OUTPUT_LIMIT:
            self.add({}, len(text))


class _Stream:
    """Stands for sys.stdout or sys.stderr."""

    encoding = "utf-8"

    def __init__(self, outputs: _Outputs, name: str) -> None:
        self._outputs, self._name = outputs, name

    def write(self, text: str) -> int:
        self._outputs.add_text(self._name, str(text))
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False


class _Publisher(DisplayPublisher):
    shell: Any

    def publish(self, data: Any, *_: Any, **__: Any) -> None:
        output = {"output_type": "display_data", "data": _plain(data), "metadata": {}}
        self.shell.outputs.add(output, len(str(data)))

    def clear_output(self, wait: bool = False) -> None:
        self.shell.outputs.clear()


class _Hook(DisplayHook):
    shell: Any

    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        output = {"output_type": "execute_result", "data": _plain(format_dict), "metadata": {}}
        self.shell.outputs.add(output | {"execution_count": None}, len(str(format_dict)))

    def finish_displayhook(self) -> None:
        self._is_active = False


class _Capturing(InteractiveShell):
    """IPython that shows nothing, but keeps it."""

    def __init__(self, outputs: _Outputs) -> None:
        self.outputs = outputs
        config = Config({"HistoryManager": {"enabled": False}})
        super().__init__(display_pub_class=_Publisher, displayhook_class=_Hook, config=config)

    def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
        lines = [str(line) for line in stb]
        output = {
            "output_type": "error",
            "ename": str(etype.__name__),
            "evalue": str(evalue),
            "traceback": lines,
        }
        self.outputs.add(output, sum(map(len, lines)))


def _plain(data: Any) -> dict[str, str]:
    """Text as it is; pictures in base64, as notebooks hold them."""

    def text(value: Any) -> str:
        return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)

    return {str(kind): text(value) for kind, value in data.items()}
