"""A forked kernel is like a started one: its folder, environment, interrupts, widgets and end."""

import os
import sys
import time

import psutil
import pytest
from jupyter_client.manager import start_new_kernel

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux only")


@pytest.fixture
def kernel(warm_kernels, monkeypatch, tmp_path):
    """A running kernel, and a function that runs code in it and returns what it printed or raised."""
    monkeypatch.setenv("PLACE", "here")
    manager, client = start_new_kernel(cwd=str(tmp_path))

    def run(code):
        said = []
        reply = client.execute_interactive(
            code, timeout=60, output_hook=lambda message: said.append(message["content"].get("text", ""))
        )
        return reply["content"].get("ename") or "".join(said).strip()

    yield manager, client, run
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def test_it_has_the_folder_and_the_environment_that_it_was_given(kernel, tmp_path):
    _, _, run = kernel
    assert run("import os, sys; print('torch' in sys.modules)") == "True"
    assert run("print(os.getcwd(), os.environ['PLACE'])") == f"{tmp_path} here"
    assert run("import warm_kernels") == "ModuleNotFoundError"


def test_widgets_can_be_asked_for_and_children_be_waited_for(kernel):
    _, _, run = kernel
    assert run("import comm; print('jupyter.widget.control' in comm.get_comm_manager().targets)") == "True"
    assert run("import subprocess; print(subprocess.run(['false']).returncode)") == "1"


def test_it_can_be_interrupted_and_ends_with_who_asked_for_it(kernel):
    manager, client, run = kernel
    number = int(run("import os; print(os.getpid())"))
    request = client.execute("import time; print('asleep'); time.sleep(60)")
    while client.get_iopub_msg(timeout=30)["content"].get("text") != "asleep\n":
        pass
    manager.interrupt_kernel()
    reply = client.get_shell_msg(timeout=30)
    assert (reply["parent_header"]["msg_id"], reply["content"]["ename"]) == (request, "KeyboardInterrupt")
    os.kill(manager.provisioner.pid, 9)
    deadline = time.monotonic() + 30
    while psutil.pid_exists(number) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not psutil.pid_exists(number)
