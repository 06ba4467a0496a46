"""Memories that are read by content.

original          the memory network: it takes the best sentence (Weston, Chopra and Bordes)
end_to_end        the same, made soft, in several hops (Sukhbaatar et al.)
dynamic           it goes through the facts several times, with the question in mind (Kumar et al.)
turing_machine    a tape to read and write at soft places (Graves, Wayne and Danihelka)
dnc               a memory that knows its free rows and the order of writing (Graves et al.)
sparse            reading the nearest rows alone (Rae et al.)
hopfield          completing what is shown in part, up to attention (Hopfield; Ramsauer et al.)
"""
