#![no_main]

use libfuzzer_sys::fuzz_target;
use linsep_data::Samples;
use linsep_proof::{Proof, Verdict, verify};

// The input is taken for a proof about three small problems whose verdicts are known.
fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(mut proof) = Proof::from_json(text) else { return };
    assert_eq!(Proof::from_json(&proof.to_json()).unwrap(), proof);
    let problems: [(&[f64], &[Verdict]); 3] = [
        (&[0.0, 0.0, 1.0, 2.0], &[Verdict::Separable]),
        (&[0.0, 0.0, 0.0, 1.0], &[Verdict::QuasiSeparable, Verdict::Inseparable]),
        (&[0.0, 3.0, 1.0, 4.0], &[Verdict::Inseparable]),
    ];
    for (values, verdicts) in problems {
        let labels = vec![false, false, true, true];
        let samples = Samples::dense(values.to_vec(), 1, labels).unwrap();
        // A fuzzer does not guess fingerprints.
        proof.data = Proof::separable(&samples, (vec![], 0.0)).data;
        if let Ok(verified) = verify(&samples, &proof) {
            assert!(verdicts.contains(&verified.verdict()), "{values:?}: {text}");
        }
    }
});
