//! What is claimed about data, and the file it is written down in (versions 1 to 6, see PROOFS.md).

use std::fmt;

use dashu_int::IBig;
use linsep_data::Samples;
use serde::{Deserialize, Serialize};

use crate::evidence::{Conflict, MarginBounds, RowWeights};
use crate::fingerprint::fingerprint;
use crate::removal::RemovalClaim;
use crate::structure::Model;

/// What a proof file calls itself.
const FORMAT: &str = "linsep-proof";
/// The versions that are read: the second has one claim more, the third claims about models, the fourth says how many
/// rows must go, the fifth shows by a matrix that rows are inseparable, or is about a log-binomial model, the sixth bounds the
/// angular margin by weights of rows as they are. A file is of the first that has what it claims.
const VERSIONS: [u32; 6] = [1, 2, 3, 4, 5, 6];

/// The longest text of a proof file that is read: 1 GiB.
pub const MOST_BYTES: usize = 1 << 30;
/// The most digits that an integer of a proof file may have.
pub const MOST_DIGITS: usize = 4_000_000;

/// A claim about data, with what it takes to check it. Nothing is proven before
/// [`verify`](crate::verify()) has agreed.
///
/// ```
/// use linsep_data::Samples;
/// use linsep_proof::{Proof, Verdict, verify};
///
/// let samples = Samples::dense(vec![100.0, 101.0], 1, vec![false, true])?;
/// let proof = Proof::separable(&samples, (vec![1.0], -100.5));
/// assert_eq!(verify(&samples, &proof)?.verdict(), Verdict::Separable);
///
/// let wrong = Proof::separable(&samples, (vec![1.0], -99.5));
/// assert_eq!(verify(&samples, &wrong).unwrap_err().to_string(), "row 1 is on the wrong side");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    format: String,
    version: u32,
    /// The data it is about.
    pub data: DataName,
    /// What is claimed.
    pub claim: Claim,
    /// What is claimed about the margin, if anything.
    pub margin: Option<MarginClaim>,
    /// The model whose structure vectors are the data, if that is what it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelName>,
    /// What is claimed about the number of rows without which the rest is separable, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removal: Option<RemovalClaim>,
}

/// What makes the data of a proof of raw rows: the structure vectors of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelName {
    /// The model.
    pub model: Model,
    /// A column, counted from 1, that is one number in all rows: the bias stands for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<usize>,
    /// Of a log-binomial model without a constant: one coefficient per column, with which every row has a probability of at most 1,
    /// and rows with a failure one below 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Integers>,
}

/// What names the data that a proof is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataName {
    /// Number of rows.
    pub rows: usize,
    /// Number of features.
    pub features: usize,
    /// The [`fingerprint`](crate::fingerprint()).
    pub fingerprint: String,
}

/// What is claimed: the verdict and its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "ClaimFile", try_from = "ClaimFile")]
pub enum Claim {
    /// Every row is on its own side of a hyperplane.
    Separable {
        /// The hyperplane.
        hyperplane: Plane,
    },
    /// A hyperplane with no row on the wrong side holds all rows on itself.
    Inseparable {
        /// The rows that show it: a conflict that spans all rows, or a matrix of all coordinates.
        overlap: OverlapClaim,
        /// Vectors of one integer a feature, and one for the bias, to which all rows (x, 1) are
        /// orthogonal. With the conflict they span everything; of a matrix as many coordinates are left out.
        orthogonal: Vec<Integers>,
    },
    /// No hyperplane puts all rows on their own sides, but one puts no row on the wrong side.
    QuasiSeparable {
        /// The rows that rule a strict separation out.
        overlap: OverlapClaim,
        /// Vectors to which the rows of a matrix are orthogonal; none with a conflict.
        orthogonal: Vec<Integers>,
        /// The hyperplane with no row on the wrong side.
        hyperplane: Plane,
    },
    /// No hyperplane puts all rows on their own sides. Whether one puts no row on the wrong side is left open.
    NotStrictlySeparable {
        /// The rows that rule a strict separation out.
        overlap: OverlapClaim,
        /// Vectors to which the rows of a matrix are orthogonal; none with a conflict.
        orthogonal: Vec<Integers>,
    },
}

