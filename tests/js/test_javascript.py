"""The modules of the widgets in Node: what they compute is what Python computes."""

import itertools
import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from parity import (
    EOS,
    PENALTIES,
    PLAIN,
    SIZES,
    TABLES,
    TEMPERATURES,
    convolutions,
    direct,
    markov,
    packed,
    problem,
    texts_and_merges,
)

import course_lib.widgets
from course_lib.data import load_tatoeba
from course_lib.decoding import LengthPenalty
from course_lib.decoding.lattice_record import record_lattice
from course_lib.decoding.problem import Recorder
from course_lib.decoding.replay import NotRecordedError, replay
from course_lib.decoding.table import read_table, table_record
from course_lib.figures.lattice import MAPS, moves, runs, shares
from course_lib.figures.overlay import laid_over, largest_places
from course_lib.text import BytePairEncoding
from course_lib.traces import OverlayTrace, SegmentationTrace
from course_lib.widgets.shared.base import pack

HERE = Path(__file__).parent


@pytest.fixture
def run_in_node(tmp_path):
    """Let Node run a file of tests on the module of each widget, and on cases."""
    node = shutil.which("node")
    if node is None:
        reason = "tests of JavaScript need Node on the path"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)

    def run(file, cases):
        for name in course_lib.widgets.__all__:
            module = getattr(course_lib.widgets, name)._esm
            (tmp_path / f"{name}.mjs").write_text(module, encoding="utf-8")
        (tmp_path / "cases.json").write_text(json.dumps(cases), encoding="utf-8")
        environment = {**os.environ, "COURSE_CASES": str(tmp_path)}
        command = [node, "--test", "--test-reporter=spec", str(HERE / file)]
        done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8")
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr

    return run


def test_every_widget_is_one_module(run_in_node):
    run_in_node("modules.test.js", course_lib.widgets.__all__)


def tree(trace):
    """What a replay must return of a tree."""
    arrays = ("parent", "step", "token_id", "rank", "log_prob", "total", "score")
    return {
        "trace": {
            **{name: {"data": getattr(trace, name).tolist()} for name in arrays},
            **{"status": trace.status, "token": trace.token, "best": trace.best},
        }
    }


def whole_records():
    """Searches that a record holds entirely: what the search itself finds, without any record."""
    tables = [markov(seed, 3 + seed % 5) for seed in range(4)]
    tables.append(torch.full((4, 4), 0.25).log())  # all is tied
    reference = (2, 1, 2, EOS)
    for table in tables:
        recorder = Recorder(problem(table))
        recorder.explore(SIZES, TEMPERATURES)
        record = packed(recorder.record())
        for size, (kind, alpha), temperature in itertools.product(SIZES, PENALTIES, TEMPERATURES):
            settings = {"beam_size": size, "kind": kind, "alpha": alpha, "temperature": temperature}
            found = direct(table, size, LengthPenalty(kind, alpha), temperature, reference)
            yield {"record": record, "settings": settings, "reference": reference, "wanted": tree(found)}


def partial_records():
    """Searches of which a record may lack something: what Python's replay finds, or says is missing."""
    for seed in range(3):
        recorder = Recorder(problem((markov(seed, 30) * 3).log_softmax(-1)), top=8)
        recorder.explore((2, 3), (1.0,))
        recorder.explore((3,), (2.0,))
        record = recorder.record()
        for size, temperature in [*((size, 1.0) for size in (1, 2, 3, 4, 7, 8)), (3, 2.0), (3, 0.33)]:
            settings = {"beam_size": size, "kind": "average", "alpha": 0.8, "temperature": temperature}
            try:
                wanted = tree(replay(record, size, LengthPenalty("average", 0.8), temperature))
            except NotRecordedError as error:
                wanted = {"missing": str(error)}
            yield {"record": packed(record), "settings": settings, "reference": None, "wanted": wanted}


@pytest.mark.usefixtures("unchecked")
def test_a_replay_finds_the_tree_of_the_search(run_in_node):
    cases = [*whole_records(), *partial_records()]
    assert sum("missing" in case["wanted"] for case in cases) >= 6
    run_in_node("beam_replay.test.js", cases)


def test_a_table_is_read_and_refused(run_in_node):
    cases = []
    for text, more in TABLES:
        form = {"text": text, **PLAIN, **more}
        try:
            names, rows = read_table(text)
            rest = {name: form[name] for name in ("by", "weights", "eos", "steps")}
            wanted = packed(table_record(rows, names or form["names"], source="here", **rest))
        except ValueError as error:
            wanted = {"error": str(error)}
        cases.append({"form": form, "wanted": wanted})
    assert sum("error" in case["wanted"] for case in cases) == 12
    run_in_node("beam_table.test.js", cases)


