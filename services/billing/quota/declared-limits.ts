import { isDeepStrictEqual } from 'node:util';
import type { Context, ServiceBroker } from 'moleculer';
import type { DeclaredLimit } from '../../../lib/contract/declared-limits.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { registeredLimits } from '../../../lib/contract/service-declarations.ts';
import { insertIfAbsent } from '../../../lib/data/collection.ts';
import { type DeclaredLimitDocument, DeclaredLimitModel } from '../../../models/billing/declared-limit.ts';
import { declaredLimit, findMeter, isBuiltInMeter, registerLimit } from './meters.ts';

/** The declarations that are stored, as far as this process knows, by name. */
const stored = new Map<string, DeclaredLimit>();

/** Loads the stored declarations that are unknown here, of services that may be absent now. */
export async function loadDeclaredLimits(): Promise<void> {
  const documents = await DeclaredLimitModel.find().lean<DeclaredLimitDocument[]>();
  for (const document of documents) if (!stored.has(document._id)) useStored(document);
}

function useStored({ _id, kind, name, limits }: DeclaredLimitDocument): void {
  stored.set(_id, { kind, name, limits });
  registerLimit(_id, { kind, name, limits });
}

/**
 * Registers the limits that the services in the pool declare, immediately, and then stores the new and changed ones. The
 * kind of a limit never changes, because its counters and their history are of that kind.
 */
export async function keepDeclaredLimits(broker: ServiceBroker): Promise<void> {
  const changed = [...registeredLimits(broker)].filter(([name, limit]) => !isDeepStrictEqual(stored.get(name), limit));
  const usable = changed.filter(([name, limit]) => (declaredLimit(name)?.kind ?? limit.kind) === limit.kind);
  for (const [name, limit] of usable) registerLimit(name, limit);
  for (const [name, limit] of changed) await store(broker, name, limit);
}

async function store(broker: ServiceBroker, name: string, limit: DeclaredLimit): Promise<void> {
  const document = { _id: name, ...limit };
  if (await insertIfAbsent<DeclaredLimitDocument>(DeclaredLimitModel, document)) return useStored(document);
  const { kind, ...rest } = limit;
  const { matchedCount } = await DeclaredLimitModel.updateOne({ _id: name, kind }, { $set: rest });
  if (matchedCount === 1) return useStored(document);
  const earlier = await DeclaredLimitModel.findById(name).lean<DeclaredLimitDocument>();
  if (!earlier) return;
  broker.logger.error(
    `${name} is declared as ${kind} and was ${earlier.kind}, which stays: declare another name for another kind`,
  );
  useStored(earlier);
}

/**
 * Ensures that the declaration of a meter is known here and stored, so that its counters are understood while its
 * service is absent. An unknown one is read from the registry, then from the database, where another node has stored it.
 *
 * @throws UNAVAILABLE no service has declared the meter, or its declaration has not arrived yet.
 */
export async function requireMeter({ broker }: Pick<Context, 'broker'>, name: string): Promise<void> {
  if (isStoredMeter(name)) return;
  await keepDeclaredLimits(broker);
  if (!isStoredMeter(name)) await loadDeclaredLimits();
  if (isStoredMeter(name)) return;
  broker.logger.warn(`No service declares the meter ${name}`);
  throw apiError('UNAVAILABLE');
}

const isStoredMeter = (name: string): boolean => isBuiltInMeter(name) || (stored.has(name) && findMeter(name) !== null);
