import ipaddr from 'ipaddr.js';

/** An IP network: its address and the length of its prefix. */
export type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Addresses in public ranges that lead to a cloud's internal services: Azure's WireServer. */
const cloudServices = new Set(['168.63.129.16']);

const globalUnicast: Network = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Whether an IP address is on the public internet. False for private, shared (CGNAT), loopback, link-local (cloud
 * metadata), multicast, reserved and unspecified addresses, and for IPv6 addresses that embed an IPv4 address (mapped,
 * NAT64, 6to4, Teredo), because the router behind them decides where they lead.
 */
export function isPublicAddress(text: string): boolean {
  const address = parse(text);
  if (address?.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return address.match(globalUnicast as [ipaddr.IPv6, number]);
  return !cloudServices.has(address.toString());
}

/** Whether an IP address is in one of the networks. An IPv4-mapped address counts as the IPv4 address. */
export function isWithin(text: string, networks: readonly Network[]): boolean {
  const parsed = parse(text);
  if (!parsed) return false;
  const address = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
  return networks.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits));
}

/** Parses a CIDR such as `10.0.0.0/8`, or a single address, to a network; null for any other text. */
export function parseNetwork(text: string): Network | null {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.parse(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch {
    return null;
  }
}

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  // Without the legacy forms (octal, hexadecimal, fewer parts), which programs parse differently.
  const isStrict = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
  return isStrict ? ipaddr.parse(text) : null;
}
