//! How the calls of one turn look to the loop guard. It must not know what follows from its verdict.

use crate::agents::repeats::Print;
use crate::model::Json;
use crate::model::tool::Effect;

/// A call that may be made.
pub(super) struct Checked {
    /// The whole name, which the model may have shortened.
    pub tool: String,
    pub arguments: Json,
    pub effect: Effect,
}

/// The call before it is made: known for certain where its result makes no difference.
pub(super) fn print_before(checked: &Checked) -> Option<Print> {
    ignores_result(checked.effect).then(|| Print::of_call(&checked.tool, &checked.arguments))
}

/// The call with what it gave.
pub(super) fn print_after(checked: &Checked, result: &str) -> Print {
    let print = Print::of_call(&checked.tool, &checked.arguments);
    if ignores_result(checked.effect) {
        print
    } else {
        print.with_result(result)
    }
}

/// Reading the same again is polling as long as something else comes back. Writing or paying the same again is a
/// repetition, whatever the receiver answers. A program may do either.
fn ignores_result(effect: Effect) -> bool {
    match effect {
        Effect::Write | Effect::WriteExternal | Effect::Spend => true,
        Effect::Pure | Effect::Read | Effect::ReadExternal | Effect::Exec => false,
    }
}
