//! The window opens, shows its first screen with the samples, and ends when it is asked to.

use planloom_tests::desktop::{Home, Setup};
use planloom_tests::webdriver::Outcome;

#[tokio::test]
async fn the_window_opens_at_home() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;
    assert_eq!(window.page().title().await.expect("a title"), "Planloom");
    window.find("//*[normalize-space()='Margin report']").await?;
    window.screenshot("home").await?;
    window.terminate().await
}
