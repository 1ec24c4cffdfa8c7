// How the window's page is built: two entries (app, gallery), px written in styles shipped as rem so that text size scales.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const inRem = (text: string) =>
  text.replace(/(?<![\w#.-])(-?\d*\.?\d+)px/g, (whole, digits: string) =>
    Math.abs(Number(digits)) <= 2 ? whole : `${Number(digits) / 16}rem`,
  );

/** `12px` → `.75rem`, so that the person's text size scales every box. Hairlines and `.world.css` (canvas units) stay. */
const pxToRem = {
  postcssPlugin: "px-to-rem",
  Declaration(decl: { value: string; prop: string; source?: { input?: { file?: string } } }) {
    if (decl.source?.input?.file?.endsWith(".world.css") || decl.source?.input?.file?.includes("node_modules")) return;
    decl.value = inRem(decl.value);
  },
  // Large text makes room scarce: what is narrow follows the text, too.
  AtRule: {
    container(rule: { params: string }) {
      rule.params = inRem(rule.params);
    },
  },
};

export default defineConfig({
  plugins: [react()],
  css: { postcss: { plugins: [pxToRem] } },
  server: { host: "127.0.0.1", port: 1420, strictPort: true },
  preview: { host: "127.0.0.1", port: 1421 },
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1200,
    rollupOptions: { input: { main: "index.html", gallery: "gallery.html" } },
  },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}", "tests/**/*.test.{ts,tsx}"],
    setupFiles: ["tests/setup.ts"],
    testTimeout: 60_000,
    // Most of the time goes into waiting for a browser.
    maxWorkers: 2,
  },
});
