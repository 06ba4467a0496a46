from mini_paper import PAPER, make_course, need_sandbox

from course_tools.grading.speed import grading_speed


def test_both_grade_the_same_submissions_and_give_the_same_marks(tmp_path):
    need_sandbox()
    measured = grading_speed(make_course(tmp_path), PAPER, submissions=1)
    assert measured.ours > 0 and measured.theirs > 0
    assert PAPER in measured.name
