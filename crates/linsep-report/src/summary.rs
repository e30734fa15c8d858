//! What a command says at its end: a verdict, and values with a word in front.
//!
//! Reports say what to show; [`Summary::lay_out`] is the one place that fits it to a width and hands words
//! to whoever paints them.

use linsep::data::error::escaped;
use linsep::distances::Distances;

use super::rounded;

/// Where values begin.
const INDENT: usize = 14;
/// No page is narrower: words and values would not fit side by side.
const NARROWEST: usize = 40;
/// Eighths of a line, lowest first.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A space at which no line ends.
pub(super) const STAY: char = '\u{a0}';

/// What a word means, so that it can be painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Separable, separated.
    Good,
    /// Quasi-separable.
    Mixed,
    /// Inseparable, not separated; rows on the wrong side.
    Bad,
    /// Undecided, stopped.
    Open,
    /// The words in front of values, and headers of tables.
    Quiet,
}

/// How wide a page is, and how words are painted on it.
pub struct TextPage<'a> {
    /// Characters per line; none if lines may have any length.
    pub width: Option<usize>,
    /// Returns the text as it is painted.
    pub paint: &'a dyn Fn(Tone, &str) -> String,
}

impl TextPage<'_> {
    /// Returns the page that files and pipes are: lines of any length, without colours.
    pub fn plain() -> Self {
        TextPage { width: None, paint: &|_, text| text.to_string() }
    }

    /// Returns how many characters a value may have per line.
    fn room(&self) -> usize {
        self.width.map_or(usize::MAX, |width| width.max(NARROWEST) - INDENT)
    }
}

/// A verdict, and what is known beside it.
#[derive(Clone, Debug)]
pub struct Summary {
    tone: Tone,
    verdict: String,
    meaning: String,
    entries: Vec<SummaryEntry>,
}

#[derive(Clone, Debug)]
struct SummaryEntry {
    word: String,
    value: SummaryValue,
}

#[derive(Clone, Debug)]
enum SummaryValue {
    /// A sentence, wrapped.
    Text(String),
    /// Items with commas between them, cut at the end of the line.
    List { lead: String, items: Vec<String> },
    /// Code, never wrapped.
    Code(String),
    /// Columns, cut at the end of the line.
    Table(TextTable),
    /// Columns that begin further left, for those that need the room.
    Wide(TextTable),
    /// Counts per class as bars.
    Bars { distances: Distances, classes: [String; 2] },
}

/// Aligned columns under their names.
#[derive(Clone, Debug, Default)]
pub struct TextTable {
    columns: Vec<TextColumn>,
    /// Columns that are always shown.
    kept: usize,
    /// Whether there are columns beyond the last.
    more: bool,
}

#[derive(Clone, Debug)]
struct TextColumn {
    name: String,
    cells: Vec<String>,
    numbers: bool,
}

impl TextTable {
    /// Adds a column; one of numbers is aligned at the decimal point.
    pub fn column(&mut self, name: &str, cells: Vec<String>, numbers: bool) {
        let cells = cells.iter().map(|cell| escaped(cell)).collect();
        self.columns.push(TextColumn { name: escaped(name), cells, numbers });
    }

    /// Keeps the columns so far where lines are cut.
    pub fn keep(&mut self) {
        self.kept = self.columns.len();
    }

    /// Says that there are columns beyond the last.
    pub fn more(&mut self) {
        self.more = true;
    }

    /// Returns the lines, the header first: all columns, closer together if they fit only so, else as many as fit.
    fn lines(&self, room: usize) -> Vec<String> {
        let columns: Vec<Vec<String>> = self.columns.iter().map(TextColumn::lines).collect();
        let widths: Vec<usize> = columns.iter().map(|column| length(&column[0])).collect();
        let all = columns.len();
        let width = |shown: usize, gap: usize| {
            let cut = shown < all || self.more;
            let mark = if cut { gap + 1 } else { 0 };
            widths[..shown].iter().sum::<usize>() + gap * shown.saturating_sub(1) + mark
        };
        let (gap, shown) = match [2, 1].into_iter().find(|&gap| width(all, gap) <= room) {
            Some(gap) => (gap, all),
            None => (2, (self.kept..all).rev().find(|&k| width(k, 2) <= room).unwrap_or(self.kept)),
        };
        let cut = shown < all || self.more;
        let line = |row: usize| {
            let cells = columns[..shown].iter().map(|column| column[row].as_str());
            let cells: Vec<&str> = cells.chain(cut.then_some("…")).collect();
            cells.join(&" ".repeat(gap)).trim_end().to_string()
        };
        (0..columns.first().map_or(0, Vec::len)).map(line).collect()
    }
}

