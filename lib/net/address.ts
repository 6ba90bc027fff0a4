import { isIPv4, isIPv6 } from 'node:net';

const maxGroups = 8;

/**
 * The key of an address for limits by address: an IPv4 address, or the /64 of an IPv6 address, because a host chooses
 * the lower half itself (RFC 4291 section 2.5.1). An IPv4 address inside an IPv6 one counts as the IPv4 address: mapped
 * (::ffff:0:0/96), or translated (64:ff9b::/96, RFC 6052), where one /64 would be all of IPv4. Any other text is
 * returned unchanged.
 */
export function networkOf(address: string): string {
  // The check of the form is slow, and most addresses are IPv4.
  if (!address.includes(':') || !isIPv6(address)) return address;
  const groups = groupsOf(address);
  const prefix = groups.slice(0, 6).join(':');
  if (prefix === '0:0:0:0:0:ffff' || prefix === '64:ff9b:0:0:0:0') return ipv4Of(groups.slice(6));
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/**
 * The range of a network of {@link networkOf}: the /24 of an IPv4 address, or the /48 of an IPv6 network. A provider
 * often assigns a customer a whole range, so one attacker can have all of its networks.
 */
export function rangeOf(network: string): string {
  if (isIPv4(network)) return `${network.split('.').slice(0, 3).join('.')}.0/24`;
  return network.endsWith('::/64') ? `${network.split(':').slice(0, 3).join(':')}::/48` : network;
}

/** A network and its range. */
export type Networks = { network: string; range: string };

/** The network and the range of an address. */
export function networksOf(address: string): Networks {
  const network = networkOf(address);
  return { network, range: rangeOf(network) };
}

/** The eight groups of an IPv6 address, in hexadecimal without leading zeros. */
function groupsOf(address: string): string[] {
  const [withoutZone = ''] = address.split('%');
  const [head = [], tail] = withoutZone.split('::').map((part) => part.split(':').filter(Boolean).flatMap(toGroups));
  const gap = tail === undefined ? 0 : maxGroups - head.length - tail.length;
  return [...head, ...Array<string>(gap).fill('0'), ...(tail ?? [])];
}

/** One group, or the two of an IPv4 address at the end. */
function toGroups(part: string): string[] {
  if (!isIPv4(part)) return [Number.parseInt(part, 16).toString(16)];
  const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}

function ipv4Of(groups: string[]): string {
  return groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}
