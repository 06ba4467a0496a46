"""What hostile answers do, one line each, and what comes of it.

Files that are hostile before anything runs are the concern of other tests: links, devices, large files and
two submissions of one student (`test_grade`), zips that climb out, link or swell (`test_zips`), HTML in
written answers (`test_feedback`). What does not end or ignores interrupts is in `test_grade`.
"""

import json
import os
import socket
import threading
from string import Template

import nbformat
import psutil
import pytest
from mini_paper import PAPER, RIGHT, answered, cell, make_course, need_sandbox, source_notebook
from nbformat.v4 import new_code_cell

from course_tools.grading import grade, release
from course_tools.grading.execution import clean_outputs

SECRET = "a word that only the grader knows"
HIDDEN = "of a number below zero"
CHECKS = f"""with visible("double", "of two"):
    check_close(double(2), 4, "the result")
### BEGIN HIDDEN TESTS
with hidden("double", "{HIDDEN}"):
    check_close(double(-31.25), -62.5, "the result")
### END HIDDEN TESTS"""
SCENE = "import course_lib.checks.core as c\nfrom course_lib.checks.core import check_close, hidden, visible"
WRONG = "\ndef double(number):\n    return 5\n"
RIGHT_DOUBLE = f"\n{RIGHT['double']}\n"

# What the wall must withstand: each is right as long as what it tries fails.
WALL = {
    "reads solutions": """
import os
for place in ("$COURSE/solutions", "$COURSE/gradebook.db", "$SUBMISSIONS"):
    assert not os.path.exists(place)""",
    "reads environment": """
import glob, os
assert "COURSE_SECRET" not in os.environ
for path in glob.glob("/proc/*/environ"):
    try:
        content = open(path, "rb").read()
    except OSError:
        continue
    assert b"COURSE_SECRET" not in content""",
    "sees processes": """
import glob
assert not any(b"pytest" in open(path, "rb").read() for path in glob.glob("/proc/[0-9]*/cmdline"))""",
    "writes outside": """
import os, sys
for folder in (os.path.dirname(c.__file__), sys.prefix, "/", "/usr", "/etc", "/dev", "/proc"):
    try:
        open(folder + "/written", "w")
    except OSError:
        continue
    raise AssertionError(folder)
open("written", "w").close()""",
    "network": """
import socket
for address in (("127.0.0.1", $PORT), ("192.0.2.1", 80)):
    try:
        socket.create_connection(address, timeout=1)
    except OSError:
        continue
    raise AssertionError(address)""",
    "memory bomb": """
try:
    kept = [bytearray(200_000_000) for _ in range(20)]
except MemoryError:
    kept = []
assert not kept""",
    "disk bomb": """
for folder in (".", "/dev/shm"):
    try:
        for number in range(40):
            open(f"{folder}/{number}", "wb").write(bytes(10_000_000))
    except OSError:
        continue
    raise AssertionError(folder)""",
    "one large file": """
try:
    open("large", "wb").write(bytes(120_000_000))
except OSError:
    pass
else:
    raise AssertionError""",
    "becomes root": """
import ctypes, os
libc = ctypes.CDLL(None)
assert os.getuid() and libc.mount(b"a", b"/mnt", b"tmpfs", 0, 0) and libc.unshare(0x10000000)""",
    "what another left behind": """
import os
assert os.listdir(".") == [] and os.listdir("/dev/shm") == []
for folder in (".", "/dev/shm"):
    open(folder + "/left", "w").close()""",
}
WALL["what another left behind, again"] = WALL["what another left behind"]

