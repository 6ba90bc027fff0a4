import type { Logger, ServiceBroker, ServiceSchema } from 'moleculer';
import { settings } from '../lib/settings/settings.ts';
import { problemOfMail } from '../lib/settings/variables-mail.ts';
import { checkOnOpen } from '../mixins/mongo.ts';
import { completeJoin, joinPool, type PoolValues } from '../mixins/pool-membership.ts';
import { checkDatabase } from './check-database.ts';

/** A node's entry into its pool; for a single node only the check of its database. */
type Entry = {
  /** Compares the common values of these services with the other nodes; throws StartError on a difference. */
  declareServices: (schemas: ServiceSchema[]) => void;
};

/**
 * Claims the node's name and verifies that the node belongs to the pool: its settings now, its database as soon as that
 * is open. A console runs no service, so it only claims its name.
 *
 * @throws StartError when a node of the pool has other settings.
 */
export async function enterPool(broker: ServiceBroker, isConsole: boolean, logger: Logger): Promise<Entry> {
  if (!settings.NATS_URL) {
    checkOnOpen(async (log) => void (await checkDatabase(log)));
    return { declareServices: () => {} };
  }
  // A single node does not load the NATS client.
  const { claimNodeId, removeAbsentNodes } = await import('./presence.ts');
  const values = isConsole ? {} : valuesOf(settings);
  const place = { url: settings.NATS_URL, namespace: broker.namespace, nodeID: broker.nodeID };
  const presence = await claimNodeId({ ...place, values }, logger);
  broker.metadata.holdsName = true;
  removeAbsentNodes(broker, presence);
  if (!isConsole) joinPool(broker, values, logger);
  checkOnOpen(async (log) => {
    presence.declare({ database: await checkDatabase(log) });
    await completeJoin(broker);
  });
  return {
    declareServices: (schemas) =>
      presence.declare(Object.assign({}, ...schemas.map(({ metadata }) => metadata?.common))),
  };
}

/** The settings that must be equal on all nodes. A node without mail settings relies on other nodes for mail. */
function valuesOf(own: typeof settings): PoolValues {
  const { PUBLIC_URL, STORAGE_URL, CDN_URL, SMTP_URL } = own;
  const hasMail = problemOfMail(own) === null;
  return { PUBLIC_URL, STORAGE_URL, CDN_URL, ...(hasMail && { mail: SMTP_URL === 'none' ? 'off' : 'on' }) };
}
