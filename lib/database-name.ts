const ownName = 'platform';

/** The database that a MongoDB URL names, or the platform's own. */
export function databaseNameOf(url: string): string {
  return /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1] ?? ownName;
}
