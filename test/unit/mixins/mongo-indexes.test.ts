import { setTimeout as wait } from 'node:timers/promises';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Logger } from 'moleculer';
import { mongo } from 'mongoose';
import { ensureIndexes, type IndexedModel } from '../../../mixins/mongo-indexes.ts';

const { MongoServerError } = mongo;

const logger = { info: jest.fn(), error: jest.fn() };

type Model = Extract<IndexedModel, { modelName: string }>;
type CreateIndexes = Model['collection']['createIndexes'];

/** A model with a unique index and a plain one, of which the database has those in `present`. */
function modelWith(present: string[], building: Promise<unknown>): Model {
  return {
    modelName: 'Thing',
    schema: {
      indexes: () => [
        [{ orgId: 1, slug: 1 }, { unique: true }],
        [{ orgId: 1, at: -1 }, {}],
      ],
    },
    collection: {
      indexes: () => Promise.resolve(present.map((name) => ({ name }))),
      createIndexes: () => building,
    },
  };
}

function modelWithoutCollection(building: Promise<unknown>): IndexedModel {
  const missing = new MongoServerError({ message: 'ns does not exist: test.things', code: 26 });
  const model = modelWith([], building);
  return { ...model, collection: { ...model.collection, indexes: () => Promise.reject(missing) } };
}

function pending() {
  const state: { resolve?: () => void; reject?: (error: Error) => void } = {};
  const promise = new Promise<void>((resolve, reject) => Object.assign(state, { resolve, reject }));
  return { promise, resolve: () => state.resolve!(), reject: (error: Error) => state.reject!(error) };
}

const patience = 1;
const ensure = (model: IndexedModel, { together } = { together: false }) =>
  ensureIndexes(model, { logger: logger as unknown as Logger, together, patienceMilliseconds: patience });
/** More than the patience, and the turns in which an ended wait would be seen. */
const longer = () => wait(20);

describe('the indexes of a model', () => {
  beforeEach(() => {
    jest.clearAllMocks();
  });

  test('are waited for while they are made quickly', async () => {
    await ensure(modelWith([], Promise.resolve()));
    expect(logger.info).not.toHaveBeenCalled();
  });

  test('that are refused stop the start', async () => {
    await expect(ensure(modelWith([], Promise.reject(new Error('refused'))))).rejects.toThrow('refused');
  });

  test('are of all documents where the database has no partial ones', async () => {
    const refused = new MongoServerError({ message: 'Index option is not implemented yet', code: 238 });
    const partial = { name: 'named', partialFilterExpression: { at: { $exists: true } } };
    const indexes = (): ReturnType<Model['schema']['indexes']> => [
      [{ slug: 1 }, { unique: true, name: 'slug' }],
      [{ orgId: 1, at: -1 }, partial],
    ];
    const createIndexes = jest.fn<CreateIndexes>((descriptions) =>
      descriptions.some(({ partialFilterExpression }) => partialFilterExpression)
        ? Promise.reject(refused)
        : Promise.resolve(),
    );
    const model = modelWith([], Promise.resolve());
    const thing = { ...model, schema: { indexes }, collection: { ...model.collection, createIndexes } };
    const slug = { key: { slug: 1 }, unique: true, name: 'slug' };
    const at = { key: { orgId: 1, at: -1 } };
    await ensure(thing);
    expect(createIndexes.mock.calls).toEqual([[[slug]], [[{ ...at, ...partial }]], [[at]]]);
    createIndexes.mockClear();
    await ensure(thing, { together: true });
    expect(createIndexes.mock.calls).toEqual([[[slug, { ...at, ...partial }]], [[slug, at]]]);
  });

  test.each([
    ['of a model that lacks a unique one', (building: Promise<void>) => modelWith(['_id_', 'orgId_1_at_-1'], building)],
    ['of a model whose collection is still to be created', modelWithoutCollection],
    ['that only a function knows', (building: Promise<void>) => ({ createIndexes: () => building })],
  ])('%s are waited for', async (_, modelOf) => {
    const build = pending();
    const model: IndexedModel = modelOf(build.promise);
    const ended = jest.fn();
    const ensured = ensure(model).then(ended);
    await longer();
    expect(ended).not.toHaveBeenCalled();
    build.resolve();
    await ensured;
    expect(logger.info).not.toHaveBeenCalled();
  });

  test('are not waited for when only plain ones are missing and take long', async () => {
    const build = pending();
    const ensured = ensure(modelWith(['_id_', 'orgId_1_slug_1'], build.promise));
    await longer();
    await ensured;
    expect(logger.info).toHaveBeenCalledWith(expect.stringContaining('Thing'));
    build.resolve();
    await longer();
    expect(logger.info).toHaveBeenCalledWith(expect.stringContaining('are built'));
  });

  test('that fail later are reported', async () => {
    const build = pending();
    const ensured = ensure(modelWith(['_id_', 'orgId_1_slug_1'], build.promise));
    await longer();
    await ensured;
    build.reject(new Error('full'));
    await longer();
    expect(logger.error).toHaveBeenCalledWith(expect.stringContaining('were not built'), expect.any(Error));
  });
});
