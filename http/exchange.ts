import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServiceBroker } from 'moleculer';
import type { Action } from '../lib/action.ts';
import type { Ctx, RequestMeta } from '../lib/caller.ts';
import type { Contract } from '../lib/contract.ts';
import type { Progress } from './transfers.ts';

/** Node's request, with the data that the pipeline has added so far. */
export type HttpRequest = IncomingMessage & {
  requestId: string;
  startedAt: number;
  /** When a sweep first saw the request complete. */
  receivedAt?: number;
  /** Sends `100 Continue` to a client that waits for it before its body; absent when none waits. */
  allowBody?: (() => void) | undefined;
  /** The progress of its body and of its answer, from the first sweep that sees them. */
  upload?: Progress;
  download?: Progress;
  /** Whether it was answered after a timeout of its handler or its client; a later answer of the handler is dropped. */
  hasTimedOut?: boolean;
  /**
   * The headers of every answer. They are written together with the others, because setting them one by one is slow.
   */
  answerHeaders: AnswerHeaders;
  /** The original method: HEAD is routed as GET. */
  receivedMethod: string;
  /** The route that matched; `fullPath` is its pattern, such as `/v1/story/customers/:customerId`. */
  route?: { fullPath: string };
  /** The contract of the route's action. */
  contract?: Contract;
  /** Computes the CORS headers of an error response of the route's action; absent where the default headers apply. */
  corsOfRefusal?: Action['corsOfRefusal'];
  /** Ends the admission of a costly request. */
  release?: () => void;
  /** The context for calls to services. */
  ctx: Ctx;
  /** The values of the route's path parameters. */
  parameters: Record<string, string>;
  query: Query;
  /** The query parameter `lastEventId`, for clients of event streams that cannot send the header. */
  lastEventId?: string;
};

/** Sends `100 Continue` to a client that waits for it before its body (RFC 9110 section 10.1.1). */
export function continueBody(request: HttpRequest): void {
  request.allowBody?.();
  request.allowBody = undefined;
}

/** A context for calls to services on behalf of a request. */
export function newContext(broker: ServiceBroker, requestID: string, meta: RequestMeta = {}): HttpRequest['ctx'] {
  return broker.ContextFactory.create(broker, null as never, {}, { requestID, meta }) as HttpRequest['ctx'];
}

export type AnswerHeaders = Record<string, string | number>;

export type HttpResponse = ServerResponse;

/** A parameter that is sent once is a string, a repeated one an array, which a string schema rejects. */
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
