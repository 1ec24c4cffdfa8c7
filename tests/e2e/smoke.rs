//! The window opens, shows its first screen, and comes back where it was.

use planloom_tests::desktop::{Home, Setup};
use planloom_tests::webdriver::Outcome;

#[tokio::test]
async fn the_window_opens_at_home() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;
    assert_eq!(window.page().title().await.expect("a title"), "Planloom");
    window.screenshot("home").await?;
    window.terminate().await
}
