//! Which renderer the webview gets, and what to say when it paints nothing. Pure rules about the environment.
//!
//! On Linux some graphics stacks leave WebKitGTK's window blank with its DMA-BUF renderer. The cure is one
//! variable, which must be set before GTK starts and which belongs to the person if the person has set it.

pub const VARIABLE: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";
/// Says that the variable above was set by Planloom, not by the person.
pub const OURS: &str = "PLANLOOM_SAFE_RENDERER";
/// Lets a WebDriver take over the webview.
pub const AUTOMATION: &str = "TAURI_WEBVIEW_AUTOMATION";

/// How this process came to its renderer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renderer {
    /// The webview's own choice.
    Default,
    /// Planloom has set the variable, as the person chose.
    Safe,
    /// The person has set the variable, to whatever it is.
    Persons,
}

/// What to do about a window that has painted or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    Nothing,
    /// Ask whether to start again with the safe renderer.
    OfferSafeRenderer,
    /// Say that the window is blank, and that the person's own variable decides about the renderer.
    NameVariable,
    /// Say that the window is blank although the renderer is the safe one.
    NameLog,
}

/// A change to the environment that needs a new start of the process: it can't be made safely later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Set(&'static str),
    Remove(&'static str),
}

impl Renderer {
    pub fn from_environment(variable: Option<&str>, ours: Option<&str>) -> Self {
        match (variable, ours) {
            (None, _) => Self::Default,
            (Some(_), Some(_)) => Self::Safe,
            (Some(_), None) => Self::Persons,
        }
    }

    pub fn current() -> Self {
        let read = |name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        Self::from_environment(read(VARIABLE).as_deref(), read(OURS).as_deref())
    }
}

/// Whether a person can choose here.
pub fn is_a_choice(os: &str, renderer: Renderer) -> bool {
    os == "linux" && renderer != Renderer::Persons
}

/// What must change in the environment before GTK starts.
pub fn changes(os: &str, renderer: Renderer, is_safe_chosen: bool) -> &'static [Change] {
    match (renderer, is_safe_chosen && os == "linux") {
        (Renderer::Default, true) => &[Change::Set(VARIABLE), Change::Set(OURS)],
        (Renderer::Safe, false) => &[Change::Remove(VARIABLE), Change::Remove(OURS)],
        (Renderer::Default, false) | (Renderer::Safe, true) | (Renderer::Persons, _) => &[],
    }
}

/// What to say once the page has painted, or has had its time.
pub fn advice(os: &str, renderer: Renderer, has_painted: bool) -> Advice {
    if has_painted || os != "linux" {
        return Advice::Nothing;
    }
    match renderer {
        Renderer::Default => Advice::OfferSafeRenderer,
        Renderer::Persons => Advice::NameVariable,
        Renderer::Safe => Advice::NameLog,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Seconds after which a page that has not painted counts as blank.
    const PATIENCE: f64 = 10.0;

    fn of(case: &Value) -> (Renderer, Advice, &'static [Change]) {
        let variable = case
            .pointer(&format!("/user_env/{VARIABLE}"))
            .and_then(Value::as_str);
        let renderer = Renderer::from_environment(variable, None);
        let os = case["os"].as_str().expect("an os");
        let has_painted = case["first_paint"]
            .as_f64()
            .is_some_and(|seconds| seconds <= PATIENCE);
        (
            renderer,
            advice(os, renderer, has_painted),
            changes(os, renderer, false),
        )
    }

    #[test]
    fn each_machine_gets_what_it_should() {
        let cases: Vec<Value> = serde_json::from_str(include_str!("../tests/cases/desktop-02-env.json"))
            .expect("the case file is JSON");
        assert_eq!(cases.len(), 4);
        for case in &cases {
            let (renderer, advice, changes) = of(case);
            assert_eq!(changes, [], "nothing is set unasked: {case}");
            match case["want"].as_str().expect("a wish") {
                "offer safe renderer" => assert_eq!(advice, Advice::OfferSafeRenderer),
                "nothing set" | "no variable set" => assert_eq!(advice, Advice::Nothing),
                "not overridden without asking" => {
                    assert_eq!((renderer, advice), (Renderer::Persons, Advice::NameVariable));
                    assert_eq!(super::changes("linux", renderer, true), []);
                }
                other => panic!("a new kind of case: {other}"),
            }
        }
    }

    #[test]
    fn the_choice_sets_the_variable_once_and_can_be_undone() {
        let set = [Change::Set(VARIABLE), Change::Set(OURS)];
        assert_eq!(changes("linux", Renderer::Default, true), set);
        let restarted = Renderer::from_environment(Some("1"), Some("1"));
        assert_eq!(changes("linux", restarted, true), [], "no second restart");
        assert_eq!(
            changes("linux", restarted, false),
            [Change::Remove(VARIABLE), Change::Remove(OURS)]
        );
        assert_eq!(changes("macos", Renderer::Default, true), []);
    }

    #[test]
    fn a_blank_window_is_never_the_only_sign() {
        for renderer in [Renderer::Default, Renderer::Safe, Renderer::Persons] {
            assert_ne!(advice("linux", renderer, false), Advice::Nothing);
            assert_eq!(advice("linux", renderer, true), Advice::Nothing);
        }
    }
}
