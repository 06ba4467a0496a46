"""Calls between two sides of a pipe: what a function gets, changes and returns is as if it were here."""

import os
from contextlib import suppress
from threading import Thread

import pytest
import torch

from course_tools.sandbox.remote import Link
from course_tools.sandbox.wire import ClosedError, Pipe


@pytest.fixture
def elsewhere():
    """Turn a function into one that is called on the other side of a pipe."""
    (there_read, here_write), (here_read, there_write) = os.pipe(), os.pipe()
    here, there = Link(Pipe(here_read, here_write)), Link(Pipe(there_read, there_write))

    def serve():
        with suppress(ClosedError):
            while True:
                there.serve(*there.next_request())

    thread = Thread(target=serve)
    thread.start()
    yield lambda function: here.unpack(*there.pack(function)[:2])
    os.close(here_write)
    thread.join()
    os.close(here_read)
    there.pipe.close()


def test_what_lies_in_an_argument_stays_the_same_object_where_it_was_not_exchanged(elsewhere):
    def change(given):
        given["kept"].append(2)
        given["exchanged"] = [4]

    kept, exchanged = [1], [3]
    given = {"kept": kept, "exchanged": exchanged}
    elsewhere(change)(given)
    assert given == {"kept": [1, 2], "exchanged": [4]}
    assert given["kept"] is kept and given["exchanged"] is not exchanged and exchanged == [3]


def test_a_tensor_lies_in_memory_as_it_did(elsewhere):
    turned = torch.arange(6.0).reshape(2, 3).T
    returned, strides = elsewhere(lambda given: (given, given.stride()))(turned)
    assert torch.equal(returned, turned)
    assert strides == returned.stride() == turned.stride() == (1, 3)


@pytest.mark.parametrize("wanted", [True, False])
def test_a_tensor_that_is_made_to_want_a_gradient_or_none_does_so_here(elsewhere, wanted):
    def mark(given):
        given["x"].requires_grad_(wanted)

    x = torch.zeros(2, requires_grad=not wanted)
    elsewhere(mark)({"x": x})
    assert x.requires_grad is wanted


def test_a_gradient_goes_through_the_other_side_and_back(elsewhere):
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    # There sin(here(x)) with here(x) = x², which is called back.
    elsewhere(lambda given, square: square(given).sin())(x, torch.square).sum().backward()
    torch.testing.assert_close(x.grad, 2 * x.detach() * x.detach().square().cos())
