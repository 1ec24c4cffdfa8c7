// What a subplan holds, and the way to have its tasks on the canvas again.
import { Ungroup } from "lucide-react";
import { Button } from "../../../components/controls/controls";
import { KindIcon } from "../../../components/marks/marks";
import { isObject, textOf } from "../../../ipc/json";
import { t } from "../../../text";
import { visible } from "../../../text/format";
import { openUpChosen } from "../arranging";
import { tasksOf } from "../rules/reads";
import { useTask } from "./context";
import { Section } from "./parts";

export function SubplanFields() {
  const { document, isLocked, isItem } = useTask();
  const { plan } = document;
  if (typeof plan === "string") return <p className="inspector-section sm t2">{t.inspector.fromFile(visible(plan))}</p>;
  if (!isObject(plan)) return null;
  const tasks = tasksOf(plan);
  return (
    <Section
      title={t.inspector.holds(tasks.length)}
      action={
        isLocked || isItem ? null : (
          <Button
            look="ghost"
            size="small"
            icon={<Ungroup size={13} />}
            onClick={() => void openUpChosen()}
            data-testid="open-up"
          >
            {t.inspector.openUp}
          </Button>
        )
      }
    >
      <ul className="links">
        {tasks.map((task, ix) => (
          <li key={textOf(task.id) || ix}>
            <KindIcon kind={textOf(task.task_type) || "agent"} />
            <span className="el">{visible(textOf(task.title) || textOf(task.id) || textOf(task.instruction))}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
