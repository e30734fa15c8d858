//! Proof files of any size are read, or refused, within bounds that are stated.

use linsep_data::Samples;
use linsep_proof::proof::MOST_DIGITS;
use linsep_proof::{IBig, Proof, Verdict, verify};

fn xor() -> Samples {
    let values = vec![0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0];
    Samples::dense(values, 2, vec![true, true, false, false]).unwrap()
}

/// Returns the proof that XOR is inseparable, each row with the multiplier `times`.
fn taken(times: &str) -> String {
    let one = vec![(0, IBig::ONE), (1, IBig::ONE), (2, IBig::ONE), (3, IBig::ONE)];
    let text = Proof::inseparable(&xor(), one, vec![]).to_json();
    text.replace("\"multiplier\":\"1\"", &format!("\"multiplier\":\"{times}\""))
}

#[test]
fn a_million_digits() {
    let proof = Proof::from_json(&taken(&"7".repeat(1_000_000))).unwrap();
    assert_eq!(verify(&xor(), &proof).unwrap().verdict(), Verdict::Inseparable);
}

#[test]
fn more_digits_than_are_read() {
    let error = Proof::from_json(&taken(&"7".repeat(MOST_DIGITS + 1))).unwrap_err().to_string();
    assert!(error.contains("an integer of 4000001 digits; up to 4000000 are read"), "{error}");
}

#[test]
fn two_hundred_thousand_vectors() {
    let vectors = vec!["[\"0\",\"0\",\"0\"]"; 200_000].join(",");
    let text = taken("1").replace("\"orthogonal\":[]", &format!("\"orthogonal\":[{vectors}]"));
    let refused = verify(&xor(), &Proof::from_json(&text).unwrap()).unwrap_err().to_string();
    let expected =
        "the proof has 200000 vectors to which all rows are orthogonal; 3 at most can differ";
    assert_eq!(refused, expected);
}

#[test]
fn deep_nesting() {
    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
    for deep in [format!("{open}{close}"), format!("{{\"format\":{open}{close}}}")] {
        assert!(Proof::from_json(&deep).is_err());
    }
    let text = taken("1").replace("\"orthogonal\":[]", &format!("\"orthogonal\":{open}{close}"));
    let error = Proof::from_json(&text).unwrap_err().to_string();
    assert!(error.contains("damaged"), "{error}");
}

#[test]
fn a_conflict_alone_proves_what_it_shows() {
    let touching = Samples::dense(vec![0.0, 0.0, 1.0], 1, vec![false, true, true]).unwrap();
    for (samples, holds) in [(&xor(), true), (&touching, false)] {
        let text = taken("1")
            .replace("\"inseparable\"", "\"not-strictly-separable\"")
            .replace(",\"orthogonal\":[]", "");
        // Version 1 does not know it.
        let error = Proof::from_json(&text).unwrap_err().to_string();
        assert!(
            error.ends_with("what it claims is of version 2, the file of version 1"),
            "{error}"
        );
        let proof = Proof::from_json(&text.replace("\"version\":1", "\"version\":2")).unwrap();
        let verified = verify(samples, &proof);
        assert_eq!(verified.is_ok(), holds);
        assert!(verified.is_err() || proof.verdict() == Verdict::NotStrictlySeparable);
    }
}