/// Rows that rule a separation out.
#[derive(Clone, Debug, PartialEq)]
pub enum OverlapClaim {
    /// They cancel, in integers.
    Conflict(Vec<ConflictingRow>),
    /// With weights they make a positive definite matrix.
    Matrix(DefiniteMatrix),
}

/// Rows and weights whose matrix is [positive definite](crate::definite).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefiniteMatrix {
    /// The rows, counted from 1.
    pub rows: Vec<usize>,
    /// Their weights, one each: positive.
    pub weights: Vec<f64>,
    /// Coordinates that are left out, counted from 1; the bias comes after the last feature.
    pub left_out: Vec<usize>,
    /// Coordinates that are taken out one by one, before all others: those that few rows have.
    pub first: Vec<usize>,
}

/// A claim as it stands in a file: what rules a separation out is shown in one of two ways.
#[derive(Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case", deny_unknown_fields)]
enum ClaimFile {
    Separable {
        hyperplane: Plane,
    },
    Inseparable {
        #[serde(skip_serializing_if = "Option::is_none")]
        conflict: Option<Vec<ConflictingRow>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        matrix: Option<DefiniteMatrix>,
        orthogonal: Vec<Integers>,
    },
    QuasiSeparable {
        #[serde(skip_serializing_if = "Option::is_none")]
        conflict: Option<Vec<ConflictingRow>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        matrix: Option<DefiniteMatrix>,
        #[serde(skip_serializing_if = "Option::is_none")]
        orthogonal: Option<Vec<Integers>>,
        hyperplane: Plane,
    },
    NotStrictlySeparable {
        #[serde(skip_serializing_if = "Option::is_none")]
        conflict: Option<Vec<ConflictingRow>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        matrix: Option<DefiniteMatrix>,
        #[serde(skip_serializing_if = "Option::is_none")]
        orthogonal: Option<Vec<Integers>>,
    },
}

impl From<Claim> for ClaimFile {
    fn from(claim: Claim) -> Self {
        let split = |overlap, orthogonal| match overlap {
            OverlapClaim::Conflict(conflict) => (Some(conflict), None, None),
            OverlapClaim::Matrix(matrix) => (None, Some(matrix), Some(orthogonal)),
        };
        match claim {
            Claim::Separable { hyperplane } => ClaimFile::Separable { hyperplane },
            Claim::Inseparable { overlap, orthogonal } => {
                let (conflict, matrix, _) = split(overlap, vec![]);
                ClaimFile::Inseparable { conflict, matrix, orthogonal }
            }
            Claim::QuasiSeparable { overlap, orthogonal, hyperplane } => {
                let (conflict, matrix, orthogonal) = split(overlap, orthogonal);
                ClaimFile::QuasiSeparable { conflict, matrix, orthogonal, hyperplane }
            }
            Claim::NotStrictlySeparable { overlap, orthogonal } => {
                let (conflict, matrix, orthogonal) = split(overlap, orthogonal);
                ClaimFile::NotStrictlySeparable { conflict, matrix, orthogonal }
            }
        }
    }
}

impl TryFrom<ClaimFile> for Claim {
    type Error = &'static str;

