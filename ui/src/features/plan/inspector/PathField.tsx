// The place inside a task's output: written as a JSON Pointer, or picked from what the task's schema says it gives.
import { Menu } from "@base-ui/react/menu";
import { ListTree } from "lucide-react";
import { useMemo } from "react";
import { textOf, tryParse } from "../../../ipc/json";
import { useLastOutput } from "../../../state/laid";
import { useTools } from "../../../state/tools";
import { t } from "../../../text";
import { visible } from "../../../text/format";
import { type Place, placesIn, shortValue } from "../rules/outputs";
import { useSetField, useTask } from "./context";
import { TextLine } from "./parts";
import { withPath } from "./source";
import { schemasOf } from "./templateNames";

type Props = { name: string; field: string; from: string; path: string };
const MOST = 60;
const DEEPEST = 4;

export function PathField({ name, field, from, path }: Props) {
  const { isLocked } = useTask();
  const set = useSetField();
  const places = usePlaces(from);
  return (
    <div className="path-field">
      <TextLine
        label={`${name}: ${t.inspector.path}`}
        field={`${field}/path`}
        mono
        value={path}
        hint={t.inspector.pathHint}
        testId={`path-${name}`}
        onSend={(text) => set(field, withPath(from, text))}
      />
      {places.length > 1 && !isLocked ? (
        <Menu.Root modal={false}>
          <Menu.Trigger
            className="path-pick"
            aria-label={t.inspector.pickPath(name)}
            title={t.inspector.pickPath(name)}
            data-testid={`pick-${name}`}
          >
            <ListTree size={14} strokeWidth={1.75} aria-hidden="true" />
          </Menu.Trigger>
          <Menu.Portal>
            <Menu.Positioner side="bottom" align="end" sideOffset={4} collisionPadding={8}>
              <Menu.Popup className="popup path-list" aria-label={t.inspector.pickPath(name)}>
                {places.slice(0, MOST).map((place) => (
                  <Item
                    key={place.pointer}
                    place={place}
                    isNow={place.pointer === path}
                    onPick={() => void set(field, withPath(from, place.pointer))}
                  />
                ))}
              </Menu.Popup>
            </Menu.Positioner>
          </Menu.Portal>
        </Menu.Root>
      ) : null}
    </div>
  );
}

/** Deeper than four levels nobody picks from a list. */
function usePlaces(from: string): Place[] {
  const { view } = useTask();
  const tools = useTools((s) => s.tools);
  const last = useLastOutput(view.run, from);
  return useMemo(
    () => (from === "" ? [] : placesIn(schemasOf(view, tools ?? [])(from), DEEPEST, tryParse(last?.json))),
    [view, tools, from, last],
  );
}

const INDENT = ["", "in-1", "in-2", "in-3", "in-4"];

function Item({ place, isNow, onPick }: { place: Place; isNow: boolean; onPick: () => void }) {
  const title = textOf(place.schema.title);
  return (
    <Menu.Item
      className={`item ${INDENT[place.depth] ?? "in-4"}${isNow ? " now" : ""}`}
      onClick={onPick}
      data-pointer={place.pointer}
    >
      <span className="mono el">
        {place.pointer === "" ? t.plan.wholeOutput : place.name === "0" ? t.inspector.firstItem : place.name}
      </span>
      {title && title !== place.name ? <span className="xs t3 el">{title}</span> : null}
      {place.value === undefined ? (
        <span className="note">{place.type}</span>
      ) : (
        <span className="place-value xs mono el" title={t.trying.last}>
          {visible(shortValue(place.value))}
        </span>
      )}
    </Menu.Item>
  );
}
