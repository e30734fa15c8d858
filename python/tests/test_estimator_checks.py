"""scikit-learn's own checks. No failure is expected of the estimators in the first list."""

import pytest
from linsep import LinearSeparator
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

PASSING = [
    LinearSeparator(),
    LinearSeparator(multi_class="ovo"),
    LinearSeparator(method="fine"),
    LinearSeparator(method="perceptron"),
    LinearSeparator(method="svm"),
    LinearSeparator(method="lp"),
]


@parametrize_with_checks(PASSING)
def test_scikit_learn_compatible(estimator, check):
    check(estimator)
