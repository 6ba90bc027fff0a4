import { randomBytes, randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { takeJob } from './job.ts';

/**
 * One kind of request of a hostile load. In `url` and `body` every `<n>` becomes the number of the round in which each
 * request of the load is sent once, and every `<uuid>` a new UUID; in `headers` every `<address>` becomes an IPv6
 * address of a separate network.
 */
export type HostileRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** Bytes that follow `body`, for large uploads. */
  paddingBytes?: number;
};

/** Sends the requests in turn on `lanes` connections, for `seconds`. */
export type HostileJob = { requests: HostileRequest[]; lanes: number; seconds: number };

/** Number of responses by status; 0 is a broken connection. */
export type HostileResult = { statuses: Record<number, number> };

takeJob(async ({ requests, lanes, seconds }: HostileJob): Promise<HostileResult> => {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  const statuses: Record<number, number> = {};
  const endsAt = performance.now() + seconds * 1000;
  let sent = 0;
  const lane = async () => {
    while (performance.now() < endsAt) {
      const next = requests[sent % requests.length];
      if (!next) return;
      sent += 1;
      const status = await send(agent, next, Math.ceil(sent / requests.length));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  agent.destroy();
  return { statuses };
});

/** Sends a request, discards the body, and returns the status. */
function send(agent: Agent, hostile: HostileRequest, number: number): Promise<number> {
  const fill = (text: string) => text.replaceAll('<n>', String(number)).replaceAll('<uuid>', () => randomUUID());
  const body = Buffer.from(fill(hostile.body ?? '') + 'x'.repeat(hostile.paddingBytes ?? 0));
  const headers = Object.fromEntries(
    Object.entries(hostile.headers).map(([name, value]) => [name, value.replace('<address>', newAddress)]),
  );
  return new Promise((resolve) => {
    const options = { agent, method: hostile.method, headers: { ...headers, 'Content-Length': body.length } };
    const outgoing = request(fill(hostile.url), options, (incoming) => {
      incoming.on('error', () => resolve(0)).on('end', () => resolve(incoming.statusCode ?? 0));
      incoming.resume();
    });
    outgoing.on('error', () => resolve(0)).end(body);
  });
}

const newAddress = (): string => `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`;
