//! Reads the sources of a plan before it runs: on a thread of its own, with limits, and nothing is run. It must not know plans.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rquickjs::context::intrinsic::{Eval, RegExpCompiler};
use rquickjs::{Context, Runtime};

use super::body::{self, Misread};
use super::realm::{LONGEST_SOURCE, is_identifier};
use crate::model::Digest;
use crate::model::foreseen::{CodeVerdict, ReadCode};

/// What reading one source may take. Compiling can't be broken off, and takes long only for what is made for that.
const PATIENCE: Duration = Duration::from_secs(1);
/// What reading all sources of one plan may take.
const ALLOWANCE: Duration = Duration::from_secs(10);
/// Sources of one plan that may take too long before no other is read.
const GIVEN_UP: u32 = 3;
/// Threads that may still read what nobody waits for any more.
const LEFT_BEHIND: usize = 4;
const MEMORY: usize = 64 << 20;
const STACK: usize = 512 << 10;
/// Sources that one interpreter reads, so that what one leaves behind is not there for long.
const SHARED_BY: usize = 256;
/// Verdicts that are remembered: an editor asks about the same sources at each change.
const REMEMBERED: usize = 20_000;

pub(in crate::tools) fn reader() -> Box<dyn ReadCode> {
    Box::new(Session {
        left: ALLOWANCE,
        given_up: 0,
    })
}

struct Session {
    left: Duration,
    /// Sources that took too long.
    given_up: u32,
}

impl ReadCode for Session {
    fn read(&mut self, source: &str, names: &[&str]) -> CodeVerdict {
        if source.len() > LONGEST_SOURCE {
            return wrong("it has more than 1 MiB".to_owned());
        }
        if source.contains('\0') {
            return wrong("it holds a NUL character".to_owned());
        }
        let key = Digest::of(format!("{}\0{source}", names.join("\0")).as_bytes());
        if let Some(known) = remembered(|all| all.get(&key).cloned()) {
            return known;
        }
        let patience = PATIENCE.min(self.left);
        if patience.is_zero() || self.given_up >= GIVEN_UP {
            return CodeVerdict::Unread;
        }
        let started = Instant::now();
        let verdict = asked(source, names, patience);
        self.left = self.left.saturating_sub(started.elapsed());
        self.given_up += u32::from(verdict == CodeVerdict::Unread);
        if verdict != CodeVerdict::Unread || patience == PATIENCE {
            remembered(|all| {
                if all.len() >= REMEMBERED {
                    all.clear();
                }
                all.insert(key, verdict.clone());
            });
        }
        verdict
    }
}

fn remembered<T>(of: impl FnOnce(&mut HashMap<Digest, CodeVerdict>) -> T) -> T {
    static ALL: Mutex<Option<HashMap<Digest, CodeVerdict>>> = Mutex::new(None);
    of(ALL
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get_or_insert_default())
}

fn wrong(message: String) -> CodeVerdict {
    CodeVerdict::Wrong {
        line: None,
        column: None,
        message,
    }
}

/// The one thread that reads. One that takes too long is left to itself and ends with what it reads.
struct Thread {
    sources: Sender<(String, Vec<String>)>,
    verdicts: Receiver<CodeVerdict>,
}

fn asked(source: &str, names: &[&str], patience: Duration) -> CodeVerdict {
    static THREAD: Mutex<Option<Thread>> = Mutex::new(None);
    let mut thread = THREAD.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(current) = thread.take().or_else(Thread::start) else {
        return CodeVerdict::Unread;
    };
    let names = names.iter().map(|&name| name.to_owned()).collect();
    let sent = current.sources.send((source.to_owned(), names)).ok();
    match sent.and_then(|()| current.verdicts.recv_timeout(patience).ok()) {
        Some(verdict) => {
            *thread = Some(current);
            verdict
        }
        None => CodeVerdict::Unread,
    }
}

static AT_WORK: AtomicUsize = AtomicUsize::new(0);

impl Thread {
    fn start() -> Option<Self> {
        if AT_WORK.load(Ordering::Relaxed) > LEFT_BEHIND {
            return None;
        }
        let (sources, given) = mpsc::channel();
        let (told, verdicts) = mpsc::channel();
        std::thread::Builder::new()
            .name("code reader".to_owned())
            .stack_size(STACK + (2 << 20))
            .spawn(move || work(&given, &told))
            .ok()?;
        Some(Self { sources, verdicts })
    }
}

fn work(given: &Receiver<(String, Vec<String>)>, told: &Sender<CodeVerdict>) {
    AT_WORK.fetch_add(1, Ordering::Relaxed);
    read_all(given, told);
    AT_WORK.fetch_sub(1, Ordering::Relaxed);
}

fn read_all(given: &Receiver<(String, Vec<String>)>, told: &Sender<CodeVerdict>) {
    let mut given = given.iter().peekable();
    while given.peek().is_some() {
        let Some(context) = context() else { return };
        for (source, names) in given.by_ref().take(SHARED_BY) {
            if told.send(read(&context, &source, &names)).is_err() {
                return;
            }
        }
    }
}

