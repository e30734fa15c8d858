//! Which method, and its settings: what was asked for, in one value that can be stored.

use serde::{Deserialize, Serialize};

use super::Method;
use super::corral::{self, GrowingCorral};
use super::fine::{self, Fine};
use super::joint::Joint;
#[cfg(feature = "lp")]
use super::lp::Lp;
use super::maxover::{self, Maxover};
use super::passive_aggressive::{self, PassiveAggressive};
use super::perceptron::Perceptron;
use super::pocket::Pocket;
use super::sgd::{self, Sgd};
use super::smooth::SmoothPerceptron;
use super::svm::{self, Svm};
use super::voted::{Averaged, Voted};
use super::winnow::{self, Winnow};
use crate::Samples;
use crate::decide::OptionError;
use crate::lift::Rows;

/// A method and its settings.
///
/// ```
/// use linsep::online::MethodSettings;
///
/// let method = MethodSettings::by_name("perceptron").unwrap();
/// assert_eq!(method.name(), "perceptron");
/// assert_eq!(serde_json::to_string(&method)?, r#"{"name":"perceptron"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MethodSettings {
    /// The paper's method.
    Fine(fine::FineSettings),
    /// The paper's method, with a projection after each epoch.
    Joint(fine::FineSettings),
    /// The largest margin, a row at a time.
    Corral(corral::CorralSettings),
    /// The paper's baseline.
    Perceptron,
    /// Pocket with ratchet.
    Pocket,
    /// Maxover.
    Maxover(maxover::MaxoverSettings),
    /// Balanced Winnow.
    Winnow(winnow::WinnowSettings),
    /// The voted perceptron, answering with the heaviest vote.
    Voted,
    /// The averaged perceptron.
    Averaged,
    /// The smooth Perceptron.
    Smooth,
    /// Passive-aggressive.
    PassiveAggressive(passive_aggressive::PassiveAggressiveSettings),
    /// Stochastic gradient descent.
    Sgd(sgd::SgdSettings),
    /// Linear support vector machine.
    Svm(svm::SvmSettings),
    /// Robust linear programming.
    #[cfg(feature = "lp")]
    Lp,
}

/// Why there is no such method, or none with such settings.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MethodError {
    /// No method has this name.
    #[error("no method is called \"{name}\"")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The method has no such setting.
    #[error("{method} has no setting \"{setting}\"")]
    NoSetting {
        /// The method.
        method: &'static str,
        /// The setting.
        setting: String,
        /// Those that it has.
        known: Vec<String>,
    },
    /// A setting is not of its type.
    #[error("settings of {method}: {why}")]
    Type {
        /// The method.
        method: &'static str,
        /// What is wrong.
        why: String,
    },
    /// A setting is out of its range.
    #[error(transparent)]
    Range(#[from] OptionError),
}

impl MethodSettings {
    /// Returns the method of this name, with settings that differ from the default.
    ///
    /// Errors if there is no such method, if it has no such setting, or if one is out of its range.
    pub fn configured(
        name: &str,
        changes: impl IntoIterator<Item = (String, serde_json::Value)>,
    ) -> Result<Self, MethodError> {
        let method =
            Self::by_name(name).ok_or_else(|| MethodError::Unknown { name: name.to_string() })?;
        let name = method.name();
        let mut settings = serde_json::to_value(&method).expect("settings are plain data");
        for (setting, value) in changes {
            let known = settings.as_object().into_iter().flatten().map(|(key, _)| key.clone());
            let known: Vec<String> = known.filter(|key| key != "name").collect();
            if !known.contains(&setting) {
                return Err(MethodError::NoSetting { method: name, setting, known });
            }
            settings[setting] = value;
        }
        let method: MethodSettings = serde_json::from_value(settings)
            .map_err(|error| MethodError::Type { method: name, why: error.to_string() })?;
        method.validate()?;
        Ok(method)
    }

