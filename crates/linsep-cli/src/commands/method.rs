//! From a method's name and the options around it to its settings.

use linsep::online::{MethodError, MethodSettings};
use linsep_report::hints::method_hint;
use serde_json::Value;

use crate::args::MethodArgs;
use crate::failure::Failure;

/// Returns the method of this name with its default settings.
pub fn by_name(name: &str) -> Result<MethodSettings, Failure> {
    Ok(MethodSettings::configured(name, [])?)
}

/// Returns the method that was asked for, with the settings that were asked for.
pub fn settings(args: &MethodArgs) -> Result<MethodSettings, Failure> {
    let mut changes: Vec<(String, Value)> = vec![];
    let mut change = |key: &str, value: Option<Value>| {
        changes.extend(value.map(|value| (key.to_string(), value)));
    };
    change("epsilon", args.epsilon.map(Value::from));
    change("relaxation", args.relaxation.map(Value::from));
    change("start", args.start.as_deref().map(Value::from));
    change("skip", args.no_skip.then_some(Value::Bool(false)));
    for text in &args.set {
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| Failure::usage(format!("--set {text}: expected KEY=VALUE"), None))?;
        // A word that is not JSON is a string: loss=hinge.
        change(key, Some(serde_json::from_str(value).unwrap_or_else(|_| value.into())));
    }
    Ok(MethodSettings::configured(&args.method, changes)?)
}

impl From<MethodError> for Failure {
    fn from(error: MethodError) -> Self {
        Failure::usage(error.to_string(), method_hint(&error).as_deref())
    }
}
