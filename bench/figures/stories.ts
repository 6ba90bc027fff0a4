import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { boundedFigure, type Figure, medianBy } from '../figure.ts';
import { type Meanwhile, meanwhile } from '../load/meanwhile.ts';
import { percentile } from '../load/result.ts';
import { ask, composedEvents, isoAt, orderOf, sendEvents, untilComposed } from '../load/send-events.ts';
import type { Options } from '../options.ts';
import { waitUntilQuiet } from '../processes.ts';
import { say } from '../progress.ts';
import { type Platform, startPlatform } from '../servers/platform.ts';

const lateEvents = 20_000;
const burstSeconds = { usual: 5, long: 60 };
const burstPerSecond = 5000;
const burstCustomers = 5000;
const timeoutMilliseconds = 120_000;
const bars = { readable: 5, p999: 50, max: 150 };

type Round = {
  /** Seconds from the last event's response until a story with all of them was read. */
  readable: number;
  /** How often the read returned 503 before. */
  refused: number;
  /** Milliseconds of other clients' requests while the story was read, and before that while its events were sent. */
  p999: number;
  max: number;
  p999Before: number;
  maxBefore: number;
  /** Seconds of the burst, and seconds from its end until the stories had all of it. */
  sent: number;
  composed: number;
};

/**
 * Measures a customer with many events out of order, other clients' concurrent requests, and the backlog of a burst.
 * All rounds use one platform, after a burst that is not counted, while the engine still compiles.
 */
export async function measureStories({ rounds, long }: Options): Promise<Figure[]> {
  const seconds = long ? burstSeconds.long : burstSeconds.usual;
  const measured: Round[] = [];
  const platform = await startPlatform();
  const { composed } = await measureBurst(platform, burstSeconds.usual);
  say(`stories, right after a start, not counted: composed ${composed.toFixed(2)}`);
  for (let round = 1; round <= rounds; round += 1) {
    const one = { ...(await measureLate(platform)), ...(await measureBurst(platform, seconds)) };
    measured.push(one);
    say(
      `stories, round ${round}/${rounds}: ${Object.entries(one).map(([name, value]) => `${name} ${value.toFixed(2)}`)}`,
    );
  }
  await platform.stop();
  return [
    boundedFigure('story of 20,000 events out of order', measured, ({ readable }) => readable, 's', bars.readable),
    {
      ...boundedFigure('concurrent requests, p99.9', measured, ({ p999 }) => p999, 'ms', bars.p999),
      beside: `while the events were sent: ${medianBy(measured, ({ p999Before }) => p999Before).p999Before.toFixed(0)} ms`,
    },
    {
      ...boundedFigure('concurrent requests, maximum', measured, ({ max }) => max, 'ms', bars.max),
      beside: `while the events were sent: ${medianBy(measured, ({ maxBefore }) => maxBefore).maxBefore.toFixed(0)} ms`,
    },
    boundedFigure(`backlog of a burst of ${seconds} s at 5,000/s`, measured, ({ composed }) => composed, 's', seconds),
  ];
}

type Late = Omit<Round, 'sent' | 'composed'>;

async function measureLate(platform: Platform): Promise<Late> {
  const customer = `late-${randomUUID()}`;
  const before = othersOf(platform);
  // 7,919 is coprime to the count, so every index occurs once.
  await sendEvents(platform, lateEvents, (index) => orderOf(platform.orgId, customer, (index * 7919) % lateEvents));
  const sending = await before.end();
  const others = othersOf(platform);
  const endedAt = performance.now();
  const refused = await readUntilWhole(platform, customer, endedAt);
  const readable = (performance.now() - endedAt) / 1000;
  const reading = await others.end();
  return {
    readable,
    refused,
    p999: percentile(reading, 0.999),
    max: reading.at(-1) ?? 0,
    p999Before: percentile(sending, 0.999),
    maxBefore: sending.at(-1) ?? 0,
  };
}

/** Another client that repeatedly requests its own profile, which is read from the database. */
function othersOf(platform: Platform): Meanwhile {
  const askOnce = async () => {
    const { status } = await ask(platform, '/identity/me');
    if (status !== 200) throw new Error(`Another request was answered ${status}.`);
  };
  return meanwhile(1, askOnce, 2);
}

/** Returns how often the read returned 503. */
async function readUntilWhole(platform: Platform, customer: string, startedAt: number): Promise<number> {
  for (let refused = 0; ; refused += 1) {
    const { status, text } = await ask(platform, `/v1/story/customers/${customer}`);
    if (status === 200 && text.includes(isoAt(lateEvents - 1))) return refused;
    if (status !== 503) throw new Error(`The story was answered ${status}: ${text}`);
    if (performance.now() - startedAt > timeoutMilliseconds) return refused;
    await wait(250);
  }
}

async function measureBurst(platform: Platform, seconds: number): Promise<Pick<Round, 'sent' | 'composed'>> {
  await waitUntilQuiet(platform.pid);
  const composedBefore = await composedEvents(platform);
  const count = seconds * burstPerSecond;
  const name = randomUUID();
  const eventAt = (index: number) => orderOf(platform.orgId, `${name}-${(index * 7919) % burstCustomers}`, index);
  const startedAt = performance.now();
  await sendEvents(platform, count, eventAt, burstPerSecond);
  const endedAt = performance.now();
  await untilComposed(platform, composedBefore + count, timeoutMilliseconds);
  return { sent: (endedAt - startedAt) / 1000, composed: (performance.now() - endedAt) / 1000 };
}
