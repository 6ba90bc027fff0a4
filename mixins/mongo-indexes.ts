import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import type { IndexDefinition, IndexOptions, mongo } from 'mongoose';
import { isNamespaceNotFound, isNotSupported } from '../lib/database-errors.ts';

type Indexed = {
  indexes: () => Promise<{ name?: string }[]>;
  createIndex: (key: mongo.IndexSpecification, options: mongo.CreateIndexesOptions) => Promise<unknown>;
};

/** What has indexes: a Mongoose model, or a function that makes them, which is waited for. */
export type IndexedModel =
  | { createIndexes: () => Promise<unknown>; schema?: never }
  | {
      modelName: string;
      schema: { indexes: () => [IndexDefinition, IndexOptions][] };
      collection: Indexed;
    };

/**
 * Waits until a model has its indexes. Those that take long and only make queries fast are built while the service
 * runs; a unique one is waited for, because what it forbids must not be written before.
 */
export async function ensureIndexes(model: IndexedModel, logger: Logger, patienceMilliseconds = 500): Promise<void> {
  const building = makeIndexes(model);
  const isDone = await Promise.race([building.then(() => true), wait(patienceMilliseconds, false, { ref: false })]);
  if (isDone || !model.schema || (await lacksUnique(model))) return void (await building);
  logger.info(`The indexes of ${model.modelName} are being built; until then some of its queries are slow.`);
  building.then(
    () => logger.info(`The indexes of ${model.modelName} are built.`),
    (error) => logger.error(`The indexes of ${model.modelName} were not built`, error),
  );
}

/**
 * One after the other. FerretDB closes the connection when two nodes make several indexes of a collection by one command
 * at the same time.
 */
async function makeIndexes(model: IndexedModel): Promise<void> {
  if (!model.schema) return void (await model.createIndexes());
  for (const [key, options] of model.schema.indexes()) {
    await makeIndex(model.collection, key as mongo.IndexSpecification, options as mongo.CreateIndexesOptions);
  }
}

/** A partial index spares writes and decides nothing: a database without them gets an index of all documents. */
async function makeIndex(
  collection: Indexed,
  key: mongo.IndexSpecification,
  options: mongo.CreateIndexesOptions,
): Promise<void> {
  try {
    await collection.createIndex(key, options);
  } catch (error) {
    const { partialFilterExpression, name: _name, ...ofAllDocuments } = options;
    if (!partialFilterExpression || !isNotSupported(error)) throw error;
    await collection.createIndex(key, ofAllDocuments);
  }
}

async function lacksUnique({ schema, collection }: Extract<IndexedModel, { modelName: string }>): Promise<boolean> {
  const present = new Set(await indexNames(collection));
  return schema.indexes().some(([key, { unique, name }]) => Boolean(unique) && !present.has(name ?? nameOf(key)));
}

/** None when the collection is still to be created, of which a database refuses to list them. */
export async function indexNames(collection: Pick<Indexed, 'indexes'>): Promise<(string | undefined)[]> {
  try {
    return (await collection.indexes()).map(({ name }) => name);
  } catch (error) {
    if (isNamespaceNotFound(error)) return [];
    throw error;
  }
}

/** The name that the driver gives an index. */
function nameOf(key: object): string {
  return Object.entries(key).flat().join('_');
}
