//! Asking the index: which texts hold all the words, the best first, and where in them the words stand. It must not know how
//! a query is read, nor what runs are.

use rusqlite::{Connection, params};

use super::super::StoreError;
use super::super::runs::RunKey;
use super::text::{JOINT, spaced};
use super::{Index, expression, place};
use crate::model::query::{Found, Term};
use crate::model::{Seq, TaskId};

/// Hits are counted up to here.
const MOST_COUNTED: i64 = 10_000;
/// Words of a snippet.
const SNIPPET: i32 = 28;
/// Around what was looked for; cleaned texts have neither.
const BEGIN: char = '\u{2}';
const END: char = '\u{3}';

/// Whose texts may be found: those of `run` up to and with `upto`, shown as texts of `shown`.
#[derive(Clone, Copy, Debug)]
pub struct Allowed {
    pub run: RunKey,
    pub upto: Seq,
    pub shown: RunKey,
}

/// Where a word that was looked for stands in a snippet, counted in letters (Unicode scalar values), the end not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub from: u32,
    pub to: u32,
}

/// One text that holds all the words.
#[derive(Clone, Debug)]
pub struct Hit {
    pub run: RunKey,
    pub task: Option<TaskId>,
    pub seq: Seq,
    pub place: Found,
    pub snippet: String,
    pub marks: Vec<Mark>,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct FoundTexts {
    /// The best first.
    pub hits: Vec<Hit>,
    /// How many there are in all, counted no further than some thousands.
    pub total: u32,
}

impl Index {
    /// The best texts with all of these terms. Without a term, the goals of the runs, the newest first.
    pub async fn find(
        &self,
        terms: &[Term],
        allowed: Vec<Allowed>,
        limit: u32,
    ) -> Result<FoundTexts, StoreError> {
        let expression = expression::of(terms);
        self.run(move |conn| find(conn, expression.as_deref(), &allowed, limit))
            .await
    }

