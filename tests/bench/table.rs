//! The gates as a table: what was measured, its bound, whether it holds.

/// Rows in the order in which they were measured.
#[derive(Default)]
pub struct Table {
    rows: Vec<Row>,
}

struct Row {
    gate: String,
    value: f64,
    unit: &'static str,
    bound: Option<f64>,
    note: String,
}

impl Table {
    /// A value that must not pass its bound.
    pub fn at_most(
        &mut self,
        gate: &str,
        value: f64,
        bound: f64,
        unit: &'static str,
        note: impl Into<String>,
    ) {
        self.rows.push(Row {
            gate: gate.to_owned(),
            value,
            unit,
            bound: Some(bound),
            note: note.into(),
        });
    }

    /// A value that is only told.
    pub fn tell(&mut self, gate: &str, value: f64, unit: &'static str, note: impl Into<String>) {
        self.rows.push(Row {
            gate: gate.to_owned(),
            value,
            unit,
            bound: None,
            note: note.into(),
        });
    }

    pub fn is_all_well(&self) -> bool {
        self.rows.iter().all(|r| r.bound.is_none_or(|b| r.value <= b))
    }

    #[expect(clippy::print_stdout, reason = "the table is what the bench is for")]
    pub fn print(&self) {
        println!("| gate | measured | bound | | note |\n| --- | ---: | ---: | --- | --- |");
        for row in &self.rows {
            let bound = row
                .bound
                .map_or_else(|| "–".to_owned(), |b| format!("≤ {b} {}", row.unit));
            let mark = match row.bound {
                Some(bound) if row.value > bound => "MISSED",
                Some(_) => "holds",
                None => "",
            };
            let value = format!("{:.3}", row.value);
            let value = value.trim_end_matches('0').trim_end_matches('.');
            println!(
                "| {} | {value} {} | {bound} | {mark} | {} |",
                row.gate, row.unit, row.note
            );
        }
    }
}
