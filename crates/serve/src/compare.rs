//! Two runs compared, and two that are not: what differs between them, and how the reader goes on.

use std::collections::BTreeSet;

use askama::Template;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use notebook::{Notebook, RunId};
use report::{Declared, Refusal, ReportError, Unlike};
use serde::Deserialize;
use words::say;

use crate::answer::{Answer, Failed, page};
use crate::pick::to_the_minute;

/// Two runs by their numbers, and what was changed between them on purpose: `?a=2&b=1&treat=storage,realm`.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "Vec<(String, String)>")]
pub(crate) struct Pair {
    a: i64,
    b: i64,
    treat: Vec<String>,
}

impl TryFrom<Vec<(String, String)>> for Pair {
    type Error = String;

    /// A form repeats a name, an address may list with commas.
    fn try_from(asked: Vec<(String, String)>) -> Result<Self, String> {
        let number = |name: &str| {
            let value = asked.iter().find(|(asked, _)| asked == name).map(|(_, value)| value.trim().parse());
            value.and_then(Result::ok).ok_or_else(|| format!("{name} is no number of a run"))
        };
        let listed = asked.iter().filter(|(name, _)| name == "treat").flat_map(|(_, list)| list.split(','));
        let treat = listed.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        Ok(Self { a: number("a")?, b: number("b")?, treat })
    }
}

/// Two runs compared.
#[derive(Template)]
#[template(path = "compare.html")]
struct Compared {
    first: RunId,
    second: RunId,
    /// The experiment of the run, and both runs with their dates, realms and scales.
    name: String,
    tops: Vec<String>,
    /// The comparison as markup.
    markup: String,
}

/// Two runs that are not compared.
#[derive(Template)]
#[template(path = "refused.html")]
struct Refused {
    /// The run that was to be judged, and its baseline, each with its name.
    run: (RunId, String),
    baseline: (RunId, String),
    reasons: Vec<String>,
    /// Each difference: its name, and its value in the run and in the baseline.
    differences: Vec<(String, String, String)>,
    name: String,
    tops: Vec<String>,
    /// The names that lift the refusal, those that are named already among them; empty if nothing does.
    treat: String,
}

impl Refused {
    fn heading(&self) -> String {
        say!("serve-refused", run = self.run.1, baseline = self.baseline.1)
    }

    fn differs(&self) -> String {
        say!("serve-refused-differs", count = self.differences.len())
    }

    fn baseline_named(&self) -> String {
        say!("serve-refused-baseline", run = self.baseline.1)
    }

    /// A value in the table, by its beginning if it is long.
    fn shown(value: Option<&String>) -> String {
        const LONGEST: usize = 160;
        let Some(value) = value else { return say!("refusal-nothing").to_owned() };
        if value.chars().count() <= LONGEST {
            return value.clone();
        }
        value.chars().take(LONGEST).chain("...".chars()).collect()
    }

    fn new(refusal: Refusal, named: &[String], (name, tops): (String, Vec<String>)) -> Self {
        let differ = refusal.differences.iter().map(|unlike| unlike.treat.as_str());
        let all: BTreeSet<&str> = differ.chain(named.iter().map(String::as_str)).collect();
        // A treatment lifts none of the reasons.
        let treat = match refusal.reasons.is_empty() {
            true => all.into_iter().collect::<Vec<_>>().join(","),
            false => String::new(),
        };
        let differences = refusal.differences.iter();
        let row = |unlike: &Unlike| {
            (unlike.what.clone(), Self::shown(unlike.run.as_ref()), Self::shown(unlike.baseline.as_ref()))
        };
        let differences = differences.map(row).collect();
        let Refusal { run, baseline, reasons, .. } = refusal;
        Self { run, baseline, reasons, differences, name, tops, treat }
    }
}

