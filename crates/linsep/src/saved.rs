//! The model file: a hyperplane, what it was fitted to, and how.

use serde::{Deserialize, Serialize};

use crate::classes::{lengths, nearest_class};
use crate::data::error::Column;
use crate::data::samples::{About, Classes, Encoding, LabelNames};
use crate::data::whole_file::read_text;
use crate::data::{Data, Features};
use crate::online::{Fit, FitSettings, MethodSettings, Scaling, Stop};
use crate::{Hyperplane, Margin, Samples};

/// What a model file calls itself.
const FORMAT: &str = "linsep-model";
/// The version of a file with one hyperplane, and of one with a hyperplane per class: the newest that is read.
const ONE: u32 = 1;
const VERSION: u32 = 2;

/// A hyperplane with all that is needed to use it on new rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedModel {
    format: String,
    version: u32,
    /// The method and its settings.
    pub method: MethodSettings,
    /// What the classes are called.
    pub labels: ClassNames,
    /// What the features are called, and how they are counted.
    pub features: FeatureNames,
    /// The hyperplane.
    #[serde(flatten)]
    pub hyperplane: Hyperplane,
    /// How it came about.
    pub training: Training,
}

/// What the classes are called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassNames {
    /// The class on the side w·x + b <= 0.
    pub negative: String,
    /// The class on the side w·x + b > 0.
    pub positive: String,
}

impl From<&LabelNames> for ClassNames {
    fn from(names: &LabelNames) -> Self {
        ClassNames { negative: names.negative.clone(), positive: names.positive.clone() }
    }
}

/// What the features are called, and how they are counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeatureNames {
    /// How many there are.
    pub count: usize,
    /// Their names, where the data had them.
    pub names: Option<Vec<String>>,
    /// The number of the first one in a sparse file: 0 or 1.
    pub index_base: u8,
    /// The column of the labels, where they were a column of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_column: Option<LabelColumn>,
    /// How columns become features, where they are not simply the same.
    #[serde(default, flatten, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
}

impl FeatureNames {
    fn of(count: usize, about: &About) -> Self {
        FeatureNames {
            count,
            names: about.feature_names.clone(),
            index_base: about.index_base,
            label_column: about.label_column.as_ref().map(|column| match column {
                Column::Name(name) => LabelColumn::Name(name.clone()),
                Column::Number(number) => LabelColumn::Number(*number),
            }),
            encoding: about.encoding.clone(),
        }
    }

    /// Errors if its parts do not fit one another.
    fn check(&self) -> Result<(), SavedModelError> {
        if self.names.as_ref().is_some_and(|names| names.len() != self.count) {
            return Err(SavedModelError::Inconsistent("it has not one name per feature"));
        }
        if self.encoding.as_ref().is_some_and(|encoding| encoding.width() != self.count) {
            return Err(SavedModelError::Inconsistent("its columns do not make its features"));
        }
        Ok(())
    }
}

/// A column, by its name or by its number from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LabelColumn {
    /// By its name.
    Name(String),
    /// By its number.
    Number(usize),
}

impl From<&LabelColumn> for Column {
    fn from(column: &LabelColumn) -> Self {
        match column {
            LabelColumn::Name(name) => Column::Name(name.clone()),
            LabelColumn::Number(number) => Column::Number(*number),
        }
    }
}

/// How a model came about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Training {
    /// Rows.
    pub rows: u64,
    /// Why the fit ended.
    pub stop: Stop,
    /// Epochs.
    pub epochs: u64,
    /// Changes of the weights.
    pub updates: u64,
    /// Rows on the wrong side.
    pub mistakes: u64,
    /// The margins.
    pub margin: Margin,
    /// The limit on epochs.
    pub max_epochs: u64,
    /// Whether rows were shuffled.
    pub shuffle: bool,
    /// The random seed.
    pub seed: u64,
    /// In which units the method saw the columns; the hyperplane is in those of the data.
    #[serde(default, skip_serializing_if = "Scaling::is_none")]
    pub scale: Scaling,
}

impl Training {
    fn of(rows: usize, settings: &FitSettings, fit: &Fit) -> Self {
        Training {
            rows: rows as u64,
            stop: fit.stop,
            epochs: fit.epochs,
            updates: fit.updates,
            mistakes: fit.evaluation.mistakes,
            margin: fit.evaluation.margin,
            max_epochs: settings.max_epochs,
            shuffle: settings.shuffle,
            seed: settings.seed,
            scale: settings.scale,
        }
    }
}

