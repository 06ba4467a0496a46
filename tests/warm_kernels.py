"""Kernels that start at once: forked from a process that already holds torch and the course.

Half of a quick lecture's time goes into imports, which a hundred tests would repeat. Here they are done once.

    python warm_kernels.py ADDRESS               imports, then forks a kernel for each who asks
    python warm_kernels.py ADDRESS ARGUMENT…     what Jupyter starts: asks for a kernel, and stands for it
"""

import json
import os
import signal
import sys
from socket import AF_UNIX, SOCK_SEQPACKET, recv_fds, send_fds, socket

LONGEST = 1 << 20  # bytes of a request


def ask(address: str, *arguments: str) -> None:
    """Ask for a kernel and pass signals on to it. Each of the two ends with the other."""
    with socket(AF_UNIX, SOCK_SEQPACKET) as kernel:
        kernel.connect(address)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: kernel.send(bytes([number])))
        request = {"folder": os.getcwd(), "environment": dict(os.environ), "arguments": arguments}
        send_fds(kernel, [json.dumps(request).encode()], [0, 1, 2])
        kernel.recv(1)


def serve(address: str) -> None:
    """Fork a kernel for each who asks, until the process that started this one ends."""
    from course_tools.sandbox.namespaces import end_with_parent

    end_with_parent()
    load()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a kernel
    with socket(AF_UNIX, SOCK_SEQPACKET) as listener:
        listener.bind(address)
        listener.listen()
        while True:
            client, _ = listener.accept()
            request, descriptors, _, _ = recv_fds(client, LONGEST, 3)
            if os.fork() == 0:
                listener.close()
                run_kernel(client, json.loads(request), descriptors)
                os._exit(0)
            client.close()
            for descriptor in descriptors:
                os.close(descriptor)


def load() -> None:
    """Import what lectures and papers import."""
    import gc
    import pkgutil
    from importlib import import_module

    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"  # as in a kernel; read at import
    for name in ("ipykernel.ipkernel", "ipykernel.kernelapp", "torch._dynamo"):
        import_module(name)
    for package in ("course_lib", "course_experiments.results"):
        for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            import_module(module.name)
    gc.freeze()


def run_kernel(client: socket, request: dict, descriptors: list[int]) -> None:
    """Be the kernel that was asked for."""
    from threading import Thread

    from ipykernel.kernelapp import IPKernelApp
    from ipywidgets import register_comm_target

    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for standard, given in enumerate(descriptors):
        os.dup2(given, standard)
        os.close(given)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.path.remove(os.path.dirname(__file__))
    Thread(target=obey, args=(client,), daemon=True).start()
    app = IPKernelApp.instance(parent_handle=os.getppid())
    app.initialize(request["arguments"])
    register_comm_target()  # done at the import, where a kernel is there by then
    app.start()


def obey(client: socket) -> None:
    """Take signals from who asked for this kernel; end with it."""
    while number := client.recv(1):
        os.kill(os.getpid(), number[0])
    os._exit(0)


if __name__ == "__main__":
    (serve if len(sys.argv) == 2 else ask)(*sys.argv[1:])