CHEATS = {
    "replaces the cases": (
        """
class fake:
    def __init__(self, *_, **__): pass
    def __enter__(self): pass
    def __exit__(self, *_): return True
c.__dict__["visible"] = c.__dict__["hidden"] = visible = hidden = fake""",
        "tampered",
    ),
    "replaces the code of a check": ("c.check_close.__code__ = (lambda *_, **__: None).__code__", "tampered"),
    "replaces a function of Python": ("import builtins\nbuiltins.abs = lambda _: 0", "tampered"),
    "strips asserts": (
        """
import ast
class Strip(ast.NodeTransformer):
    def visit_Assert(self, node): return ast.Pass()
    def visit_With(self, node): return ast.Pass()
get_ipython().ast_transformers.append(Strip())""",
        "tampered",
    ),
    "traces": ("import sys\nsys.settrace(lambda *_: None)", "tampered"),
    "looks for objects": ("import gc\ngc.get_objects()", "tampered"),
    "hooks the end": (
        """
import atexit
atexit.register(lambda: print('{"status": "graded", "score": 10}'))""",
        "graded",
    ),
    "forges output": (
        """
from IPython.display import display
display({"text/plain": "3.0"}, raw=True)
print('{"test-double": 3}')""",
        "graded",
    ),
    "ends with the exit code of success": ("import os\nos._exit(0)", "crashed"),
    "kills its parents": ("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)", "tampered"),
    "forges replies": (
        """
import json, os, struct
reply = json.dumps(["reply", [["list", 4], 0, ["dict"], ["list"]]]).encode()
for number in range(3, 40):
    try:
        os.write(number, (struct.pack("<QQ", len(reply), 0) + reply) * 20)
    except OSError:
        pass""",
        "tampered",
    ),
    "forges an interrupt": (
        """
import json, os, struct
error = json.dumps(["error", [None, 1, ["builtins", "KeyboardInterrupt"], "KeyboardInterrupt", ["list"], 1]])
for number in range(3, 40):
    try:
        os.write(number, (struct.pack("<QQ", len(error), 0) + error.encode()) * 20)
    except OSError:
        pass""",
        "tampered",
    ),
    "forks without end": (
        """
import os, time
for _ in range(1000):
    if not os.fork():
        time.sleep(600)""",
        "crashed",
    ),
}
# Whole answers: what the tests call is hostile.
ANSWERS = {
    "equals everything": (
        """
class Equal:
    def __eq__(self, other): return True
    def __sub__(self, other): return 0
    def __float__(self): return 4.0
def double(number): return Equal()""",
        ("graded", 4),
    ),
    "is a number of its own": (
        """
class Four(int):
    def __eq__(self, other): return True
    __hash__ = None
def double(number): return Four(5)""",
        ("graded", 4),
    ),
    "returns a range without end": ("def double(number): return range(10**15)", (None, 4)),
    "returns itself": (
        """
def double(number):
    endless = []
    endless.append(endless)
    return endless""",
        (None, 4),
    ),
    "raises what a check raises": ("def double(number): raise c.CheckError('fine')", ("graded", 4)),
    "ends Python when tested": ("def double(number): raise SystemExit", ("graded", 4)),
    "is ended by a signal when tested": (
        "import os\ndef double(number): os.kill(os.getpid(), 11)",
        ("crashed", 4),
    ),
    "prints all that it has seen": (
        """
import base64, sys
def double(number):
    seen = str(get_ipython().user_ns["In"]) + str([frame for frame in sys._current_frames().values()])
    print(base64.b64encode(seen.encode()))
    raise ValueError(seen)""",
        ("graded", 4),
    ),
    "starts a program when tested": (
        """
import subprocess
def double(number):
    subprocess.run(["/bin/true"])
    return 2 * number""",
        ("tampered", 7),
    ),
    "borrows": ("def double(number): return c._plain(2 * number)", ("graded", 4)),
    "borrows by way of functions that Python does not watch": (
        """
import functools, torch
attend = functools.partial(torch.nn.functional.scaled_dot_product_attention)
def double(number):
    attend(*3 * [torch.ones(1, 1)])
    return 2 * number""",
        ("graded", 4),
    ),
    "borrows by way of what torch compiles": (
        """
import torch
F = torch.nn.functional
attend = torch.jit.trace(lambda x: F.scaled_dot_product_attention(x, x, x), torch.ones(1, 1))
def double(number):
    attend(torch.ones(1, 1))
    return 2 * number""",
        ("graded", 4),
    ),
    "shows its progress, which starts a thread": (
        """
from tqdm import tqdm
def double(number): return sum(tqdm([number, number]))""",
        ("graded", 7),
    ),
    "borrows by way of another thread": (
        """
import functools, threading, torch
def double(number):
    attend = functools.partial(torch.nn.functional.scaled_dot_product_attention, *3 * [torch.ones(1, 1)])
    thread = threading.Thread(target=attend)
    thread.start()
    thread.join()
    return 2 * number""",
        ("graded", 4),
    ),
    "forgets what it was seen to borrow": (
        """
import sys
def double(number):
    result = c._plain(2 * number)
    sys.getprofile().__self__.borrowed.clear()
    return result""",
        ("graded", 4),
    ),
    "borrows where nobody is told": (
        """
import json, os
from course_tools.sandbox import remote, wire
remote.Link.note = lambda *_: None
send = wire.Pipe.send
wire.Pipe.send = lambda pipe, message, numbers=b"": message[0] != "note" and send(pipe, message, numbers)
def double(number): return c._plain(2 * number)""",
        ("tampered", 4),
    ),
    "borrows where nobody looks": (
        """
from course_lib.checks.borrowing import Watch
Watch._is_excused = lambda *_: True
def double(number): return c._plain(2 * number)""",
        ("tampered", 4),
    ),
    "borrows once it has ended the watch": (
        """
import sys
from course_tools.sandbox import remote, wire
def double(number):
    send, wire.Pipe.send = wire.Pipe.send, lambda *_: None
    watch = sys.getprofile()
    sys.setprofile(None)
    result = c._plain(2 * number)
    sys.setprofile(watch)
    wire.Pipe.send = send
    return result""",
        ("tampered", 7),
    ),
    "borrows in the next call, which nobody watches": (
        """
import contextlib, sys
def double(number):
    frame = sys._getframe()
    while "leaves" not in frame.f_locals:
        frame = frame.f_back
    frame.f_locals["self"]._around = lambda options: contextlib.nullcontext()
    return c._plain(2 * number) if number < 0 else 2 * number""",
        ("tampered", 7),
    ),
    "borrows while it has replaced what watches": (
        """
from course_lib.checks import borrowing
def double(number):
    names = vars(borrowing)
    before = dict(names)
    for name, thing in before.items():
        if callable(thing):
            names[name] = lambda *_: lambda *_: lambda *_: None
    for name in ("COURSE", "READY_MADE", "JUDGES"):
        names[name] = ()
    result = c._plain(2 * number)
    names.update(before)
    return result""",
        ("graded", 4),
    ),
    "borrows from code that looks like a test": (
        """exec(compile("def double(number): return c._plain(2 * number)", "", "exec"))""",
        ("graded", 4),
    ),
    "borrows while the watch asks a class for its name": (
        """
found = []
class Asked(type):
    def __getattribute__(kind, name):
        if name in ("__module__", "__qualname__"):
            found.append(c._plain(7))
        return type.__getattribute__(kind, name)
class Own(list, metaclass=Asked): pass
def double(number):
    Own().append(1)
    return 2 * number if found else 5""",
        ("graded", 4),
    ),
    "borrows while the guard compares": (
        """
import sys
class Equal:
    def __eq__(self, other):
        self.found = c._plain(2 * self.number)
        return True
def double(number):
    equal = Equal()
    equal.number = number
    sys.audit("os.kill", equal, 0)
    return equal.found""",
        ("tampered", 4),
    ),
    "ends the watch as we do, and begins another": (
        """
import sys
from course_tools.sandbox import guard
def double(number):
    sys.audit(guard.UNWATCHED)
    result = c._plain(2 * number)
    sys.audit(guard.WATCHED, ())
    return result""",
        ("tampered", 4),
    ),
    "leaves a program behind": (
        """
import subprocess
subprocess.Popen(["/bin/sleep", "864213"], start_new_session=True)
def double(number): return 2 * number""",
        ("graded", 7),
    ),
}


