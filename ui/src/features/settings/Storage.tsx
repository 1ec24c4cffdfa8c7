// Where everything lies, and which version this is.
import { FaultLine } from "../../components/controls/controls";
import { Skeleton } from "../../components/controls/panel";
import { t } from "../../text";
import { useEnvironment } from "./Look";
import { Group, Row } from "./rows";

export function Storage() {
  const { place, fault } = useEnvironment();
  if (fault) return <FaultLine text={fault} />;
  if (!place) return <Skeleton rows={3} />;
  return (
    <Group title={t.settings.data} narrow>
      <Row title={t.settings.database} note={t.settings.databaseNote}>
        <code className="mono sel settings-path" data-testid="db-path">
          {place.dbPath}
        </code>
      </Row>
      <Row title={t.settings.version}>
        <code className="mono sel">{place.version}</code>
      </Row>
    </Group>
  );
}
