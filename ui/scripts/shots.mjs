// Takes pictures of every screen of the demo host in Debian's Chromium: `node scripts/shots.mjs OUT [name…]` beside `vite preview`.
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";
import { moreShots } from "./more-shots.mjs";

const BASE = process.env.PLANLOOM_UI ?? "http://127.0.0.1:1421";
const out = process.argv[2] ?? "shots";
const only = process.argv.slice(3);
mkdirSync(out, { recursive: true });

const by = (page, id) => page.locator(`[data-testid="${id}"]`).first();
const ready = async (page) => {
  await page.waitForSelector('[data-testid="canvas"][data-ready="true"]');
  await page.waitForTimeout(350);
};
const openSample = async (page) => {
  await by(page, "sample-Margin report").click();
  await ready(page);
};
const plan = async (page, goal) => {
  await by(page, "role-planner").waitFor();
  await by(page, "goal").fill(goal);
  await page.keyboard.press("Control+Enter");
  await by(page, "planning").waitFor();
};
const toApprove = async (page) => {
  await openSample(page);
  await by(page, "to-approve").click();
  await by(page, "approval").waitFor();
  await ready(page);
};
const start = async (page) => {
  await toApprove(page);
  // What becomes of text from outside has to be said first.
  for (const choice of await page.locator("[data-testid=flow-ask]").all()) await choice.check();
  await by(page, "approve").click();
  await by(page, "run").waitFor();
  await ready(page);
};
const waits = async (page) => {
  await start(page);
  await page.waitForSelector('[data-testid="task-check_outliers"][data-status="WAITING"]', { timeout: 30_000 });
};

const SHOTS = [
  {
    name: "home",
    do: async (page) => {
      await by(page, "sample-Margin report").waitFor();
    },
  },
  {
    name: "home-filled",
    do: async (page) => {
      await waits(page);
      await by(page, "rail-home").click();
      await page.waitForTimeout(400);
    },
  },
  { name: "plan", do: openSample },
  {
    name: "plan-selected",
    do: async (page) => {
      await openSample(page);
      await by(page, "task-margins").click();
      await page.waitForTimeout(700);
    },
  },
  {
    name: "plan-tool",
    do: async (page) => {
      await openSample(page);
      await by(page, "task-save_report").click();
      await page.waitForTimeout(300);
    },
  },
  {
    name: "plan-human",
    do: async (page) => {
      await openSample(page);
      await by(page, "task-check_outliers").click();
      await page.waitForTimeout(700);
    },
  },
  {
    name: "plan-problems",
    do: async (page) => {
      await openSample(page);
      await by(page, "task-normalise").click();
      await page.keyboard.press("Delete");
      await page.waitForTimeout(400);
      await page.keyboard.press("t");
      await page.waitForTimeout(400);
    },
  },
  {
    name: "plan-list",
    do: async (page) => {
      await openSample(page);
      await by(page, "task-normalise").click();
      await page.keyboard.press("l");
      await page.waitForTimeout(200);
    },
  },
  {
    name: "plan-connect",
    do: async (page) => {
      await openSample(page);
      await by(page, "task-normalise").click();
      await page.keyboard.press("e");
      await page.waitForTimeout(300);
    },
  },
  {
    name: "plan-drawing",
    do: async (page) => {
      await openSample(page);
      const from = await by(page, "out-margins").boundingBox();
      const to = await by(page, "task-query_costs").boundingBox();
      if (!from || !to) throw new Error("no ports");
      await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
      await page.mouse.down();
      await page.mouse.move(from.x + 12, from.y + 12, { steps: 3 });
      await page.mouse.move(to.x + 80, to.y + 40, { steps: 8 });
      await page.waitForTimeout(300);
    },
  },
  {
    name: "plan-empty",
    do: async (page) => {
      await by(page, "new-plan").click();
      await by(page, "canvas").waitFor();
      await page.waitForTimeout(500);
    },
  },
  { name: "approve", do: toApprove },
  {
    name: "run",
    do: async (page) => {
      await start(page);
      await page.waitForTimeout(2300);
    },
  },
  {
    name: "run-retry",
    do: async (page) => {
      await start(page);
      await page.waitForSelector('[data-testid="task-read_contoso"][data-status="RETRYING"]');
      await by(page, "task-read_contoso").click();
      await page.waitForTimeout(900);
    },
  },
  {
    name: "run-waiting",
    do: async (page) => {
      await waits(page);
      await by(page, "task-check_outliers").click();
      await page.waitForTimeout(300);
    },
  },
  {
    name: "run-output",
    do: async (page) => {
      await waits(page);
      await by(page, "task-margins").click();
      await page.waitForTimeout(400);
    },
  },
  {
    name: "run-stop",
    do: async (page) => {
      await start(page);
      await by(page, "stop").click();
      await page.waitForTimeout(400);
    },
  },
  {
    name: "run-done",
    do: async (page) => {
      await waits(page);
      await page.locator('[data-testid="form/verdict"] [data-value="Real"]').click();
      await by(page, "send-answer").click();
      await page.waitForSelector('[data-testid="run"][data-status="SUCCEEDED"]', { timeout: 30_000 });
      await page.keyboard.press("Escape");
      await page.waitForTimeout(900);
    },
  },
  {
    name: "waiting",
    do: async (page) => {
      await waits(page);
      await by(page, "rail-waiting").click();
      await page.waitForTimeout(400);
    },
  },
  {
    name: "waiting-none",
    do: async (page) => {
      await by(page, "rail-waiting").click();
      await page.waitForTimeout(300);
    },
  },
  {
    name: "runs",
    do: async (page) => {
      await waits(page);
      await by(page, "rail-runs").click();
      await page.waitForTimeout(300);
    },
  },
  ...[
    ["planning", "Compare our prices with three shops", "going"],
    ["planning-question", "Which of three shops is cheaper?", "asks"],
    ["planning-failed", "fail to compare our prices", "failed"],
  ].map(([name, goal, phase]) => ({
    name,
    do: async (page) => {
      await plan(page, goal);
      await page.waitForSelector(`[data-testid="planning"][data-phase="${phase}"]`);
      await page.waitForTimeout(phase === "going" ? 3500 : 300);
    },
  })),
  {
    name: "planned",
    do: async (page) => {
      await plan(page, "Compare our prices with three shops");
      await by(page, "planned-line").waitFor();
      await by(page, "planning-details").click();
      await ready(page);
    },
  },
  ...["models", "tools", "limits", "storage", "keyboard", "look"].map((section) => ({
    name: `settings-${section}`,
    do: async (page) => {
      await by(page, "rail-settings").click();
      await by(page, `settings-${section}`).click();
      await page.waitForTimeout(300);
    },
  })),
  {
    name: "find",
    do: async (page) => {
      await by(page, "find").click();
      await page.waitForTimeout(300);
    },
  },
  {
    name: "keys",
    do: async (page) => {
      await page.keyboard.press("?");
      await page.waitForTimeout(300);
    },
  },
];

