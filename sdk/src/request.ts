import { errorOf, PlatformError, readRefusal } from './errors.ts';
import { keyedOperations, rawOperations, safeOperations, storagePaths } from './operations.ts';
import { withRetries, withTimeout } from './retry.ts';
import type { CallSettings, RawBody } from './types.ts';

export type ClientOptions = {
  /** The address of the platform, such as `https://platform.example.com`. */
  url: string;
  /** The address of the storage API. Without it the client reads it from `GET /` of the platform when it needs it. */
  storageUrl?: string | undefined;
  /** An API key or an access token, or a function that returns the current one. */
  token?: string | (() => string | Promise<string>) | undefined;
  /** The id of the organization, which most endpoints require. */
  tenantId?: string | undefined;
  /** The maximum duration of an attempt in milliseconds, 30 000 by default. */
  timeout?: number | undefined;
  /** The maximum number of attempts of a call, 5 by default; 1 repeats nothing. */
  maxAttempts?: number | undefined;
  /** Sends the requests; by default the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
};

export type Settings = ClientOptions & { timeout: number; maxAttempts: number; fetch: typeof globalThis.fetch };

/** The input of any operation. */
export type Input = CallSettings & {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
};

/** Sends a request once, and reads its response if that is one of success. */
export type Send = <T>(
  method: string,
  path: string,
  input: Input,
  read: (response: Response) => T | Promise<T>,
) => Promise<T>;

export function createSend(settings: Settings): Send {
  const { token, tenantId, fetch } = settings;
  const send: Send = async (method, path, input, read) => {
    const url = `${await originOf(path)}${fill(path, input.path)}${queryText(input.query)}`;
    const { body, type } = encode(input.body);
    const credential = typeof token === 'function' ? await token() : token;
    const headers = {
      ...(type !== null && { 'content-type': type }),
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      ...(tenantId !== undefined && { 'x-tenant-id': tenantId }),
      ...(input.idempotencyKey !== undefined && { 'idempotency-key': input.idempotencyKey }),
      ...input.headers,
    };
    const isStream = body instanceof ReadableStream && { duplex: 'half' as const };
    const init: RequestInit = {
      method,
      headers,
      ...(body !== null && { body: body as NonNullable<RequestInit['body']> }),
      ...isStream,
    };
    const { timeout = settings.timeout } = input;
    return withTimeout({ timeout, signal: input.signal }, async (signal) => {
      const response = await fetch(url, { ...init, signal });
      if (!response.ok) throw errorOf(await readRefusal(response));
      return read(response);
    });
  };
  const originOf = createOrigins(settings, send);
  return send;
}

/** Calls an operation with retries, and returns its parsed answer. */
export type Call = (method: string, path: string, input?: Input) => Promise<unknown>;

export function createCall(send: Send, settings: Settings): Call {
  return (method, path, input = {}) => {
    const { signal, retry } = input;
    const operation = `${method} ${path}`;
    const isKeyed = keyedOperations.has(operation);
    // One key for all attempts.
    const sent = isKeyed ? { ...input, idempotencyKey: input.idempotencyKey ?? newKey() } : input;
    const isRepeatable = retry ?? (isKeyed || method === 'GET' || safeOperations.has(operation));
    const read = rawOperations.has(operation) ? (response: Response) => response : parse;
    const maxAttempts = retry === false ? 1 : settings.maxAttempts;
    return withRetries({ maxAttempts, isRepeatable, signal }, () => send<unknown>(method, path, sent, read));
  };
}

/** Finds the address of a path: storage has a separate one, which `GET /` of the platform names. */
function createOrigins({ url, storageUrl }: ClientOptions, send: Send): (path: string) => Promise<string> {
  let storage = storageUrl;
  return async (path) => {
    if (!storagePaths.has(path)) return trim(url);
    storage ??= ((await send('GET', '/', { headers: { accept: 'application/json' } }, parse)) as { storage: string })
      .storage;
    return trim(storage);
  };
}

const trim = (url: string) => url.replace(/\/+$/, '');

/** Fills the parameters of a path. A segment `.` or `..` would lead to another path, because URLs resolve it. */
function fill(path: string, values: Input['path'] = {}): string {
  return path.replace(/\{(\w+)\}/g, (_place, name: string) => {
    const value = String(values[name] ?? '');
    if (!['', '.', '..'].includes(value)) return encodeURIComponent(value);
    throw new TypeError(`The path parameter ${name} of ${path} must not be ${JSON.stringify(value)}.`);
  });
}

/** A list becomes a repeated parameter. */
function queryText(query: Input['query'] = {}): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined && one !== null) text.append(name, String(one));
  }
  return `?${text}`.replace(/^\?$/, '');
}

const rawKinds = [Blob, FormData, URLSearchParams, ReadableStream, Uint8Array];

/** Encodes a body. The type of a raw one is null: `fetch` knows it, or the caller sends it as a header. */
function encode(body: unknown): { body: RawBody | null; type: string | null } {
  const isRaw = body === undefined || typeof body === 'string' || rawKinds.some((kind) => body instanceof kind);
  if (isRaw) return { body: (body ?? null) as RawBody | null, type: null };
  return { body: JSON.stringify(body), type: 'application/json' };
}

/** 128 random bits. `randomUUID` does not exist on pages without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function parse(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { status } = response;
    throw new PlatformError('The response is not JSON.', { status, code: 'RESPONSE_INVALID' }, { cause });
  }
}
