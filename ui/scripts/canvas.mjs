// Measures the canvas beside plain React Flow, with the same graph in the same run, in the real window (WebKitGTK, drawn by
// software) and in Chromium: `node scripts/canvas.mjs PLANLOOM_DESKTOP [sizes] [engines] [rounds]` after `npm run build`. The
// program is one that WebDriver may drive: of the profile `measure` or `dev`, no release; `demo` takes the page with its demo host in WebKit, too. Times in ms, frames per second, MB.
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { loadavg, tmpdir } from "node:os";
import { extname, join } from "node:path";
import { chromium } from "playwright-core";
import { build } from "vite";
import { measureOurs, measureWith, openBare } from "./measures.mjs";
import { openWebKit } from "./webkit.mjs";

const MINI_BROWSER = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";
const [desktop, sizes = "100,300,1000,3000", engines = "webkit,chromium", rounds = "1"] = process.argv.slice(2);
const here = new URL("..", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "planloom-canvas-"));

/** Waves of ten; each task reads one or two of the wave before. */
function graph(count) {
  const across = 10;
  return Array.from({ length: count }, (_, ix) => {
    const above = ix - across;
    const beside = ix % across === across - 1 ? above : above + 1;
    const dependencies =
      above < 0 ? [] : ix % 3 === 0 ? [`t${above}`, ...(beside === above ? [] : [`t${beside}`])] : [`t${above}`];
    const base = { id: `t${ix}`, title: `Work out part ${ix}`, task_type: "code", instruction: "Work it out." };
    return { ...base, dependencies, source: "return 1;" };
  });
}

async function serve() {
  const bare = join(folder, "bare");
  await build({ root: join(here, "scripts/bare"), configFile: false, logLevel: "silent", build: { outDir: bare } });
  const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
  const server = createServer((request, response) => {
    const name = request.url.split("?")[0];
    const path = name.startsWith("/bare/")
      ? join(bare, name.slice(6) || "index.html")
      : join(here, "dist", name === "/" ? "index.html" : name);
    const asset = existsSync(path) ? path : join(bare, name);
    if (!existsSync(asset)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(asset)] ?? "application/octet-stream" });
    response.end(readFileSync(asset));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { server, address: `http://127.0.0.1:${server.address().port}` };
}

/** Proportional set size of the newest process that draws pages, of those started with this home, in MB. */
function webMemory(home) {
  let most = { start: 0, mb: Number.NaN };
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readlinkSync(`/proc/${pid}/exe`).endsWith("WebKitWebProcess")) continue;
      if (!readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`HOME=${home}`)) continue;
      const pss = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"));
      if (pss && Number(pid) > most.start) most = { start: Number(pid), mb: Math.round(Number(pss[1]) / 1024) };
    } catch {
      // It has ended meanwhile.
    }
  }
  return most.mb;
}

async function inWindow(options, home, measure) {
  const window = await openWebKit(options);
  try {
    await window.patience(120_000);
    const values = await measure(window, (body, ...given) => window.runAsync(measureWith(body), ...given));
    return { ...values, memory: webMemory(home) };
  } finally {
    await window.close();
  }
}

async function inWebKit(tasks, address) {
  const safe = { WEBKIT_DISABLE_DMABUF_RENDERER: "1" };
  const home = mkdtempSync(join(folder, "home-"));
  const file = join(home, "large.plan.json");
  writeFileSync(file, JSON.stringify({ version: 1, goal: "Measure", tasks }));
  const environment = {
    ...safe,
    HOME: home,
    XDG_DATA_HOME: `${home}/d`,
    XDG_CONFIG_HOME: `${home}/c`,
    XDG_CACHE_HOME: `${home}/k`,
    PLANLOOM_DB: `${home}/d/p.db`,
  };
  const browser = { binary: MINI_BROWSER, args: ["--automation"], environment: { ...safe, HOME: home } };
  const inBrowser = (path, measure) =>
    inWindow(browser, home, async (window, drive) => {
      await window.resize(1440, 900);
      await window.go(address + path);
      return measure(drive);
    });
  const ours =
    desktop === "demo"
      ? await inBrowser("/", (drive) => measureOurs(drive, { text: JSON.stringify({ tasks }) }))
      : await inWindow({ binary: desktop, environment }, home, (_, drive) => measureOurs(drive, { path: file }));
  return { ours, bare: await inBrowser("/bare/", (drive) => openBare(drive, tasks, ours)) };
}

async function inChromium(tasks, address) {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-background-networking"],
  });
  const open = async (path) => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(address + path);
    const drive = (body, ...given) =>
      page.evaluate(
        ([text, args]) => new Promise((done) => new Function(text)(...args, done)),
        [`return (function () { ${measureWith(body)} }).apply(null, arguments)`, given],
      );
    const heap = () => page.evaluate(() => Math.round(performance.memory.usedJSHeapSize / 1048576));
    return { page, drive, heap };
  };
  const app = await open("/");
  const ours = await measureOurs(app.drive, { text: JSON.stringify({ tasks }) });
  ours.memory = await app.heap();
  await app.page.close();
  const plain = await open("/bare/");
  const bare = await openBare(plain.drive, tasks, ours);
  bare.memory = await plain.heap();
  await browser.close();
  return { ours, bare };
}

const COLUMNS = "open,nodes,pan,panP95,far,farP95,zoom,drag,edit,engine,memory".split(",");
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor((list.length - 1) / 2)];
const { server, address } = await serve();
console.log(["engine", "tasks", "who", ...COLUMNS, "load"].join("\t"));

function tell(engine, size, who, values) {
  console.log([engine, size, who, ...COLUMNS.map((name) => values[name] ?? "–"), loadavg()[0].toFixed(1)].join("\t"));
}

async function measured(engine, size) {
  const found = { ours: [], bare: [] };
  for (let round = 0; round < Number(rounds); round++) {
    try {
      const both = await (engine === "webkit" ? inWebKit : inChromium)(graph(size), address);
      for (const who of ["ours", "bare"]) {
        found[who].push(both[who]);
        tell(engine, size, who, both[who]);
      }
    } catch (error) {
      console.log([engine, size, "failed", String(error).slice(0, 300)].join("\t"));
    }
  }
  for (const who of ["ours", "bare"]) {
    const of = (name) => found[who].map((values) => values[name]).filter((value) => value !== undefined);
    if (found[who].length > 1)
      tell(engine, size, `${who}*`, Object.fromEntries(COLUMNS.map((name) => [name, median(of(name))])));
  }
}

for (const engine of engines.split(",")) for (const size of sizes.split(",").map(Number)) await measured(engine, size);
server.close();
rmSync(folder, { recursive: true, force: true });
process.exit(0);
