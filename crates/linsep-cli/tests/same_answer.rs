//! The same question gets the same answer, to the byte, from the program and from the library. `python/tests` holds the
//! same for Python, with the same list.

use std::path::{Path, PathBuf};
use std::process::Command;

use linsep::ask::{AskedOf, Question};
use linsep::data::read::{
    ColumnChoice, ReadOptions, Source, StreamOptions, Where, load, read_classes,
};
use linsep::data::samples::Missing;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the arguments that ask a question, and read a table.
fn arguments(file: &str, question: &Value, read: &Value) -> Vec<String> {
    let mut words: Vec<String> = vec![];
    let ask = question["ask"].as_str().unwrap();
    words.push(match ask {
        "classes" => "decide".to_string(),
        "estimate" => "separation".to_string(),
        other => other.to_string(),
    });
    words.extend([file.to_string(), "--json".to_string()]);
    let values = [question, read].into_iter().flat_map(|object| object.as_object().unwrap());
    for (key, value) in values.filter(|(key, _)| *key != "ask") {
        let flag = format!("--{}", key.replace('_', "-"));
        match value {
            Value::Bool(true) => words.push(flag),
            Value::Array(items) if key == "methods" => {
                let names: Vec<&str> = items.iter().map(|m| m["name"].as_str().unwrap()).collect();
                words.extend([flag, names.join(",")]);
            }
            Value::Array(items) => {
                let items: Vec<&str> = items.iter().map(|item| item.as_str().unwrap()).collect();
                words.extend([flag, items.join(",")]);
            }
            Value::Object(method) => {
                words.extend([flag, method["name"].as_str().unwrap().to_string()]);
            }
            Value::String(text) => words.extend([flag, text.clone()]),
            other => words.extend([flag, other.to_string()]),
        }
    }
    words
}

fn printed(words: &[String]) -> Result<Value, String> {
    // Another program, such as one on an emulated processor: `make other-machine`.
    let program = std::env::var_os("LINSEP_PROGRAM");
    let program = program.unwrap_or_else(|| env!("CARGO_BIN_EXE_linsep").into());
    let program = Command::new(program).args(words).current_dir(root()).output().unwrap();
    let text = String::from_utf8(program.stdout).unwrap();
    serde_json::from_str(&text).map_err(|_| String::from_utf8(program.stderr).unwrap())
}

/// Returns how the table is read.
fn options(read: &Value) -> ReadOptions {
    let text = |key: &str| read[key].as_str().map(str::to_string);
    let excluded = read["exclude"].as_array().into_iter().flatten();
    ReadOptions {
        positive: text("positive"),
        row_id: text("row_id").map(ColumnChoice::Name),
        exclude: excluded.map(|name| ColumnChoice::Name(name.as_str().unwrap().into())).collect(),
        missing: match read["missing"].as_str() {
            Some("drop") => Missing::Drop,
            Some("mean") => Missing::Mean,
            Some("median") => Missing::Median,
            _ => Missing::Refuse,
        },
        ..ReadOptions::default()
    }
}

/// Returns the answer of the library.
fn asked(file: &str, question: &Value, read: &Value) -> Result<Value, String> {
    let source = Source::File(root().join(file));
    let options = options(read);
    let silent = |_: u64| {};
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let mut question = question.clone();
    if question["ask"] == "estimate"
        && let (Value::String(positive), false) =
            (&read["positive"], question.get("positive").is_some())
        && ["binomial", "log-binomial", "conditional"]
            .contains(&question["model"].as_str().unwrap_or("binomial"))
    {
        question["positive"] = positive.clone().into();
    }
    let many = || {
        let options = ReadOptions { positive: None, ..options.clone() };
        read_classes(&source, &options, &silent).map_err(|error| words(&error))
    };
    let two = || {
        let streaming = StreamOptions::default();
        let found = load(&source, &options, Where::Memory, &streaming, &silent);
        found.map(|(loaded, _)| loaded).map_err(|error| words(&error))
    };
    let failed = |error: linsep::ask::AskError| error.to_string();
    let question: Question = serde_json::from_value(question).unwrap();
    question.validate().map_err(failed)?;
    let found = match &question {
        Question::Classes(_) => {
            let (samples, classes) = many()?;
            question.ask(AskedOf::Classes(&samples, &classes), &mut ())
        }
        Question::Audit(_) if !read["positive"].is_string() => {
            let (samples, classes) = many()?;
            question.ask(AskedOf::Classes(&samples, &classes), &mut ())
        }
        Question::Estimate(own) if !own.is_plain() => {
            let table = own.read(&source, &options, &silent).map_err(failed)?;
            question.ask(AskedOf::Table(&table), &mut ())
        }
        _ => two()?.show(|data| question.ask(AskedOf::Rows(data), &mut ())),
    };
    Ok(found.map_err(failed)?.to_json())
}

/// Takes times out: they differ from run to run.
fn timeless(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.shift_remove("seconds");
            map.values_mut().for_each(timeless);
        }
        Value::Array(items) => items.iter_mut().for_each(timeless),
        _ => {}
    }
}

#[test]
fn the_program_and_the_library_give_the_same_answer() {
    let text = std::fs::read_to_string(root().join("testdata/questions/questions.json")).unwrap();
    let list: Value = serde_json::from_str(&text).unwrap();
    let (mut count, mut answered) = (0, 0);
    for table in list["tables"].as_array().unwrap() {
        let file = table["file"].as_str().unwrap();
        for kind in ["two", "many", "beside"] {
            if kind != "two" && table[kind].as_bool() != Some(true) {
                continue;
            }
            for question in list[kind].as_array().unwrap() {
                let mut read = table["read"].clone();
                if kind == "many" || question.get("positive").is_some() || is_model(question) {
                    read.as_object_mut().unwrap().shift_remove("positive");
                }
                let words = arguments(file, question, &read);
                let (mut program, mut library) = (printed(&words), asked(file, question, &read));
                for found in [&mut program, &mut library] {
                    let _ = found.as_mut().map(timeless);
                }
                match (&program, &library) {
                    (Ok(program), Ok(library)) => {
                        assert_eq!(program.to_string(), library.to_string(), "{words:?}");
                        answered += 1;
                    }
                    // A question that has no answer has none from either.
                    (Err(_), Err(_)) => {}
                    other => panic!("{words:?}: {other:?}"),
                }
                count += 1;
            }
        }
    }
    assert!(count >= 200 && answered >= 180, "{answered} of {count} questions were answered");
}

/// Returns true if a question is about a model that has no success.
fn is_model(question: &Value) -> bool {
    let model = question["model"].as_str().unwrap_or("binomial");
    question["ask"] == "estimate" && !["binomial", "log-binomial", "conditional"].contains(&model)
}
