//! The samples run to the right numbers, recomputed here from the raw files by other means.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use planloom_tests::process::{Desk, root};
use serde_json::Value;

fn samples() -> PathBuf {
    root().join("assets/samples")
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

/// SKU → (cost, our price, last margin).
fn costs() -> BTreeMap<String, (f64, f64, f64)> {
    let conn = rusqlite::Connection::open(samples().join("margin-report/costs.db")).unwrap();
    let mut select = conn
        .prepare("SELECT sku, unit_cost_eur, our_price_eur, last_margin FROM costs")
        .unwrap();
    let rows = select.query_map([], |r| {
        let text = |n: usize| r.get::<_, String>(n);
        Ok((
            text(0)?,
            (number(&text(1)?), number(&text(2)?), number(&text(3)?)),
        ))
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

/// SKU → shop → price in euro cents.
fn rivals() -> BTreeMap<String, BTreeMap<String, i64>> {
    let text = std::fs::read_to_string(samples().join("margin-report/exchange-rates.json")).unwrap();
    let rates: Value = serde_json::from_str(&text).unwrap();
    let mut all: BTreeMap<String, BTreeMap<String, i64>> = BTreeMap::new();
    for shop in ["northwind", "contoso", "fabrikam"] {
        let path = samples().join(format!("margin-report/{shop}.csv"));
        for line in std::fs::read_to_string(path).unwrap().lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let rate = number(&rates["rates"][cells[3]].to_string());
            let cents = (number(cells[2]) / rate * 100.0).round() as i64;
            all.entry(cells[0].to_owned())
                .or_default()
                .insert(shop.to_owned(), cents);
        }
    }
    all
}

struct Expected {
    products: usize,
    flagged: usize,
    undercut: usize,
    outliers: usize,
    mean_margin: f64,
}

fn expected() -> Expected {
    let (costs, mut rivals) = (costs(), rivals());
    let mut outliers = 0;
    for (sku, (_, ours, _)) in &costs {
        let prices = rivals.entry(sku.clone()).or_default();
        let before = prices.len();
        prices.retain(|_, cents| {
            let ratio = *cents as f64 / 100.0 / ours;
            (1.0 / 3.0..=3.0).contains(&ratio)
        });
        outliers += before - prices.len();
    }
    let round = |x: f64| (x * 10_000.0).round() / 10_000.0;
    let margins: Vec<f64> = costs
        .values()
        .map(|(cost, ours, _)| round((ours - cost) / ours))
        .collect();
    let is_flagged = |(cost, ours, last): &&(f64, f64, f64)| {
        let margin = round((ours - cost) / ours);
        margin < 0.18 || round(margin - last).abs() > 0.05
    };
    let is_undercut = |(sku, (_, ours, _)): &(&String, &(f64, f64, f64))| {
        rivals[*sku]
            .values()
            .min()
            .is_some_and(|cheapest| (*cheapest as f64 / 100.0) < *ours)
    };
    Expected {
        products: costs.len(),
        flagged: costs.values().filter(is_flagged).count(),
        undercut: costs.iter().filter(is_undercut).count(),
        outliers,
        mean_margin: round(margins.iter().sum::<f64>() / margins.len() as f64),
    }
}

fn run_sample(desk: &Desk, name: &str) -> Value {
    let path = samples().join(name);
    let ran = desk.say(&["run", path.to_str().unwrap(), "--yes"]);
    assert!(ran.code == 0 || ran.code == 3, "{}", ran.stderr);
    ran.last()
}

#[test]
fn the_margin_report_has_the_right_numbers() {
    let desk = Desk::default();
    let asked = run_sample(&desk, "margin-report.plan.json");
    let run = asked["run"].as_str().unwrap();
    let expected = expected();
    assert!(
        expected.outliers == 3 && expected.flagged > 3 && expected.undercut > 3,
        "the data is worth a report"
    );
    let outliers = asked["decisions"][0]["about"]["outliers"].as_array().unwrap();
    assert_eq!(outliers.len(), expected.outliers);
    assert_eq!(
        desk.say(&[
            "decide",
            run,
            "d1",
            r#"{"drop_outliers": true, "note": "Checked."}"#
        ])
        .code,
        0
    );
    let done = desk.say(&["resume", run]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let shown = desk.say(&["show", run]).last();
    let summary = &shown["tasks"]["compare"]["output"]["summary"];
    let count = |field: &str| summary[field].as_u64().unwrap() as usize;
    assert_eq!(count("products"), expected.products);
    assert_eq!(count("flagged"), expected.flagged);
    assert_eq!(count("undercut"), expected.undercut);
    assert_eq!(count("dropped_prices"), expected.outliers);
    assert_eq!(number(&summary["mean_margin"].to_string()), expected.mean_margin);
    let report = Path::new(done.last()["folder"].as_str().unwrap()).join("margin-report.md");
    let report = std::fs::read_to_string(report).unwrap();
    assert!(
        report.starts_with("# Margin report") && report.contains("Note: Checked."),
        "{report}"
    );
    let rows = report.lines().filter(|l| l.starts_with("| 4")).count();
    assert_eq!(rows, expected.flagged, "one line for each flagged product");
}

#[test]
fn the_executive_margins_compare_with_one_shop() {
    let desk = Desk::default();
    let last = run_sample(&desk, "executive-margins.plan.json");
    assert_eq!(last["state"], "SUCCEEDED");
    let text = std::fs::read_to_string(samples().join("margin-report/fabrikam.csv")).unwrap();
    let costs = costs();
    let prices: Vec<(f64, f64)> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .map(|cells| (number(cells[2]), costs[cells[0]].1))
        .collect();
    let cheaper = prices.iter().filter(|(theirs, ours)| theirs < ours).count();
    let output = last["output"].as_str().unwrap();
    assert!(
        output.contains(&format!("on {cheaper} of {} products", prices.len())),
        "{output}"
    );
}
