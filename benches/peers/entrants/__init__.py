"""All entrants, ours first; each file is one family."""

from . import clarabel_qp, highs, liblinear_direct, ours, scikit_learn
from .entrant import Entrant

FAMILIES = [ours, scikit_learn, liblinear_direct, highs, clarabel_qp]
ENTRANTS: list[Entrant] = [entrant for family in FAMILIES for entrant in family.ENTRANTS]
NAMED = {entrant.name: entrant for entrant in ENTRANTS}
