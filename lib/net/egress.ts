import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { second } from '../data/clock.ts';
import { settings } from '../settings/settings.ts';
import {
  defaultTimeout,
  type EgressAnswer,
  EgressError,
  type EgressRequest,
  exchange,
  hostOf,
  httpsPort,
  portOf,
} from './http-exchange.ts';
import { isPublicAddress, isWithin, type Network } from './public-address.ts';

/*
 * Requests to addresses that tenants choose. The host is resolved here, each of its addresses is checked, and the
 * connection goes to a checked address, so a name that resolves differently the next time (DNS rebinding) has no effect.
 */

export type EgressPolicy = {
  /** Networks that may be called although they are private, also by plain HTTP and on any port. */
  allowed: readonly Network[];
  /** The IP addresses of a host name. */
  resolve?: (name: string, signal: AbortSignal) => Promise<string[]>;
};

const firstUnprivilegedPort = 1024;

const operatorsPolicy: EgressPolicy = { allowed: settings.EGRESS_ALLOW };

/**
 * Why a URL must never be called, as a sentence; null when only the addresses of its host remain to be checked. For the
 * input of an endpoint that stores the URL.
 */
export function problemOfUrl(text: string, { allowed }: EgressPolicy = operatorsPolicy): string | null {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return 'Must be an https URL.';
  if (url.username || url.password) return 'Must not contain a user name or password.';
  if (text.length > 2000) return 'Must be at most 2,000 characters.';
  const literal = addressOf(url);
  const isAllowed = literal === null ? allowed.length > 0 : isWithin(literal, allowed);
  if (literal !== null && !isAllowed && !isPublicAddress(literal)) return 'Must have a public address.';
  if (isAllowed) return null;
  if (isLocalName(hostOf(url))) return 'Must have a public address.';
  return problemOfService(url);
}

/** Why a public address must not be called: only HTTPS is allowed, and no port of another well-known protocol. */
function problemOfService(url: URL): string | null {
  if (url.protocol !== 'https:') return 'Must be an https URL.';
  const port = portOf(url);
  return port === httpsPort || port >= firstUnprivilegedPort ? null : 'Must use port 443, or a port from 1024.';
}

/**
 * Sends a request to a URL that a tenant chose. Redirects are not followed; an answer of any status is returned.
 *
 * @throws EgressError
 */
export async function requestOutside(
  { url: text, timeoutMilliseconds = defaultTimeout, ...request }: EgressRequest,
  policy: EgressPolicy = operatorsPolicy,
): Promise<EgressAnswer> {
  const problem = problemOfUrl(text, policy);
  if (problem !== null) throw new EgressError('forbidden', problem);
  const url = new URL(text);
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  const addresses = await checkedAddresses(url, policy, signal);
  // A dedicated connection: a pooled one may lead to an address that was checked for another request.
  return await exchange(url, request, signal, { lookup: pinTo(addresses), agent: false });
}

/** Resolves the host and checks all its addresses; one forbidden address rejects the host. */
async function checkedAddresses(url: URL, policy: EgressPolicy, signal: AbortSignal): Promise<string[]> {
  const literal = addressOf(url);
  const addresses = literal === null ? await resolveHost(hostOf(url), policy, signal) : [literal];
  if (addresses.length === 0) throw new EgressError('unreachable', 'The host has no address.');
  for (const address of addresses) {
    if (isWithin(address, policy.allowed)) continue;
    if (!isPublicAddress(address)) throw new EgressError('forbidden', 'The host has an address that is not public.');
    const problem = problemOfService(url);
    if (problem !== null) throw new EgressError('forbidden', problem);
  }
  return addresses;
}

async function resolveHost(name: string, { resolve = lookUp }: EgressPolicy, signal: AbortSignal): Promise<string[]> {
  if (isLocalName(name)) return ['127.0.0.1'];
  const late = Promise.withResolvers<never>();
  signal.addEventListener('abort', late.reject, { once: true });
  try {
    return await Promise.race([resolve(name, signal), late.promise]);
  } catch (cause) {
    throw new EgressError('unreachable', 'The name of the host cannot be resolved.', { cause });
  }
}

/** Queries DNS directly. The system's resolver would block a thread of the process while a name server is slow. */
async function lookUp(name: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver({ timeout: 3 * second, tries: 2 });
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [four, six].flatMap((found) => (found.status === 'fulfilled' ? found.value : []));
  if (addresses.length === 0 && four.status === 'rejected') throw four.reason;
  return addresses;
}

/** The resolver of one connection: it returns the checked addresses for every name. */
function pinTo(addresses: string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, done) => {
    const [first] = entries;
    if (options.all) return done(null, entries);
    if (first) done(null, first.address, first.family);
  };
}

/** The host where it is an IP address. URL parsing has normalized other notations, such as 0x7f.1. */
function addressOf(url: URL): string | null {
  const host = hostOf(url);
  return isIP(host) === 0 ? null : host;
}

/** Whether a name always means this machine, regardless of DNS (RFC 6761 section 6.3). */
const isLocalName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');
