"""Running a submission's notebook within limits; a kernel that ends is a result, not an accident."""

import asyncio
import time
from typing import Any

from jupyter_core.utils import ensure_async
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import Execute
from nbgrader.utils import is_grade
from traitlets import Integer

TIMED_OUT = "CellTimeoutError"
KERNEL_ENDED = "KernelEnded"
NOT_RUN = "NotRun"
OUTPUT_CUT = "OutputCut"

_OUTPUT_MESSAGES = {"stream", "display_data", "execute_result", "update_display_data"}


class LimitedExecute(Execute):
    """nbgrader's execution with a limit on the whole paper and on output.

    A cell that ends the kernel gets the error `KernelEnded`; a cell after it, or after one that cannot be
    interrupted, gets `NotRun`. What was graded before stays graded. What a test cell writes to stderr is
    kept as ordinary output, because a warning is not a wrong answer.
    """

    paper_timeout = Integer(600, help="Seconds for all cells of one submission").tag(config=True)
    output_limit = Integer(1_000_000, help="Characters of output of one cell").tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: Any = None, km: Any = None
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Run all cells; see the class."""
        self._deadline = time.monotonic() + self.paper_timeout
        self._ended = ""
        self.timeout_func = self._seconds_for_cell
        return super().preprocess(nb, resources, km)

    def _seconds_for_cell(self, _cell: NotebookNode) -> int:
        return max(1, min(self.timeout, int(self._deadline - time.monotonic())))

    def preprocess_cell(self, cell: NotebookNode, resources: Any, index: int) -> tuple[NotebookNode, Any]:
        """Run one cell, or say on it why it was not run."""
        if cell.cell_type != "code":
            return cell, resources
        if not self._ended and time.monotonic() > self._deadline:
            self._ended = f"the {self.paper_timeout} seconds for the paper are used up"
        if self._ended:
            cell.outputs = [_error(NOT_RUN, self._ended)]
            return cell, resources

        self._characters = 0
        try:
            cell, resources = super().preprocess_cell(cell, resources, index)
        except DeadKernelError:
            cell.outputs.append(_error(KERNEL_ENDED, "this cell ended the kernel"))
            self._ended = "an earlier cell ended the kernel"
        except CellTimeoutError:
            cell.outputs.append(_error(TIMED_OUT, "this cell could not be interrupted"))
            self._ended = "an earlier cell could not be interrupted"
        if is_grade(cell):
            for output in cell.outputs:
                if output.output_type == "stream":
                    output.name = "stdout"
        return cell, resources

    def process_message(self, msg: dict[str, Any], cell: NotebookNode, cell_index: int) -> Any:
        """Keep a message of the kernel unless the cell's output is over the limit."""
        if msg["msg_type"] in _OUTPUT_MESSAGES:
            before = self._characters
            self._characters += len(str(msg["content"]))
            if self._characters > self.output_limit:
                if before <= self.output_limit:
                    cell.outputs.append(_error(OUTPUT_CUT, f"more than {self.output_limit} characters"))
                    self._interrupting = asyncio.ensure_future(ensure_async(self.km.interrupt_kernel()))
                return None
        return super().process_message(msg, cell, cell_index)


def _error(name: str, message: str) -> NotebookNode:
    return new_output("error", ename=name, evalue=message, traceback=[f"{name}: {message}"])