def test_a_text_is_cut_into_the_same_pieces(run_in_node):
    turkish = BytePairEncoding.train([pair.target for pair in load_tatoeba("tur").train[:1500]], 400)
    cases = texts_and_merges(len(turkish.merges))
    few = {merges: turkish.with_merges(merges) for _, merges in cases}
    fields, buffer = pack(SegmentationTrace.of(turkish))
    texts = [{"text": text, "merges": merges, "wanted": few[merges].encode(text)} for text, merges in cases]
    run_in_node("segmentation.test.js", {"fields": fields, "buffer": list(buffer), "texts": texts})


def test_a_convolution_is_torchs(run_in_node):
    trace, wanted = convolutions()
    fields, buffer = pack(trace)
    run_in_node("convolution.test.js", {"fields": fields, "buffer": list(buffer), "wanted": wanted})


def area_means(rgba, height, width):
    """Each pixel cut into so many equal ones that an output covers whole ones: then a plain mean is left."""
    grey = rgba[..., :3].astype(float) @ [0.299, 0.587, 0.114] / 255
    grey = grey.repeat(2 * height * width, axis=0).repeat(2 * height * width, axis=1)
    side = min(grey.shape[0] // height, grey.shape[1] // width)
    top, left = (grey.shape[0] - height * side) // 2, (grey.shape[1] - width * side) // 2
    cut = grey[top : top + height * side, left : left + width * side]
    return cut.reshape(height, side, width, side).mean(axis=(1, 3))


def test_a_picture_of_the_reader_is_shrunk_by_area_and_saved_with_the_trace(run_in_node):
    generator = np.random.default_rng(0)
    pictures = []
    for source, target in (
        ((8, 6), (4, 3)),
        ((7, 5), (3, 2)),
        ((4, 11), (3, 3)),
        ((2, 3), (5, 4)),
        ((9, 9), (9, 9)),
    ):
        rgba = generator.integers(0, 256, (*source, 4), np.uint8)
        wanted = area_means(rgba, *target).ravel().tolist()
        pictures.append({"rgba": rgba.ravel().tolist(), "from": source, "to": target, "wanted": wanted})
    trace, _ = convolutions()
    own = generator.random(trace.pictures.shape[1:], np.float32)
    packed_with = []
    for place in range(len(trace.pictures)):
        more = replace(
            trace,
            pictures=np.insert(trace.pictures, place, own, axis=0),
            picture_names=(*trace.picture_names[:place], "own", *trace.picture_names[place:]),
        )
        fields, buffer = pack(more)
        packed_with.append({"place": place, "fields": fields, "buffer": list(buffer)})
    fields, buffer = pack(trace)
    cases = {"fields": fields, "buffer": list(buffer), "own": own.ravel().tolist()}
    run_in_node("own_picture.test.js", {**cases, "pictures": pictures, "packed": packed_with})


def test_a_map_grows_as_python_lets_it_grow(run_in_node):
    """Maps that grow, that shrink along an axis, that stay, and one that is 0."""
    cases = {"wanted": []}
    maps = torch.rand(2, 2, 3, 4, 5, generator=torch.Generator().manual_seed(0)).numpy()
    maps[1, 1, 2] = 0
    for height, width in ((30, 41), (3, 9), (4, 5)):
        pictures = np.zeros((2, height, width, 3), np.uint8)
        trace = OverlayTrace(pictures, ("a", "b"), maps, (("c", "d"),) * 2, ("e", "f", "g"))
        for picture, step in itertools.product(range(2), range(2)):
            layers = laid_over(trace, picture, step)
            where = {"picture": picture, "step": step, "height": height, "width": width}
            values, places = [layer.flatten().tolist() for layer in layers], largest_places(layers)
            cases["wanted"].append({**where, "values": values, "places": places})
    fields, buffer = pack(trace)
    run_in_node("overlay.test.js", {"fields": fields, "buffer": list(buffer), **cases})


def test_a_lattice_is_the_one_of_python(run_in_node):
    said = torch.randn(6, 4, generator=torch.Generator().manual_seed(0)).log_softmax(1)
    trace = record_lattice(said, [[1, 2, 2], [3], []], ("∅", "a", "b", "c"))
    wanted = [
        {
            "states": [label for label in trace.states[i].tolist() if label >= 0],
            "moves": [list(move) for move in moves(trace, i)],
            "shares": {kind: shares(trace, i, kind).flatten().tolist() for kind in MAPS},
        }
        for i in range(3)
    ]
    fields, buffer = pack(trace)
    found = {"fields": fields, "buffer": list(buffer), "wanted": wanted}
    run_in_node("lattice.test.js", {**found, "runs": [list(run) for run in runs(trace)]})
