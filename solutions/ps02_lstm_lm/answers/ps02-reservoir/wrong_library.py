"""The library's function is called.

Message: your answer calls course_lib.recurrent.spectral
"""

from course_lib.recurrent.spectral import with_spectral_radius


def scale_reservoir(W, radius):
    return with_spectral_radius(W, radius)