    fn try_from(file: ClaimFile) -> Result<Self, Self::Error> {
        let either = |conflict, matrix| match (conflict, matrix) {
            (Some(conflict), None) => Ok(OverlapClaim::Conflict(conflict)),
            (None, Some(matrix)) => Ok(OverlapClaim::Matrix(matrix)),
            _ => Err("expected either a conflict or a matrix"),
        };
        let with = |overlap, orthogonal| match (overlap, orthogonal) {
            (conflict @ OverlapClaim::Conflict(_), None) => Ok((conflict, vec![])),
            (matrix @ OverlapClaim::Matrix(_), Some(orthogonal)) => Ok((matrix, orthogonal)),
            _ => Err("expected orthogonal vectors with a matrix, and none with a conflict"),
        };
        Ok(match file {
            ClaimFile::Separable { hyperplane } => Claim::Separable { hyperplane },
            ClaimFile::Inseparable { conflict, matrix, orthogonal } => {
                Claim::Inseparable { overlap: either(conflict, matrix)?, orthogonal }
            }
            ClaimFile::QuasiSeparable { conflict, matrix, orthogonal, hyperplane } => {
                let (overlap, orthogonal) = with(either(conflict, matrix)?, orthogonal)?;
                Claim::QuasiSeparable { overlap, orthogonal, hyperplane }
            }
            ClaimFile::NotStrictlySeparable { conflict, matrix, orthogonal } => {
                let (overlap, orthogonal) = with(either(conflict, matrix)?, orthogonal)?;
                Claim::NotStrictlySeparable { overlap, orthogonal }
            }
        })
    }
}

impl Claim {
    /// Returns the rows that rule a separation out; none if the claim is that one separates.
    pub fn overlap(&self) -> Option<&OverlapClaim> {
        match self {
            Claim::Separable { .. } => None,
            Claim::Inseparable { overlap, .. }
            | Claim::QuasiSeparable { overlap, .. }
            | Claim::NotStrictlySeparable { overlap, .. } => Some(overlap),
        }
    }

    /// Returns true if a matrix rules a separation out: its definiteness is shown in floats, with all rounding counted.
    pub fn is_by_matrix(&self) -> bool {
        matches!(self.overlap(), Some(OverlapClaim::Matrix(_)))
    }

    /// Returns the first version of the file that has such a claim.
    fn version(&self) -> u32 {
        match (self, self.overlap()) {
            (_, Some(OverlapClaim::Matrix(_))) => VERSIONS[4],
            (Claim::NotStrictlySeparable { .. }, _) => VERSIONS[1],
            _ => VERSIONS[0],
        }
    }

    /// Returns the claim that the rows cancel.
    pub fn not_strictly_separable(conflict: Conflict) -> Self {
        Claim::NotStrictlySeparable { overlap: conflict.into(), orthogonal: vec![] }
    }

    /// Returns the claim that the rows cancel, and that they and the vectors to which all rows are
    /// `orthogonal` span everything.
    pub fn inseparable(overlap: impl Into<OverlapClaim>, orthogonal: Vec<Vec<IBig>>) -> Self {
        Claim::Inseparable { overlap: overlap.into(), orthogonal: vectors(orthogonal) }
    }

    /// Returns the claim that the rows cancel, and that the hyperplane puts no row on the wrong side.
    pub fn quasi_separable(conflict: Conflict, hyperplane: impl Into<Plane>) -> Self {
        Self::quasi_separable_by(OverlapClaim::from(conflict), vec![], hyperplane)
    }

    /// Returns the claim that the rows rule a strict separation out, and that the hyperplane puts no row on the wrong side. The
    /// rows of a matrix are `orthogonal` to as many vectors as coordinates are left out.
    pub fn quasi_separable_by(
        overlap: OverlapClaim,
        orthogonal: Vec<Vec<IBig>>,
        hyperplane: impl Into<Plane>,
    ) -> Self {
        let (orthogonal, hyperplane) = (vectors(orthogonal), hyperplane.into());
        Claim::QuasiSeparable { overlap, orthogonal, hyperplane }
    }
}

fn vectors(orthogonal: Vec<Vec<IBig>>) -> Vec<Integers> {
    orthogonal.into_iter().map(Integers).collect()
}

impl From<Conflict> for OverlapClaim {
    fn from(conflict: Conflict) -> Self {
        OverlapClaim::Conflict(conflicting(conflict))
    }
}

impl From<DefiniteMatrix> for OverlapClaim {
    fn from(matrix: DefiniteMatrix) -> Self {
        OverlapClaim::Matrix(matrix)
    }
}

