//! A hyperplane per class, for people.

use super::summary::{Summary, TextTable, Tone};
use super::voice::{Remedy, Voice};
use super::{counted, grouped, rounded, text};
use linsep::ask::ClassFitAnswer;
use linsep::online::Fit;

/// Lines of the table of classes.
const LISTED: usize = 40;

/// Returns a hyperplane per class for people.
pub fn text(answer: &ClassFitAnswer, voice: &dyn Voice) -> Summary {
    let trained = &answer.trained;
    let all = trained.fits.len();
    let yes = trained.fits.iter().filter(|fit| fit.separated()).count();
    let (tone, verdict) = match yes == all {
        true => (Tone::Good, "separated"),
        false => (Tone::Bad, "not all separated"),
    };
    let of = format!("{} of {} from the rest", grouped(yes as u64), counted(all as u64, "class"));
    let mut summary = Summary::new(tone, verdict, &of);
    summary.text("method", &text::describe(&answer.question.method));
    text::describe_classes(&mut summary, &answer.data, all, voice);
    let rows = answer.data.shape.rows as u64;
    let (right, percent) = (grouped(rows - trained.mistakes), 100.0 * answer.accuracy());
    summary.text("accuracy", &format!("{right} of {} ({percent:.1} %)", counted(rows, "row")));
    let shown = all.min(LISTED);
    let mut table = TextTable::default();
    table.column("class", answer.names[..shown].to_vec(), false);
    let fits = &trained.fits[..shown];
    table.column("epochs", fits.iter().map(|fit| grouped(fit.epochs)).collect(), true);
    table.column("updates", fits.iter().map(|fit| grouped(fit.updates)).collect(), true);
    let mistakes = |fit: &Fit| grouped(fit.evaluation.mistakes);
    table.column("mistakes", fits.iter().map(mistakes).collect(), true);
    let margin = |fit: &Fit| fit.evaluation.margin.geometric.map_or(String::new(), rounded);
    table.column("margin", fits.iter().map(margin).collect(), true);
    summary.text("classes", "each against the rest:");
    summary.table(table);
    if shown < all {
        let more = counted((all - shown) as u64, "class");
        let remedy = voice.spell(Remedy::SeeAll("classes"));
        summary.text("", &format!("and {more} more ({remedy})"));
    }
    summary
}
