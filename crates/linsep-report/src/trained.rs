//! What `fit --one-vs-rest` says: for people, and for programs.

use serde_json::{Value, json};

use super::json::summary as object;
use super::summary::{Summary, Table, Tone};
use super::{counted, grouped, rounded, text};
use linsep::Samples;
use linsep::classes::Trained;
use linsep::data::samples::Classes;
use linsep::data::{Data, Memory};
use linsep::online::MethodSettings;

/// Lines of the table of classes.
const LISTED: usize = 40;

/// Returns what is shown at the end.
pub fn text(
    samples: &Samples,
    classes: &Classes,
    method: &MethodSettings,
    trained: &Trained,
) -> Summary {
    let all = trained.fits.len();
    let yes = trained.fits.iter().filter(|fit| fit.separated()).count();
    let (tone, verdict) = match yes == all {
        true => (Tone::Good, "separated"),
        false => (Tone::Bad, "not all separated"),
    };
    let of = format!("{} of {} from the rest", grouped(yes as u64), counted(all as u64, "class"));
    let shape = Memory::new(samples).shape();
    let mut summary = Summary::new(tone, verdict, &of);
    summary.text("method", &text::describe(method));
    text::describe_classes(&mut summary, shape, samples.about(), all);
    let wrong = match trained.mistakes {
        0 => "the class of every row".to_string(),
        some => format!("the class of all but {}", counted(some, "row")),
    };
    summary.text("names", &format!("{wrong}: the one on whose side it lies furthest"));
    let shown = all.min(LISTED);
    let mut table = Table::default();
    table.column("class", classes.names()[..shown].to_vec(), false);
    let fits = &trained.fits[..shown];
    table.column("epochs", fits.iter().map(|fit| grouped(fit.epochs)).collect(), true);
    table.column("updates", fits.iter().map(|fit| grouped(fit.updates)).collect(), true);
    let mistakes = |fit: &linsep::online::Fit| grouped(fit.evaluation.mistakes);
    table.column("mistakes", fits.iter().map(mistakes).collect(), true);
    let margin =
        |fit: &linsep::online::Fit| fit.evaluation.margin.geometric.map_or(String::new(), rounded);
    table.column("margin", fits.iter().map(margin).collect(), true);
    summary.text("classes", "each against the rest:");
    summary.table(table);
    if shown < all {
        let more = counted((all - shown) as u64, "class");
        summary.text("", &format!("and {more} more (--json has all)"));
    }
    summary
}

/// Returns what `--json` prints.
pub fn json(
    samples: &Samples,
    classes: &Classes,
    method: &MethodSettings,
    trained: &Trained,
) -> Value {
    let shape = Memory::new(samples).shape();
    let each = classes.names().iter().zip(&trained.fits).map(|(label, fit)| {
        let mut value = object(shape, method, fit);
        value["label"] = json!(label);
        value["weights"] = json!(fit.hyperplane.weights);
        value["bias"] = json!(fit.hyperplane.bias);
        value
    });
    let rows = shape.rows as u64;
    json!({
        "method": method.name(),
        "separated": trained.fits.iter().all(|fit| fit.separated()),
        "mistakes": trained.mistakes,
        "accuracy": (rows - trained.mistakes) as f64 / rows as f64,
        "rows": rows,
        "features": shape.columns,
        "feature_names": samples.about().feature_names,
        "classes": each.collect::<Vec<Value>>(),
    })
}
