// What a server offers: what it says of each tool, what the tool counts as all the same, and what is new about it.
import { EffectIcon, isRisky } from "../../components/marks/marks";
import type { ServerTool, ServerView } from "../../ipc/bindings";
import { t } from "../../text";
import { list, visible } from "../../text/format";

export function ServerTools({ server }: { server: ServerView }) {
  return (
    <>
      <table className="settings-table server-tools" aria-label={t.servers.showTools(visible(server.name))}>
        <thead>
          <tr>
            <th scope="col">{t.servers.columns.name}</th>
            <th scope="col">{t.servers.columns.says}</th>
            <th scope="col">{t.servers.columns.counts}</th>
          </tr>
        </thead>
        <tbody>
          {server.tools.map((tool) => (
            <Tool key={tool.name} tool={tool} />
          ))}
        </tbody>
      </table>
      {server.stderr ? (
        <section>
          <h4 className="sm t3">{t.servers.stderr}</h4>
          <pre className="server-detail mono sel t2" role="region" aria-label={t.servers.stderr} tabIndex={0}>
            {visible(server.stderr)}
          </pre>
        </section>
      ) : null}
    </>
  );
}

function Tool({ tool }: { tool: ServerTool }) {
  return (
    <tr data-testid={`server-tool-${tool.name}`}>
      <th scope="row">
        <code className="mono sel">{visible(tool.name)}</code>
        {tool.news ? <span className="tag retrying">{t.servers.news[tool.news]}</span> : null}
        <p className="sm t2 sel">{visible(tool.description)}</p>
        {tool.problem ? <p className="sm tone-failed sel">{visible(tool.problem)}</p> : null}
      </th>
      <td className="sm t2">{tool.hints.length > 0 ? list(tool.hints.map(visible)) : t.servers.saysNothing}</td>
      <td>
        {tool.effect ? (
          <span className={`tag ${isRisky(tool.effect) ? "retrying" : ""}`}>
            <EffectIcon effect={tool.effect} size={12} />
            {t.words.effect[tool.effect]}
          </span>
        ) : null}
        {tool.isSaid ? <span className="sm t3">{t.servers.yourWord}</span> : null}
      </td>
    </tr>
  );
}
