import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { now } from '../../../lib/clock.ts';
import { settings } from '../../../lib/settings.ts';
import { StartError } from '../../../lib/start-error.ts';

/** The contents of first-run.json for the operator. */
export type FirstRunCredentials = {
  publicUrl: string;
  storageUrl: string;
  cdnUrl: string;
  adminEmail: string;
  adminPassword: string;
  orgId: string;
  orgSlug: string;
  applicationId: string;
  apiKey: string;
};

/**
 * Writes `DATA_DIR/first-run.json`, whole or not at all, readable only by its owner. Gives its path.
 *
 * @throws StartError when the folder cannot be written; the next start tries again.
 */
export async function writeHandover(handover: FirstRunCredentials): Promise<string> {
  const file = join(settings.DATA_DIR, 'first-run.json');
  const draft = `${file}.${process.pid}`;
  try {
    await mkdir(settings.DATA_DIR, { recursive: true, mode: 0o700 });
    await writeFile(draft, `${JSON.stringify(handover, null, 2)}\n`, { mode: 0o600, flush: true });
    await rename(draft, file);
  } catch (error) {
    throw new StartError(`The first credentials cannot be written to ${file} (${error}). Make DATA_DIR writable.`);
  }
  return file;
}

/**
 * The first run for a person: what was created, where it is stored, and three calls to paste into a shell. In
 * production, where output is collected and read by others, only where it is stored.
 */
export function formatCredentials(handover: FirstRunCredentials, file: string): string {
  if (settings.production) {
    return `The platform is set up. The first user's password and API key are in ${file}, readable only by its owner.\n`;
  }
  const isGenerated = settings.ADMIN_PASSWORD === undefined;
  const password = isGenerated ? handover.adminPassword : 'the one in ADMIN_PASSWORD';
  return `
The platform is set up. These credentials are shown once and stored in ${file}

  User          ${handover.adminEmail}
  Password      ${password}
  Organization  ${handover.orgId}
  Application   ${handover.applicationId}
  API key       ${handover.apiKey}

Send an event, read the customer's story, and see the owner of the key:

${sendEvent(handover)}

${readStory(handover)}

${readMe(handover)}

`;
}

const customerId = 'customer-1';

function sendEvent(handover: FirstRunCredentials): string {
  const event = {
    schemaVersion: '1.0',
    tenantId: handover.orgId,
    eventId: randomUUID(),
    eventName: 'order.created',
    occurredAt: now().toISOString(),
    actor: { type: 'customer', id: customerId },
    source: { system: 'shop', channel: 'web' },
    payload: {
      orderId: 'order-1',
      totalAmount: '49.90',
      currency: 'EUR',
      items: [{ name: 'Blue mug', quantity: 2, unitPrice: '24.95' }],
      customer: { name: 'Ada Moreau', email: 'ada@example.com' },
    },
  };
  return `${curl(handover, '/events')} -H 'Content-Type: application/json' -d '${JSON.stringify(event)}'`;
}

const readStory = (handover: FirstRunCredentials): string => curl(handover, `/v1/story/customers/${customerId}`);
const readMe = (handover: FirstRunCredentials): string => curl(handover, '/identity/me');

function curl({ publicUrl, apiKey, orgId }: FirstRunCredentials, path: string): string {
  return `curl -sS -w '\\n' '${publicUrl}${path}' -H 'Authorization: Bearer ${apiKey}' -H 'x-tenant-id: ${orgId}'`;
}