    /// Returns every method with its default settings, the paper's first.
    pub fn all() -> Vec<MethodSettings> {
        vec![
            MethodSettings::Fine(fine::FineSettings::default()),
            MethodSettings::Joint(fine::FineSettings::default()),
            MethodSettings::Corral(corral::CorralSettings::default()),
            MethodSettings::Perceptron,
            MethodSettings::Pocket,
            MethodSettings::Maxover(maxover::MaxoverSettings::default()),
            MethodSettings::Winnow(winnow::WinnowSettings::default()),
            MethodSettings::Voted,
            MethodSettings::Averaged,
            MethodSettings::Smooth,
            MethodSettings::PassiveAggressive(
                passive_aggressive::PassiveAggressiveSettings::default(),
            ),
            MethodSettings::Sgd(sgd::SgdSettings::default()),
            MethodSettings::Svm(svm::SvmSettings::default()),
            #[cfg(feature = "lp")]
            MethodSettings::Lp,
        ]
    }

    /// Returns the method of this name with its default settings.
    pub fn by_name(name: &str) -> Option<MethodSettings> {
        Self::all().into_iter().find(|method| method.name() == name)
    }

    /// Returns the name of the method, as the command line has it.
    pub fn name(&self) -> &'static str {
        match self {
            MethodSettings::Fine(_) => "fine",
            MethodSettings::Joint(_) => "joint",
            MethodSettings::Corral(_) => "corral",
            MethodSettings::Perceptron => "perceptron",
            MethodSettings::Pocket => "pocket",
            MethodSettings::Maxover(_) => "maxover",
            MethodSettings::Winnow(_) => "winnow",
            MethodSettings::Voted => "voted",
            MethodSettings::Averaged => "averaged",
            MethodSettings::Smooth => "smooth",
            MethodSettings::PassiveAggressive(_) => "passive-aggressive",
            MethodSettings::Sgd(_) => "sgd",
            MethodSettings::Svm(_) => "svm",
            #[cfg(feature = "lp")]
            MethodSettings::Lp => "lp",
        }
    }

    /// Returns an error if a setting is out of its range.
    pub fn validate(&self) -> Result<(), OptionError> {
        match self {
            MethodSettings::Fine(settings) | MethodSettings::Joint(settings) => {
                at_least_zero("epsilon", settings.epsilon)?;
                let expected = "a number between 0 and 2, both excluded";
                let found = settings.relaxation;
                if !(found > 0.0 && found < 2.0) {
                    return Err(OptionError::new("relaxation", &found, expected));
                }
                Ok(())
            }
            MethodSettings::Corral(settings) => {
                let expected = "a number between 0 and 1, both excluded";
                match settings.gap > 0.0 && settings.gap < 1.0 {
                    true => Ok(()),
                    false => Err(OptionError::new("gap", &settings.gap, expected)),
                }
            }
            MethodSettings::Maxover(settings) => at_least_zero("kappa", settings.kappa),
            MethodSettings::Winnow(settings) => {
                let found = settings.eta;
                if !(found > 0.0 && found <= 100.0) {
                    let expected = "a number above 0, at most 100";
                    return Err(OptionError::new("eta", &found, expected));
                }
                Ok(())
            }
            MethodSettings::PassiveAggressive(settings) => {
                above_zero("aggressiveness", settings.aggressiveness)
            }
            MethodSettings::Sgd(settings) => {
                at_least_zero("lambda", settings.lambda)?;
                above_zero("eta0", settings.eta0)
            }
            MethodSettings::Svm(settings) => {
                above_zero("cost", settings.cost)?;
                above_zero("tolerance", settings.tolerance)
            }
            MethodSettings::Perceptron
            | MethodSettings::Pocket
            | MethodSettings::Voted
            | MethodSettings::Averaged
            | MethodSettings::Smooth => Ok(()),
            #[cfg(feature = "lp")]
            MethodSettings::Lp => Ok(()),
        }
    }

    /// Returns true if the method learns from rows that are not normalized.
    pub(super) fn learns_raw(&self) -> bool {
        matches!(self, MethodSettings::Perceptron | MethodSettings::Pocket)
    }

    /// Returns the rows in the form from which the method learns.
    pub fn rows<'a>(&self, samples: &'a Samples) -> Rows<'a> {
        match self.learns_raw() {
            true => Rows::raw(samples),
            false => Rows::lifted(samples),
        }
    }

    /// Returns true if the method works on all rows at once, and so needs them in memory.
    pub fn needs_memory(&self) -> bool {
        #[cfg(feature = "lp")]
        return *self == MethodSettings::Lp;
        #[cfg(not(feature = "lp"))]
        return false;
    }

    /// Returns true if the method has a meaning for weights of rows: a loss that they multiply.
    pub fn takes_weights(&self) -> bool {
        match self {
            MethodSettings::Sgd(_) | MethodSettings::Svm(_) => true,
            MethodSettings::PassiveAggressive(settings) => {
                settings.variant != passive_aggressive::Variant::Hard
            }
            _ => false,
        }
    }

    /// Returns true if the method answers with something else than the vector that it corrects: an average, or one
    /// that it has had before.
    pub fn answers_otherwise(&self) -> bool {
        use MethodSettings::{Averaged, Pocket, Voted};
        matches!(self, Averaged | Pocket | Voted)
    }

    /// Returns true if the method can go on with other rows where it stopped: it keeps nothing that
    /// belongs to the rows it has seen.
    pub fn goes_on(&self) -> bool {
        match self {
            MethodSettings::Corral(_)
            | MethodSettings::Smooth
            | MethodSettings::Pocket
            | MethodSettings::Svm(_) => false,
            #[cfg(feature = "lp")]
            MethodSettings::Lp => false,
            _ => true,
        }
    }

    /// Returns the method, ready for its first epoch.
    pub(super) fn build(&self, rows: &Rows, seed: u64) -> Box<dyn Method> {
        match self {
            MethodSettings::Fine(settings) => Box::new(Fine::new(settings, rows, seed)),
            MethodSettings::Joint(settings) => Box::new(Joint::new(settings, rows, seed)),
            MethodSettings::Corral(settings) => Box::new(GrowingCorral::new(settings, rows)),
            MethodSettings::Perceptron => Box::new(Perceptron::new(rows)),
            MethodSettings::Pocket => Box::new(Pocket::new(rows)),
            MethodSettings::Maxover(settings) => Box::new(Maxover::new(settings, rows)),
            MethodSettings::Winnow(settings) => Box::new(Winnow::new(settings, rows)),
            MethodSettings::Voted => Box::new(Voted::new(rows)),
            MethodSettings::Averaged => Box::new(Averaged::new(rows)),
            MethodSettings::Smooth => Box::new(SmoothPerceptron::new(rows)),
            MethodSettings::PassiveAggressive(settings) => {
                Box::new(PassiveAggressive::new(settings, rows))
            }
            MethodSettings::Sgd(settings) => Box::new(Sgd::new(settings, rows)),
            MethodSettings::Svm(settings) => Box::new(Svm::new(settings, rows)),
            #[cfg(feature = "lp")]
            MethodSettings::Lp => Box::new(Lp::new(rows)),
        }
    }
}

