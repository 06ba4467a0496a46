import numpy as np
import pytest
from scipy import ndimage
from sklearn.neighbors import KNeighborsClassifier

from course_lib.data.mnist import load_mnist
from course_lib.data.packaged import DATA_FOLDER


def test_the_two_splits_are_all_of_mnists_test_set_and_share_no_picture():
    data = load_mnist()
    assert data.train.images.shape == (8000, 28, 28) and data.test.images.shape == (2000, 28, 28)
    images = np.concatenate([data.train.images, data.test.images])
    assert len({image.tobytes() for image in images}) == 10_000
    labels = np.concatenate([data.train.labels, data.test.labels])
    published = [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]  # as counted in the official test set
    assert np.bincount(labels).tolist() == published


def test_labels_belong_to_their_pictures():
    data = load_mnist()
    nearest = KNeighborsClassifier(3).fit(data.train.images.reshape(8000, -1), data.train.labels)
    share = nearest.score(data.test.images[:500].reshape(500, -1), data.test.labels[:500])
    assert share > 0.9  # 0.946 on all 2,000, as the data's README says


def test_ink_is_bright_and_lies_in_the_middle():
    images = load_mnist().test.images[:200]
    assert images[:, 0].max() == 0
    for image in images:
        assert np.abs(np.array(ndimage.center_of_mass(image)) - 14).max() < 1.5


def test_nobody_changes_the_copy_that_all_share():
    with pytest.raises(ValueError, match="read-only"):
        load_mnist().train.images[0, 0, 0] = 1


def test_the_attribution_is_that_of_the_data_folder():
    data = load_mnist()
    readme = (DATA_FOLDER / "mnist10k" / "README.md").read_text(encoding="utf8")
    assert data.attribution in readme and data.licence in readme
