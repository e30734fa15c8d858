"""All entrants, ours first; each file is one family."""

from . import clarabel_qp, highs, liblinear_direct, ours, scikit_learn, vowpal_wabbit
from .entrant import Entrant

FAMILIES = [ours, scikit_learn, liblinear_direct, vowpal_wabbit, highs, clarabel_qp]
ENTRANTS: list[Entrant] = [entrant for family in FAMILIES for entrant in family.ENTRANTS]
NAMED = {entrant.name: entrant for entrant in ENTRANTS}
