import { z } from 'zod';
import type { CallInput, Calls } from '../lib/contract/context.ts';
import { inputError } from '../lib/contract/errors.ts';
import type { Query } from './define-page.ts';
import { withQuery } from './filters.ts';
import { type Html, html } from './html.ts';
import { renderIcon } from './icons.ts';
import type { PageAnswer } from './page.ts';
import { texts } from './texts.ts';

export const downloadFormats = ['csv', 'ndjson'] as const;
export type DownloadFormat = (typeof downloadFormats)[number];

/** Maximum number of rows of one file; its last line says when the list has more. */
export const maxDownloadRows = 50_000;

/**
 * A list that the gateway downloads for a member: it calls the action page by page, in the organization and with the
 * rights that the session has at that time.
 */
export const downloadOutput = z.strictObject({
  /** Name of the list, for the name of the file. */
  name: z.string().regex(/^[a-z-]+$/),
  format: z.enum(downloadFormats),
  orgId: z.string(),
  action: z.string(),
  input: z.record(z.string(), z.unknown()),
});

export type Download = z.output<typeof downloadOutput>;

/** The format that the address of a list asks for; null where it asks for the page. Throws INPUT_INVALID for another. */
function formatIn({ format }: Query): DownloadFormat | null {
  if (format === undefined) return null;
  const found = downloadFormats.find((one) => one === format);
  if (!found) throw inputError([{ path: 'query.format', message: `Must be ${downloadFormats.join(' or ')}.` }]);
  return found;
}

type List<N extends keyof Calls & string> = {
  name: string;
  /** The action of the list, and its input without the page. */
  action: N;
  input: CallInput<N>;
};

/**
 * Answers a visit of a list with a file of all its pages; null where its address asks for the page.
 *
 * @throws INPUT_INVALID for a format that does not exist.
 */
export function downloadOf<N extends keyof Calls & string>(
  { orgId, query }: { orgId: string; query: Query },
  { name, action, input }: List<N>,
): PageAnswer | null {
  const format = formatIn(query);
  if (!format) return null;
  return { status: 200, headers: {}, cookies: [], html: '', download: { name, format, orgId, action, input } };
}

type Filters = Readonly<Record<string, string>>;

/** One of the lists that a page shows together. Each has other columns, so it is a separate file. */
export type ExportedList = { name: string; filters: Filters };

/**
 * Renders the button with the links to the files of a list, as it is filtered now. `parts`: the lists of which it
 * consists.
 */
export function renderExport(path: string, filters: Filters = {}, parts: readonly ExportedList[] = []): Html {
  const t = texts().list.export;
  const files = parts.length === 0 ? renderFiles(path, filters) : parts.map((part) => renderPart(path, filters, part));
  return html`<button class="btn desk" type="button" popovertarget="export">${renderIcon('download')}${t.act}</button>
<div class="menu from-end" id="export" popover><p class="cap">${t.bound(maxDownloadRows)}</p>
${files}</div>`;
}

function renderPart(path: string, filters: Filters, part: ExportedList): Html {
  return html`<p class="cap">${part.name}</p>
${renderFiles(path, { ...filters, ...part.filters })}`;
}

function renderFiles(path: string, filters: Filters): Html[] {
  const t = texts().list.export;
  return downloadFormats.map(
    (
      format,
    ) => html`<a href="${withQuery(path, { ...filters, format })}">${renderIcon(icons[format])}${t.formats[format]}</a>
`,
  );
}

const icons = { csv: 'logs', ndjson: 'code' } as const;

/** How it looks, for the gallery. */
export const examples = {
  Export: () => html`<div class="row">${renderExport('/dev/gallery', { search: 'ada' })}</div>`,
};
