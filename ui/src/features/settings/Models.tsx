// Models and roles: who can be asked, with which key, and who does which work.
import { RotateCw } from "lucide-react";
import { useEffect } from "react";
import { Button, FaultLine } from "../../components/controls/controls";
import { FaultPanel, Skeleton } from "../../components/controls/panel";
import { lookAgain, readModels, useModels } from "../../state/models";
import { t } from "../../text";
import { visible } from "../../text/format";
import { AddProvider } from "./KeyDialog";
import { ModelTable } from "./ModelTable";
import { Provider } from "./Provider";
import { Roles } from "./Roles";
import { Group } from "./rows";

export function Models() {
  const { view, fault, isLooking } = useModels();
  useEffect(() => void readModels(), []);
  if (!view && fault)
    return <FaultPanel title={t.home.modelsFault} message={fault.message} onRetry={() => void readModels()} />;
  if (!view) return <Skeleton rows={8} />;
  const look = (
    <>
      <Button
        size="small"
        icon={<RotateCw className={`icon${isLooking ? " spin" : ""}`} size={13} aria-hidden="true" />}
        onClick={() => void lookAgain()}
        disabled={isLooking}
        data-testid="look-again"
      >
        {t.settings.lookAgain}
      </Button>
      <AddProvider view={view} />
    </>
  );
  return (
    <>
      {view.problems.length > 0 ? (
        <Group title={t.settings.problemsTitle} note={t.settings.problemsNote} testId="settings-problems">
          <ul className="settings-problems">
            {view.problems.map((problem) => (
              <li key={problem}>
                <FaultLine severity="warning" text={visible(problem)} />
              </li>
            ))}
          </ul>
        </Group>
      ) : null}
      <Group title={t.settings.providers} note={t.settings.providersNote} acts={look} testId="providers">
        {view.advice ? <p className="settings-advice t2 sel">{view.advice}</p> : null}
        <div className="providers">
          {view.providers.map((provider) => (
            <Provider key={provider.name} provider={provider} view={view} />
          ))}
        </div>
      </Group>
      {view.models.length > 0 ? (
        <>
          <Roles view={view} />
          <ModelTable view={view} />
        </>
      ) : null}
    </>
  );
}
