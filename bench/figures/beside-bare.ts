import { compare } from '../compare.ts';
import type { Figure } from '../figure.ts';
import { eventTemplate } from '../load/event.ts';
import { type HttpRequest, loadWith } from '../load/http-request.ts';
import type { LoadResult } from '../load/result.ts';
import type { Options } from '../options.ts';
import { startServer, waitUntilQuiet } from '../processes.ts';
import type { BareOptions } from '../servers/bare-server.ts';
import { headersOf } from '../servers/platform.ts';

/** A measured server and a credential for it. */
export type Target = { port: number; pid: number; apiKey: string; orgId: string };

type Request = Omit<HttpRequest, 'headers'>;
type Measured = { name: string; target: Target; request: Request; atLeast?: number };

const connections = 32;

export const getMe: Request = { method: 'GET', path: '/identity/me', status: 200 };

/** A new event for each request, about a thousand customers. */
export function postEvent({ orgId }: Target): Request {
  return { method: 'POST', path: '/events', status: 201, body: eventTemplate(orgId) };
}

/** Sends the same requests to the target and to a bare node:http server with the same answers, alternately. */
export async function compareWithBare(options: Options, { name, target, request, atLeast }: Measured): Promise<Figure> {
  const headers = headersOf(target);
  const answer = await fetch(`http://127.0.0.1:${target.port}/identity/me`, { headers });
  const bareOptions: BareOptions = { authorization: headers.Authorization, me: await answer.json() };
  const bare = await startServer<{ port: number }>('servers/bare-server.ts', bareOptions);
  const figure = await compare(options, {
    name,
    subject: () => loadTarget(options, target, request),
    besideName: 'node:http',
    beside: () => load(options, bare.address.port, { ...request, headers }),
    unit: 'req/s',
    atLeast,
  });
  await bare.stop();
  return figure;
}

/** Loads a target with its API key, and waits until it has finished the resulting background work. */
export async function loadTarget(options: Options, target: Target, request: Request): Promise<LoadResult> {
  const result = await load(options, target.port, { ...request, headers: headersOf(target) });
  await waitUntilQuiet(target.pid);
  return result;
}

/** Loads the server on a port, with the same number of connections as every target. */
export function load({ seconds }: Options, port: number, request: HttpRequest): Promise<LoadResult> {
  return loadWith(request, { port, connections, seconds, warmUpSeconds: seconds / 3 });
}
