"""Where students' code runs: a process that holds answers, behind a wall, and how to call it from outside."""
