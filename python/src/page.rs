//! What there is to see of a hyperplane: numbers to draw, with the names that Python has for things.

use linsep::Hyperplane;
use linsep::ask::DataFacts;
use linsep::picture::{Marks, Picture, picture as draw};
use linsep_report::voice::Voice;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::data::Given;
use crate::voice::Pythonic;
use crate::work::run;

/// Returns a picture as JSON, with the names of rows and features.
pub fn named(picture: &Picture, data: &DataFacts) -> String {
    let mut value = serde_json::to_value(picture).expect("numbers and names are plain data");
    let row = |point: &mut Value| {
        let number = point["row"].as_u64().unwrap_or_default() as usize;
        if point["name"].is_null() {
            point["name"] = json!(data.row(number, 0).to_string());
        }
        point["row"] = json!(data.row(number, 0));
    };
    let features = |point: &mut Value| {
        for pair in point["values"].as_array_mut().into_iter().flatten() {
            let feature = pair[0].as_u64().unwrap_or_default() as usize;
            pair[0] = json!(Pythonic.feature(data, feature));
        }
    };
    for point in value["marked"].as_array_mut().into_iter().flatten() {
        row(point);
        features(point);
    }
    for point in value["view"]["points"].as_array_mut().into_iter().flatten() {
        row(point);
        features(point);
    }
    let places = value.pointer_mut("/plane/places").and_then(Value::as_array_mut);
    places.into_iter().flatten().for_each(row);
    let shown = picture.features.min(2);
    value["names"] = (0..shown).map(|k| json!(Pythonic.feature(data, k))).collect();
    for weight in value["weights"].as_array_mut().into_iter().flatten() {
        let feature = weight["feature"].as_u64().unwrap_or_default() as usize;
        weight["feature"] = json!(Pythonic.feature(data, feature));
    }
    value.to_string()
}

/// Returns, as JSON, what can be drawn of a hyperplane. Rows in conflict and suspects, counted among the rows of the data,
/// are marked.
#[pyfunction]
pub fn picture<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    coef: PyReadonlyArray1<'py, f64>,
    intercept: f64,
    conflict: Vec<usize>,
    suspects: Vec<usize>,
) -> PyResult<String> {
    let given = Given::new(x)?;
    let plane = Hyperplane { weights: coef.as_slice()?.to_vec(), bias: intercept };
    let conflict = conflict.into_iter().map(|row| (row, String::new())).collect();
    let (shared, marks) = (given.clone(), Marks { conflict, suspects });
    let drawn = run(py, None, move |wire| {
        shared.show(wire, |data| Ok(named(&draw(data, &plane, &marks)?, &DataFacts::of(data))))
    })?;
    drop(given);
    Ok(drawn)
}
