//! Settings for tests of all methods.

/// Settings besides the defaults that lead to other code.
pub const VARIANTS: [&str; 6] = [
    r#"{"name":"maxover","kappa":0.005}"#,
    r#"{"name":"passive-aggressive","variant":"hard"}"#,
    r#"{"name":"passive-aggressive","variant":"two"}"#,
    r#"{"name":"sgd","loss":"logistic"}"#,
    r#"{"name":"svm","hard":true}"#,
    r#"{"name":"svm","loss":"l2"}"#,
];