pub(super) fn at_least_zero(name: &'static str, found: f64) -> Result<(), OptionError> {
    if found >= 0.0 && found.is_finite() {
        return Ok(());
    }
    Err(OptionError::new(name, &found, "a finite number, at least 0"))
}

pub(super) fn above_zero(name: &'static str, found: f64) -> Result<(), OptionError> {
    if found > 0.0 && found.is_finite() {
        return Ok(());
    }
    Err(OptionError::new(name, &found, "a finite number above 0"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Generator;
    use crate::online::{Order, Span, Tally};

    #[test]
    fn names_are_the_same_everywhere() {
        for method in MethodSettings::all() {
            let name = method.name();
            assert_eq!(MethodSettings::by_name(name).as_ref(), Some(&method));
            let text = serde_json::to_string(&method).unwrap();
            assert_eq!(serde_json::from_str::<MethodSettings>(&text).unwrap(), method);
            let short = format!(r#"{{"name":"{name}"}}"#);
            assert_eq!(serde_json::from_str::<MethodSettings>(&short).unwrap(), method);
        }
        assert_eq!(MethodSettings::by_name("oracle"), None);
    }

    fn check(json: &str, expected: &str) {
        let found = match serde_json::from_str::<MethodSettings>(json) {
            Ok(method) => method.validate().map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let found = found.expect_err("a fault");
        assert!(found.starts_with(expected), "{found}");
    }

    #[test]
    fn faulty_settings_are_refused() {
        let above = "expected a finite number above 0";
        let at_least = "expected a finite number, at least 0";
        check(r#"{"name":"maxover","kappa":-1.0}"#, &format!("kappa is -1; {at_least}"));
        check(
            r#"{"name":"winnow","eta":1000}"#,
            "eta is 1000; expected a number above 0, at most 100",
        );
        check(
            r#"{"name":"passive-aggressive","aggressiveness":0}"#,
            &format!("aggressiveness is 0; {above}"),
        );
        check(r#"{"name":"sgd","lambda":-1}"#, &format!("lambda is -1; {at_least}"));
        check(r#"{"name":"sgd","eta0":0}"#, &format!("eta0 is 0; {above}"));
        check(r#"{"name":"svm","cost":0}"#, &format!("cost is 0; {above}"));
        check(r#"{"name":"svm","tolerance":0}"#, &format!("tolerance is 0; {above}"));
        check(r#"{"name":"svm","C":1}"#, "unknown field `C`");
        check(r#"{"name":"sgd","loss":"l0"}"#, "unknown variant `l0`");
    }

    /// Runs some epochs, cut into spans of `span_rows` rows, and returns what came of it. After each
    /// span the method is thrown away and restored from its state as text, if asked for.
    fn run(
        method: &MethodSettings,
        samples: &Samples,
        span_rows: usize,
        restart: bool,
    ) -> (Tally, Vec<u64>) {
        let rows = method.rows(samples);
        let mut running = method.build(&rows, 1);
        let mut tally = Tally::default();
        for epoch in 1..=20 {
            let order = Order::shuffled(rows.len(), 1, epoch);
            for start in (0..rows.len()).step_by(span_rows) {
                let positions = start..rows.len().min(start + span_rows);
                tally += running.learn(&rows, &Span { order: &order, positions, epoch });
                if restart {
                    let text = running.save().to_string();
                    running = method.build(&rows, 1);
                    running.restore(&rows, serde_json::from_str(&text).unwrap()).unwrap();
                }
            }
            tally += running.end_epoch(&rows, &|| false).tally;
        }
        let mut found = running.answer();
        found.extend(running.margin_bound());
        (tally, found.iter().map(|v| v.to_bits()).collect())
    }

    #[test]
    fn neither_cuts_nor_restarts_change_anything() {
        let (mut x, mut positive) = (vec![0.0; 400], vec![false; 100]);
        Generator::new(100, 4, 3).fill(0..100, &mut x, &mut positive);
        let separable = Samples::dense(x.clone(), 4, positive.clone()).unwrap();
        positive.iter_mut().step_by(23).for_each(|p| *p = !*p);
        let inseparable = Samples::dense(x, 4, positive).unwrap();
        let mut methods = MethodSettings::all();
        // Large enough for the common factor of the weights to change.
        methods.push(MethodSettings::Winnow(winnow::WinnowSettings { eta: 5.0 }));
        methods.push(MethodSettings::Svm(svm::SvmSettings { hard: true, ..Default::default() }));
        for method in methods {
            for samples in [&separable, &inseparable] {
                let expected = run(&method, samples, 100, false);
                for span_rows in [1, 7, 64] {
                    assert_eq!(run(&method, samples, span_rows, false), expected, "{method:?}");
                    assert_eq!(run(&method, samples, span_rows, true), expected, "{method:?}");
                }
            }
        }
    }

    #[test]
    fn a_state_of_other_lengths_is_refused_and_changes_nothing() {
        let narrow = Generator::new(10, 2, 1).samples::<f64>().unwrap();
        let wide = Generator::new(10, 3, 1).samples::<f64>().unwrap();
        for method in MethodSettings::all() {
            let other = method.build(&method.rows(&wide), 1).save();
            let rows = method.rows(&narrow);
            let mut built = method.build(&rows, 1);
            let before = built.save();
            let error = built.restore(&rows, other).expect_err("a fault");
            assert_eq!(error.to_string(), "expected a vector of 3 numbers, found 4", "{method:?}");
            assert_eq!(built.save(), before, "{method:?}");
        }
    }
}