impl DefiniteMatrix {
    /// Returns the matrix of weighted rows without the coordinates left out; those of `first` are taken out before all
    /// others. Rows and coordinates are counted from 0.
    pub fn new(weights: &RowWeights, left_out: &[usize], first: &[usize]) -> Self {
        let from_one = |places: &[usize]| places.iter().map(|k| k + 1).collect();
        DefiniteMatrix {
            rows: from_one(&weights.rows()),
            weights: weights.weights(),
            left_out: from_one(left_out),
            first: from_one(first),
        }
    }
}

/// A hyperplane, its numbers exactly as they stand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected weights and a bias, all of them numbers or all of them strings"
)]
pub enum Plane {
    /// In floats.
    Floats(FloatPlane),
    /// In integers, which can say what floats cannot.
    Integers(IntegerPlane),
}

/// A hyperplane in floats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FloatPlane {
    /// One weight per feature.
    pub weights: Vec<f64>,
    /// The bias.
    pub bias: f64,
}

/// A hyperplane in integers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IntegerPlane {
    /// One weight per feature.
    #[serde(with = "integers")]
    pub weights: Vec<IBig>,
    /// The bias.
    #[serde(with = "integer")]
    pub bias: IBig,
}

/// A vector of integers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Integers(#[serde(with = "integers")] pub Vec<IBig>);

impl From<(Vec<f64>, f64)> for Plane {
    fn from((weights, bias): (Vec<f64>, f64)) -> Self {
        Plane::Floats(FloatPlane { weights, bias })
    }
}

impl From<(Vec<IBig>, IBig)> for Plane {
    fn from((weights, bias): (Vec<IBig>, IBig)) -> Self {
        Plane::Integers(IntegerPlane { weights, bias })
    }
}

/// A row of a conflict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConflictingRow {
    /// The row, counted from 1.
    pub row: usize,
    /// How many times it is taken: a positive integer.
    #[serde(with = "integer")]
    pub multiplier: IBig,
}

/// Bounds on the margin: that of the hyperplane claimed, and that of any hyperplane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarginClaim {
    /// Which margin.
    pub kind: MarginKind,
    /// The margin of the hyperplane is not below this.
    pub lower: f64,
    /// No hyperplane has a margin above this.
    pub upper: f64,
    /// The rows that show it.
    pub upper_rows: Vec<WeightedRow>,
    /// True of the angular margin in files before version 6: weights are those of lifted rows.
    #[serde(skip)]
    pub(crate) of_lifted: bool,
}

/// Which margin a claim is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MarginKind {
    /// The smallest y (w·x + b) / ‖(x, 1)‖ / ‖(w, b)‖.
    #[default]
    Angular,
    /// The smallest y (w·x + b) / ‖w‖: the distance of the hyperplane to its nearest row.
    Geometric,
}

impl MarginKind {
    /// Returns the number that no margin of this kind is below.
    pub fn least(self) -> f64 {
        -self.most()
    }

    /// Returns the number that no margin of this kind is above.
    pub fn most(self) -> f64 {
        match self {
            MarginKind::Angular => 1.0,
            MarginKind::Geometric => f64::MAX,
        }
    }
}

impl fmt::Display for MarginKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            MarginKind::Angular => "angular",
            MarginKind::Geometric => "geometric",
        })
    }
}

/// A row and its weight in a bound on the margin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightedRow {
    /// The row, counted from 1.
    pub row: usize,
    /// Its weight, at least 0.
    pub weight: f64,
}

/// The answer that a proof is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Some hyperplane puts every row strictly on its own side.
    Separable,
    /// None does, but some hyperplane puts no row on the wrong side, and not all rows on itself.
    QuasiSeparable,
    /// None does even that.
    Inseparable,
    /// None puts every row strictly on its own side; which of the two above it is, is left open.
    NotStrictlySeparable,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Verdict::Separable => "separable",
            Verdict::QuasiSeparable => "quasi-separable",
            Verdict::Inseparable => "inseparable",
            Verdict::NotStrictlySeparable => "not-strictly-separable",
        })
    }
}

