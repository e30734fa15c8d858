//! The name that was meant, where one was mistyped.

use strsim::damerau_levenshtein;

/// Longer names are pasted, not typed.
const LONGEST: usize = 64;

/// Returns the hint for a name that does not exist, if one that exists is nearly the same: of every three letters
/// at most one is missing, wrong, too much or swapped, and capitals do not count. Of equals the first.
pub fn did_you_mean<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let length = wanted.chars().count();
    if length > LONGEST {
        return None;
    }
    let (wanted, most) = (wanted.to_lowercase(), length.div_ceil(3));
    let near = |name: &&str| name.chars().count().abs_diff(length) <= most;
    let distances = names.into_iter().filter(near).map(|name| {
        let distance = damerau_levenshtein(&wanted, &name.to_lowercase());
        (distance, name)
    });
    let (distance, name) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= most && distance < length).then(|| format!("did you mean \"{name}\"?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wanted: &str, names: &[&str], expected: Option<&str>) {
        let expected = expected.map(|name| format!("did you mean \"{name}\"?"));
        assert_eq!(did_you_mean(wanted, names.iter().copied()), expected, "{wanted}");
    }

    #[test]
    fn the_nearest_name_is_suggested_if_it_is_near() {
        let columns = ["sepal_length", "sepal_width", "petal_length", "petal_width", "species"];
        check("petal_lenght", &columns, Some("petal_length"));
        check("petal length", &columns, Some("petal_length"));
        check("Species", &columns, Some("species"));
        check("SPECIES", &columns, Some("species"));
        check("price", &columns, None);
        check("colour", &columns, None);
        check("", &columns, None);
        check("lily", &["setosa", "versicolor", "virginica"], None);
        check("setsoa", &["setosa", "versicolor", "virginica"], Some("setosa"));
        check("b", &["a", "c"], None);
        check("perceptorn", &["fine", "perceptron"], Some("perceptron"));
        check(&"x".repeat(100), &["x"], None);
    }
}
