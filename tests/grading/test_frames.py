import resource

from course_tools.sandbox.frames import with_room


def new_pages(depth):
    """How many pages of memory a loop of calls takes that runs some frames deep."""
    if depth:
        return new_pages(depth - 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(300):
        three_deep(2)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def three_deep(left):
    return three_deep(left - 1) if left else 0


def test_in_a_room_no_depth_costs_memory_for_each_call():
    assert max(with_room(lambda depth=depth: new_pages(depth)) for depth in range(200)) < 100


def test_what_the_work_returns_comes_out():
    assert with_room(lambda: 3) == 3