/// Why a proof file cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// It is not a proof file, or it is damaged, or cut short.
    #[error("not a proof file, or a damaged one: {0}")]
    Damaged(#[from] serde_json::Error),
    /// It is a file of another kind.
    #[error("expected a file of the format {FORMAT}, found \"{found}\"")]
    OtherFormat {
        /// What it calls itself.
        found: String,
    },
    /// It is of another version.
    #[error("expected a proof file of version 1 to 6, found version {found}")]
    OtherVersion {
        /// Its version.
        found: u64,
    },
    /// It is longer than what is read.
    #[error("the file has {found} bytes; a proof file of up to {MOST_BYTES} bytes is read")]
    TooLong {
        /// Its length in bytes.
        found: usize,
    },
}

impl Proof {
    /// Returns the claim that the hyperplane separates the samples. Costs one parallel pass, as the
    /// other two do: for the fingerprint.
    pub fn separable(samples: &Samples, hyperplane: impl Into<Plane>) -> Self {
        Self::new(samples, Claim::Separable { hyperplane: hyperplane.into() })
    }

    /// Returns the claim that the rows (counted from 0), times their multipliers, cancel, and that they
    /// and the vectors to which all rows are `orthogonal` span everything.
    pub fn inseparable(
        samples: &Samples,
        conflict: impl Into<Conflict>,
        orthogonal: Vec<Vec<IBig>>,
    ) -> Self {
        Self::new(samples, Claim::inseparable(conflict.into(), orthogonal))
    }

    /// Returns the claim that the rows (counted from 0) cancel, and that the hyperplane puts no row on
    /// the wrong side.
    pub fn quasi_separable(
        samples: &Samples,
        conflict: impl Into<Conflict>,
        hyperplane: impl Into<Plane>,
    ) -> Self {
        Self::new(samples, Claim::quasi_separable(conflict.into(), hyperplane))
    }

    /// Returns the proof with bounds on a margin: the upper one is shown by the rows and their
    /// weights, which multiply the rows as they are.
    pub fn with_margin(mut self, margin: MarginBounds, upper_rows: &RowWeights) -> Self {
        let MarginBounds { kind, lower, upper } = margin;
        let upper_rows =
            upper_rows.iter().map(|(row, weight)| WeightedRow { row: row + 1, weight }).collect();
        self.margin = Some(MarginClaim { kind, lower, upper, upper_rows, of_lifted: false });
        self.version = self.own_version();
        self
    }

    fn new(samples: &Samples, claim: Claim) -> Self {
        let (rows, features) = (samples.rows(), samples.columns());
        let data = DataName { rows, features, fingerprint: fingerprint(samples) };
        Self::about(data, claim)
    }

    /// Returns the claim about the data that has this name.
    pub fn about(data: DataName, claim: Claim) -> Self {
        let version = claim.version();
        let (margin, model, removal) = (None, None, None);
        Proof { format: FORMAT.to_string(), version, data, claim, margin, model, removal }
    }

    /// Returns the proof with bounds on the number of rows that must go.
    pub fn with_removal(mut self, removal: RemovalClaim) -> Self {
        self.removal = Some(removal);
        self.version = self.own_version();
        self
    }

    /// Returns the same claim as one about the model that makes the data; `constant` is a column, counted from 0, for
    /// which the bias stands.
    pub fn of_model(mut self, model: Model, constant: Option<usize>) -> Self {
        let constant = constant.map(|column| column + 1);
        self.model = Some(ModelName { model, constant, allowed: None });
        self.version = self.own_version();
        self
    }

    /// Returns the same claim with coefficients, one per column, that a log-binomial model without a constant
    /// allows. Nothing changes if the claim is about no model.
    pub fn with_allowed(mut self, coefficients: Vec<IBig>) -> Self {
        if let Some(name) = &mut self.model {
            name.allowed = Some(Integers(coefficients));
        }
        self
    }

