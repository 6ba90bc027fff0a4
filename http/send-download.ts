import { Readable } from 'node:stream';
import type { ServiceBroker } from 'moleculer';
import { callerIn } from '../lib/contract/authorize.ts';
import { type Contract, dataOf, type JsonSchema } from '../lib/contract/contract.ts';
import { apiError } from '../lib/contract/errors.ts';
import { maxPageSize } from '../lib/contract/input.ts';
import { completeContracts, type PackedDocument } from '../lib/contract/service-document.ts';
import { now } from '../lib/data/clock.ts';
import { csvRecord } from '../lib/format/csv.ts';
import { type Download, maxDownloadRows } from '../web/download.ts';
import { runInPageContext } from '../web/page-context.ts';
import { texts } from '../web/texts.ts';
import { clientOf, findCaller, type RequestServices } from './pipeline.ts';
import { type HttpRequest, type HttpResponse, newContext } from './request.ts';
import { sendStream } from './send-content.ts';
import { pageContextOf } from './send-page.ts';

export type Row = Record<string, unknown>;
export type RowPage = { data: Row[]; nextCursor: string | null };
/** Reads the page of a list after a cursor; the first without one. */
export type ReadRows = (cursor: string | null) => Promise<RowPage>;

/** Writes the lines of a format: before the rows, of a page of rows, and after the rows of a list that has more. */
type Writer = { head: string; rows: (rows: readonly Row[]) => string; cutOff: (maxRows: number) => string };

const mediaTypes = { csv: 'text/csv; charset=utf-8; header=present', ndjson: 'application/x-ndjson; charset=utf-8' };

/**
 * Sends all pages of a list as a file. Each page is read when the client has taken the ones before it, so that at most
 * two are in memory, and with the rights that the session has then. An error of the first page is still an answer.
 */
export async function sendDownload(
  tools: RequestServices,
  contract: Contract,
  request: HttpRequest,
  response: HttpResponse,
  download: Download,
): Promise<void> {
  const { format, name } = download;
  const read = readerOf(tools, contract, request, download);
  const writer = runInPageContext(pageContextOf(request), () =>
    format === 'csv' ? csvWriter(columnsOf(request.ctx.broker, download.action)) : ndjsonWriter,
  );
  await sendStream(request, response, 200, {
    type: mediaTypes[format],
    size: null,
    disposition: 'attachment',
    fileName: `${name}-${now().toISOString().slice(0, 10)}.${format}`,
    async open() {
      const first = await read(null);
      return Readable.from(writeList(first, read, writer), { highWaterMark: 1 });
    },
  });
}

function readerOf(
  tools: RequestServices,
  contract: Contract,
  request: HttpRequest,
  { orgId, action, input }: Download,
): ReadRows {
  return async (cursor) => {
    // A separate context for each page, because a call has to end within the timeout of its context.
    const ctx = newContext(request.ctx.broker, request.requestId, { client: clientOf(request) });
    const caller = callerIn(await findCaller(tools, contract, request, ctx), orgId);
    if (!caller) throw apiError('NOT_FOUND');
    ctx.meta.caller = caller;
    const query = { ...(input.query as object), limit: String(maxPageSize), ...(cursor !== null && { cursor }) };
    return await ctx.call<RowPage, object>(action, { ...input, query });
  };
}

/** Writes a list from its first page on, a chunk for each page. */
export async function* writeList(
  first: RowPage,
  read: ReadRows,
  writer: Writer,
  maxRows: number = maxDownloadRows,
): AsyncGenerator<Buffer> {
  let { data, nextCursor } = first;
  let free = maxRows;
  let text = writer.head;
  while (true) {
    text += writer.rows(data.slice(0, free));
    if (text !== '') yield Buffer.from(text);
    const hasMore = data.length > free || nextCursor !== null;
    free -= Math.min(free, data.length);
    if (!hasMore) return;
    if (free === 0) break;
    text = '';
    ({ data, nextCursor } = await read(nextCursor));
  }
  yield Buffer.from(writer.cutOff(maxRows));
}

/** Writes objects as the API answers them, each on a line. */
export const ndjsonWriter: Writer = {
  head: '',
  rows: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  cutOff: (maxRows) => `${JSON.stringify({ truncated: true, maxRows })}\n`,
};

/** Writes records of RFC 4180 after one with the names of the columns; in the language of the present page. */
export function csvWriter(columns: readonly Column[]): Writer {
  const { cutOff } = texts().list.export;
  return {
    head: csvRecord(columns.map((path) => path.join('.'))),
    rows: (rows) => rows.map((row) => csvRecord(columns.map((path) => valueAt(row, path)))).join(''),
    cutOff: (maxRows) => csvRecord(columns.map((_path, index) => (index === 0 ? cutOff(maxRows) : ''))),
  };
}

/** The field of a column: the names on the way to it. */
export type Column = readonly string[];

function valueAt(row: unknown, path: Column): unknown {
  let value = row;
  for (const name of path) value = (value as Row | null | undefined)?.[name];
  return value;
}

type Listed = { action: { name: string; contract?: Contract } };
type Service = { name: string; metadata?: { document?: PackedDocument } };

/** The columns of the rows of an action, from its contract; of another node's, from the document of its service. */
function columnsOf(broker: ServiceBroker, action: string): Column[] {
  const endpoint = broker.findNextActionEndpoint(action) as unknown as Error | Listed;
  if (endpoint instanceof Error) throw endpoint;
  const services = broker.registry.getServiceList({ onlyAvailable: true }) as Service[];
  const own = services.filter(({ name }) => action.startsWith(`${name}.`));
  const [listed] = completeContracts([{ action: { ...endpoint.action, name: action } }], own);
  return columnsIn(dataOf(listed?.action.contract?.output) ?? {});
}

/** The columns of the rows of a page's schema: its fields, and the known fields of nested objects. */
export function columnsIn(page: JsonSchema): Column[] {
  const definitions = page.$defs as Record<string, JsonSchema> | undefined;
  const resolve = (schema: JsonSchema): JsonSchema => {
    const name = typeof schema.$ref === 'string' ? schema.$ref.replace('#/$defs/', '') : null;
    return name === null ? schema : (definitions?.[name] ?? {});
  };
  const propertiesOf = (schema: JsonSchema): [string, JsonSchema][] =>
    Object.entries((resolve(schema).properties ?? {}) as Record<string, JsonSchema>);
  const columnsBelow = (schema: JsonSchema): Column[] =>
    propertiesOf(schema).flatMap(([name, field]) => {
      const inner = columnsBelow(field);
      return inner.length === 0 ? [[name]] : inner.map((path) => [name, ...path]);
    });
  const data = propertiesOf(page).find(([name]) => name === 'data')?.[1];
  return columnsBelow((data?.items ?? {}) as JsonSchema);
}
