// No model is at hand: the one sentence of what to do, the ways to do it, and a sample that runs without any.
import { DraftingCompass, KeyRound, Play, RotateCw } from "lucide-react";
import { Button } from "../../components/controls/controls";
import type { ModelsView, SampleCard } from "../../ipc/bindings";
import { lookAgain, useModels } from "../../state/models";
import { openToApprove } from "../../state/open";
import { go } from "../../state/route";
import { t } from "../../text";

export function NoModel({ view, samples }: { view: ModelsView; samples: readonly SampleCard[] }) {
  const isLooking = useModels((s) => s.isLooking);
  // One that asks nobody comes to its end by itself.
  const sample = samples.find((s) => s.outline.tasks.every((task) => task.taskType !== "human")) ?? samples[0];
  return (
    <div className="no-model" role="note" data-testid="no-model">
      <DraftingCompass className="icon t2" size={22} strokeWidth={1.5} aria-hidden="true" />
      <div className="grow">
        <b>{t.home.noModel.title}</b>
        <p className="t2">{t.home.noModel.note}</p>
        {view.advice ? <p className="sm t2 sel no-model-advice">{view.advice}</p> : null}
        <div className="row no-model-acts">
          {sample ? (
            <Button
              look="primary"
              icon={<Play className="icon" size={13} strokeWidth={1.75} aria-hidden="true" />}
              onClick={() => void openToApprove(sample.path)}
              data-testid="run-sample"
            >
              {t.home.runSample(sample.title)}
            </Button>
          ) : null}
          <Button
            icon={<RotateCw className={`icon${isLooking ? " spin" : ""}`} size={13} aria-hidden="true" />}
            disabled={isLooking}
            onClick={() => void lookAgain()}
            data-testid="look-again"
          >
            {t.home.noModel.look}
          </Button>
          <Button
            icon={<KeyRound className="icon" size={13} strokeWidth={1.75} aria-hidden="true" />}
            onClick={() => go({ screen: "settings" })}
            data-testid="to-settings"
          >
            {t.home.noModel.addKey}
          </Button>
        </div>
      </div>
    </div>
  );
}
