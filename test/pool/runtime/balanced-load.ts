import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Event, eventAbout } from '../../support/events.ts';
import { type Answer, type ErrorBody, type Sent, send } from '../../support/http.ts';
import type { Tenant } from '../../support/tenants.ts';

export type Kind = 'allowed check' | 'denied check' | 'me' | 'event' | 'mail' | 'story';

/** One request and its outcome. `status` is 0 when the connection broke before the answer. */
export type Outcome = { kind: Kind; at: number; milliseconds: number; status: number; isRight: boolean; text: string };

export type BalancedLoad = {
  outcomes: Outcome[];
  /** The answers of /health/ready at gateways that accept connections. */
  readiness: { at: number; url: string; status: number; text: string }[];
  acknowledgedEvents: Event[];
  acknowledgedMails: string[];
  stop: () => Promise<void>;
};

export type LoadTarget = {
  urls: string[];
  tenant: Tenant;
  /** A user who holds `storage.upload` in the organization, and not `storage.delete`. */
  userId: string;
  templateId: string;
  perSecond: number;
};

const probeMilliseconds = 250;

/**
 * Sends a mix of requests at a fixed rate, as clients behind a load balancer do: each goes to the next gateway whose
 * last /health/ready was 200, and to another one when the connection is refused.
 */
export function startBalancedLoad({ urls, tenant, userId, templateId, perSecond }: LoadTarget): BalancedLoad {
  const load: BalancedLoad = { outcomes: [], readiness: [], acknowledgedEvents: [], acknowledgedMails: [], stop };
  const ready = new Set(urls);
  const inFlight = new Set<Promise<void>>();
  let isOver = false;
  let count = 0;
  const headers = {
    Authorization: `Bearer ${tenant.apiKey}`,
    'x-tenant-id': tenant.orgId,
    'Content-Type': 'application/json',
  };
  const post = (path: string, body: object): Sent => ({ method: 'POST', path, headers, body: JSON.stringify(body) });
  const checkOf = (permission: string) =>
    post('/access/check', { userId, permission, context: { orgId: tenant.orgId } });

  /** Each request with the condition that a right answer fulfils. */
  const next: Record<Kind, () => [Sent, (answer: Answer<ErrorBody>) => boolean]> = {
    'allowed check': () => [checkOf('storage.upload'), ({ text }) => text === '{"allowed":true}'],
    'denied check': () => [checkOf('storage.delete'), ({ text }) => text === '{"allowed":false}'],
    me: () => [{ path: '/identity/me', headers }, ({ text }) => text.includes(tenant.applicationId)],
    story: () => [{ path: '/v1/story/customers/none', headers }, ({ status }) => status === 404],
    event: () => {
      const event = eventAbout(tenant.orgId, `customer-${count % 50}`);
      return [post('/events', event), ({ status }) => status === 201 && load.acknowledgedEvents.push(event) > 0];
    },
    mail: () => {
      const body = { to: `${randomUUID()}@example.com`, templateId, variables: { number: '1' } };
      const isRight = ({ status, body: answer }: Answer<ErrorBody>) =>
        status === 202 && load.acknowledgedMails.push((answer as unknown as { messageId: string }).messageId) > 0;
      return [post('/v1/mail/send', body), isRight];
    },
  };
  const kinds = Object.keys(next) as Kind[];

  async function request(kind: Kind, turn: number): Promise<void> {
    const [sent, isRight] = next[kind]();
    const at = performance.now();
    const candidates = urls.filter((url) => ready.has(url));
    const answer = await sendToOneOf(rotate(candidates, turn), sent);
    load.outcomes.push({
      kind,
      at,
      milliseconds: performance.now() - at,
      status: answer?.status ?? 0,
      isRight: answer !== null && isRight(answer),
      text: answer?.text ?? '',
    });
  }

  async function probe(url: string): Promise<void> {
    while (!isOver) {
      const at = performance.now();
      const answer = await within(2000, send(url, { path: '/health/ready' }));
      if (answer !== null) load.readiness.push({ at, url, status: answer.status, text: answer.text });
      if (answer?.status === 200) ready.add(url);
      else ready.delete(url);
      await wait(probeMilliseconds);
    }
  }

  async function pace(): Promise<void> {
    const startedAt = performance.now();
    while (!isOver) {
      const kind = kinds[count % kinds.length]!;
      const sending = request(kind, count).finally(() => inFlight.delete(sending));
      inFlight.add(sending);
      count += 1;
      await wait(Math.max(0, startedAt + (count * 1000) / perSecond - performance.now()));
    }
    await Promise.all(inFlight);
  }

  const running = Promise.all([pace(), ...urls.map(probe)]);
  async function stop(): Promise<void> {
    isOver = true;
    await running;
  }
  return load;
}

function rotate<T>(items: T[], turn: number): T[] {
  const first = items.length === 0 ? 0 : turn % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

/** A request that no server accepted goes to the next one; null when the connection broke or no server is left. */
async function sendToOneOf(urls: string[], sent: Sent): Promise<Answer<ErrorBody> | null> {
  for (const url of urls) {
    try {
      return await send<ErrorBody>(url, sent);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') return null;
    }
  }
  return null;
}

async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | null> {
  const late = wait(milliseconds, null, { ref: false });
  return await Promise.race([promise.catch(() => null), late]);
}
