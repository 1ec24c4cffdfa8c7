// Connections carry what they can only mean, by whatever gesture they are made, in one step of undo.
import { beforeEach, describe, expect, it } from "vitest";
import { demoHost } from "../../ipc/demo";
import { type Host, setHost } from "../../ipc/host";
import { objectOf, parse, print } from "../../ipc/json";
import { edit, openDraft, undo, useDraft } from "../../state/draft";
import { useTools } from "../../state/tools";
import { addTask } from "./commands";
import { carried, connect, reconnect } from "./connecting";

let host: Host;
const rows = '{"type":"object","required":["rows"],"properties":{"rows":{"type":"array"}}}';
const inputsOf = (id: string) =>
  print(
    objectOf(parse(useDraft.getState().view?.tasks.find((task) => task.id === id)?.document ?? "{}")).inputs ?? null,
  );

beforeEach(async () => {
  host = demoHost({ pace: 0 });
  setHost(host);
  useTools.setState({ tools: [] });
  const { run } = await host.newPlan();
  await openDraft(run);
  const task = (id: string, more: object) =>
    JSON.stringify({ id, instruction: "x", task_type: "code", source: "return 1", ...more });
  await edit(
    [
      task("source", { output_schema: JSON.parse(rows) }),
      task("first", { task_type: "map", over: "rows", inputs: { rows: [] }, task: { id: "each", instruction: "x" } }),
      task("second", { task_type: "map", over: "rows", inputs: { rows: [] }, task: { id: "each", instruction: "x" } }),
    ].map((text) => ({ addTask: { task: text, after: [], before: [], position: null } })),
  );
});

describe("a connection", () => {
  it("says beforehand what it would carry, and carries it", async () => {
    expect(carried("source", "first")).toBe("rows → rows");
    await connect("source", "first");
    expect(inputsOf("first")).toContain('"$from":"source"');
  });

  it("that is led elsewhere carries it there, in one step", async () => {
    await connect("source", "first");
    const before = useDraft.getState().view?.revision ?? 0;
    await reconnect("source", "first", "second");
    expect(useDraft.getState().view?.revision).toBe(before + 1);
    expect(inputsOf("second")).toContain('"path":"/rows"');
  });

  it("of a new task is one step, with its input", async () => {
    const before = useDraft.getState().view?.revision ?? 0;
    const made = {
      id: "new",
      instruction: "x",
      task_type: "map",
      over: "rows",
      inputs: { rows: [] },
      task: { id: "each", instruction: "x" },
    };
    await addTask(JSON.stringify(made), { after: ["source"] });
    expect(useDraft.getState().view?.revision).toBe(before + 1);
    expect(inputsOf("new")).toContain('"$from":"source"');
    await undo();
    expect(useDraft.getState().view?.tasks.map((task) => task.id)).toEqual(["source", "first", "second"]);
  });
});
