import { PlatformError } from './errors.ts';
import { backoff, isTransient, pause } from './retry.ts';
import type { StreamEvent } from './types.ts';

/** The platform sends a comment every 15 s, so a longer silence in milliseconds means a lost connection. */
const maxSilence = 40_000;

/** Opens the stream after the event of an id; throws for a response that is not one of success. */
export type OpenStream = (lastId: string | null, signal: AbortSignal) => Promise<Response>;

type Listening = { open: OpenStream; maxAttempts: number; signal?: AbortSignal | undefined };

/**
 * The events of a stream. A lost connection is opened again after the last event that arrived. It ends when the signal
 * aborts or the loop over it ends.
 *
 * @throws PlatformError the stream is refused, or could not be opened at first in `maxAttempts` attempts.
 */
export async function* listen({ open, maxAttempts, signal }: Listening): AsyncGenerator<StreamEvent, void> {
  let lastId: string | null = null;
  let wasOpen = false;
  for (let failures = 0; !signal?.aborted; failures += 1) {
    const connection = new AbortController();
    const all = signal ? AbortSignal.any([signal, connection.signal]) : connection.signal;
    const silence = watchSilence(connection);
    let retry: number | null = null;
    try {
      const { body } = await open(lastId, all);
      for await (const fields of readEvents(body as ReadableStream<Uint8Array>, silence.heard)) {
        retry = fields.retry ?? retry;
        if (!fields.data) continue;
        wasOpen = true;
        failures = 0;
        lastId = fields.id ?? lastId;
        yield { id: lastId ?? '', event: fields.event || 'message', data: JSON.parse(fields.data) };
      }
    } catch (error) {
      if (signal?.aborted) return;
      const isRefused = error instanceof PlatformError && !isTransient(error.status);
      if (isRefused || (!wasOpen && failures + 1 >= maxAttempts)) throw error;
      if (error instanceof PlatformError) retry = error.retryAfter;
    } finally {
      silence.end();
      connection.abort();
    }
    await pause((retry ?? 0) + backoff(failures + 1), signal).catch(() => {});
  }
}

/** Aborts a connection on which nothing arrives. */
function watchSilence(connection: AbortController): { heard: () => void; end: () => void } {
  const watch = () => setTimeout(() => connection.abort(), maxSilence);
  let timer = watch();
  return {
    heard() {
      clearTimeout(timer);
      timer = watch();
    },
    end: () => clearTimeout(timer),
  };
}

type Fields = { id?: string; event?: string; data?: string; retry?: number };

/** Reads server-sent events as they arrive (HTML, section 9.2.6). `heard` is called for every part that arrives. */
export async function* readEvents(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<Fields, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    heard();
    rest += decoder.decode(part.value, { stream: true });
    const blocks = rest.split(/\r\n\r\n|\n\n|\r\r/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield fieldsOf(block);
  }
}

function fieldsOf(block: string): Fields {
  const fields: Fields = {};
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, name = '', value = ''] = /^(\w*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'id' || name === 'event') fields[name] = value;
    if (name === 'data') fields.data = fields.data === undefined ? value : `${fields.data}\n${value}`;
    if (name === 'retry' && /^\d+$/.test(value)) fields.retry = Number(value);
  }
  return fields;
}
