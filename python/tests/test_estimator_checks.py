"""scikit-learn's own checks."""

import pytest
from linsep import LinearSeparator
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks


# A weight is a repeated row at the optimum of "svm", and near it as near as the tolerance says.
@parametrize_with_checks(
    [
        LinearSeparator(),
        LinearSeparator(multi_class="ovo"),
        LinearSeparator("svm", tol=1e-10, max_iter=100_000),
    ]
)
def test_all_checks_pass(estimator, check):
    check(estimator)


# A class_weight is a parameter of all, and a plain error for those without a loss to weigh; and a weight
# is not a repeated row where the answer depends on the order of rows, as for scikit-learn's own.
NO_LOSS = {"check_class_weight_classifiers"}
ORDERED = {
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("fine", NO_LOSS),
        ("perceptron", NO_LOSS),
        ("pocket", NO_LOSS),
        ("maxover", NO_LOSS),
        ("winnow", NO_LOSS),
        ("voted", NO_LOSS),
        ("averaged", NO_LOSS),
        ("lp", NO_LOSS),
        ("sgd", ORDERED),
        ("passive-aggressive", ORDERED),
    ],
)
def test_other_methods_pass_but_for_weights(method, expected):
    results = check_estimator(LinearSeparator(method), on_fail=None, on_skip=None)
    assert {r["check_name"] for r in results if r["status"] == "failed"} == expected