def outcomes():
    """What each student hands in as `double`, and the state and score that it deserves."""
    wall = {name: (code + RIGHT_DOUBLE, ("graded", 7)) for name, code in WALL.items()}
    cheats = {name: (WRONG + code, (status, 4)) for name, (code, status) in CHEATS.items()}
    return {**wall, **cheats, **ANSWERS}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    need_sandbox()
    folder = make_course(tmp_path_factory.mktemp("course"))
    with (folder / "nbgrader_config.py").open("a") as config:
        config.write("c.Execute.timeout = 60\nc.Limits.memory = 1_500_000_000\n")
    paper = source_notebook()
    cell(paper, "test-double").source = CHECKS
    scene = new_code_cell(SCENE, id="scene")
    scene.metadata["nbgrader"] = cell(paper, "test-double").metadata.nbgrader | {
        "grade_id": "scene",
        "grade": False,
    }
    del scene.metadata["nbgrader"]["points"]
    paper.cells.insert(0, scene)
    nbformat.write(paper, folder / "solutions" / PAPER / f"{PAPER}.ipynb")
    release(PAPER, folder)
    return folder


@pytest.fixture(scope="module")
def listening():
    """A server of the grader's machine, and who has reached it."""
    reached = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept():
            while True:
                try:
                    reached.append(server.accept())
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1], reached