fn context() -> Option<Context> {
    let runtime = Runtime::new().ok()?;
    runtime.set_memory_limit(MEMORY);
    runtime.set_max_stack_size(STACK);
    Context::custom::<(Eval, RegExpCompiler)>(&runtime).ok()
}

fn read(context: &Context, source: &str, names: &[String]) -> CodeVerdict {
    context.with(|ctx| {
        let names: Vec<&str> = names
            .iter()
            .map(String::as_str)
            .filter(|name| is_identifier(&ctx, name))
            .collect();
        match body::check(&ctx, &super::realm::variables(&names), source) {
            Ok(()) => CodeVerdict::Fine,
            Err(Misread {
                line,
                column,
                message,
            }) => CodeVerdict::Wrong {
                line,
                column,
                message,
            },
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(source: &str, names: &[&str]) -> CodeVerdict {
        reader().read(source, names)
    }

    fn told(source: &str) -> (u32, Option<u32>, String) {
        match verdict(source, &["rows"]) {
            CodeVerdict::Wrong {
                line,
                column,
                message,
            } => (line.unwrap_or_default(), column, message),
            other @ (CodeVerdict::Fine | CodeVerdict::Unread) => panic!("{source}: {other:?}"),
        }
    }

    #[test]
    fn what_can_be_read_is_fine() {
        for source in [
            "return rows.length",
            "return `${rows} } ${`}`}`;",
            "const re = /[}/]\\}/g; return '}'.replace(re, \"{\")",
            "if (rows) { return 1 } /* } */ // }\nreturn {a: {b: 2}}",
            "label: for (;;) { break label }\nreturn class { static #x = 1; get y() { return this } }.name",
            "return 1 //",
            "return 1 <!-- 2",
            "return function*() { yield 1 }.name + (async () => { await 1 }).name",
            "// \u{2028}return 1",
            "",
        ] {
            assert_eq!(
                verdict(source, &["rows", "größe", "a-b", "inputs"]),
                CodeVerdict::Fine,
                "{source}"
            );
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        assert_eq!(told("return 1 +* 2").0, 1);
        let (line, column, message) = told("const a = 1;\n\nreturn a b;");
        assert_eq!((line, column), (3, Some(10)), "{message}");
        assert_eq!(told("return a b;").1, Some(10));
        assert_eq!(told("let rows = 1; return rows").0, 1);
        let (line, _, message) = told("if (rows) {\nreturn 1");
        assert!(
            line == 2 && message.contains("ends too early"),
            "{line} {message}"
        );
        assert!(
            told("return 1 }").2.contains("more braces"),
            "{:?}",
            told("return 1 }")
        );
        assert!(told("await rows").2.len() > 5);
        assert!(
            told(&format!("return '{}'", "x".repeat(2 << 20)))
                .2
                .contains("1 MiB")
        );
        assert!(told("return '\0'").2.contains("NUL"));
    }

    #[test]
    fn nothing_stands_outside_of_the_function() {
        for source in crate::tools::code::escapes::ESCAPES {
            assert!(
                matches!(verdict(source, &[]), CodeVerdict::Wrong { .. }),
                "{source}"
            );
        }
    }

    /// Time and stack are bounded whatever is read; what took too long is not waited for twice.
    #[test]
    fn hostile_sources_neither_hang_nor_crash() {
        let many = |n: usize| (0..n).map(|i| format!("let v{i};")).collect::<String>();
        let started = Instant::now();
        for source in [
            "(".repeat(500_000),
            "[".repeat(500_000),
            "{".repeat(500_000),
            "`${".repeat(200_000),
            "a=>".repeat(200_000),
            "!".repeat(900_000),
            format!("return {}1", "1+".repeat(400_000)),
            format!("return /{}/", "(?:a{999}){999}".repeat(200)),
            format!("return /{}a/", "(".repeat(400_000)),
            many(50_000),
            "function f(){}".repeat(50_000),
            "x:".repeat(300_000),
        ] {
            let _ = verdict(&source, &[]);
            let _ = verdict(&source, &[]);
        }
        assert!(
            started.elapsed() < Duration::from_secs(40),
            "{:?}",
            started.elapsed()
        );
        assert_eq!(verdict("return 1", &[]), CodeVerdict::Fine);
    }

    #[test]
    fn all_of_a_plan_takes_a_bounded_time() {
        let spent = |left, given_up| Session { left, given_up }.read("return 'never seen'", &[]);
        assert_eq!(spent(Duration::ZERO, 0), CodeVerdict::Unread);
        assert_eq!(spent(ALLOWANCE, GIVEN_UP), CodeVerdict::Unread);
        assert_eq!(verdict("return 'never seen'", &[]), CodeVerdict::Fine);
    }
}
