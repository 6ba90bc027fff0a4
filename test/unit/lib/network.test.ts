import { isIPv4 } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { networkOf, rangeOf } from '../../../lib/net/address.ts';

describe('the network of an address', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['64:ff9b::192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:0002::6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1:2::192.0.2.1', '1:2:0:0::/64'],
    ['1::2:3:4:5:192.0.2.1', '1:0:2:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
    ['', ''],
  ])('of %j is %j', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  test('is that of every way to write an address, and of every host in it', () => {
    const addresses = fc.ipV6().filter((address) => !isIPv4(networkOf(address)));
    const host = fc.integer({ min: 0, max: 0xffff }).map((group) => group.toString(16));
    fc.assert(
      fc.property(addresses, host, (address, group) => {
        const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
        expect(networkOf(canonical)).toBe(networkOf(address));
        const neighbour = networkOf(address).replace('::/64', `:${group}:${group}:${group}:1`);
        expect(networkOf(neighbour)).toBe(networkOf(address));
      }),
    );
  });
});

test.each([
  ['192.0.2.1', '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8:0::/48'],
  ['::ffff:192.0.2.200', '192.0.2.0/24'],
  ['unknown', 'unknown'],
  ['', ''],
])('the range of %j is %j', (address, range) => {
  expect(rangeOf(networkOf(address))).toBe(range);
});
