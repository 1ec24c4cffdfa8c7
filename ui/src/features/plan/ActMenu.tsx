// The menu at the pointer: acts with their keys, by group. Arrow keys choose, Escape closes and gives the focus back.
import { Menu } from "@base-ui/react/menu";
import { Fragment, useMemo } from "react";
import { printKeys } from "../../components/controls/keys";
import { backUnlessTaken } from "../../components/controls/work";
import { t } from "../../text";
import { type Act, type ActContext, menuActs } from "./acts";
import { closeMenu, type MenuAsk, useMenu } from "./menuStore";

export function ActMenu({ context }: { context: ActContext }) {
  const ask = useMenu((s) => s.ask);
  return ask ? <Open key={`${ask.at.x},${ask.at.y}`} ask={ask} context={context} /> : null;
}

function Open({ ask, context }: { ask: MenuAsk; context: ActContext }) {
  const anchor = useMemo(
    () => ({ getBoundingClientRect: () => new DOMRect(ask.at.x, ask.at.y, 0, 0) }),
    [ask.at.x, ask.at.y],
  );
  const groups = menuActs(ask, context);
  return (
    <Menu.Root open onOpenChange={(open) => !open && closeMenu()} modal={false}>
      <Menu.Portal>
        <Menu.Positioner anchor={anchor} side="bottom" align="start" sideOffset={2} collisionPadding={8}>
          <Menu.Popup
            className="popup act-menu"
            aria-label={t.plan.acts.menu}
            finalFocus={backUnlessTaken}
            data-testid="act-menu"
          >
            {groups.map((group, ix) => (
              <Fragment key={group[0]?.id}>
                {ix > 0 ? <Menu.Separator className="menu-line" /> : null}
                {group.map((act) => (
                  <Item key={act.id} act={act} />
                ))}
              </Fragment>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Item({ act }: { act: Act }) {
  const Icon = act.icon;
  return (
    <Menu.Item
      className={`item${act.id === "delete" ? " danger" : ""}`}
      disabled={act.off}
      onClick={() => {
        // First the menu goes and gives the focus back: what the act opens shall keep it.
        closeMenu();
        window.setTimeout(act.act, 0);
      }}
      data-testid={`act-${act.id}`}
    >
      <Icon className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />
      <span className="el">{act.label}</span>
      {act.keys ? <kbd>{printKeys(act.keys)}</kbd> : null}
    </Menu.Item>
  );
}
