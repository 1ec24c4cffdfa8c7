// The screens over and beside the plan, for the pictures: a change that is asked for, versions, holds, the schedule, a try.
// They must not know how pictures are taken.
const mark = (id) => `[data-testid="${id}"]`;

export const moreShots = (steps) => [
  ...proposalShots(steps),
  ...planShots(steps),
  ...approvalShots(steps),
  ...grantShots(steps),
  ...listShots(steps),
  ...reviewShots(steps),
  ...compareShots(steps),
  ...exportShots(steps),
];

function exportShots({ by, openSample }) {
  const opened = async (page) => {
    await openSample(page);
    await page.keyboard.press("Control+K");
    await page.keyboard.type("export");
    await page.keyboard.press("Enter");
    await by(page, "export-dialog").waitFor();
  };
  const taken = async (page, form) => {
    await opened(page);
    await by(page, "export-form").click();
    await page.locator(`[data-value="${form}"]`).click();
  };
  return [
    { name: "export", do: opened },
    { name: "export-trace", do: (page) => taken(page, "otlp") },
    {
      name: "export-done",
      do: async (page) => {
        await taken(page, "svg");
        await by(page, "export-now").click();
        await by(page, "export-done").waitFor();
      },
    },
  ];
}

function proposalShots({ by, openSample }) {
  const wish = async (page, words) => {
    await openSample(page);
    await page.keyboard.press("Shift+C");
    await by(page, "wish").waitFor();
    await page.keyboard.type(words);
  };
  return [
    { name: "wish", do: (page) => wish(page, "Check the prices before they are compared") },
    {
      name: "asking",
      do: async (page) => {
        await wish(page, "Check the prices first");
        await page.keyboard.press("Control+Enter");
        await by(page, "change-growing").waitFor();
        await page.waitForTimeout(900);
      },
    },
    {
      name: "proposal",
      do: async (page) => {
        await wish(page, "Check the prices first");
        await page.keyboard.press("Control+Enter");
        await by(page, "proposal-bar").waitFor();
        await page.waitForTimeout(500);
      },
    },
    {
      name: "proposal-failed",
      do: async (page) => {
        await wish(page, "fail at it");
        await page.keyboard.press("Control+Enter");
        await by(page, "change-error").waitFor();
      },
    },
  ];
}

function planShots({ by, openSample }) {
  const changed = async (page) => {
    await openSample(page);
    await by(page, "task-margins").click();
    await by(page, "field-instruction").fill("Work out the margin of each item, and flag what is under the floor.");
    await page.keyboard.press("Tab");
    await by(page, "task-check_outliers").click();
    await by(page, "canvas-flow").focus();
    await page.keyboard.press("Delete");
    await by(page, "task-check_outliers").waitFor({ state: "detached" });
    if (!(await by(page, "tab-versions").isVisible())) await page.keyboard.press("Control+b");
    await by(page, "tab-versions").click();
    await by(page, "version-1").waitFor();
  };
  return [
    { name: "versions", do: changed },
    {
      name: "comparison",
      do: async (page) => {
        await changed(page);
        await by(page, "version-1").click();
        await by(page, "diff-panel").waitFor();
        await page.waitForTimeout(500);
      },
    },
    {
      name: "holds",
      do: async (page) => {
        await openSample(page);
        await by(page, "task-margins").click();
        await by(page, "canvas-flow").focus();
        await page.keyboard.press("b");
        await page.keyboard.press("p");
        await by(page, "pin").click();
        await page.waitForTimeout(500);
      },
    },
    {
      name: "try",
      do: async (page) => {
        await openSample(page);
        await by(page, "task-save_report").click();
        await by(page, "try-task").click();
        await by(page, "try-dialog").waitFor();
        await page.waitForTimeout(300);
      },
    },
    {
      name: "frames",
      do: async (page) => {
        await openSample(page);
        await by(page, "task-normalise").click();
        await by(page, "canvas-flow").focus();
        await page.keyboard.press("f");
        await page.keyboard.press("Escape");
        await page.waitForTimeout(300);
        await page.keyboard.press("Shift+1");
        await page.waitForTimeout(500);
      },
    },
    {
      name: "json",
      do: async (page) => {
        await openSample(page);
        await page.keyboard.press("Shift+J");
        await page.waitForTimeout(700);
      },
    },
  ];
}