SHOTS.push(...moreShots({ by, openSample, toApprove, waits }));

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-background-networking", "--force-color-profile=srgb"],
});
const sizes =
  process.env.SIZE === "small"
    ? [[1024, 700]]
    : process.env.SIZE === "all"
      ? [
          [1440, 900],
          [1024, 700],
          [2560, 1440],
        ]
      : [[1440, 900]];
/** Text size in percent, as a person may set it (or a system: 200). */
const text = Number(process.env.TEXT ?? 100);
const themes = (process.env.THEME ?? "dark,light").split(",");
let faults = 0;
for (const shot of SHOTS.filter((s) => only.length === 0 || only.includes(s.name))) {
  for (const theme of themes) {
    for (const [width, height] of sizes) {
      const page = await browser.newPage({
        viewport: { width, height },
        colorScheme: theme,
        reducedMotion: "no-preference",
      });
      const note = (text) => {
        faults += 1;
        console.log(`${shot.name} ${theme}: ${text}`);
      };
      page.on("pageerror", (error) => note(`error ${error.message}`));
      page.on("console", (message) => message.type() === "error" && note(message.text()));
      page.setDefaultTimeout(12_000);
      try {
        await page.goto(BASE);
        await page.waitForSelector("html[data-ready]");
        if (text !== 100) await page.addStyleTag({ content: `html { font-size: ${text}% !important }` });
        await shot.do(page);
        await page.screenshot({
          path: `${out}/${shot.name}.${theme}${width < 1400 ? ".small" : width > 2000 ? ".large" : ""}.png`,
        });
      } catch (error) {
        note(String(error).slice(0, 400));
        await page.screenshot({ path: `${out}/${shot.name}.${theme}.failed.png` });
      }
      await page.close();
    }
  }
}
await browser.close();
process.exit(faults > 0 ? 1 : 0);
