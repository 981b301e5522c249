"""Formulas of statistics as pages show them."""

from adjudication.templatetags.report import breakable, subscripts


def test_indices_are_set_low_and_exponents_are_not() -> None:
    assert subscripts("Σ p_k² < n_ij") == "Σ p<sub>k</sub>² &lt; n<sub>ij</sub>"


def test_a_name_breaks_after_underscores() -> None:
    assert breakable("cohen_kappa") == "cohen_<wbr>kappa"