function approvalShots({ by, toApprove }) {
  return [
    ...["schedule", "schedule-table"].map((name) => ({
      name,
      do: async (page) => {
        await toApprove(page);
        await page.keyboard.press("s");
        await page.waitForSelector(mark("schedule"));
        if (name === "schedule-table") await page.keyboard.press("t");
        await page.waitForTimeout(500);
      },
    })),
    {
      name: "approve-off",
      do: async (page) => {
        await toApprove(page);
        await page
          .locator(`${mark("grant-read")} ${mark("grant-switch")}`)
          .first()
          .click();
        await by(page, "left-out").waitFor();
        await page.waitForTimeout(300);
      },
    },
  ];
}

function grantShots({ by, toApprove }) {
  const over = async (page) => {
    await toApprove(page);
    await page.locator(`${mark("overlay")} [data-value="grants"]`).click();
  };
  return [
    { name: "approve-grants", do: over },
    {
      name: "approve-grant-lit",
      do: async (page) => {
        await over(page);
        await by(page, "grant-database").hover();
        await page.waitForTimeout(200);
      },
    },
    {
      name: "approve-grant-off",
      do: async (page) => {
        await over(page);
        await by(page, "grant-host").getByRole("switch").click();
        await by(page, "estimate-without").waitFor();
        await page.mouse.move(10, 10);
        await page.waitForTimeout(200);
      },
    },
    {
      name: "schedule-off",
      do: async (page) => {
        await over(page);
        await by(page, "grant-host").getByRole("switch").click();
        await by(page, "estimate-without").waitFor();
        await by(page, "view-schedule").click();
        await by(page, "schedule").waitFor();
        await page.waitForTimeout(500);
      },
    },
  ];
}

function listShots({ by, openSample }) {
  const plans = async (page) => {
    await openSample(page);
    await by(page, "rail-plans").click();
    await by(page, "plans").waitFor();
    await page.waitForTimeout(300);
  };
  const menu = async (page) => {
    await plans(page);
    await page.locator('[data-testid^="acts-"]').first().click();
    await by(page, "row-rename").waitFor();
  };
  return [
    { name: "plans-menu", do: menu },
    {
      name: "plans-tags",
      do: async (page) => {
        await plans(page);
        await page.locator(".run-name").first().press("#");
        await by(page, "tag-field").fill("food, q3");
        await page.keyboard.press("Enter");
        await page.waitForTimeout(200);
        await page.keyboard.type("mar");
      },
    },
    {
      name: "plans-search",
      do: async (page) => {
        await plans(page);
        await page.locator(".run-name").first().press("#");
        await by(page, "tag-field").fill("food, q3");
        await page.keyboard.press("Enter");
        await page.waitForTimeout(200);
        await page.keyboard.press("Escape");
        await page.keyboard.press("x");
        await by(page, "list-search").fill("prices");
        await by(page, "hit").waitFor();
        await page.waitForTimeout(400);
      },
    },
    {
      name: "plans-rename",
      do: async (page) => {
        await menu(page);
        await by(page, "row-rename").click();
        await by(page, "rename-field").waitFor();
      },
    },
    {
      name: "plans-delete",
      do: async (page) => {
        await menu(page);
        await by(page, "row-delete").click();
        await by(page, "delete-dialog").waitFor();
        await page.waitForTimeout(300);
      },
    },
  ];
}