/// Why a model file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SavedModelError {
    /// It is not a model file, or it is damaged.
    #[error("not a model file, or a damaged one: {0}")]
    Damaged(#[from] serde_json::Error),
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] std::io::Error),
    /// It is of a newer version.
    #[error("expected a model file of version {VERSION} or older, found version {0}")]
    Version(u32),
    /// Its parts do not fit one another.
    #[error("the model file is damaged: {0}")]
    Inconsistent(&'static str),
}

impl SavedModel {
    /// Returns the model that a fit found.
    pub fn new(data: &dyn Data, settings: &FitSettings, fit: &Fit) -> Self {
        let (shape, about) = (data.shape(), data.about());
        SavedModel {
            format: FORMAT.to_string(),
            version: ONE,
            method: settings.method.clone(),
            labels: (&about.label_names).into(),
            features: FeatureNames::of(shape.columns, about),
            hyperplane: fit.hyperplane.clone(),
            training: Training::of(shape.rows, settings, fit),
        }
    }

    /// Returns the model as the text of a model file.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a model is plain data");
        text.push('\n');
        text
    }

    /// Returns the model in the text of a model file.
    ///
    /// Errors if the text is not a model, is damaged, or is of a newer version.
    pub fn from_json(text: &str) -> Result<Self, SavedModelError> {
        match read_version(text)? {
            ONE => {}
            _ => return Err(SavedModelError::Inconsistent("it has a hyperplane per class")),
        }
        let model: SavedModel = serde_json::from_str(text)?;
        if model.hyperplane.weights.len() != model.features.count {
            return Err(SavedModelError::Inconsistent("it has not one weight per feature"));
        }
        model.features.check()?;
        Ok(model)
    }
}

/// Returns the version of the text of a model file. Errors if it is none, or too new.
fn read_version(text: &str) -> Result<u32, SavedModelError> {
    #[derive(Deserialize)]
    struct Head {
        format: String,
        version: u32,
    }
    // The head first: the rest of a newer file may look different.
    let head: Head = serde_json::from_str(text)?;
    match () {
        () if head.format != FORMAT => {
            Err(SavedModelError::Inconsistent("its format is not linsep-model"))
        }
        () if head.version > VERSION => Err(SavedModelError::Version(head.version)),
        () => Ok(head.version),
    }
}

/// A hyperplane for each of many classes, with all that is needed to name the class of new rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClassModel {
    format: String,
    version: u32,
    /// The method and its settings.
    pub method: MethodSettings,
    /// What the features are called, and how they are counted.
    pub features: FeatureNames,
    /// The classes.
    pub classes: Vec<ClassPlane>,
}

/// A class and the hyperplane that tells it from the others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClassPlane {
    /// What the class is called.
    pub label: String,
    /// The hyperplane.
    #[serde(flatten)]
    pub hyperplane: Hyperplane,
    /// How it came about.
    pub training: Training,
}

impl ClassModel {
    /// Returns the model of one fit per class.
    pub fn new(samples: &Samples, classes: &Classes, settings: &FitSettings, fits: &[Fit]) -> Self {
        let one = |(label, fit): (&String, &Fit)| ClassPlane {
            label: label.clone(),
            hyperplane: fit.hyperplane.clone(),
            training: Training::of(samples.rows(), settings, fit),
        };
        ClassModel {
            format: FORMAT.to_string(),
            version: VERSION,
            method: settings.method.clone(),
            features: FeatureNames::of(samples.columns(), samples.about()),
            classes: classes.names().iter().zip(fits).map(one).collect(),
        }
    }

    /// Returns the model as the text of a model file.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a model is plain data");
        text.push('\n');
        text
    }
}

/// A model of two classes, or of many.
#[derive(Clone, Debug)]
pub enum AnyModel {
    /// One hyperplane.
    Two(Box<SavedModel>),
    /// One per class.
    Many(Box<ClassModel>),
}

impl AnyModel {
    /// Returns the model in the text of a model file. Errors as [`SavedModel::from_json`] does.
    pub fn from_json(text: &str) -> Result<Self, SavedModelError> {
        if read_version(text)? == ONE {
            return Ok(AnyModel::Two(Box::new(SavedModel::from_json(text)?)));
        }
        let model: ClassModel = serde_json::from_str(text)?;
        let count = model.features.count;
        if model.classes.len() < 2 {
            return Err(SavedModelError::Inconsistent("it has not two classes or more"));
        }
        if model.classes.iter().any(|class| class.hyperplane.weights.len() != count) {
            return Err(SavedModelError::Inconsistent("it has not one weight per feature"));
        }
        model.features.check()?;
        Ok(AnyModel::Many(Box::new(model)))
    }

