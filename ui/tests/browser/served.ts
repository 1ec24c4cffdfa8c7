// The built page, served under the very policy that the shell sets, in a browser that counts what goes wrong.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { build } from "vite";

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
export const browserPath = process.env.PLANLOOM_CHROMIUM ?? BROWSERS.find((path) => existsSync(path));

const NONCE = "c3R5bGUtbm9uY2U";
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' 'nonce-${NONCE}'`,
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-src 'none'",
  "object-src 'none'",
].join("; ");
const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".woff2": "font/woff2",
  ".svg": "image/svg+xml",
};

export type Window = { page: Page; wrongs: string[] };

export class Served {
  private constructor(
    private readonly server: Server,
    private readonly browser: Browser,
    private readonly folder: string,
    readonly address: string,
  ) {}

  static async start(): Promise<Served> {
    const folder = mkdtempSync(join(tmpdir(), "planloom-ui-"));
    await build({ logLevel: "silent", build: { outDir: folder, emptyOutDir: true } });
    const server = createServer((request, response) => {
      const name = (request.url ?? "/").split("?")[0]!;
      const path = join(folder, name === "/" ? "index.html" : name);
      if (!path.startsWith(folder) || !existsSync(path)) {
        response.writeHead(404).end();
        return;
      }
      const type = TYPES[extname(path)] ?? "application/octet-stream";
      response.writeHead(200, { "content-type": type, "content-security-policy": POLICY });
      // The shell gives the page's own style element a nonce in the same way.
      response.end(
        type === "text/html"
          ? readFileSync(path, "utf8").replace("<style", `<style nonce="${NONCE}"`)
          : readFileSync(path),
      );
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const port = (server.address() as { port: number }).port;
    const browser = await chromium.launch({
      executablePath: browserPath,
      args: ["--no-sandbox", "--disable-background-networking"],
    });
    return new Served(server, browser, folder, `http://127.0.0.1:${port}`);
  }

  async open(
    options: { path?: string; theme?: "dark" | "light"; width?: number; height?: number } = {},
  ): Promise<Window> {
    const { path = "/", theme = "dark", width = 1280, height = 800 } = options;
    const page = await this.browser.newPage({
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: "reduce",
    });
    page.setDefaultTimeout(15_000);
    const wrongs: string[] = [];
    page.on("pageerror", (error) => wrongs.push(error.message));
    page.on("console", (message) => message.type() === "error" && wrongs.push(message.text()));
    await page.goto(this.address + path);
    await page.waitForSelector("html[data-ready=true]");
    return { page, wrongs };
  }

  async stop(): Promise<void> {
    await this.browser.close();
    this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const by = (page: Page, id: string) => page.locator(`[data-testid="${id}"]`).first();

export async function openSample(page: Page): Promise<void> {
  await by(page, "samples-of-home").waitFor();
  const all = page.locator('[data-testid="all-samples"][aria-expanded="false"]');
  if ((await all.count()) > 0) await all.click();
  await by(page, "sample-Margin report").click();
  await page.waitForSelector('[data-testid="canvas"][data-ready="true"]');
}

/** Says of every way of outside text that it is asked about, and signs. */
export async function approve(page: Page): Promise<void> {
  await by(page, "approval").waitFor();
  for (const choice of await page.locator('[data-testid="flow-ask"]').all()) await choice.check();
  await by(page, "approve").click();
}

/** From the middle of one element to the middle of another, in the small first steps that the canvas needs. */
export async function drag(page: Page, from: string, to: string | { x: number; y: number }): Promise<void> {
  const start = await middle(page, from);
  const end = typeof to === "string" ? await middle(page, to) : to;
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x + 4, start.y + 4);
  await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2, { steps: 4 });
  await page.mouse.move(end.x, end.y, { steps: 4 });
  await page.mouse.up();
}

export async function middle(page: Page, id: string): Promise<{ x: number; y: number }> {
  const box = await by(page, id).boundingBox();
  if (!box) throw new Error(`${id} is not on the page`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
