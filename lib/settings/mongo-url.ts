const ipv4 = /^127(?:\.\d{1,3}){3}$/;

/** Whether a socket's address is on the loopback interface: 127.0.0.0/8 or ::1, also IPv4-mapped. */
export function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined) return false;
  return address === '::1' || ipv4.test(address.replace(/^::ffff:/i, ''));
}

/** Whether the host name of a URL (`URL.hostname`) is loopback: `localhost`, 127.0.0.0/8 or `[::1]`, and no other name. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || ipv4.test(hostname);
}

/** Whether the host of a `Host` header is loopback, with or without a port; see {@link isLoopbackHost}. */
export function isLoopbackHostHeader(host: string | undefined): boolean {
  if (host === undefined || !/^[a-z0-9.:[\]-]+$/i.test(host)) return false;
  const url = URL.parse(`http://${host}`);
  return url !== null && isLoopbackHost(url.hostname);
}

/**
 * A URL with a loopback IP address as its host, without its port and otherwise unchanged; null for any other URL. Such
 * URLs match with every port (RFC 8252 section 7.3).
 */
export function withoutLoopbackPort(url: string): string | null {
  const [, start, rest = ''] = /^(http:\/\/(?:[\d.]+|\[[\da-f:.]+\]))(?::\d+)?([/?].*)?$/i.exec(url) ?? [];
  if (start === undefined || !URL.canParse(url)) return null;
  return isLoopbackHost(new URL(url).hostname) ? start + rest : null;
}

const ownName = 'platform';
/** Parsed by a pattern as the driver does: the WHATWG parser rejects a list of hosts, as of a replica set. */
const pattern = /^mongodb(?:\+srv)?:\/\/(?:[^@/?#]*@)?[^@/?#\s]+(?:\/([^?#\s]*))?(?:\?([^#\s]*))?$/;

/** The database that a MongoDB URL names, or the platform's default. */
export function databaseNameOf(url: string): string {
  return pattern.exec(url)?.[1] || ownName;
}

type Requirement = { option: string; isMet: (value: string) => boolean; sentence: string };

const acknowledged = 'an acknowledged write is journaled and on a majority';
const readConcurrency = 'what was written must be read at once, so reads are from the primary';

/** The options that the platform requires. For some of these the driver prefers the URL over the platform's setting. */
const requirements: Requirement[] = [
  { option: 'readPreference', isMet: (value) => value === 'primary', sentence: readConcurrency },
  { option: 'readPreferenceTags', isMet: () => false, sentence: readConcurrency },
  { option: 'maxStalenessSeconds', isMet: () => false, sentence: readConcurrency },
  {
    option: 'readConcernLevel',
    isMet: (value) => ['local', 'majority', 'linearizable'].includes(value),
    sentence: 'reads are local, majority or linearizable',
  },
  { option: 'w', isMet: (value) => value === 'majority', sentence: acknowledged },
  { option: 'journal', isMet: (value) => value === 'true', sentence: acknowledged },
  { option: 'j', isMet: (value) => value === 'true', sentence: acknowledged },
  // A write that timed out here may still be applied by the server, and be repeated.
  { option: 'wtimeoutMS', isMet: () => false, sentence: acknowledged },
  { option: 'wtimeout', isMet: () => false, sentence: acknowledged },
];

/** Why the platform cannot use a MongoDB URL, as the end of a sentence that begins with its setting; null when it can. */
export function problemOfMongoUrl(url: string): string | null {
  if (!pattern.test(url)) return 'must be a mongodb:// or mongodb+srv:// URL';
  const options = optionsOf(url);
  for (const { option, isMet, sentence } of requirements) {
    const values = options.get(option.toLowerCase()) ?? [];
    if (!values.every(isMet)) return `must not change ${option}: ${sentence}`;
  }
  return null;
}

/** In milliseconds; an option in the URL overrides them. */
const timeouts = {
  // A query fails within two seconds while the database is unreachable.
  serverSelectionTimeoutMS: 2_000,
  connectTimeoutMS: 2_000,
  // A lost database is noticed within a second, and so is one that returns.
  heartbeatFrequencyMS: 1_000,
  // A dead connection would block its call indefinitely. The longest command, creating an index, takes less.
  socketTimeoutMS: 60_000,
  // Longer than any caller's timeout: under load a slow answer is better than a refusal.
  waitQueueTimeoutMS: 60_000,
};

/** The options of a connection to a MongoDB URL: durable writes, and a timeout for every wait. */
export function connectOptionsFor(url: string) {
  const options = optionsOf(url);
  const missing = Object.entries(timeouts).filter(([name]) => !options.has(name.toLowerCase()));
  return {
    ...(Object.fromEntries(missing) as Partial<typeof timeouts>),
    dbName: databaseNameOf(url),
    autoIndex: false,
    autoCreate: false,
    writeConcern: { w: 'majority', journal: true },
  } as const;
}

/** The options of a URL by name in lower case, as the driver compares them. */
function optionsOf(url: string): Map<string, string[]> {
  const options = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(pattern.exec(url)?.[2])) {
    options.set(name.toLowerCase(), [...(options.get(name.toLowerCase()) ?? []), value]);
  }
  return options;
}
