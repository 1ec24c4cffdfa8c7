// What was found inside of plans and runs: under each run the lines that hold the words, each a way to that moment. Snippets
// are text of others: shown as text, never as markup.
import { CircleAlert } from "lucide-react";
import { Fragment } from "react";
import { Button } from "../../components/controls/controls";
import { RunIcon } from "../../components/marks/marks";
import type { FoundMark, FoundView, HitView } from "../../ipc/bindings";
import { openHit, searchAgain, useFinding } from "../../state/finding";
import { t } from "../../text";
import { visible } from "../../text/format";
import { shortId } from "./RunTable";

export function Hits() {
  const found = useFinding((s) => s.found);
  const fault = useFinding((s) => s.foundFault);
  const isSearching = useFinding((s) => s.isSearching);
  if (!found && !fault && !isSearching) return null;
  return (
    <section className="hits" aria-label={t.lists.inside} aria-busy={isSearching} data-testid="hits">
      <div className="row">
        <h3 className="heading grow">{t.lists.inside}</h3>
        <span className="t3 sm num" role="status" data-testid="hits-status">
          {statusOf(found, isSearching)}
        </span>
      </div>
      {fault ? (
        <p className="row sel" role="alert">
          <CircleAlert className="icon tone-failed" size={15} aria-hidden="true" />
          <span className="grow">{fault.message}</span>
          <Button size="small" onClick={searchAgain}>
            {t.words.retry}
          </Button>
        </p>
      ) : null}
      {found ? groupsOf(found.hits).map((group) => <Group key={`${group[0]?.run}`} hits={group} />) : null}
      {found && found.more > 0 ? <p className="t3 sm">{t.lists.moreHits(found.more)}</p> : null}
    </section>
  );
}

function statusOf(found: FoundView | null, isSearching: boolean): string {
  if (found && found.behind > 0) return t.lists.behind(found.behind);
  if (isSearching) return t.lists.searching;
  return found ? t.lists.hits(found.hits.length + found.more) : "";
}

/** Runs in the order of their best. */
function groupsOf(hits: readonly HitView[]): HitView[][] {
  const groups = new Map<string, HitView[]>();
  for (const hit of hits) {
    const group = groups.get(hit.run);
    if (group) group.push(hit);
    else groups.set(hit.run, [hit]);
  }
  return [...groups.values()];
}

function Group({ hits }: { hits: readonly HitView[] }) {
  const [first] = hits;
  if (!first) return null;
  return (
    <div className="hits-run">
      <h4 className="row">
        <RunIcon status={first.status} />
        <b className="el" dir="auto">
          {visible(first.title)}
        </b>
        <span className="t3 sm">{t.home.run(shortId(first.run))}</span>
      </h4>
      <ul>
        {hits.map((hit) => (
          <li key={`${hit.place} ${hit.task} ${hit.seq} ${hit.snippet}`}>
            <button type="button" className="hit" onClick={() => openHit(hit)} data-testid="hit" data-place={hit.place}>
              <span className="hit-where t3 sm el">
                {[t.lists.places[hit.place], hit.task === null ? "" : visible(hit.task)].filter(Boolean).join(" · ")}
              </span>
              <span className="hit-text" dir="auto">
                <Marked text={hit.snippet} marks={hit.marks} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Marks count letters as Unicode does, where a string counts some of them twice. */
export function Marked({ text, marks }: { text: string; marks: readonly FoundMark[] }) {
  const letters = Array.from(text);
  const cut = (from: number, to: number) => visible(letters.slice(from, to).join(""));
  let at = 0;
  const parts = marks.map(({ from, to }) => {
    const before = cut(at, from);
    at = Math.max(at, to);
    return (
      <Fragment key={from}>
        {before}
        <mark>{cut(from, to)}</mark>
      </Fragment>
    );
  });
  return (
    <>
      {parts}
      {cut(at, letters.length)}
    </>
  );
}
