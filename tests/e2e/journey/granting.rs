//! What may be touched and who touches it, at the signature: the one lights the other.

use planloom_tests::desktop::{Home, Setup};
use planloom_tests::webdriver::Outcome;

use super::steps::{card, card_in, edge, mark, open_sample};

/// What may be touched and who touches it light each other; what is switched off marks what can't run.
#[tokio::test]
async fn grants_and_their_tasks_light_each_other() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;
    open_sample(&window).await?;
    window.click(&mark("to-approve")).await?;
    window.find(&mark("grants")).await?;
    let lit = |id: &str| format!("{} .card.lit", card(id));
    let costs = "//li[starts-with(@data-testid,'grant-')][contains(.,'costs.db')]";
    window.move_mouse(window.centre(costs).await?).await?;
    window.find(&lit("query_costs")).await?;
    assert_eq!(window.count(".card.lit").await?, 1);
    window
        .move_mouse(window.centre(&card("read_rates")).await?)
        .await?;
    window.wait_text(".grant.focused", "exchange-rates.json").await?;

    // By keys: the switch has the focus, X turns it, and what can't run any more says so.
    let focus = "const row = [...document.querySelectorAll('.grant')].find((r) => r.textContent.includes('costs.db'));
        row.querySelector('[data-testid=grant-switch]').focus()";
    window.run_script(focus, vec![]).await?;
    window.press(&['x']).await?;
    window.wait_text(&mark("left-out"), "Query cost database").await?;
    window.find(&card_in("query_costs", "SKIPPED")).await?;
    window.press(&['x']).await?;
    window.wait_gone(&mark("left-out")).await?;
    assert_eq!(window.count(&edge("query_costs", "work_out_margins")).await?, 1);
    window.terminate().await
}
