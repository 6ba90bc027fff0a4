import type { CallInput, CallOutput, Calls } from '../../lib/contract/context.ts';
import { type Answer, type ErrorBody, type Sent, send } from './http.ts';

/** Where a platform is, and on whose behalf it is called. */
export type Connection = { url: string; orgId: string; apiKey: string };

type Name = keyof Calls & string;

/** HTTP headers over the defaults; null leaves a default out. */
export type Headers = Record<string, string | string[] | null>;

/** A client of the platform's HTTP APIs whose requests and answers have the types of the contracts. */
export type Client = Connection & {
  /** Calls an action by its name and gives its answer; throws when the status is not one of success. */
  call<N extends Name>(name: N, input: CallInput<N>, headers?: Headers): Promise<CallOutput<N>>;
  /** Calls an action with input that its type may forbid, and gives whatever came back. */
  attempt<N extends Name>(name: N, input: Parts, headers?: Headers): Promise<Answer<CallOutput<N> & ErrorBody>>;
  /** Sends a request to any path, or to a whole address, with the defaults' headers. */
  send<T = ErrorBody>(method: string, path: string, body?: unknown, headers?: Headers): Promise<Answer<T>>;
};

/** Input by part, as a client sends it; a `body` that is a text or bytes is sent as it is. */
export type Parts = {
  body?: unknown;
  query?: Record<string, unknown>;
  path?: Record<string, string>;
  headers?: Record<string, string>;
};

/** `url`: of the listener, where it is not the gateway's. */
type Route = { method: string; path: string; url: string | undefined };

const routesOf = new Map<string, Promise<Map<string, Route>>>();

/** A client for a connection; its headers are the credential, the tenant and the content type. */
export function clientOf(connection: Connection): Client {
  const { url, apiKey, orgId } = connection;
  const defaults: Headers = {
    authorization: `Bearer ${apiKey}`,
    'x-tenant-id': orgId,
    'content-type': 'application/json',
  };

  function sendTo<T>(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Answer<T>> {
    return sendFrom<T>(url, { method, path, headers: present({ ...defaults, ...headers }), body: bytesOf(body) });
  }

  const attempt: Client['attempt'] = async (name, parts, headers) => {
    const routes = await readRoutes(url);
    const route = routes.get(name);
    if (!route) throw new Error(`The platform at ${url} offers no ${name}.`);
    const sent = { ...parts.headers, ...headers };
    return sendTo(route.method, `${route.url ?? ''}${pathOf(route, parts)}`, parts.body, sent);
  };

  return {
    ...connection,
    attempt,
    send: sendTo,
    async call(name, input, headers) {
      const { status, body, text } = await attempt(name, input as Parts, headers);
      if (status >= 300) throw new Error(`${name} was answered ${status}: ${text}`);
      return body;
    },
  };
}

/** Sends to a path of an address, or to the address that stands in place of the path. */
function sendFrom<T>(url: string, sent: Sent): Promise<Answer<T>> {
  const [, origin, path] = /^(https?:\/\/[^/]+)(.*)$/.exec(sent.path) ?? [];
  return origin === undefined ? send<T>(url, sent) : send<T>(origin, { ...sent, path: path! });
}

/** The routes of a platform, from the OpenAPI document that it makes of its contracts. */
function readRoutes(url: string): Promise<Map<string, Route>> {
  const known = routesOf.get(url);
  if (known !== undefined) return known;
  const reading = send<OpenApi>(url, { path: '/openapi.json' }).then(({ body }) => {
    const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, servers }]) => {
        const route = { method: method.toUpperCase(), path, url: servers?.[0]?.url };
        return [operationId, route] as const;
      }),
    );
    return new Map(operations);
  });
  routesOf.set(url, reading);
  reading.catch(() => routesOf.delete(url));
  return reading;
}

type Operation = { operationId: string; servers?: { url: string }[] };
type OpenApi = { paths: Record<string, Record<string, Operation>> };

function pathOf({ path }: Route, { path: values = {}, query = {} }: Parts): string {
  const filled = path.replace(/\{(\w+)\}/g, (_place, name: string) => encodeURIComponent(values[name] ?? ''));
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat().filter((each) => each !== undefined)) text.append(name, String(one));
  }
  return text.size === 0 ? filled : `${filled}?${text}`;
}

function bytesOf(body: unknown): string | Uint8Array | undefined {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return body;
  return JSON.stringify(body);
}

function present(headers: Headers): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null));
}
