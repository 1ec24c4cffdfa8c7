//! Plans, arguments of calls and schemas: refused with a reason, or read so that nothing is lost. It must not know who
//! makes up the bytes.

use std::path::PathBuf;

use planloom_engine::llm::wire::strict;
use planloom_engine::llm::{ToolCall, json_of};
use planloom_engine::model::grants::Place;
use planloom_engine::model::tool::Catalog;
use planloom_engine::model::{DraftPlan, WrittenPlan, digest};

/// A plan is refused with a reason, or its text can be read again to the same plan and all that is wrong with it told;
/// and both ways of reading it agree.
pub fn plan(bytes: &[u8]) {
    let draft = match DraftPlan::parse_bytes(bytes) {
        Ok(draft) => draft,
        Err(problems) => return assert!(!problems.is_empty(), "refused without a reason"),
    };
    let text = draft.to_text();
    let again = DraftPlan::parse(&text).expect("what was written can be read");
    assert_eq!(again.to_text(), text);
    let place = Place {
        folder: None,
        workspace: PathBuf::from("run"),
    };
    let problems = |draft: &DraftPlan| draft.problems(&Catalog::default(), &place);
    assert_eq!(problems(&again).len(), problems(&draft).len());
    let text = std::str::from_utf8(bytes).expect("what was parsed is text");
    let written = WrittenPlan::read(text).expect("what one way reads, the other does too");
    assert_eq!(written.digest(), digest::of_document(&draft));
}

/// Arguments are refused with a reason, or come through unchanged.
pub fn arguments(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let call = ToolCall {
        id: String::new(),
        name: "tool".to_owned(),
        arguments: text.into_owned(),
        sealed: None,
    };
    match call.parsed() {
        Err(refused) => assert!(!refused.to_string().is_empty()),
        Ok(value) => {
            let again = json_of(&value.to_string()).expect("what was read can be read again");
            assert_eq!(again, value);
        }
    }
}

/// A schema is refused with a reason, or comes out in the dialect, in which it stays.
pub fn schema(bytes: &[u8]) {
    let Ok(schema) = json_of(&String::from_utf8_lossy(bytes)) else {
        return;
    };
    assert_eq!(strict::tool_arguments(&schema)["type"], "object");
    match strict::strict(&schema) {
        Err(refused) => assert!(!refused.why.is_empty()),
        Ok(said) => {
            assert_eq!(strict::strict(&said).as_ref(), Ok(&said));
            strict::as_asked(&schema, said);
        }
    }
}
