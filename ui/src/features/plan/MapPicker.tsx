// Which output the new connection carries, and for which input: a short list beside the card. Escape leaves the order alone.
import { Menu } from "@base-ui/react/menu";
import { ArrowRight } from "lucide-react";
import { useMemo } from "react";
import { cardId } from "../../components/canvas/TaskNode";
import { backUnlessTaken } from "../../components/controls/work";
import type { DraftView } from "../../ipc/bindings";
import { edit } from "../../state/draft";
import { t } from "../../text";
import { visible } from "../../text/format";
import { closeMapAsk, type MapAsk, mapEdit, useMapAsk } from "./connecting";
import { describe, type Offer } from "./rules/mapping";

const MOST = 9;

export function MapPicker({ view }: { view: DraftView }) {
  const ask = useMapAsk((s) => s.ask);
  return ask ? <Open key={`${ask.from}→${ask.to}`} ask={ask} view={view} /> : null;
}

function Open({ ask, view }: { ask: MapAsk; view: DraftView }) {
  const anchor = useMemo(
    () => ({
      getBoundingClientRect: () => placeOf(ask.to)?.getBoundingClientRect() ?? middle(),
    }),
    [ask.to],
  );
  const name = (id: string) => visible(view.tasks.find((task) => task.id === id)?.title || id);
  const isOneInput = new Set(ask.offers.map((o) => o.input)).size === 1;
  return (
    <Menu.Root open onOpenChange={(open) => !open && closeMapAsk()} modal={false}>
      <Menu.Portal>
        <Menu.Positioner anchor={anchor} side="right" align="start" sideOffset={10} collisionPadding={8}>
          <Menu.Popup
            className="popup map-picker"
            aria-label={t.plan.mapTitle(name(ask.from))}
            finalFocus={backUnlessTaken}
            data-testid="map-picker"
          >
            <p className="map-title sm">{t.plan.mapTitle(name(ask.from))}</p>
            {ask.offers.slice(0, MOST).map((offer, ix) => (
              <Menu.Item
                key={`${offer.input}${offer.path}`}
                className="item"
                onClick={() => void edit([mapEdit(ask.to, offer)])}
                data-testid={`map-${ix}`}
              >
                <Line offer={offer} isOneInput={isOneInput && !offer.isNew} />
              </Menu.Item>
            ))}
            <Menu.Separator className="menu-line" />
            <Menu.Item className="item" onClick={closeMapAsk} data-testid="map-none">
              {t.plan.orderOnlyChoice}
              <kbd>Esc</kbd>
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** The card of a task, or its row in the list. */
function placeOf(task: string): Element | null {
  return (
    document.getElementById(cardId(task)) ?? document.querySelector(`tr[data-task="${CSS.escape(task)}"] .list-name`)
  );
}

function middle(): DOMRect {
  return new DOMRect(window.innerWidth / 2, window.innerHeight / 2, 0, 0);
}

function Line({ offer, isOneInput }: { offer: Offer; isOneInput: boolean }) {
  return (
    <>
      <span className="mono el">{describe(offer) || t.plan.wholeOutput}</span>
      {offer.type ? <span className="xs t3">{offer.type}</span> : null}
      {isOneInput ? null : (
        <span className="note mono">
          <ArrowRight className="icon" size={11} aria-hidden="true" /> {offer.input}
        </span>
      )}
    </>
  );
}
