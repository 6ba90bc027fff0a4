import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'moleculer';
import type { Contract } from '../lib/action.ts';
import type { RequestMeta } from '../lib/caller.ts';

/** A request as moleculer-web hands it on: Node's own, with what was found out about it so far. */
export type GatewayRequest = IncomingMessage & {
  requestId: string;
  startedAt: number;
  /** The method as it came: HEAD is routed as GET. */
  receivedMethod: string;
  /** The route that matched; `fullPath` is its pattern, such as `/v1/story/customers/:customerId`. */
  $alias?: { fullPath: string };
  $ctx: Context<unknown, RequestMeta>;
  $params: { params: Record<string, string>; query: Query; body?: unknown };
  $action?: { name: string; contract?: Contract };
};

export type GatewayResponse = ServerResponse;

/** A parameter given once is a text, given repeatedly a list: a schema that wants one text refuses the list. */
export type Query = Record<string, string | string[]>;

/** The parameters of a query string, in an object without prototype. */
export function parseQuery(text: string): Query {
  const query: Query = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    const former = query[name];
    query[name] = former === undefined ? value : [former, value].flat();
  }
  return query;
}
