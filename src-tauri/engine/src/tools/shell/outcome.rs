//! What became of a command, for the plan and for people. It must not know how it was run.

use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::Asked;
use crate::model::Json;
use crate::tools::ToolError;
use crate::tools::decode::decode;
use crate::tools::sandbox::{Caught, Confined, End, Ended, Excess, SandboxError};

/// Files that were moved aside are named up to so many.
const NAMED: usize = 50;
/// Of what a failed command said, so much stands in the message.
const TOLD: usize = 4000;

pub(super) fn of(
    asked: &Asked,
    confined: &Confined,
    ended: Result<Ended, SandboxError>,
) -> Result<Json, ToolError> {
    let ended = ended.map_err(|error| refused(&error))?;
    let program = &asked.program;
    if let Some(error) = left_behind(program, &ended) {
        return Err(error);
    }
    let left_out = ended.stdout.left_out() + ended.stderr.left_out();
    let label = asked.encoding.as_deref();
    let (out, err) = (Said::of(ended.stdout, label), Said::of(ended.stderr, label));
    let (stdout, stderr) = (&out.text, &err.text);
    let failed = |code: &'static str, what: String| {
        let said = said(stdout, stderr);
        Err(ToolError::permanent(code, format!("`{program}` {what}{said}")))
    };
    match ended.end {
        End::Exited(code) if code == 0 || asked.accepted.contains(&code.into()) => {
            let mut result = json!({ "code": code, "stdout": stdout, "stderr": stderr });
            for (name, said) in [("stdout_base64", &out), ("stderr_base64", &err)] {
                if let Some(bytes) = &said.bytes {
                    result[name] = STANDARD.encode(bytes).into();
                }
            }
            if left_out > 0 {
                result["left_out"] = left_out.into();
            }
            Ok(result)
        }
        End::Exited(code @ 129..=192) => failed(
            "killed",
            format!("was killed by signal {} (code {code})", code - 128),
        ),
        End::Exited(code) => failed("exit_code", format!("ended with {code}{}", hint(code, confined))),
        End::TimedOut => {
            let seconds = asked.wall.as_secs_f64();
            failed(
                "timeout",
                format!("was ended after {seconds} s, with all that it started; what it changed stays"),
            )
        }
        End::Flood => failed(
            "output_limit",
            "was ended: it wrote far more than can be kept".to_owned(),
        ),
        End::Excess(Excess::Processes) => {
            let most = confined.limits.processes;
            failed(
                "process_limit",
                format!("was ended: it had more than {most} processes at a time"),
            )
        }
        End::Excess(Excess::Memory) => {
            let most = confined.limits.memory_bytes >> 20;
            failed(
                "memory_limit",
                format!("was ended: it took more than {most} MiB of memory"),
            )
        }
    }
}

fn planted(program: &str, moved_aside: &[PathBuf], is_shared: bool) -> ToolError {
    let named = moved_aside.iter().take(NAMED);
    let named: Vec<String> = named.map(|to| format!("`{}`", to.display())).collect();
    let more = match moved_aside.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more beside them"),
    };
    let others = if is_shared {
        ", or a command that could write there at the same time,"
    } else {
        ""
    };
    let message = format!(
        "`{program}`{others} put something where no command may write, for it would run by itself or holds keys. It was moved \
         aside, and nothing of it is lost: {}{more}",
        named.join(", ")
    );
    ToolError::permanent("closed_path", message)
}

/// What it put, or may have put, where things run by themselves later.
fn left_behind(program: &str, ended: &Ended) -> Option<ToolError> {
    if !ended.moved_aside.is_empty() {
        return Some(planted(program, &ended.moved_aside, ended.is_shared));
    }
    if let Some(folder) = &ended.too_large {
        let message = format!(
            "`{program}` left more in `{}` than is looked through for what runs by itself later (git hooks, start-up files); \
             look there yourself before you use it",
            folder.display()
        );
        return Some(ToolError::permanent("too_large", message));
    }
    None
}

fn refused(error: &SandboxError) -> ToolError {
    let code = match error {
        SandboxError::Cancelled => return ToolError::Cancelled,
        SandboxError::Off(_) => "shell_off",
        SandboxError::NotAbsolute(_) | SandboxError::SetUp(_) => "sandbox",
        SandboxError::Closed(..) => "closed_path",
        SandboxError::Start(_) => "not_started",
    };
    ToolError::permanent(code, error.to_string())
}

/// Why a program that lies elsewhere may not work.
fn hint(code: i32, confined: &Confined) -> String {
    let is_elsewhere = !["/usr", "/bin", "/sbin"]
        .iter()
        .any(|folder| confined.program.starts_with(folder));
    if !is_elsewhere || !matches!(code, 126 | 127) {
        return String::new();
    }
    format!(
        "; of `{}` only this one file is shown: if it needs more of its folder, grant that under `read`",
        confined.program.display()
    )
}

/// What a program wrote, as text, and as it was where the text does not hold all of it.
struct Said {
    text: String,
    bytes: Option<Vec<u8>>,
}

impl Said {
    fn of(caught: Caught, label: Option<&str>) -> Self {
        let is_cut = caught.left_out() > 0;
        let bytes = caught.into_bytes();
        let decoded = decode(&bytes, label);
        let (text, is_whole) = (decoded.text.into_owned(), decoded.is_whole);
        Self {
            text,
            // What is only a part is no longer what was written.
            bytes: (!is_whole && !is_cut).then_some(bytes),
        }
    }
}

/// The ends of both, where errors stand.
fn said(stdout: &str, stderr: &str) -> String {
    let part = |name: &str, text: &str| match text.trim() {
        "" => String::new(),
        text => format!("; {name}: {}", end_of(text)),
    };
    part("stderr", stderr) + &part("stdout", stdout)
}

fn end_of(text: &str) -> String {
    let from = text.ceil_char_boundary(text.len().saturating_sub(TOLD));
    match from {
        0 => text.to_owned(),
        _ => format!("…{}", &text[from..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_was_moved_aside_is_named() {
        let asked = Asked::read(&json!({ "program": "tool" })).unwrap();
        let confined = Confined::new(PathBuf::from("/bin/tool"), Vec::new());
        let ended = Ended {
            end: End::Exited(0),
            stdout: Caught::default(),
            stderr: Caught::default(),
            moved_aside: vec![
                PathBuf::from("/a/.bashrc.planloom-closed-0"),
                PathBuf::from("/a/.git/hooks/x"),
            ],
            is_shared: false,
            too_large: None,
        };
        let told = of(&asked, &confined, Ok(ended)).unwrap_err().to_string();
        assert!(
            told.contains("`/a/.bashrc.planloom-closed-0`, `/a/.git/hooks/x`"),
            "{told}"
        );
    }
}
