//! Which method, and its settings: what was asked for, in one value that can be stored.

use serde::{Deserialize, Serialize};

use super::Method;
use super::fine::{self, Fine};
use super::perceptron::Perceptron;
use crate::Samples;
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
    Fine(fine::Settings),
    /// The paper's baseline.
    Perceptron,
}

/// A setting that is out of its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{name} is {found}; expected {expected}")]
pub struct SettingsError {
    /// The setting.
    pub name: &'static str,
    /// Its value.
    pub found: f64,
    /// Its range.
    pub expected: &'static str,
}

impl MethodSettings {
    /// Returns every method with its default settings, the paper's first.
    pub fn all() -> Vec<MethodSettings> {
        vec![MethodSettings::Fine(fine::Settings::default()), MethodSettings::Perceptron]
    }

    /// Returns the method of this name with its default settings.
    pub fn by_name(name: &str) -> Option<MethodSettings> {
        Self::all().into_iter().find(|method| method.name() == name)
    }

    /// Returns the name of the method, as the command line has it.
    pub fn name(&self) -> &'static str {
        match self {
            MethodSettings::Fine(_) => "fine",
            MethodSettings::Perceptron => "perceptron",
        }
    }

    /// Returns an error if a setting is out of its range.
    pub fn validate(&self) -> Result<(), SettingsError> {
        match self {
            MethodSettings::Fine(settings) => {
                at_least_zero("epsilon", settings.epsilon)?;
                let expected = "a number between 0 and 2, both excluded";
                let found = settings.relaxation;
                if !(found > 0.0 && found < 2.0) {
                    return Err(SettingsError { name: "relaxation", found, expected });
                }
                Ok(())
            }
            MethodSettings::Perceptron => Ok(()),
        }
    }

    /// Returns the rows in the form from which the method learns.
    pub fn rows<'a>(&self, samples: &'a Samples) -> Rows<'a> {
        match self {
            MethodSettings::Fine(_) => Rows::lifted(samples),
            MethodSettings::Perceptron => Rows::raw(samples),
        }
    }

    /// Returns the method, ready for its first epoch.
    pub(super) fn build(&self, rows: &Rows, seed: u64) -> Box<dyn Method> {
        match self {
            MethodSettings::Fine(settings) => Box::new(Fine::new(settings, rows, seed)),
            MethodSettings::Perceptron => Box::new(Perceptron::new(rows)),
        }
    }
}

pub(super) fn at_least_zero(name: &'static str, found: f64) -> Result<(), SettingsError> {
    if found >= 0.0 && found.is_finite() {
        return Ok(());
    }
    Err(SettingsError { name, found, expected: "a finite number, at least 0" })
}

pub(super) fn above_zero(name: &'static str, found: f64) -> Result<(), SettingsError> {
    if found > 0.0 && found.is_finite() {
        return Ok(());
    }
    Err(SettingsError { name, found, expected: "a finite number above 0" })
}
