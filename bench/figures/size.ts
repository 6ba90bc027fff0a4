import { type Figure, medianBy, spreadOf } from '../figure.ts';
import { type HttpConnection, openConnection } from '../load/http-connection.ts';
import { type HttpRequest, wire } from '../load/http-request.ts';
import { orderOf, sendEvents, untilComposed } from '../load/send-events.ts';
import type { Options } from '../options.ts';
import { waitUntilQuiet } from '../processes.ts';
import { say } from '../progress.ts';
import { headersOf, type Platform, startPlatform } from '../servers/platform.ts';

const eventsOfCustomer = 15;
const customers = { small: 100, usual: 20_000, long: 133_333 };
const asksEachRound = 300;
const mostRatio = 2;
/** Composing takes longer than sending. */
const patienceMilliseconds = 3_600_000;

type Request = Omit<HttpRequest, 'headers' | 'status'>;

const requests: { name: string; of: (customer: string) => Request }[] = [
  { name: 'story', of: (customer) => get(`/v1/story/customers/${customer}`) },
  { name: 'resolve', of: (customer) => get(`/v1/story/resolve?q=${customer}`) },
  { name: 'events of a story', of: (customer) => get(`/v1/story/customers/${customer}/events?limit=10`) },
  { name: 'check', of: (customer) => post('/access/check', { userId: customer, permission: 'context.story.read' }) },
  { name: 'me', of: () => get('/identity/me') },
];

const get = (path: string): Request => ({ method: 'GET', path });
const post = (path: string, body: object): Request => ({ method: 'POST', path, body: JSON.stringify(body) });

/** Sends sequential requests to a platform with many events of one organization, and to one with few, alternately. */
export async function measureSize(options: Options): Promise<Figure[]> {
  const small = await fill(customers.small);
  const large = await fill(options.long ? customers.long : customers.usual);
  const figures: Figure[] = [];
  for (const { name, of } of requests) figures.push(await compareSizes(options, name, of, small, large));
  await Promise.all([small.platform.stop(), large.platform.stop()]);
  return figures;
}

/** A platform, and its number of customers. */
type Filled = { platform: Platform; customers: number };

const customerAt = (index: number): string => `customer-${index}`;
const eventsOf = ({ customers }: { customers: number }): string => (customers * eventsOfCustomer).toLocaleString('en');

async function fill(count: number): Promise<Filled> {
  const platform = await startPlatform();
  const startedAt = performance.now();
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1);
  // 7,919 is coprime to the counts of customers, so each customer has the same number of events.
  const eventAt = (index: number) => orderOf(platform.orgId, customerAt((index * 7919) % count), index);
  await sendEvents(platform, count * eventsOfCustomer, eventAt);
  const sent = seconds();
  await untilComposed(platform, count * eventsOfCustomer, patienceMilliseconds);
  // The embedded database still copies its log into the data file.
  await waitUntilQuiet(platform.pid);
  const filled = { platform, customers: count };
  say(`${eventsOf(filled)} events of ${count} customers: sent after ${sent} s, in their stories after ${seconds()} s`);
  return filled;
}

type Round = { small: number; large: number; ratio: number };

async function compareSizes(
  { rounds }: Options,
  name: string,
  of: (customer: string) => Request,
  small: Filled,
  large: Filled,
): Promise<Figure> {
  const measured: Round[] = [];
  // Opened only now: the server closes a connection that is idle for long.
  const connections = {
    small: await openConnection(small.platform.port),
    large: await openConnection(large.platform.port),
  };
  for (let round = 1; round <= rounds; round += 1) {
    const times: { small: number[]; large: number[] } = { small: [], large: [] };
    for (let count = 0; count < asksEachRound; count += 1) {
      times.small.push(await timeOf(connections.small, small, of));
      times.large.push(await timeOf(connections.large, large, of));
    }
    const [one, other] = [medianBy(times.small, Number), medianBy(times.large, Number)];
    measured.push({ small: one, large: other, ratio: other / one });
    say(`${name}, round ${round}/${rounds}: ${other.toFixed(2)} ms, compared with ${one.toFixed(2)} ms`);
  }
  connections.small.close();
  connections.large.close();
  const median = medianBy(measured, ({ ratio }) => ratio);
  return {
    name: `${name}, with ${eventsOf(large)} events`,
    value: `p50 ${median.large.toFixed(2)} ms`,
    beside: `with ${eventsOf(small)}: p50 ${median.small.toFixed(2)} ms`,
    ratio: median.ratio,
    spread: spreadOf(measured.map(({ ratio }) => ratio)),
    bar: `≤ ${mostRatio} ×`,
    holds: median.ratio <= mostRatio,
    rounds: measured,
  };
}

/** Milliseconds of a request about one of the customers. */
async function timeOf(
  connection: HttpConnection,
  { platform, customers }: Filled,
  of: (customer: string) => Request,
): Promise<number> {
  const request = { ...of(customerAt(Math.floor(Math.random() * customers))), headers: headersOf(platform) };
  const text = wire(request);
  const startedAt = performance.now();
  const { status, body } = await connection.exchange(text);
  if (status !== 200) throw new Error(`${request.method} ${request.path} was answered ${status}: ${body}`);
  return performance.now() - startedAt;
}
