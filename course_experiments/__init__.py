"""How every shipped model and every number of the course came about: one file an experiment."""
