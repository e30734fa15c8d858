//! Results as one page to look at and to send: it loads nothing from anywhere, is light or dark, prints, and fits a
//! phone.
//!
//! In reading order: this file has the page and its tables, [`pictures`] the drawings of a hyperplane among its
//! rows, `plane` the one of two features; [`decision`], [`classes`], [`audit`], [`fit`] and [`race`] are what is on the page
//! of each command, and [`trace`] shows methods move.

pub mod audit;
pub mod classes;
pub mod decision;
pub mod fit;
pub mod pictures;
pub(crate) mod plane;
pub mod race;
pub mod trace;

use super::svg::escaped;

/// What a page says beside the answer: what its front end knows.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// What the data is called, such as the name of its file.
    pub source: String,
    /// How to check the proof: lines to type.
    pub check: String,
}

/// A page that is being written.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    body: String,
    style: &'static str,
    script: &'static str,
}

impl Page {
    /// Returns a page with a title for the browser.
    pub fn new(title: &str) -> Self {
        Page { title: title.to_string(), body: String::new(), style: "", script: "" }
    }

    /// Sets what this page has beside the style and the script of all pages.
    pub fn moves(&mut self, style: &'static str, script: &'static str) {
        (self.style, self.script) = (style, script);
    }

    /// Adds what is HTML already.
    pub fn raw(&mut self, html: &str) {
        self.body.push_str(html);
    }

    /// Adds a headline: a coloured word, and the rest.
    pub fn headline(&mut self, class: &str, word: &str, rest: &str) {
        let (word, rest) = (escaped(word), escaped(rest));
        self.raw(&format!("<h1><span class=\"word {class}\">{word}</span>{rest}</h1>\n"));
    }

    /// Adds the headline of a section.
    pub fn section(&mut self, title: &str) {
        self.raw(&format!("<h2>{}</h2>\n", escaped(title)));
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, class: &str, text: &str) {
        self.raw(&format!("<p class=\"{class}\">{}</p>\n", escaped(text)));
    }

    /// Adds a drawing with a sentence below it.
    pub fn figure(&mut self, svg: &str, caption: &str) {
        let caption = escaped(caption);
        self.raw(&format!("<figure>{svg}<figcaption>{caption}</figcaption></figure>\n"));
    }

    /// Adds names and values.
    pub fn facts(&mut self, facts: &[(&str, String)]) {
        self.raw("<table class=\"facts\">");
        for (name, value) in facts {
            let (name, value) = (escaped(name), escaped(value));
            self.raw(&format!("<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>"));
        }
        self.raw("</table>\n");
    }

    /// Adds commands to type.
    pub fn commands(&mut self, text: &str) {
        self.raw(&format!("<pre>{}</pre>\n", escaped(text)));
    }

    /// Adds a table. Columns whose header begins with `>` are of numbers, to the right.
    pub fn table(&mut self, caption: &str, header: &[&str], rows: &[Vec<String>]) {
        let right: Vec<bool> = header.iter().map(|name| name.starts_with('>')).collect();
        let class = |k: usize| if right[k] { " class=\"r\"" } else { "" };
        self.raw(&format!(
            "<div class=\"scroll\"><table><caption>{}</caption><tr>",
            escaped(caption)
        ));
        for (k, name) in header.iter().enumerate() {
            let name = escaped(name.trim_start_matches('>'));
            self.raw(&format!("<th scope=\"col\"{}>{name}</th>", class(k)));
        }
        self.raw("</tr>");
        for row in rows {
            self.raw("<tr>");
            for (k, cell) in row.iter().enumerate() {
                self.raw(&format!("<td{}>{}</td>", class(k), escaped(cell)));
            }
            self.raw("</tr>");
        }
        self.raw("</table></div>\n");
    }

    /// Returns the whole page.
    pub fn finish(self) -> String {
        let Page { title, body, style, script } = self;
        let (title, version) = (escaped(&title), env!("CARGO_PKG_VERSION"));
        let (css, js) = (include_str!("page.css"), include_str!("page.js"));
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{css}{style}</style>\n</head>\n<body>\n\
             <main>\n{body}<footer>Made by linsep {version}. This page loads nothing from anywhere.</footer>\n\
             </main>\n<div id=\"tip\" role=\"status\" hidden></div>\n<script>\n{js}{script}</script>\n</body>\n</html>\n"
        )
    }
}
