"""The `course` command: what it runs, examines, releases and grades."""
