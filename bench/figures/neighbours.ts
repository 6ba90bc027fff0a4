import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { introduce } from '../../test/support/database.ts';
import { createTenant } from '../../test/support/tenants.ts';
import type { Figure } from '../figure.ts';
import type { HostileJob, HostileResult } from '../load/hostile-load.ts';
import type { HttpRequest } from '../load/http-request.ts';
import { percentile } from '../load/result.ts';
import type { Options } from '../options.ts';
import { runJob, startServer, temporaryFolder, waitUntilQuiet } from '../processes.ts';
import { say } from '../progress.ts';
import type { MailServer } from '../servers/mail-server.ts';
import { startPlatform } from '../servers/platform.ts';
import { type Attack, addressOf, attacks, jsonHeaders, newEvent, type Scene } from './attacks.ts';
import { delayOfMail, mailRequest } from './mail.ts';

const maxRequestMilliseconds = 150;
const maxMailMilliseconds = 2000;
const attackSeconds = { usual: 15, long: 120 };

/** Measures requests and mails of one organization while another organization, or an anonymous client, attacks. */
export async function measureNeighbours({ long }: Options): Promise<Figure[]> {
  const database = await startServer<{ url: string }>('servers/embedded-database.ts', { folder: temporaryFolder() });
  const served = await startServer<MailServer>('servers/mail-server.ts', {});
  const { url } = database.address;
  const platform = await startPlatform(temporaryFolder(), {
    SMTP_URL: served.address.url,
    MONGO_URL: url,
    SECRET_KEY: randomUUID(),
    // As in a deployment behind a proxy.
    RATE_LIMIT_RPS: '100',
    TRUSTED_PROXIES: '1',
  });
  introduce(url, { url: addressOf(platform), publicUrl: platform.publicUrl });
  const attacker = await createTenant(url, { plan: 'scale' });
  const scene = { platform, attacker, server: served.address };
  const send = await mailRequest(platform);
  const seconds = long ? attackSeconds.long : attackSeconds.usual;
  const figures: Figure[] = [];
  const alone = await measureBeside(scene, send, { name: 'nothing', lanes: 0, requests: () => [] }, 5);
  for (const attack of attacks) {
    const round = await measureBeside(scene, send, attack, seconds);
    figures.push(requestFigure(attack, round, alone), mailFigure(attack, round, alone));
    await waitUntilQuiet(platform.pid);
  }
  await platform.stop();
  await Promise.all([served.stop(), database.stop()]);
  return figures;
}

/** Latencies in milliseconds, sorted. */
type Round = { requests: number[]; mails: number[]; statuses: HostileResult['statuses'] };

async function measureBeside(
  scene: Scene,
  send: HttpRequest,
  { name, lanes, requests }: Attack,
  seconds: number,
): Promise<Round> {
  const job: HostileJob = { requests: await requests(scene), lanes, seconds };
  const attacking =
    lanes === 0 ? wait(seconds * 1000, { statuses: {} }) : runJob<HostileResult>('load/hostile-load.ts', job);
  let isOver = false;
  const ended = attacking.finally(() => {
    isOver = true;
  });
  const measure = async (act: () => Promise<unknown>) => {
    const latencies: number[] = [];
    while (!isOver) {
      const startedAt = performance.now();
      await act();
      latencies.push(performance.now() - startedAt);
      await wait(20);
    }
    return latencies.sort((one, other) => one - other);
  };
  const [ofRequests, ofMails, { statuses }] = await Promise.all([
    measure(requestsInTurn(scene)),
    measure(() => delayOfMail(scene.server, scene.platform.port, send)),
    ended,
  ]);
  const round = { requests: ofRequests, mails: ofMails, statuses };
  say(
    `during ${name}: ${describe(round.requests)}, mails ${describe(round.mails)}; answered ${JSON.stringify(statuses)}`,
  );
  return round;
}

/** Each call sends a request of the next kind. */
function requestsInTurn({ platform }: Scene): () => Promise<void> {
  const headers = jsonHeaders(platform);
  const at = addressOf(platform);
  let sent = 0;
  return async () => {
    const kinds: [method: string, url: string, body?: object][] = [
      ['GET', `${at}/identity/me`],
      ['POST', `${at}/access/check`, { userId: 'usr_none', permission: 'mail.send' }],
      ['POST', `${at}/events`, newEvent(platform.orgId)],
      ['GET', `${platform.storageUrl}/v1/buckets`],
      ['GET', `${at}/v1/conversations?limit=20`],
    ];
    const [method, url, body] = kinds[sent % kinds.length] ?? ['GET', at];
    sent += 1;
    const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${url} was answered ${answer.status}: ${text}`);
  };
}

function requestFigure(attack: Attack, { requests }: Round, alone: Round): Figure {
  const p99 = percentile(requests, 0.99);
  return {
    name: `requests of another organization during ${attack.name}`,
    value: describe(requests),
    beside: `without: ${describe(alone.requests)}`,
    ratio: null,
    bar: `p99 ≤ ${maxRequestMilliseconds} ms`,
    holds: p99 <= maxRequestMilliseconds,
    rounds: requests,
  };
}

function mailFigure(attack: Attack, { mails }: Round, alone: Round): Figure {
  const longest = mails.at(-1) ?? Number.POSITIVE_INFINITY;
  return {
    name: `mails of another organization during ${attack.name}`,
    value: describe(mails),
    beside: `without: ${describe(alone.mails)}`,
    ratio: null,
    bar: `≤ ${maxMailMilliseconds} ms`,
    holds: longest <= maxMailMilliseconds,
    rounds: mails,
  };
}

function describe(latencies: number[]): string {
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  return `p50 ${Math.round(p50)}, p99 ${Math.round(p99)}, at most ${Math.round(latencies.at(-1) ?? 0)} ms`;
}
