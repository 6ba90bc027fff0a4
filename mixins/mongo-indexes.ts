import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import type { IndexDescription } from 'mongodb';
import type { IndexDefinition, IndexOptions } from 'mongoose';
import { isNamespaceNotFound, isNotSupported } from '../lib/data/database-errors.ts';

type Indexed = {
  indexes: () => Promise<{ name?: string }[]>;
  createIndexes: (descriptions: IndexDescription[]) => Promise<unknown>;
};

/** The owner of indexes: a Mongoose model, or a function that creates them, which is awaited. */
export type IndexedModel =
  | { createIndexes: () => Promise<unknown>; schema?: never }
  | {
      modelName: string;
      schema: { indexes: () => [IndexDefinition, IndexOptions][] };
      collection: Indexed;
    };

export type EnsureOptions = {
  logger: Logger;
  /**
   * Whether all indexes of a collection are created by one command; the embedded database makes each command durable.
   * FerretDB closes the connection when two nodes send such commands at the same time.
   */
  together: boolean;
  patienceMilliseconds?: number;
};

/**
 * Waits until a model has its indexes. Slow indexes that only speed up queries are built while the service runs; a
 * unique one is awaited, because duplicates must not be written before.
 */
export async function ensureIndexes(model: IndexedModel, options: EnsureOptions): Promise<void> {
  const { logger, together, patienceMilliseconds = 500 } = options;
  const building = makeIndexes(model, together);
  const isDone = await Promise.race([building.then(() => true), wait(patienceMilliseconds, false, { ref: false })]);
  if (isDone || !model.schema || (await lacksUnique(model))) return void (await building);
  logger.info(`The indexes of ${model.modelName} are being built; until then some of its queries are slow.`);
  building.then(
    () => logger.info(`The indexes of ${model.modelName} are built.`),
    (error) => logger.error(`The indexes of ${model.modelName} were not built`, error),
  );
}

async function makeIndexes(model: IndexedModel, together: boolean): Promise<void> {
  if (!model.schema) return void (await model.createIndexes());
  const descriptions = model.schema.indexes().map(([key, options]) => ({ ...options, key }) as IndexDescription);
  if (descriptions.length === 0) return;
  const commands = together ? [descriptions] : descriptions.map((one) => [one]);
  for (const command of commands) await createIndexes(model.collection, command);
}

/** Creates indexes. A partial index only saves writes, so a database without them gets an index of all documents. */
async function createIndexes(collection: Indexed, descriptions: IndexDescription[]): Promise<void> {
  try {
    await collection.createIndexes(descriptions);
  } catch (error) {
    const hasPartial = descriptions.some(({ partialFilterExpression }) => partialFilterExpression);
    if (!hasPartial || !isNotSupported(error)) throw error;
    await collection.createIndexes(descriptions.map(ofAllDocuments));
  }
}

function ofAllDocuments({ partialFilterExpression, name, ...others }: IndexDescription): IndexDescription {
  return { ...others, ...(name !== undefined && !partialFilterExpression && { name }) };
}

async function lacksUnique({ schema, collection }: Extract<IndexedModel, { modelName: string }>): Promise<boolean> {
  const present = new Set(await indexNames(collection));
  return schema.indexes().some(([key, { unique, name }]) => Boolean(unique) && !present.has(name ?? nameOf(key)));
}

/**
 * The names of a collection's indexes; none when it does not exist yet, because a database refuses to list them then.
 */
export async function indexNames(collection: Pick<Indexed, 'indexes'>): Promise<(string | undefined)[]> {
  try {
    return (await collection.indexes()).map(({ name }) => name);
  } catch (error) {
    if (isNamespaceNotFound(error)) return [];
    throw error;
  }
}

/** The default name that the driver gives an index. */
function nameOf(key: object): string {
  return Object.entries(key).flat().join('_');
}