    /// Returns what the features are called.
    pub fn features(&self) -> &FeatureNames {
        match self {
            AnyModel::Two(model) => &model.features,
            AnyModel::Many(model) => &model.features,
        }
    }
}

/// What names the class of a row.
#[derive(Clone, Debug)]
pub struct Classifier {
    /// The classes; of two the negative one first.
    pub names: Vec<String>,
    planes: Vec<Hyperplane>,
    lengths: Vec<f64>,
}

impl Classifier {
    /// Returns the classifier of a model.
    pub fn of(model: &AnyModel) -> Self {
        let (names, planes) = match model {
            AnyModel::Two(model) => {
                let ClassNames { negative, positive } = model.labels.clone();
                (vec![negative, positive], vec![model.hyperplane.clone()])
            }
            AnyModel::Many(model) => {
                let own = model.classes.iter();
                own.map(|class| (class.label.clone(), class.hyperplane.clone())).unzip()
            }
        };
        let lengths = lengths(&planes);
        Classifier { names, planes, lengths }
    }

    /// Returns true if there is one hyperplane, for two classes.
    pub fn is_of_two(&self) -> bool {
        self.planes.len() == 1
    }

    /// Returns the class of each row, and how far the row lies on the side of that class; of two classes, on the
    /// positive side.
    pub fn classify(&self, features: &Features) -> Vec<(usize, f64)> {
        let values: Vec<Vec<f64>> = self
            .planes
            .iter()
            .map(|plane| {
                let mut values = vec![0.0; features.rows()];
                plane.values(features, 0, &mut values);
                values
            })
            .collect();
        let one = |row: usize| match &values[..] {
            [only] => (usize::from(only[row] > 0.0), only[row] / self.lengths[0]),
            several => nearest_class(&self.lengths, |class| several[class][row]),
        };
        (0..features.rows()).map(one).collect()
    }
}

impl AnyModel {
    /// Returns the model in a file. Errors if it cannot be read, or is none.
    ///
    /// ```
    /// use linsep::Samples;
    /// use linsep::ask::FitQuestion;
    /// use linsep::data::Memory;
    /// use linsep::saved::{AnyModel, Classifier};
    ///
    /// let samples = Samples::from_rows(&[[100.0], [101.0]], &[false, true])?;
    /// let answer = FitQuestion::default().ask(&Memory::new(&samples), None, &mut ())?;
    /// let path = std::env::temp_dir().join(format!("linsep-model-{}.json", std::process::id()));
    /// std::fs::write(&path, answer.model.to_json())?;
    /// let classifier = Classifier::of(&AnyModel::load(&path)?);
    /// let (class, _distance) = classifier.classify(samples.features())[1];
    /// assert_eq!(classifier.names[class], samples.about().label(true));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load(path: impl AsRef<std::path::Path>) -> Result<Self, SavedModelError> {
        Self::from_json(&read_text(path.as_ref())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Memory;
    use crate::online::fit;

    fn model() -> SavedModel {
        let samples = Samples::dense(vec![0.1, 0.7, -0.3, 1e-300], 2, vec![true, false]).unwrap();
        let settings = FitSettings::default();
        let fit = fit(&samples, &settings, &mut (), None).unwrap();
        SavedModel::new(&Memory::new(&samples), &settings, &fit)
    }

    #[test]
    fn a_model_survives_its_file_bit_for_bit() {
        let model = model();
        let read = SavedModel::from_json(&model.to_json()).unwrap();
        assert_eq!(read.hyperplane, model.hyperplane);
        assert_eq!(read.to_json(), model.to_json());
    }

    fn check(change: (&str, &str), expected: &str) {
        let text = model().to_json();
        let changed = text.replace(change.0, change.1);
        assert_ne!(text, changed, "the change must change something");
        let error = SavedModel::from_json(&changed).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn other_files_are_refused() {
        check(("linsep-model", "recipe"), "its format is not linsep-model");
        check(("\"version\": 1", "\"version\": 3"), "version 2 or older, found version 3");
        check(("\"count\": 2", "\"count\": 3"), "not one weight per feature");
        check(("\"names\": null", "\"names\": [\"a\"]"), "not one name per feature");
        check(("\"bias\"", "\"bios\""), "missing field `bias`");
        assert!(SavedModel::from_json("x").is_err());
    }
}
