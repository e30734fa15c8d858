//! Proof files that were changed so that they cannot hold: each must be refused.

use linsep::Samples;
use linsep::proof::{IBig, Proof, verify};
use serde_json::{Value, json};

use super::case::Problem;

/// Checks that every change of the proof is refused, by the reader or by the checker.
pub fn check(samples: &Samples, problem: &Problem, proof: &Proof) {
    let original: Value = serde_json::from_str(&proof.to_json()).unwrap();
    let refused = |what: &str, change: &dyn Fn(&mut Value)| {
        let mut file = original.clone();
        change(&mut file);
        assert_ne!(file, original, "{what}: the change must change something");
        if let Ok(proof) = Proof::from_json(&file.to_string()) {
            assert!(verify(samples, &proof).is_err(), "{what}: {file}");
        }
    };
    refused("another fingerprint", &|file| file["data"]["fingerprint"] = json!("0".repeat(32)));
    refused("one row more", &|file| file["data"]["rows"] = json!(samples.rows() + 1));
    let claim = &original["claim"];
    if claim.get("hyperplane").is_some() {
        refused("the opposite hyperplane", &|file| {
            plane(file).for_each(|number| *number = opposite(number));
        });
        refused("no hyperplane", &|file| {
            plane(file).for_each(|number| {
                *number = if number.is_string() { json!("0") } else { json!(0.0) };
            });
        });
        refused("a weight too few", &|file| {
            file["claim"]["hyperplane"]["weights"].as_array_mut().unwrap().pop();
        });
    }
    if claim.get("conflict").is_some() {
        check_conflict(problem, claim, &refused);
        if claim.get("hyperplane").is_some() {
            // Rows of the conflict lie on the hyperplane, one of either class.
            refused("a bias one larger", &|file| {
                file["claim"]["hyperplane"]["bias"] = plus_one(&claim["hyperplane"]["bias"]);
            });
        }
    }
    if let Some(margin) = &proof.margin {
        // The margin of a hyperplane above that of any, or that of any below that of one.
        refused("a larger margin", &|file| {
            file["margin"]["lower"] = json!(margin.upper * 1.001 + f64::MIN_POSITIVE);
        });
        if margin.lower > 0.0 {
            refused("a smaller bound", &|file| file["margin"]["upper"] = json!(margin.lower * 0.5));
        }
        refused("a bound from no rows", &|file| file["margin"]["upper_rows"] = json!([]));
    }
    if original.get("removal").is_some() {
        check_removal(&original["removal"], &refused);
    }
}

fn check_removal(removal: &Value, refused: &Refuse) {
    let (rows, conflicts) = (&removal["rows"], removal["conflicts"].as_array().unwrap());
    refused("a conflict twice", &|file| {
        file["removal"]["conflicts"].as_array_mut().unwrap().push(conflicts[0].clone());
    });
    refused("an empty conflict", &|file| {
        file["removal"]["conflicts"].as_array_mut().unwrap().push(json!([]));
    });
    refused("no conflicts", &|file| file["removal"]["conflicts"] = json!([]));
    for k in 0..conflicts.len() {
        refused("a row of a conflict left out", &|file| {
            file["removal"]["conflicts"][k].as_array_mut().unwrap().pop();
        });
        refused("a multiplier one larger", &|file| {
            let multiplier = &mut file["removal"]["conflicts"][k][0]["multiplier"];
            *multiplier = plus_one(multiplier);
        });
        refused("a row of another conflict", &|file| {
            let other = &conflicts[(k + 1) % conflicts.len()][0];
            file["removal"]["conflicts"][k].as_array_mut().unwrap().push(other.clone());
        });
        refused("a conflict cut in two", &|file| {
            let rows = file["removal"]["conflicts"][k].as_array_mut().unwrap();
            let half = rows.split_off(1);
            file["removal"]["conflicts"].as_array_mut().unwrap().push(json!(half));
        });
    }
    for k in 0..rows.as_array().unwrap().len() {
        refused("a row that stays", &|file| {
            file["removal"]["rows"].as_array_mut().unwrap().remove(k);
        });
        refused("a row that goes twice", &|file| {
            file["removal"]["rows"].as_array_mut().unwrap().push(rows[k].clone());
        });
    }
    refused("the opposite hyperplane", &|file| {
        let plane = &mut file["removal"]["hyperplane"];
        plane["bias"] = opposite(&plane["bias"]);
        plane["weights"].as_array_mut().unwrap().iter_mut().for_each(|w| *w = opposite(w));
    });
    refused("a hyperplane off", &|file| file["removal"]["hyperplane"]["bias"] = json!(1e300));
    refused("version 1", &|file| file["version"] = json!(1));
}

type Refuse<'a> = dyn Fn(&str, &dyn Fn(&mut Value)) + 'a;

fn check_conflict(problem: &Problem, claim: &Value, refused: &Refuse) {
    let rows = claim["conflict"].as_array().unwrap();
    for k in 0..rows.len() {
        let multiplier = &rows[k]["multiplier"];
        refused("a multiplier one larger", &|file| {
            file["claim"]["conflict"][k]["multiplier"] = plus_one(multiplier);
        });
        refused("a negative multiplier", &|file| {
            file["claim"]["conflict"][k]["multiplier"] = opposite(multiplier);
        });
        refused("a multiplier of zero", &|file| {
            file["claim"]["conflict"][k]["multiplier"] = json!("0");
        });
        refused("a row left out", &|file| {
            file["claim"]["conflict"].as_array_mut().unwrap().remove(k);
        });
        refused("a row named twice", &|file| {
            file["claim"]["conflict"].as_array_mut().unwrap().push(rows[k].clone());
        });
        // Any row that is not the same point of the same class unbalances the sum.
        let row = rows[k]["row"].as_u64().unwrap() as usize - 1;
        let same = |i: &usize| {
            problem.rows[*i] == problem.rows[row] && problem.positive[*i] == problem.positive[row]
        };
        if let Some(other) = (0..problem.rows.len()).find(|i| !same(i)) {
            refused("another row", &|file| {
                file["claim"]["conflict"][k]["row"] = json!(other + 1);
            });
        }
    }
    refused("no rows", &|file| file["claim"]["conflict"] = json!([]));
}

/// Returns the weights and the bias of the claim.
fn plane(file: &mut Value) -> impl Iterator<Item = &mut Value> {
    let plane = file["claim"]["hyperplane"].as_object_mut().unwrap();
    plane.values_mut().flat_map(|value| match value {
        Value::Array(weights) => weights.iter_mut().collect(),
        bias => vec![bias],
    })
}

/// Returns the number, or the integer in a string, with the other sign.
fn opposite(number: &Value) -> Value {
    match number {
        Value::String(text) => json!((-integer(text)).to_string()),
        number => json!(-number.as_f64().unwrap()),
    }
}

fn plus_one(text: &Value) -> Value {
    json!((integer(text.as_str().unwrap()) + IBig::ONE).to_string())
}

fn integer(text: &str) -> IBig {
    IBig::from_str_radix(text, 10).unwrap()
}
