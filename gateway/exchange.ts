import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'moleculer';
import type { RequestMeta } from '../lib/caller.ts';

/** Node's request, with the data that the gateway has added so far. */
export type GatewayRequest = IncomingMessage & {
  requestId: string;
  startedAt: number;
  /** When a sweep first saw it complete. */
  receivedAt?: number;
  /** Whether it was answered 503 after a timeout of its handler; a later answer of the handler is dropped. */
  hasTimedOut?: boolean;
  /**
   * The headers of every answer. They are written together with the others, because setting them one by one is slow.
   */
  answerHeaders: AnswerHeaders;
  /** The original method: HEAD is routed as GET. */
  receivedMethod: string;
  /** The route that matched; `fullPath` is its pattern, such as `/v1/story/customers/:customerId`. */
  route?: { fullPath: string };
  /** To call services with. */
  ctx: Context<unknown, RequestMeta>;
  /** The values of the route's path parameters. */
  parameters: Record<string, string>;
  query: Query;
};

export type AnswerHeaders = Record<string, string | number>;

export type GatewayResponse = ServerResponse;

/** A parameter that is sent once is a string, sent repeatedly an array, which a schema of a string refuses. */
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
