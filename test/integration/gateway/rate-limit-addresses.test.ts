import { beforeAll, describe, expect, test } from '@jest/globals';
import { send } from '../../support/http.ts';
import { startPlatform } from '../../support/platform.ts';

const requestsPerSecond = 5;
const burst = 2 * requestsPerSecond;
let url: string;

beforeAll(async () => {
  const env = { RATE_LIMIT_RPS: String(requestsPerSecond), TRUSTED_PROXIES: '1' };
  ({ url } = await startPlatform({ env }));
});

/** The statuses of requests without a credential, one from each address. */
async function statusesFrom(addresses: string[]): Promise<number[]> {
  const answers = await Promise.all(
    addresses.map((address) => send(url, { path: '/identity/me', headers: { 'x-forwarded-for': address } })),
  );
  return answers.map(({ status }) => status);
}

describe('without a credential', () => {
  test('all addresses of an IPv6 /64 have one limit together, and another /64 has its own', async () => {
    const hosts = Array.from({ length: 10 * burst }, (_none, host) => `2001:db8:1:2::${(host + 1).toString(16)}`);
    const statuses = await statusesFrom(hosts);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
    expect(await statusesFrom(['2001:db8:1:3::1'])).toEqual([401]);
  });

  test('an IPv4 address has one limit, however it is written', async () => {
    const written = ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201', '192.0.2.1:4711'];
    const statuses = await statusesFrom(Array.from({ length: 10 }, () => Array(burst).fill(written)).flat(2));
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(burst);
    expect(await statusesFrom(['::ffff:192.0.2.2'])).toEqual([401]);
  });
});
