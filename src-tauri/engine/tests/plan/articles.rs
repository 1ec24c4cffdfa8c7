//! The plans of the two articles that this format comes from load as they are.

use planloom_engine::model::{Code, DraftPlan};
use serde_json::json;

use crate::support::*;

#[test]
fn the_smallest_task_is_enough() {
    let plan = json!({"tasks": [{"id": "a", "instruction": "Search flights.", "dependencies": []}]});
    assert_eq!(problems(&plan), []);
    assert_eq!(accepted(&plan).tasks[0].kind.word(), "agent");
}

#[test]
fn the_four_task_plan_runs_in_three_waves() {
    let text = r#"{"tasks": [
        {"id": "fetch_competitor_data", "instruction": "Fetch competitor pricing from API", "dependencies": []},
        {"id": "fetch_internal_costs", "instruction": "Fetch internal manufacturing costs from DB", "dependencies": []},
        {"id": "analyze_margins", "instruction": "Analyze profit margins comparing internal vs competitor",
         "dependencies": ["fetch_competitor_data", "fetch_internal_costs"]},
        {"id": "format_report", "instruction": "Format final executive margin report", "dependencies": ["analyze_margins"]}
    ]}"#;
    let accepted = DraftPlan::parse(text)
        .unwrap()
        .to_plan(&catalog(), &place())
        .unwrap();
    assert_eq!(
        accepted.warnings.iter().map(|p| p.code).collect::<Vec<_>>(),
        [Code::UnknownModel]
    );
    let plan = accepted.plan;
    assert_eq!(plan.order(), [0, 1, 2, 3]);
    assert_eq!([0, 1, 2, 3].map(|ix| plan.remaining(ix)), [2, 2, 1, 0]);
    assert_eq!(plan.leaves().collect::<Vec<_>>(), [3]);
    assert_eq!(plan.find("analyze_margins"), Some(2));
}

/// As the article's Pydantic model writes itself, with its run-time fields.
#[test]
fn a_dump_of_the_articles_model_loads_with_warnings() {
    let node = |id: &str| json!({"id": id, "instruction": "i", "dependencies": [], "status": "PENDING", "output": null});
    let plan = json!({"tasks": [node("a"), node("b")]});
    assert_eq!(errors(&plan), []);
    assert_eq!(problems(&plan).len(), 4);
}
