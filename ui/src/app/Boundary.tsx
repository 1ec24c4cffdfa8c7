// Catches a mistake of a screen: the window stays, says what is kept, and offers a way back.
import { Component, type ReactNode } from "react";
import { Button } from "../components/controls/controls";
import { FaultPanel } from "../components/controls/panel";
import { go } from "../state/route";
import { t } from "../text";

type State = { message: string | null };

export class Boundary extends Component<{ children: ReactNode }, State> {
  override state: State = { message: null };

  static getDerivedStateFromError(error: unknown): State {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    if (this.state.message === null) return this.props.children;
    return (
      <FaultPanel
        title={t.shell.brokenTitle}
        message={`${this.state.message} ${t.shell.brokenKept}`}
        onRetry={() => this.setState({ message: null })}
      >
        <Button onClick={() => go({ screen: "home" })}>{t.shell.backHome}</Button>
      </FaultPanel>
    );
  }
}
