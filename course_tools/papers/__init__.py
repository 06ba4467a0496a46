"""The student's side of a paper: starting it, checking it, handing it in."""
