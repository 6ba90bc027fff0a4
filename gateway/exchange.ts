import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'moleculer';
import type { RequestMeta } from '../lib/caller.ts';

/** A request of Node's, with what was found out about it so far. */
export type GatewayRequest = IncomingMessage & {
  requestId: string;
  startedAt: number;
  /** When a sweep first saw it complete. */
  receivedAt?: number;
  /** Whether it was answered 503 because its handler took too long; what the handler answers later is dropped. */
  hasTimedOut?: boolean;
  /** What the answer carries in any case; written at once with the rest of it, for setting one by one is slow. */
  answerHeaders: AnswerHeaders;
  /** The method as it came: HEAD is routed as GET. */
  receivedMethod: string;
  /** The route that matched; `fullPath` is its pattern, such as `/v1/story/customers/:customerId`. */
  route?: { fullPath: string };
  /** To call services with. */
  ctx: Context<unknown, RequestMeta>;
  /** What stands in the path in place of the route's parameters. */
  parameters: Record<string, string>;
  query: Query;
};

export type AnswerHeaders = Record<string, string | number>;

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
