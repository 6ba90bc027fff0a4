import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Address and credential of the platform. `tenantId` is the organization's id. */
export type Connection = { url: string; apiKey: string; tenantId: string };

type Environment = Record<string, string | undefined>;
type FirstRun = { publicUrl?: string; apiKey?: string; orgId?: string };

/**
 * Reads PLATFORM_URL, API_KEY and TENANT_ID; missing values come from `first-run.json`, which a platform on this
 * machine writes to DATA_DIR. A deployed backend sets all three and has no such file.
 */
export async function readConnection(url: string | undefined, environment: Environment): Promise<Connection> {
  const { PLATFORM_URL, API_KEY, TENANT_ID, DATA_DIR = './data' } = environment;
  const givenUrl = url ?? PLATFORM_URL;
  const isComplete = givenUrl && API_KEY && TENANT_ID;
  const firstRun = isComplete ? {} : await readFirstRun(join(DATA_DIR, 'first-run.json'));
  const connection = {
    url: givenUrl ?? firstRun.publicUrl,
    apiKey: API_KEY ?? firstRun.apiKey,
    tenantId: TENANT_ID ?? firstRun.orgId,
  };
  return complete(connection);
}

/** Reads the handover of a platform on this machine. */
export async function readFirstRun(file: string): Promise<FirstRun> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new Error(`Set PLATFORM_URL, API_KEY and TENANT_ID, or start the platform first: ${file} cannot be read.`, {
      cause,
    });
  }
}

function complete({ url, apiKey, tenantId }: Partial<Connection>): Connection {
  if (url && apiKey && tenantId) return { url: url.replace(/\/+$/, ''), apiKey, tenantId };
  throw new Error(
    'The address of the platform, the API key or the tenant is missing: set PLATFORM_URL, API_KEY and TENANT_ID.',
  );
}