/// The name of the experiment, and each run with its date, realm and scale; realm and scale once, where both
/// have the same.
fn tops(notebook: &Notebook, first: RunId, second: RunId) -> Result<(String, Vec<String>), Failed> {
    let (run, baseline) = (notebook.run(first)?, notebook.run(second)?);
    let place = |run: &notebook::Run| report::realm_and_scale(&run.realm, run.scale);
    let (run_date, baseline_date) = (to_the_minute(&run.started_at), to_the_minute(&baseline.started_at));
    let mut tops = vec![
        say!("serve-compared-run", run = first.to_string(), date = run_date),
        say!("serve-compared-baseline", run = second.to_string(), date = baseline_date),
    ];
    if place(&run) == place(&baseline) {
        tops.push(place(&run));
    } else {
        tops.insert(1, place(&run));
        tops.push(place(&baseline));
    }
    let name = match run.name == baseline.name {
        true => run.name.clone(),
        false => format!("{} / {}", run.name, baseline.name),
    };
    Ok((name, tops))
}

/// The page of two runs: compared, or why not.
///
/// # Errors
/// For a run that the notebook does not have, and a name in `treat` that means nothing.
pub(crate) fn answer(notebook: &Notebook, pair: &Pair) -> Answer {
    let (first, second) = (RunId(pair.a), RunId(pair.b));
    let runs = ((notebook, first), (notebook, second));
    match report::compare_runs(runs.0, runs.1, &pair.treat, Declared::MayDiffer) {
        Ok(comparison) => {
            let (name, tops) = tops(notebook, first, second)?;
            Ok(page(&Compared { first, second, name, tops, markup: comparison.to_markup() }))
        }
        Err(ReportError::Refused(refusal)) => {
            let refused = Refused::new(*refusal, &pair.treat, tops(notebook, first, second)?);
            Ok(with_status(StatusCode::UNPROCESSABLE_ENTITY, page(&refused)))
        }
        Err(ReportError::NoFactor { names, known }) => {
            let why = say!("serve-no-factor", names = names.join(", "), known = known.join(", "));
            Err(Failed(StatusCode::BAD_REQUEST, why))
        }
        Err(other) => Err(other.into()),
    }
}

fn with_status(status: StatusCode, response: Response) -> Response {
    (status, response).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_two_runs_and_what_was_changed() {
        let pair = |parts: &[(&str, &str)]| {
            let of = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            Pair::try_from(parts.iter().map(of).collect::<Vec<_>>())
        };
        let asked = pair(&[("a", "2"), ("treat", "storage, realm,"), ("b", "1"), ("treat", "bed.memory")]);
        let treat = ["storage", "realm", "bed.memory"].map(str::to_owned).to_vec();
        assert_eq!(asked, Ok(Pair { a: 2, b: 1, treat }));
        assert!(pair(&[("a", "2")]).is_err() && pair(&[("a", "2"), ("b", "x")]).is_err());
    }

    #[test]
    fn the_page_of_a_refusal_is_escaped_and_offers_what_lifts_it() {
        let hostile = || "<script>alert(1)</script>\"".to_owned();
        let mut refused = Refused {
            run: (RunId(4), hostile()),
            baseline: (RunId(1), hostile()),
            reasons: Vec::new(),
            differences: vec![(hostile(), hostile(), Refused::shown(Some(&"x".repeat(200))))],
            name: hostile(),
            tops: vec![hostile()],
            treat: format!("realm,{}", hostile()),
        };
        let html = refused.render().unwrap();
        assert!(!html.contains("<script>alert") && html.contains("xxx..."), "{html}");
        assert!(html.contains("name=\"treat\" value=\"realm,&#60;script"), "{html}");
        assert!(html.contains("href=\"/run/4\"") && html.contains("href=\"/run/1\""), "{html}");
        refused.reasons.push(format!("`run` {}", hostile()));
        refused.treat.clear();
        let html = refused.render().unwrap();
        assert!(html.contains("<code>run</code> &#60;script") && !html.contains("name=\"treat\""), "{html}");
    }
}
