// The inspector's forms: schemas changed by field, names for templates, texts with names in braces.
import { CompletionContext } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { inBraces } from "../../../components/values/templateText";
import { type JsonObject, objectOf, parse, print } from "../../../ipc/json";
import { readValue } from "./SchemaMore";
import { SchemaPart } from "./SchemaPart";
import { fieldTypeOf, isPlain, propertiesOf, withProperties, withType } from "./schemaEdit";
import { namesOfInputs, schemaInside } from "./templateNames";

const schema = (text: string) => objectOf(parse(text));
afterEach(cleanup);

describe("a schema by fields", () => {
  it("says what it can show, and what only JSON can", () => {
    expect(isPlain(schema('{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}'))).toBe(
      true,
    );
    for (const text of [
      '{"anyOf":[]}',
      '{"type":["string","null"]}',
      '{"type":"object","properties":{"a":{"$ref":"#"}}}',
    ])
      expect(isPlain(schema(text))).toBe(false);
  });
  it("changes types and keeps what fits every type", () => {
    expect(print(withType(schema('{"type":"string","title":"T","maxLength":3}'), "number"))).toBe(
      '{"type":"number","title":"T"}',
    );
    expect(fieldTypeOf(withType({ type: "string" }, "choice"))).toBe("choice");
    expect(print(withType({}, "array"))).toBe('{"type":"array","items":{"type":"string"}}');
  });
  it("keeps order, required and what it does not know of", () => {
    const before = schema(
      '{"type":"object","required":["b"],"additionalProperties":false,"properties":{"a":{"type":"string"},"b":{"type":"number","minimum":0.10}}}',
    );
    const [a, b] = propertiesOf(before);
    expect(print(withProperties(before, [{ ...a!, name: "x" }, b!]))).toBe(
      '{"type":"object","required":["b"],"additionalProperties":false,"properties":{"x":{"type":"string"},"b":{"type":"number","minimum":0.10}}}',
    );
    expect(withProperties(before, [a!]).required).toBeUndefined();
  });
  it("reads defaults by their type", () => {
    expect(readValue("12", "string")).toBe("12");
    expect(print(readValue("12.50", "number"))).toBe("12.50");
    expect(readValue("twelve", "number")).toBe("twelve");
  });
  it("is edited on the page: a field added, required, removed", () => {
    const onChange = vi.fn();
    render(
      <SchemaPart
        label="Answer"
        value={schema('{"type":"object","properties":{"sku":{"type":"string"}}}')}
        isLocked={false}
        onChange={onChange}
        testId="s"
      />,
    );
    fireEvent.click(screen.getByTestId("s-add"));
    expect(print(onChange.mock.lastCall?.[0])).toBe(
      '{"type":"object","properties":{"sku":{"type":"string"},"field":{"type":"string"}}}',
    );
    fireEvent.click(screen.getByLabelText("sku is required"));
    expect(print(onChange.mock.lastCall?.[0])).toContain('"required":["sku"]');
    fireEvent.click(screen.getByLabelText("Remove sku"));
    expect(print(onChange.mock.lastCall?.[0])).toBe('{"type":"object","properties":{}}');
  });
});

describe("names for templates", () => {
  const of: Record<string, JsonObject> = {
    rates: schema(
      '{"type":"object","properties":{"body":{"type":"object","properties":{"usd":{"type":"number"},"a-b":{}}}}}',
    ),
  };
  const document = schema('{"inputs":{"text":{"$template":""},"n":1,"rates":{"$from":"rates","path":"/body"}}}');
  it("are the other inputs with what lies in them, or what `with` gives", () => {
    expect(namesOfInputs(document, "text", undefined, (id) => of[id] ?? {})).toEqual(["n", "rates", "rates.usd"]);
    expect(namesOfInputs(document, "text", schema('{"month":1}'), () => ({}))).toEqual(["month"]);
    expect(schemaInside(of.rates!, "/body/usd")).toEqual({ type: "number" });
    expect(schemaInside(of.rates!, "/nothing/here")).toEqual({});
  });
  it("are offered inside braces, and bring the braces on request", () => {
    const at = (doc: string, pos: number, explicit = false) =>
      inBraces(new CompletionContext(EditorState.create({ doc }), pos, explicit), () => ["rates"]);
    expect(at("a {{ ra", 7)).toMatchObject({ from: 5, options: [{ apply: "rates }}" }] });
    expect(at("a {{ ra }}", 7)).toMatchObject({ options: [{ apply: "rates" }] });
    expect(at("a ", 2)).toBeNull();
    expect(at("a ", 2, true)).toMatchObject({ options: [{ apply: "{{ rates }}" }] });
  });
});
