// The walls of the house: who may import whom, how long a file may be, who may know Tauri, where colours are named.
// @vitest-environment node
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const SRC = join(import.meta.dirname, "../src");
const files = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return { path: relative(SRC, path), text: readFileSync(path, "utf8") };
  });
const code = files.filter((f) => /\.tsx?$/.test(f.path) && f.path !== "ipc/bindings.ts");
const shipped = code.filter((f) => !f.path.includes(".test."));

/** Rooms from the ground up; each may use those before it. */
const ROOMS = ["text", "ipc", "components", "state", "features", "app"];
const GROUND = ["ipc/bindings", "ipc/json"];

function importsOf(file: { path: string; text: string }): { target: string; isType: boolean }[] {
  return [...file.text.matchAll(/import\s+(type\s+)?[^"']*?["'](\.[^"']+)["']/g)].map((m) => ({
    target: relative(SRC, join(SRC, file.path, "..", m[2]!)).replace(/^\.\//, ""),
    isType: Boolean(m[1]),
  }));
}

const roomOf = (path: string) => path.split("/")[0]!;
const featureOf = (path: string) => path.split("/").slice(0, 2).join("/");

describe("walls", () => {
  it("no room uses a room above it", () => {
    const wrong = shipped.flatMap((file) => {
      const own = ROOMS.indexOf(roomOf(file.path));
      if (own < 0) return [];
      return importsOf(file)
        .filter(
          ({ target, isType }) =>
            ROOMS.indexOf(roomOf(target)) > own ||
            (roomOf(file.path) === "text" && roomOf(target) === "ipc" && !isType),
        )
        .map(({ target }) => `${file.path} → ${target}`);
    });
    expect(wrong.filter((w) => !/^text\/.* → ipc\/bindings$/.test(w))).toEqual([]);
  });

  it("features know not each other", () => {
    const wrong = shipped
      .filter((f) => roomOf(f.path) === "features")
      .flatMap((f) =>
        importsOf(f)
          .filter(({ target }) => roomOf(target) === "features" && featureOf(target) !== featureOf(f.path))
          .map(({ target }) => `${f.path} → ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it("components know no host: of ipc only its types and its JSON", () => {
    const wrong = shipped
      .filter((f) => roomOf(f.path) === "components")
      .flatMap((f) =>
        importsOf(f)
          .filter(({ target }) => roomOf(target) === "ipc" && !GROUND.includes(target))
          .map(({ target }) => `${f.path} → ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it("only the bindings and one module know Tauri", () => {
    expect(
      code
        .filter((f) => f.text.includes("@tauri-apps/"))
        .map((f) => f.path)
        .filter((p) => !p.includes(".test.")),
    ).toEqual(["ipc/tauri.ts"]);
  });

  it("every file says in its first line what it is", () => {
    expect(code.filter((f) => !/^\/\/ \S/.test(f.text)).map((f) => f.path)).toEqual([]);
  });

  it("no component file is longer than 300 lines", () => {
    expect(code.filter((f) => f.text.split("\n").length > 300).map((f) => f.path)).toEqual([]);
  });

  it("nothing makes HTML or code from text", () => {
    expect(
      shipped.filter((f) => /dangerouslySetInnerHTML|innerHTML|\beval\(|new Function/.test(f.text)).map((f) => f.path),
    ).toEqual([]);
  });

  it("cards and edges carry no shadow, filter or gradient", () => {
    const css = (files.find((f) => f.path === "styles/card.world.css")?.text ?? "").replace(/\/\*[\s\S]*?\*\//g, "");
    expect(css).toContain(".card {");
    expect(css).not.toMatch(/box-shadow|filter:|backdrop|gradient|mask:|mix-blend|will-change/);
  });
});
