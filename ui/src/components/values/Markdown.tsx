// Markdown text of a result: sanitised, no remote images (an address in one would leak), links shown but not followed.
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { t } from "../../text";

const COMPONENTS: Components = {
  img: ({ alt, src }) => <span className="tag line">{t.values.image(alt || String(src ?? ""))}</span>,
  a: ({ children, href }) => (
    <span className="md-link" title={href}>
      {children}
    </span>
  ),
  table: ({ children }) => (
    <section className="md-table" tabIndex={0} aria-label={t.values.table}>
      <table>{children}</table>
    </section>
  ),
};

export default function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown sel" dir="auto" data-testid="markdown">
      <ReactMarkdown remarkPlugins={[remarkGfm]} rehypePlugins={[rehypeSanitize]} components={COMPONENTS}>
        {text}
      </ReactMarkdown>
    </div>
  );
}