impl TextTable {
    fn html(&self) -> String {
        let cells = |tag: &str, texts: Vec<&str>| -> String {
            let cell = |text: &str| format!("<{tag} style=\"{CELL}\">{}</{tag}>", html(text));
            texts.into_iter().map(cell).collect()
        };
        let row = |cells: String| format!("<tr>{cells}</tr>");
        let head = row(cells("th", self.columns.iter().map(|c| &c.name[..]).collect()));
        let count = self.columns.first().map_or(0, |column| column.cells.len());
        let body = (0..count)
            .map(|k| row(cells("td", self.columns.iter().map(|c| &c.cells[k][..]).collect())));
        format!("<table>{head}{}</table>", body.collect::<String>())
    }
}

impl TextColumn {
    /// Returns the name and the cells, all of one length.
    fn lines(&self) -> Vec<String> {
        if !self.numbers {
            let all = || std::iter::once(&self.name).chain(&self.cells);
            let width = all().map(|cell| length(cell)).max().unwrap_or(0);
            return all().map(|cell| format!("{cell:<width$}")).collect();
        }
        let point = |cell: &str| length(cell.split('.').next().unwrap_or(""));
        let before = self.cells.iter().map(|cell| point(cell)).max().unwrap_or(0);
        let aligned = self.cells.iter().map(|c| format!("{}{c}", " ".repeat(before - point(c))));
        let aligned: Vec<String> = aligned.collect();
        let width = aligned.iter().map(|cell| length(cell)).max().unwrap_or(0);
        let cells = aligned.into_iter().map(|cell| format!("{cell:<width$}"));
        let all: Vec<String> = std::iter::once(self.name.clone()).chain(cells).collect();
        let width = width.max(length(&self.name));
        all.into_iter().map(|cell| format!("{cell:>width$}")).collect()
    }
}

impl Summary {
    /// Returns a summary that begins with a verdict and what it means.
    pub fn new(tone: Tone, verdict: &str, meaning: &str) -> Self {
        let (verdict, meaning) = (verdict.to_string(), escaped(meaning));
        Summary { tone, verdict, meaning, entries: vec![] }
    }

    /// Adds a sentence behind a word, or under the entry before it if the word is empty.
    pub fn text(&mut self, word: &str, text: &str) {
        self.push(word, SummaryValue::Text(escaped(text)));
    }

    /// Adds a line of code under the entry before it.
    pub fn code(&mut self, code: &str) {
        self.push("", SummaryValue::Code(escaped(code)));
    }

    /// Adds a lead and items with commas between them.
    pub fn list(&mut self, word: &str, lead: &str, items: &[String]) {
        let items = items.iter().map(|item| escaped(item)).collect();
        self.push(word, SummaryValue::List { lead: escaped(lead), items });
    }

    /// Adds a table.
    pub fn table(&mut self, table: TextTable) {
        self.push("", SummaryValue::Table(table));
    }

    /// Adds a table that begins where words do.
    pub fn wide(&mut self, table: TextTable) {
        self.push("", SummaryValue::Wide(table));
    }

    /// Adds bars for the distances of the rows of both classes, the negative one first.
    pub fn bars(&mut self, distances: &Distances, classes: [&str; 2]) {
        let (distances, classes) = (distances.clone(), classes.map(escaped));
        self.push("", SummaryValue::Bars { distances, classes });
    }

    fn push(&mut self, word: &str, value: SummaryValue) {
        self.entries.push(SummaryEntry { word: word.to_string(), value });
    }