function reviewShots({ by, waits }) {
  const review = async (page) => {
    await waits(page);
    await page.locator('[data-testid="form/verdict"] [data-value="Real"]').click();
    await by(page, "send-answer").click();
    await page.waitForSelector('[data-testid="run"][data-status="SUCCEEDED"]', { timeout: 30_000 });
    await page.keyboard.press("Escape");
    await by(page, "stage-review").click();
    await by(page, "review").waitFor();
    await page.waitForTimeout(500);
  };
  const back = async (page, checkpoints) => {
    await review(page);
    for (let step = 0; step < checkpoints; step += 1) await page.keyboard.press("Shift+ArrowLeft");
    await page.waitForTimeout(300);
  };
  return [
    { name: "review", do: review },
    {
      name: "review-moment",
      do: async (page) => {
        await back(page, 4);
        await by(page, "row-read_contoso").click();
        await page.waitForTimeout(400);
      },
    },
    {
      name: "review-workers",
      do: async (page) => {
        await back(page, 3);
        await page.locator('[data-testid="rows-by"] [data-value="workers"]').click();
        await page.keyboard.press("+");
        await page.keyboard.press("+");
        await page.locator('[data-testid="tab-costs"]').click();
        await page.waitForTimeout(400);
      },
    },
    {
      name: "review-table",
      do: async (page) => {
        await back(page, 2);
        await page.keyboard.press("t");
        await page.waitForTimeout(300);
      },
    },
    {
      name: "review-cards",
      do: async (page) => {
        await back(page, 4);
        await page.locator('[data-testid="then-as"] [data-value="cards"]').click();
        await page.waitForTimeout(500);
      },
    },
    {
      name: "review-rewind",
      do: async (page) => {
        await back(page, 4);
        await page.keyboard.press("r");
        await by(page, "going-paid").waitFor();
        await page.waitForTimeout(300);
      },
    },
    {
      name: "review-fork",
      do: async (page) => {
        await back(page, 3);
        await page.keyboard.press("f");
        await by(page, "going-paid").waitFor();
        await page.waitForTimeout(300);
      },
    },
  ];
}

function compareShots({ by, waits }) {
  const answer = async (page) => {
    await page.locator('[data-testid="form/verdict"] [data-value="Real"]').click();
    await by(page, "send-answer").click();
    await page.waitForSelector('[data-testid="run"][data-status="SUCCEEDED"]', { timeout: 30_000 });
    await page.keyboard.press("Escape");
  };
  const review = async (page) => {
    await by(page, "stage-review").click();
    await by(page, "review").waitFor();
    await page.keyboard.press("Escape");
  };
  /** A run, and a fork of it with an edit and a task less; both done. */
  const pick = async (page) => {
    await waits(page);
    await answer(page);
    await review(page);
    for (let step = 0; step < 5; step += 1) await page.keyboard.press("Shift+ArrowLeft");
    await page.keyboard.press("f");
    await page.locator('[data-testid="fork-edit"]:not([disabled])').click();
    await page.waitForSelector('[data-testid="canvas"][data-ready="true"]');
    await by(page, "task-margins").click();
    await by(page, "field-instruction").fill("Say what is under the floor, and why.");
    await page.keyboard.press("Tab");
    await page.waitForTimeout(500);
    await by(page, "to-approve").click();
    await by(page, "approval").waitFor();
    for (const choice of await page.locator("[data-testid=flow-ask]").all()) await choice.check();
    await by(page, "approve").click();
    await page.waitForSelector('[data-testid="task-check_outliers"][data-status="WAITING"]', { timeout: 30_000 });
    await answer(page);
    await review(page);
    await page.keyboard.press("c");
    await by(page, "compare-picker").waitFor();
    await page.waitForTimeout(300);
  };
  const compare = async (page) => {
    await pick(page);
    await page.locator("[data-testid^=pick-]").first().click();
    await by(page, "text-0").waitFor();
    // The fork is looked at as what came later.
    await page.keyboard.press("x");
    await page.waitForTimeout(600);
  };
  return [
    { name: "compare-pick", do: pick },
    { name: "compare", do: compare },
    {
      name: "compare-values",
      do: async (page) => {
        await compare(page);
        await by(page, "difference-margins").click();
        await by(page, "compare-values").waitFor();
        await page.waitForTimeout(300);
      },
    },
    {
      name: "compare-same",
      do: async (page) => {
        await compare(page);
        await page.evaluate(() => {
          const [, screen, run] = location.hash.split("/");
          location.hash = `#/${screen}/${run}/${run}`;
        });
        await by(page, "nothing-differs").waitFor();
        await page.waitForTimeout(300);
      },
    },
  ];
}
