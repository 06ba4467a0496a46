import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from course_lib.data import load_fashion_mnist
from course_lib.data.packaged import DATA_FOLDER


def test_the_two_splits_are_the_whole_set_a_thousand_of_each_kind():
    data = load_fashion_mnist()
    assert data.train.images.shape == (8000, 28, 28) and data.test.images.shape == (2000, 28, 28)
    labels = np.concatenate([data.train.labels, data.test.labels])
    assert np.bincount(labels).tolist() == [1000] * 10 and len(data.names) == 10


def test_labels_belong_to_their_pictures():
    data = load_fashion_mnist()
    nearest = KNeighborsClassifier(3).fit(data.train.images.reshape(8000, -1), data.train.labels)
    share = nearest.score(data.test.images[:500].reshape(500, -1), data.test.labels[:500])
    assert share > 0.75  # 0.826 on all 2,000, as the data's README says


def test_names_are_those_of_what_is_seen():
    """Trousers have a gap between the legs, and boots are higher at the heel than at the toe."""
    data = load_fashion_mnist()
    mean = {
        name: data.test.images[data.test.labels == label].mean(axis=0)
        for label, name in enumerate(data.names)
    }
    legs = mean["Trouser"][22]
    assert legs[14] < 0.7 * legs[10] and legs[14] < 0.7 * legs[18]
    boot = mean["Ankle boot"][8]
    assert boot[16:24].mean() > 2 * boot[:8].mean()


def test_nobody_changes_the_copy_that_all_share():
    with pytest.raises(ValueError, match="read-only"):
        load_fashion_mnist().train.images[0, 0, 0] = 1


def test_the_attribution_is_that_of_the_data_folder():
    data = load_fashion_mnist()
    readme = (DATA_FOLDER / "fashion_mnist10k" / "README.md").read_text(encoding="utf8")
    assert data.attribution in readme and data.licence in readme
