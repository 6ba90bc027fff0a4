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
  const given = optionsOf(url);
  for (const { option, isMet, sentence } of requirements) {
    const values = given.get(option.toLowerCase()) ?? [];
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
  const given = optionsOf(url);
  const missing = Object.entries(timeouts).filter(([name]) => !given.has(name.toLowerCase()));
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