@pytest.fixture(scope="module")
def results(course, listening):
    released = nbformat.read(course / "assignments" / PAPER / f"{PAPER}.ipynb", as_version=4)
    folder = course / "handed in"
    folder.mkdir()
    places = {"COURSE": course, "SUBMISSIONS": folder, "PORT": listening[0]}
    for student, (code, _) in outcomes().items():
        code = Template(code).safe_substitute(places)
        notebook = answered(released, **{**RIGHT, "double": code})
        (folder / f"{student}.ipynb").write_text(json.dumps(notebook))
    (folder / "UTF-16.ipynb").write_bytes(json.dumps(answered(released, **RIGHT)).encode("utf-16"))
    (folder / "with a mark.ipynb").write_bytes(json.dumps(answered(released, **RIGHT)).encode("utf-8-sig"))
    latin = json.dumps(answered(released, **RIGHT, why="Überraschung"), ensure_ascii=False)
    (folder / "Latin-1.ipynb").write_bytes(latin.encode("latin-1"))
    os.environ["COURSE_SECRET"] = SECRET
    try:
        graded = grade(PAPER, folder, course, jobs=2)
    finally:
        del os.environ["COURSE_SECRET"]
    return {result.student: result for result in graded}


@pytest.mark.parametrize("student", outcomes())
def test_what_comes_of_it(results, student):
    _, (status, score) = outcomes()[student]
    found = results[student]
    assert found.score == score, found
    assert found.status == (status or found.status), found
    assert found.message.isprintable()


@pytest.mark.parametrize("student", [name for name, (_, status) in CHEATS.items() if status == "tampered"])
def test_a_person_is_told_what_was_tampered_with(results, student):
    assert "look at the answers: they reach into Python" in results[student].message


@pytest.mark.parametrize(
    ("student", "status", "score"),
    [("UTF-16", "graded", 7), ("with a mark", "graded", 7), ("Latin-1", "unreadable", None)],
)
def test_other_encodings(results, student, status, score):
    assert (results[student].status, results[student].score) == (status, score)


def test_nobody_reached_the_graders_machine(results, listening):
    assert listening[1] == []


def test_nothing_outlives_the_run(results):
    assert not [
        process for process in psutil.process_iter(["cmdline"]) if "864213" in process.info["cmdline"]
    ]


def test_hidden_tests_are_in_nobodys_output(results, course):
    """They stand in the cells of the grader's copy; what students' code shows holds nothing of them."""
    for path in (course / "autograded").glob(f"*/{PAPER}/{PAPER}.ipynb"):
        for part in nbformat.read(path, as_version=4).cells:
            name = part.metadata.get("nbgrader", {}).get("grade_id", "")
            if not name.startswith("test-"):
                assert HIDDEN not in str(part.get("outputs")) and "31.25" not in str(part.get("outputs"))


def test_only_what_a_notebook_may_hold_comes_out():
    hostile = [
        3,
        {"output_type": "stream", "name": "x", "text": ["a"]},
        {"output_type": "error", "ename": 3, "evalue": None, "traceback": "line"},
        {"output_type": "display_data", "data": {"text/plain": ["a"]}, "metadata": {"a": 1}},
        {"output_type": "update_display_data", "data": {}},
    ]
    cleaned = clean_outputs(hostile)
    assert [output["output_type"] for output in cleaned] == ["stream", "error", "display_data"]
    notebook = nbformat.v4.new_notebook(cells=[new_code_cell("", outputs=cleaned)])
    nbformat.validate(nbformat.from_dict(notebook))