    /// The runs that hold the terms in one text, those with the best first.
    pub async fn find_runs(&self, terms: &[Term], allowed: Vec<Allowed>) -> Result<Vec<RunKey>, StoreError> {
        let Some(expression) = expression::of(terms) else {
            return Ok(allowed.iter().map(|one| one.shown).collect());
        };
        self.run(move |conn| {
            allow(conn, &allowed)?;
            let mut select = conn.prepare_cached(
                "SELECT a.shown FROM words JOIN texts t ON t.text = words.rowid
                 JOIN temp.allowed a ON a.run = t.run AND t.seq <= a.upto
                 WHERE words MATCH ?1 GROUP BY a.shown ORDER BY min(words.rank), a.shown DESC",
            )?;
            let rows = select.query_map([expression], |row| row.get(0).map(RunKey))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }
}

/// For this one question.
fn allow(conn: &Connection, allowed: &[Allowed]) -> Result<(), StoreError> {
    conn.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS allowed (run INTEGER PRIMARY KEY, upto INTEGER NOT NULL, shown INTEGER NOT NULL);
         DELETE FROM temp.allowed;",
    )?;
    let mut insert =
        conn.prepare_cached("INSERT OR REPLACE INTO temp.allowed (run, upto, shown) VALUES (?1, ?2, ?3)")?;
    let tx = conn.unchecked_transaction()?;
    for one in allowed {
        let upto = i64::try_from(one.upto).unwrap_or(i64::MAX);
        insert.execute(params![one.run.0, upto, one.shown.0])?;
    }
    tx.commit()?;
    Ok(())
}

/// A text that was found, before it is looked at.
struct Row {
    hit: Hit,
    data: Vec<u8>,
}

fn find(
    conn: &mut Connection,
    expression: Option<&str>,
    allowed: &[Allowed],
    limit: u32,
) -> Result<FoundTexts, StoreError> {
    allow(conn, allowed)?;
    let rows = match expression {
        Some(expression) => ranked(conn, expression, limit)?,
        None => goals(conn, limit)?,
    };
    let total = count(conn, expression)?;
    let hits = shown(conn, expression, rows)?;
    Ok(FoundTexts { hits, total })
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    let task: String = row.get(1)?;
    let place = Found::of_number(row.get(3)?);
    Ok(Row {
        hit: Hit {
            run: RunKey(row.get(0)?),
            task: (!task.is_empty()).then(|| TaskId::from(task)),
            seq: row.get::<_, i64>(2)? as Seq,
            place,
            snippet: String::new(),
            marks: Vec::new(),
        },
        data: row.get(4)?,
    })
}

/// What was planned and what came out weighs more than what was seen on the way; of equals the newest.
fn ranked(conn: &Connection, expression: &str, limit: u32) -> Result<Vec<Row>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT a.shown, t.task, t.seq, t.place, t.data FROM words JOIN texts t ON t.text = words.rowid
         JOIN temp.allowed a ON a.run = t.run AND t.seq <= a.upto
         WHERE words MATCH ?1
         ORDER BY words.rank * CASE t.place WHEN ?2 THEN 3.0 WHEN ?3 THEN 2.5 WHEN ?4 THEN 1.5 ELSE 1.0 END,
                  t.run DESC, t.seq DESC LIMIT ?5",
    )?;
    let weights = (
        Found::Plan.number(),
        Found::Output.number(),
        Found::Answer.number(),
    );
    let rows = select.query_map(params![expression, weights.0, weights.1, weights.2, limit], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const OWN_GOAL: &str = "t.task = '' AND t.place = ?1 AND t.part = 0";

fn goals(conn: &Connection, limit: u32) -> Result<Vec<Row>, StoreError> {
    let mut select = conn.prepare_cached(&format!(
        "SELECT a.shown, t.task, t.seq, t.place, t.data FROM temp.allowed a CROSS JOIN texts t ON t.run = a.run
         WHERE {OWN_GOAL} AND t.run = a.shown ORDER BY t.run DESC LIMIT ?2"
    ))?;
    let rows = select.query_map(params![Found::Plan.number(), limit], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn count(conn: &Connection, expression: Option<&str>) -> Result<u32, StoreError> {
    let count: i64 = match expression {
        Some(expression) => conn
            .prepare_cached(
                "SELECT count(*) FROM (SELECT 1 FROM words JOIN texts t ON t.text = words.rowid
                 JOIN temp.allowed a ON a.run = t.run AND t.seq <= a.upto WHERE words MATCH ?1 LIMIT ?2)",
            )?
            .query_row(params![expression, MOST_COUNTED], |row| row.get(0))?,
        None => conn
            .prepare_cached(&format!(
                "SELECT count(*) FROM temp.allowed a CROSS JOIN texts t ON t.run = a.run
                 WHERE {OWN_GOAL} AND t.run = a.shown"
            ))?
            .query_row([Found::Plan.number()], |row| row.get(0))?,
    };
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

/// The few texts that are shown are put into a table of their own, in memory, that knows where words stand: to the very
/// tokenizer that found them.
fn shown(conn: &Connection, expression: Option<&str>, rows: Vec<Row>) -> Result<Vec<Hit>, StoreError> {
    conn.execute_batch(&format!(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.shown USING fts5 (text, tokenize = '{}');
         DELETE FROM temp.shown;",
        place::TOKENIZER
    ))?;
    let mut insert = conn.prepare_cached("INSERT INTO temp.shown (rowid, text) VALUES (?1, ?2)")?;
    let mut select = conn.prepare_cached(
        "SELECT snippet(shown, 0, char(2), char(3), '…', ?3) FROM temp.shown WHERE shown MATCH ?1 AND rowid = ?2",
    )?;
    let mut hits = Vec::with_capacity(rows.len());
    for (number, Row { mut hit, data }) in rows.into_iter().enumerate() {
        let text = unpacked(&data)?;
        let marked = match expression {
            Some(expression) => {
                insert.execute(params![number as i64, spaced(&text)])?;
                select.query_row(params![expression, number as i64, SNIPPET], |row| row.get(0))?
            }
            None => text.chars().take(200).collect::<String>(),
        };
        (hit.snippet, hit.marks) = unmarked(&marked);
        hits.push(hit);
    }
    drop(insert);
    conn.execute_batch("DELETE FROM temp.shown")?;
    Ok(hits)
}

fn unpacked(data: &[u8]) -> Result<String, StoreError> {
    let damaged = || StoreError::Damaged("a text of the search index can't be unpacked".to_owned());
    let size = zstd::bulk::Decompressor::upper_bound(data).filter(|&size| size <= 1 << 20);
    let text = zstd::bulk::decompress(data, size.ok_or_else(damaged)?).map_err(|_| damaged())?;
    String::from_utf8(text).map_err(|_| damaged())
}

/// One line, and where the marks stood in it.
fn unmarked(text: &str) -> (String, Vec<Mark>) {
    let mut line = String::with_capacity(text.len());
    let (mut marks, mut letters, mut begun) = (Vec::new(), 0, None);
    let mut was_blank = true;
    for c in text.chars() {
        match c {
            BEGIN => begun = Some(letters),
            END => {
                if let Some(from) = begun.take().filter(|&from| from < letters) {
                    marks.push(Mark { from, to: letters });
                }
            }
            JOINT => {}
            c if c.is_whitespace() => {
                if !was_blank {
                    line.push(' ');
                    letters += 1;
                }
                was_blank = true;
            }
            c => {
                line.push(c);
                letters += 1;
                was_blank = false;
            }
        }
    }
    (line, marks)
}