    fn own_version(&self) -> u32 {
        let about = match (&self.removal, &self.model) {
            (Some(_), _) => VERSIONS[3],
            (None, Some(ModelName { model: Model::LogBinomial { .. }, .. })) => VERSIONS[4],
            (None, Some(_)) => VERSIONS[2],
            (None, None) => VERSIONS[0],
        };
        let bounded = match &self.margin {
            Some(MarginClaim { kind: MarginKind::Angular, of_lifted: false, .. }) => VERSIONS[5],
            _ => VERSIONS[0],
        };
        about.max(bounded).max(self.claim.version())
    }

    /// Returns the verdict that is claimed.
    pub fn verdict(&self) -> Verdict {
        match self.claim {
            Claim::Separable { .. } => Verdict::Separable,
            Claim::Inseparable { .. } => Verdict::Inseparable,
            Claim::QuasiSeparable { .. } => Verdict::QuasiSeparable,
            Claim::NotStrictlySeparable { .. } => Verdict::NotStrictlySeparable,
        }
    }

    /// Returns the proof as the text of a proof file.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string(self).expect("a proof is plain data");
        text.push('\n');
        text
    }

    /// Returns the proof in the text of a proof file.
    ///
    /// Errors if the text is not a proof file, is damaged, is of another version, or is longer than
    /// [`MOST_BYTES`]. No integer may have more than [`MOST_DIGITS`] digits.
    pub fn from_json(text: &str) -> Result<Self, ProofError> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u64,
        }
        if text.len() > MOST_BYTES {
            return Err(ProofError::TooLong { found: text.len() });
        }
        // The head first: the rest of another file may look different.
        let head: Head = serde_json::from_str(text)?;
        if head.format != FORMAT {
            return Err(ProofError::OtherFormat { found: head.format });
        }
        if !VERSIONS.iter().any(|&version| u64::from(version) == head.version) {
            return Err(ProofError::OtherVersion { found: head.version });
        }
        let mut proof: Proof = serde_json::from_str(text)?;
        if let Some(margin) = &mut proof.margin {
            margin.of_lifted = margin.kind == MarginKind::Angular && proof.version < VERSIONS[5];
        }
        let (own, found) = (proof.own_version(), proof.version);
        if own != found {
            let message =
                format!("what it claims is of version {own}, the file of version {found}");
            return Err(<serde_json::Error as serde::de::Error>::custom(message).into());
        }
        Ok(proof)
    }
}

pub(crate) fn conflicting(rows: Conflict) -> Vec<ConflictingRow> {
    let numbered = |(row, multiplier)| ConflictingRow { row: row + 1, multiplier };
    rows.into_iter().map(numbered).collect()
}

/// Big integers as decimal strings, since JSON numbers are floats to most readers.
mod integer {
    use super::*;
    use serde::{Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(value: &IBig, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(value)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<IBig, D::Error> {
        let text = String::deserialize(input)?;
        let digits = text.strip_prefix('-').unwrap_or(&text);
        // The parser of big integers would also take 1_000 and +1.
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        if digits.len() > MOST_DIGITS {
            let found = digits.len();
            let message = format!("an integer of {found} digits; up to {MOST_DIGITS} are read");
            return Err(D::Error::custom(message));
        }
        let value = plain.then(|| IBig::from_str_radix(&text, 10).ok()).flatten();
        value.ok_or_else(|| D::Error::custom(format!("expected an integer, found \"{text}\"")))
    }
}

/// Several big integers.
mod integers {
    use super::*;
    use serde::{Deserializer, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Decimal(#[serde(with = "integer")] IBig);

    pub fn serialize<S: Serializer>(values: &[IBig], out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(values.iter().map(|value| Decimal(value.clone())))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<IBig>, D::Error> {
        let values: Vec<Decimal> = Vec::deserialize(input)?;
        Ok(values.into_iter().map(|Decimal(value)| value).collect())
    }
}
