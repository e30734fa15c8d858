//! Proof files that are damaged or made up: they may be refused, but never crash the checker, and never
//! have it confirm what is false.

use linsep_data::Samples;
use linsep_proof::{
    IBig, MarginBounds, MarginKind, Proof, RemovalClaim, Removals, Verdict, margin_lower_bound,
    margin_upper_bound, verify,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The largest angular margin of the separable problem: half the chord between 100 and 101, lifted.
const MARGIN: f64 = 4.95000493181e-5;

/// Weights of the two rows that show it, which make either as long as the other.
fn equal_parts() -> [f64; 2] {
    [10001.0, 10202.0].map(|squared: f64| 0.5 / squared.sqrt())
}

/// A problem, its verdict, and a proof that holds.
struct Known {
    samples: Samples,
    verdict: Verdict,
    proof: Proof,
}

fn known() -> [Known; 4] {
    let line = |values: &[f64], labels: &str| {
        let positive = labels.chars().map(|c| c == '+').collect();
        Samples::dense(values.to_vec(), 1, positive).unwrap()
    };
    let pair = line(&[100.0, 101.0], "-+");
    let touching = line(&[0.0, 0.0, 1.0], "-++");
    let enclosed = line(&[0.0, 3.0, 1.0], "++-");
    let [first, second] = equal_parts();
    let rows = [(0, first), (1, second)].into();
    let kind = MarginKind::Angular;
    let lower = margin_lower_bound(&pair, kind, &[1.0], -100.5);
    let upper = margin_upper_bound(&pair, kind, &rows);
    let separable = Proof::separable(&pair, (vec![1.0], -100.5))
        .with_margin(MarginBounds { kind, lower, upper }, &rows);
    let two = vec![(0, IBig::ONE), (1, IBig::ONE)];
    let quasi = Proof::quasi_separable(&touching, two, (vec![IBig::ONE], IBig::ZERO));
    let three = vec![(0, 2.into()), (1, 1.into()), (2, 3.into())];
    let inseparable = Proof::inseparable(&enclosed, three, vec![]);
    // Two rows under both labels: one of each must go.
    let twice = line(&[0.0, 0.0, 1.0, 1.0, -1.0, 2.0], "-+-+-+");
    let [first, second] = [[0, 1], [2, 3]].map(|rows| rows.map(|row| (row, IBig::ONE)).to_vec());
    let both = [first.clone(), second.clone()].concat();
    let removal = RemovalClaim::new(&[0, 2], (vec![1.0], 0.5), &[first.into(), second.into()]);
    let removed = Proof::inseparable(&twice, both, vec![]).with_removal(removal);
    let known = |samples, verdict, proof| Known { samples, verdict, proof };
    [
        known(pair, Verdict::Separable, separable),
        known(touching, Verdict::QuasiSeparable, quasi),
        known(enclosed, Verdict::Inseparable, inseparable),
        known(twice, Verdict::Inseparable, removed),
    ]
}

/// Checks that nothing false is confirmed of any known problem, whatever data the text speaks of.
/// Returns how many confirmations there were.
fn check(text: &str) -> usize {
    let Ok(proof) = Proof::from_json(text) else {
        return 0;
    };
    let again = Proof::from_json(&proof.to_json()).expect("what was read can be written");
    assert_eq!(again, proof);
    let confirmed = |known: &Known| {
        let mut proof = proof.clone();
        proof.data = known.proof.data.clone();
        let Ok(verified) = verify(&known.samples, &proof) else {
            return false;
        };
        match verified.verdict() {
            Verdict::NotStrictlySeparable => {
                assert_ne!(known.verdict, Verdict::Separable, "{text}")
            }
            verdict => assert_eq!(known.verdict, verdict, "{text}"),
        }
        if let Some(MarginBounds { kind, lower, upper }) = verified.margin() {
            // The constants have twelve digits.
            let margin = if kind == MarginKind::Angular { MARGIN } else { 0.5 };
            assert!(lower <= margin * (1.0 + 1e-11), "{lower:e} is not below the margin: {text}");
            assert!(upper >= margin * (1.0 - 1e-11), "{upper:e} is not above the margin: {text}");
        }
        if let Some(Removals { at_least, at_most }) = verified.removals() {
            let fewest = if known.samples.rows() == 6 { 2 } else { 1 };
            assert!(at_least <= fewest, "{at_least} rows at least: {text}");
            assert!(at_most >= fewest, "{at_most} rows at most: {text}");
        }
        true
    };
    known().iter().filter(|known| confirmed(known)).count()
}

#[test]
fn the_proofs_that_get_damaged_hold() {
    for Known { proof, .. } in known() {
        assert_eq!(check(&proof.to_json()), 1);
    }
}

/// Returns where the numbers of the text are, those in strings as well.
fn numbers(text: &str) -> Vec<std::ops::Range<usize>> {
    let part = |c: u8| c.is_ascii_digit() || matches!(c, b'-' | b'+' | b'.' | b'e');
    let starts = |i: usize| {
        let before = text.as_bytes()[i - 1];
        (text.as_bytes()[i].is_ascii_digit() || text.as_bytes()[i] == b'-')
            && matches!(before, b':' | b'[' | b',' | b'"')
    };
    let end = |i: usize| i + text.as_bytes()[i..].iter().take_while(|&&c| part(c)).count();
    (1..text.len()).filter(|&i| starts(i)).map(|i| i..end(i)).collect()
}

fn replacement() -> impl Strategy<Value = String> {
    let odd = [
        "1e400",
        "-1e400",
        "1e308",
        "-1e308",
        "5e-324",
        "1e-400",
        "-0",
        "-0.0",
        "0",
        "1",
        "2",
        "-1",
        "NaN",
        "Infinity",
        "null",
        "true",
        "18446744073709551615",
        "18446744073709551616",
        "9007199254740993",
        "0x1p3",
        "1_000",
        "+1",
        "01",
        "1.",
        "",
        "\"\"",
        "[]",
        "{}",
        "\u{0663}",
    ];
    prop_oneof![
        prop::sample::select(odd.to_vec()).prop_map(String::from),
        any::<f64>().prop_map(|value| format!("{value:e}")),
        any::<i128>().prop_map(|value| value.to_string()),
        (1usize..3000).prop_map(|digits| "9".repeat(digits)),
    ]
}

/// JSON in which the words of a proof file occur.
fn any_json() -> impl Strategy<Value = Value> {
    let words = [
        "format",
        "linsep-proof",
        "version",
        "data",
        "rows",
        "features",
        "fingerprint",
        "claim",
        "verdict",
        "separable",
        "inseparable",
        "quasi-separable",
        "hyperplane",
        "weights",
        "bias",
        "conflict",
        "orthogonal",
        "row",
        "multiplier",
        "margin",
        "kind",
        "angular",
        "geometric",
        "lower",
        "upper",
        "upper_rows",
        "weight",
        "removal",
        "conflicts",
        "1",
        "-7",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(words.to_vec()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, move |inner| {
        let key = prop::sample::select(words.to_vec()).prop_map(String::from);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(check(&String::from_utf8_lossy(&bytes)), 0);
    }

    /// The head is right, so that the rest is looked at.
    #[test]
    fn any_values(
        data in any_json(),
        claim in any_json(),
        margin in any_json(),
        removal in any_json(),
    ) {
        let head = json!({"format": "linsep-proof", "version": 1});
        let mut file = head.clone();
        for (name, value) in [("data", data), ("claim", claim), ("margin", margin)] {
            file[name] = value;
        }
        check(&file.to_string());
        let good: Value = serde_json::from_str(&known()[0].proof.to_json()).unwrap();
        file["data"] = good["data"].clone();
        check(&file.to_string());
        file["claim"] = good["claim"].clone();
        check(&file.to_string());
        let mut file: Value = serde_json::from_str(&known()[3].proof.to_json()).unwrap();
        file["removal"]["conflicts"] = removal.clone();
        check(&file.to_string());
        file["removal"] = removal;
        check(&file.to_string());
    }

    #[test]
    fn bytes_flipped(
        which in 0usize..4,
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
    ) {
        let mut bytes = known()[which].proof.to_json().into_bytes();
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn files_cut_and_joined(
        which in (0usize..4, 0usize..4),
        cuts in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        let all = known();
        let (a, b) = (all[which.0].proof.to_json(), all[which.1].proof.to_json());
        check(&format!("{}{}", &a[..cuts.0.index(a.len())], &b[cuts.1.index(b.len())..]));
    }

    #[test]
    fn numbers_replaced(
        which in 0usize..4,
        changes in prop::collection::vec((any::<prop::sample::Index>(), replacement()), 1..4),
    ) {
        let mut text = known()[which].proof.to_json();
        for (at, new) in changes {
            let places = numbers(&text);
            if !places.is_empty() {
                text.replace_range(places[at.index(places.len())].clone(), &new);
            }
        }
        check(&text);
    }

    /// Numbers that stay numbers get past the parser, so that the checker is what refuses them.
    #[test]
    fn claims_about_the_margin(
        weight in any::<f64>(),
        bias in any::<f64>(),
        bounds in (any::<f64>(), any::<f64>()),
        parts in (any::<f64>(), any::<f64>()),
        near in any::<[bool; 3]>(),
    ) {
        let known = &known()[0];
        let margin = known.proof.margin.clone().unwrap();
        let (weight, bias) = if near[0] { (1.0, -100.5) } else { (weight, bias) };
        let (lower, upper) = if near[1] { (margin.lower, margin.upper) } else { bounds };
        let parts = if near[2] { equal_parts().into() } else { parts };
        let proof = Proof::separable(&known.samples, (vec![weight], bias));
        let margin = MarginBounds { kind: MarginKind::Angular, lower, upper };
        let proof = proof.with_margin(margin, &[(0, parts.0), (1, parts.1)].into());
        let confirmed = check(&proof.to_json());
        prop_assert!(confirmed == 1 || near != [true; 3]);
        // Not through a file, numbers may be infinite or none at all.
        if let Ok(verified) = verify(&known.samples, &proof) {
            let margin = verified.margin();
            prop_assert!(margin.is_some_and(|m| m.lower <= MARGIN && m.upper >= MARGIN * 0.999));
        }
    }
}

/// Whatever rows go, and whatever conflicts are named: only what is true is confirmed.
#[test]
fn every_removal_of_two_rows_and_every_two_conflicts() {
    let text = known()[3].proof.to_json();
    let file: Value = serde_json::from_str(&text).unwrap();
    let mut confirmed = 0;
    let conflict =
        |a: usize, b: usize| json!([{"row": a, "multiplier": "1"}, {"row": b, "multiplier": "1"}]);
    for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
        for (c, d) in (0..8).flat_map(|c| (0..8).map(move |d| (c, d))) {
            let mut file = file.clone();
            file["removal"]["rows"] = json!([a, b]);
            file["removal"]["conflicts"] = json!([conflict(1, 2), conflict(c, d)]);
            confirmed += check(&file.to_string());
        }
    }
    // The two rows and the two of the second conflict, each in either order.
    assert_eq!(confirmed, 4);
}

/// A short file cannot have the checker do much: what it names is counted before any row is looked at.
#[test]
fn many_conflicts_cost_nothing() {
    let mut file: Value = serde_json::from_str(&known()[3].proof.to_json()).unwrap();
    let one = file["removal"]["conflicts"][0].clone();
    for conflicts in [vec![one; 200_000], vec![json!([]); 1_000_000]] {
        file["removal"]["conflicts"] = json!(conflicts);
        assert_eq!(check(&file.to_string()), 0);
    }
    file["removal"]["rows"] = json!(vec![1; 1_000_000]);
    assert_eq!(check(&file.to_string()), 0);
}

#[test]
fn depth_has_a_limit() {
    let deep = |open: &str, close: &str| open.repeat(100_000) + &close.repeat(100_000);
    let (lists, objects) = (deep("[", "]"), deep("{\"claim\":", "}"));
    let head = "{\"format\":\"linsep-proof\",\"version\":1,";
    for text in [
        lists.clone(),
        objects.clone(),
        "[".repeat(1_000_000),
        format!("{head}\"unknown\":{lists}}}"),
        format!("{head}\"claim\":{lists}}}"),
        format!("{head}\"claim\":{objects}}}"),
    ] {
        assert!(Proof::from_json(&text).is_err());
    }
}

#[test]
fn integers_of_any_length_are_worked_through() {
    let digits = "7".repeat(100_000);
    let [_, touching, enclosed, _] = known();
    let long = touching.proof.to_json().replace("[\"1\"]", &format!("[\"{digits}\"]"));
    assert_eq!(check(&long), 1, "the same hyperplane");
    let long = enclosed.proof.to_json().replace("\"3\"", &format!("\"{digits}\""));
    assert_eq!(check(&long), 0, "out of balance");
    let [twice, thrice] = [2, 3]
        .map(|n: i32| (IBig::from_str_radix(&digits, 10).unwrap() * IBig::from(n)).to_string());
    let long = enclosed.proof.to_json().replace("\"3\"", &format!("\"{thrice}\""));
    let long = long.replace("\"2\"", &format!("\"{twice}\""));
    let long = long.replace("\"1\"", &format!("\"{digits}\""));
    assert_eq!(check(&long), 1, "the same conflict");
}
