"""The t-SNE map."""

from course_lib.widgets.tsne_map.tsne_map import TSNEMap

__all__ = ["TSNEMap"]