    /// Returns the summary as lines for a page.
    pub fn lay_out(&self, page: &TextPage) -> String {
        let headline = format!("{}: {}", self.verdict, self.meaning);
        let width = page.width.map_or(usize::MAX, |width| width.max(NARROWEST));
        let mut lines = wrapped(&headline, width, 2);
        lines[0] = lines[0].replacen(&self.verdict, &(page.paint)(self.tone, &self.verdict), 1);
        for SummaryEntry { word, value } in &self.entries {
            let blank = match value {
                SummaryValue::Wide(_) => String::new(),
                _ => " ".repeat(INDENT - 2),
            };
            let mut word = match word.is_empty() {
                true => blank.clone(),
                false => (page.paint)(Tone::Quiet, &format!("{word:<0$}", INDENT - 2)),
            };
            for line in value.lines(page) {
                lines.push(format!("  {word}{line}").trim_end().to_string());
                word.clone_from(&blank);
            }
        }
        lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

impl Summary {
    /// Returns the summary as HTML for a notebook: it loads nothing from anywhere.
    pub fn html(&self) -> String {
        let colour = match self.tone {
            Tone::Good => "#1b7f3b",
            Tone::Mixed => "#a15c00",
            Tone::Bad => "#b3261e",
            Tone::Open | Tone::Quiet => "#5f6368",
        };
        let (verdict, meaning) = (html(&self.verdict), html(&self.meaning));
        let mut out = format!(
            "<div><p><strong style=\"color:{colour}\">{verdict}</strong>: {meaning}</p><table>"
        );
        for SummaryEntry { word, value } in &self.entries {
            let cell = value.html();
            out.push_str(&format!(
                "<tr><th style=\"{CELL}\">{}</th><td style=\"{CELL}\">{cell}</td></tr>",
                html(word)
            ));
        }
        out.push_str("</table></div>");
        out
    }
}

/// How cells of a table in a notebook look.
const CELL: &str = "text-align:left;padding:2px 8px;vertical-align:top";

fn html(text: &str) -> String {
    super::svg::escaped(&text.replace(STAY, " "))
}

impl SummaryValue {
    fn html(&self) -> String {
        match self {
            SummaryValue::Text(text) => html(text),
            SummaryValue::Code(code) => format!("<code>{}</code>", html(code)),
            SummaryValue::List { lead, items } => html(&format!("{lead}{}", items.join(", "))),
            SummaryValue::Table(table) | SummaryValue::Wide(table) => table.html(),
            SummaryValue::Bars { .. } => {
                format!("<pre>{}</pre>", html(&self.lines(&TextPage::plain()).join("\n")))
            }
        }
    }

    fn lines(&self, page: &TextPage) -> Vec<String> {
        let room = page.room();
        match self {
            SummaryValue::Text(text) => wrapped(text, room, 0),
            SummaryValue::Code(code) => vec![format!("    {code}")],
            SummaryValue::List { lead, items } => vec![cut(lead, items, room)],
            SummaryValue::Table(table) | SummaryValue::Wide(table) => {
                let more = if matches!(self, SummaryValue::Wide(_)) { INDENT - 2 } else { 0 };
                let mut lines = table.lines(room.saturating_add(more));
                if let Some(header) = lines.first_mut() {
                    *header = (page.paint)(Tone::Quiet, header);
                }
                lines
            }
            SummaryValue::Bars { distances, classes } => bars(distances, classes, page),
        }
    }
}

/// Returns the text in lines of at most `width` characters, all but the first indented; a longer word has a line
/// for itself.
fn wrapped(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.trim_start().is_empty() && length(&line) + 1 + length(word) > width {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
        } else if !line.trim_start().is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.iter().map(|line| line.replace(STAY, " ")).collect()
}

/// Returns the items with commas between them, as many as fit.
fn cut(lead: &str, items: &[String], room: usize) -> String {
    let mut line = lead.to_string();
    for (k, item) in items.iter().enumerate() {
        let comma = if k == 0 { "" } else { ", " };
        let last = k + 1 == items.len();
        let needed = length(comma) + length(item) + if last { 0 } else { length(", …") };
        if length(&line) + needed > room {
            line.push_str(comma);
            line.push('…');
            break;
        }
        line.push_str(comma);
        line.push_str(item);
    }
    line
}

/// Returns one line of bars per class, rows on the wrong side painted as such. Each class has its own scale: the
/// smaller one is to be seen, too.
fn bars(distances: &Distances, classes: &[String; 2], page: &TextPage) -> Vec<String> {
    let (below, bins) = (distances.below(), distances.negative.len());
    // A space, and the hyperplane.
    let room = page.room().saturating_sub(bins + 2);
    if room == 0 {
        return vec![];
    }
    let classes = classes.each_ref().map(|class| shortened(class, room));
    let width = classes.iter().map(|class| length(class)).max().unwrap_or(0);
    let line = |class: &str, counts: &[u64], positive: bool| {
        let most = counts.iter().copied().max().unwrap_or(0);
        let text: Vec<char> = counts.iter().map(|&count| block(count, most)).collect();
        let (left, right): (String, String) =
            (text[..below].iter().collect(), text[below..].iter().collect());
        let wrong = |text: &str| match text.trim().is_empty() {
            true => text.to_string(),
            false => (page.paint)(Tone::Bad, text),
        };
        let (left, right) = match positive {
            true => (wrong(&left), right),
            false => (left, wrong(right.trim_end())),
        };
        format!("{class:<width$} {left}│{right}")
    };
    vec![
        line(&classes[0], &distances.negative, false),
        line(&classes[1], &distances.positive, true),
    ]
}

/// Returns the block of a count; any row at all is seen.
fn block(count: u64, most: u64) -> char {
    match count {
        0 => ' ',
        _ => BLOCKS[((count as f64 / most as f64 * 8.0).ceil() as usize).clamp(1, 8) - 1],
    }
}

/// Returns the first characters of a text.
fn shortened(text: &str, most: usize) -> String {
    match length(text) > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_string(),
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Adds the distances of the rows from a hyperplane, `whose` it is, if any distance is known.
pub(super) fn add_distances(
    summary: &mut Summary,
    distances: Option<&Distances>,
    classes: [&str; 2],
    whose: &str,
) {
    let Some(distances) = distances.filter(|distances| distances.nearest.is_some()) else { return };
    let (low, high) = (rounded(distances.low), rounded(distances.high));
    summary.text("distances", &format!("{low} to {high} from {whose} │"));
    summary.bars(distances, classes);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(width: usize) -> TextPage<'static> {
        TextPage {
            width: Some(width),
            paint: &|tone, text| match tone {
                Tone::Quiet => text.to_string(),
                _ => format!("<{text}>"),
            },
        }
    }

    fn check(summary: &Summary, page: &TextPage, expected: &[&str]) {
        assert_eq!(summary.lay_out(page).lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn long_lines_hang_where_values_begin() {
        let mut summary = Summary::new(Tone::Mixed, "quasi-separable", "a hyperplane puts no row");
        summary.text("work", "2 passes in 12 ms and some more");
        summary.text("", &format!("a note with a very long -{STAY}1 term"));
        let expected = [
            "<quasi-separable>: a hyperplane puts no",
            "  row",
            "  work        2 passes in 12 ms and some",
            "              more",
            "              a note with a very long",
            "              - 1 term",
        ];
        check(&summary, &page(40), &expected);
        // No page is narrower than that.
        check(&summary, &page(7), &expected);
        let plain = [
            "quasi-separable: a hyperplane puts no row",
            "  work        2 passes in 12 ms and some more",
            "              a note with a very long - 1 term",
        ];
        check(&summary, &TextPage::plain(), &plain);
    }

    #[test]
    fn lists_and_tables_are_cut_where_the_line_ends() {
        let mut table = TextTable::default();
        table.column("row", vec!["7".into(), "12".into()], true);
        table.keep();
        table.column("age", vec!["1.5".into(), "20".into()], true);
        table.column("height", vec!["180".into(), "-3.25".into()], true);
        let mut summary = Summary::new(Tone::Bad, "inseparable", "no");
        summary.text("conflict", "2 rows");
        summary.table(table);
        let items = ["1".to_string(), "twenty".to_string(), "three".to_string()];
        summary.list("rows", "row ", &items);
        let plain = [
            "inseparable: no",
            "  conflict    2 rows",
            "              row   age  height",
            "                7   1.5  180",
            "               12  20     -3.25",
            "  rows        row 1, twenty, three",
        ];
        check(&summary, &TextPage::plain(), &plain);
        assert_eq!(cut("row ", &items, 18), "row 1, twenty, …");
        let SummaryValue::Table(table) = &summary.entries[1].value else { panic!() };
        assert_eq!(table.lines(17), ["row   age  height", "  7   1.5  180", " 12  20     -3.25"]);
        assert_eq!(table.lines(15), ["row  age height", "  7  1.5 180", " 12 20    -3.25"]);
        assert_eq!(table.lines(14), ["row   age  …", "  7   1.5  …", " 12  20    …"]);
        assert_eq!(table.lines(2), ["row  …", "  7  …", " 12  …"]);
    }

    #[test]
    fn bars_part_at_the_hyperplane() {
        let distances = Distances {
            low: -2.0,
            high: 2.0,
            negative: vec![8, 1, 0, 1],
            positive: vec![0, 0, 2, 1],
            nearest: Some(-1.5),
        };
        let mut summary = Summary::new(Tone::Bad, "not separated", "1 mistake");
        add_distances(&mut summary, Some(&distances), ["no", "yes"], "the hyperplane");
        let expected = [
            "<not separated>: 1 mistake",
            "  distances   -2 to 2 from the hyperplane │",
            "              no  █▁│< ▁>",
            "              yes   │█▄",
        ];
        check(&summary, &page(60), &expected);
        let unknown = Distances { nearest: None, ..distances };
        let mut summary = Summary::new(Tone::Bad, "not separated", "1 mistake");
        add_distances(&mut summary, Some(&unknown), ["no", "yes"], "the hyperplane");
        check(&summary, &page(60), &expected[..1]);
    }

    #[test]
    fn names_do_not_control_the_terminal() {
        let mut summary = Summary::new(Tone::Good, "separable", "yes");
        summary.text("data", "positive \"\u{1b}[31m\"");
        check(
            &summary,
            &TextPage::plain(),
            &["separable: yes", "  data        positive \"\\u{1b}[31m\""],
        );
    }
}
