// The bar over the canvas while several tasks are chosen: how many, lining up, and what is done with all of them.
import { CopyPlus, Group, LayoutDashboard, SkipForward, Trash2 } from "lucide-react";
import { IconButton } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import { useSelection } from "../../state/selection";
import { t } from "../../text";
import { arrangeActs } from "./acts";
import { groupChosen, skipChosen, tidy } from "./arranging";
import { deleteSelection, duplicate } from "./commands";

const S = { size: 15, strokeWidth: 1.75 };

export function SelectionBar() {
  const count = useSelection((s) => s.tasks.length);
  const w = t.plan.acts;
  const all = [
    { id: "tidy", label: w.tidyThese, keys: "shift+t", icon: <LayoutDashboard {...S} />, act: () => tidy(null) },
    { id: "group", label: w.group, keys: "ctrl+g", icon: <Group {...S} />, act: groupChosen },
    { id: "skip", label: w.skip, keys: "d", icon: <SkipForward {...S} />, act: skipChosen },
    { id: "duplicate", label: w.duplicate, keys: "ctrl+d", icon: <CopyPlus {...S} />, act: duplicate },
    { id: "delete", label: w.remove, keys: "delete", icon: <Trash2 {...S} />, act: deleteSelection },
  ];
  return (
    <div
      className="selection-bar tool-group"
      role="toolbar"
      aria-label={t.plan.acts.several(count)}
      data-testid="selection-bar"
    >
      <span className="selection-count num">{t.plan.acts.chosen(count)}</span>
      <span className="bar" />
      {arrangeActs().map(({ id, label, icon: Icon, act }) => (
        <IconButton
          key={id}
          label={label}
          icon={<Icon {...S} />}
          disabled={id.startsWith("spread") && count < 3}
          onClick={act}
          data-testid={`bar-${id}`}
        />
      ))}
      <span className="bar" />
      {all.map(({ id, label, keys, icon, act }) => (
        <IconButton
          key={id}
          label={label}
          hint={printKeys(keys)}
          icon={icon}
          onClick={() => void act()}
          data-testid={`bar-${id}`}
        />
      ))}
    </div>
  );
}
