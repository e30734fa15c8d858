//! From a method's name and the options around it to its settings.

use linsep::online::MethodSettings;
use serde_json::Value;

use crate::args::MethodArgs;
use crate::failure::Failure;
use linsep_report::suggest::did_you_mean;

/// Returns the method of this name with its default settings.
pub fn by_name(name: &str) -> Result<MethodSettings, Failure> {
    MethodSettings::by_name(name).ok_or_else(|| {
        let names: Vec<&str> = MethodSettings::all().iter().map(|m| m.name()).collect();
        let hint = did_you_mean(name, names.iter().copied());
        let hint = hint.unwrap_or_else(|| format!("the methods are {}", names.join(", ")));
        Failure::usage(format!("no method is called \"{name}\""), Some(&hint))
    })
}

/// Returns the method that was asked for, with the settings that were asked for.
pub fn settings(args: &MethodArgs) -> Result<MethodSettings, Failure> {
    let method = by_name(&args.method)?;
    let mut changes: Vec<(&str, Value)> = vec![];
    changes.extend(args.epsilon.map(|value| ("epsilon", value.into())));
    changes.extend(args.relaxation.map(|value| ("relaxation", value.into())));
    changes.extend(args.start.as_deref().map(|value| ("start", value.into())));
    changes.extend(args.no_skip.then_some(("skip", Value::Bool(false))));
    for text in &args.set {
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| Failure::usage(format!("--set {text}: expected KEY=VALUE"), None))?;
        // A word that is no JSON is a string: loss=hinge.
        changes.push((key, serde_json::from_str(value).unwrap_or_else(|_| value.into())));
    }
    apply(method, changes)
}

fn apply(method: MethodSettings, changes: Vec<(&str, Value)>) -> Result<MethodSettings, Failure> {
    let name = method.name();
    let mut settings = serde_json::to_value(&method).expect("settings are plain data");
    for (key, value) in changes {
        let known: Vec<String> =
            settings.as_object().into_iter().flatten().map(|(k, _)| k.clone()).collect();
        if key == "name" || !known.iter().any(|k| k == key) {
            let known: Vec<&str> =
                known.iter().map(String::as_str).filter(|k| *k != "name").collect();
            let hint = match (did_you_mean(key, known.iter().copied()), known.is_empty()) {
                (Some(hint), _) => hint,
                (None, true) => format!("{name} has no settings"),
                (None, false) => format!("the settings of {name} are {}", known.join(", ")),
            };
            return Err(Failure::usage(format!("{name} has no setting \"{key}\""), Some(&hint)));
        }
        settings[key] = value;
    }
    let method: MethodSettings = serde_json::from_value(settings)
        .map_err(|error| Failure::usage(format!("settings of {name}: {error}"), None))?;
    method.validate().map_err(|error| Failure::usage(error.to_string(), None))?;
    Ok(method)
}
