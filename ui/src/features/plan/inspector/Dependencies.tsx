// After which tasks this one starts: chips to remove, a list to add from, with the engine's reasons for what is refused.
import { Plus, X } from "lucide-react";
import { Button, IconButton } from "../../../components/controls/controls";
import { KindIcon } from "../../../components/marks/marks";
import { edit } from "../../../state/draft";
import { select } from "../../../state/selection";
import { t } from "../../../text";
import { visible } from "../../../text/format";
import { askConnection } from "../connectionStore";
import { nameOf, useTask } from "./context";
import { Faults, Section } from "./parts";

export function Dependencies() {
  const { task, view, isLocked } = useTask();
  const parents = view.edges.filter((e) => e.to === task.id);
  const children = view.edges.filter((e) => e.from === task.id);
  const kindOf = (id: string) => view.tasks.find((x) => x.id === id)?.taskType ?? "";
  return (
    <Section
      title={t.inspector.dependencies}
      field="/dependencies"
      action={
        isLocked ? null : (
          <Button
            look="ghost"
            size="small"
            icon={<Plus size={13} />}
            onClick={() => askConnection("parent", task.id)}
            data-testid="add-dependency"
          >
            {t.inspector.addDependency}
          </Button>
        )
      }
    >
      {parents.length === 0 ? <p className="sm t3">{t.inspector.noDependencies}</p> : null}
      <ul className="links">
        {parents.map((edge) => (
          <li key={edge.from} data-testid={`dependency-${edge.from}`}>
            <KindIcon kind={kindOf(edge.from)} />
            <button type="button" className="link-name el" onClick={() => select([edge.from])}>
              {visible(nameOf(view, edge.from))}
            </button>
            <span className="xs t3 el grow">
              {edge.inputs.length > 0 ? t.inspector.reads(edge.inputs.join(", ")) : t.plan.orderOnly}
            </span>
            {isLocked ? null : (
              <IconButton
                label={t.inspector.removeDependency(nameOf(view, edge.from))}
                size="small"
                icon={<X size={13} />}
                onClick={() => void edit([{ disconnect: { from: edge.from, to: task.id } }])}
                data-testid={`disconnect-${edge.from}`}
              />
            )}
          </li>
        ))}
      </ul>
      <Faults field="/dependencies" />
      {children.length > 0 ? (
        <>
          <h4 className="heading links-head">{t.inspector.feeds}</h4>
          <ul className="links">
            {children.map((edge) => (
              <li key={edge.to}>
                <KindIcon kind={kindOf(edge.to)} />
                <button type="button" className="link-name el grow" onClick={() => select([edge.to])}>
                  {visible(nameOf(view, edge.to))}
                </button>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </Section>
  );
}
