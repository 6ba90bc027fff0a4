import { listen } from './events.ts';
import {
  type Call,
  type ClientOptions,
  createCall,
  createSend,
  type Input,
  type Send,
  type Settings,
} from './request.ts';
import type {
  Answer,
  Arguments,
  ItemOf,
  ListPaths,
  Method,
  Operation,
  PathsWith,
  Schemas,
  StreamEvent,
  StreamPaths,
  Upload,
} from './types.ts';
import { createUpload } from './upload.ts';

type TypedCall<M extends Method> = <P extends PathsWith<M>>(
  path: P,
  ...options: Arguments<Operation<P, M>>
) => Promise<Answer<Operation<P, M>>>;

/**
 * A client of the platform's APIs. Paths and their input have the types of the API document; `{name}` in a path is
 * filled from `path`. A call that does not succeed throws a `PlatformError`.
 */
export type Client = {
  get: TypedCall<'get'>;
  post: TypedCall<'post'>;
  put: TypedCall<'put'>;
  patch: TypedCall<'patch'>;
  delete: TypedCall<'delete'>;
  /** The items of a list, of which pages are read as the loop needs them. */
  list: <P extends ListPaths>(path: P, ...options: Arguments<Operation<P, 'get'>>) => AsyncGenerator<ItemOf<P>, void>;
  /** The events of a stream, which is opened again when the connection is lost. */
  stream: <P extends StreamPaths>(
    path: P,
    ...options: Arguments<Operation<P, 'get'>>
  ) => AsyncGenerator<StreamEvent, void>;
  /** Uploads a file by a signed address; a failed attempt is repeated with another address. */
  upload: (upload: Upload) => Promise<Schemas['StoredObject']>;
};

/** Creates a client. It holds no connection and need not be closed. */
export function createClient(options: ClientOptions): Client {
  const { timeout = 30_000, maxAttempts = 5, fetch = (...request) => globalThis.fetch(...request) } = options;
  const settings = { ...options, timeout, maxAttempts, fetch };
  const send = createSend(settings);
  const call = createCall(send, settings);
  const method = (name: string) => (path: string, input?: Input) => call(name, path, input);
  return {
    get: method('GET'),
    post: method('POST'),
    put: method('PUT'),
    patch: method('PATCH'),
    delete: method('DELETE'),
    list: (path: string, input?: Input) => readPages(call, path, input),
    stream: (path: string, input?: Input) => openStream(send, settings, path, input),
    upload: createUpload(call, settings),
  } as Client;
}

type Page = { data?: unknown[]; invoices?: unknown[]; nextCursor: string | null };

async function* readPages(call: Call, path: string, input: Input = {}): AsyncGenerator<unknown, void> {
  let cursor: string | undefined;
  do {
    const query: Input['query'] = cursor === undefined ? input.query : { ...input.query, cursor };
    const page = (await call('GET', path, { ...input, ...(query && { query }) })) as Page;
    yield* page.data ?? page.invoices ?? [];
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

function openStream(
  send: Send,
  { maxAttempts }: Settings,
  path: string,
  input: Input = {},
): AsyncGenerator<StreamEvent, void> {
  // The timeout is one of opening the stream.
  const open = (lastId: string | null, signal: AbortSignal) => {
    const resuming = lastId === null ? input.headers : { ...input.headers, 'last-event-id': lastId };
    return send('GET', path, { ...input, headers: resuming, signal }, (response) => response);
  };
  return listen({ open, maxAttempts, signal: input.signal });
}
