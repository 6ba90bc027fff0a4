import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import type { Case, Group, Scene } from './case.ts';
import { observe } from './case.ts';
import { groups } from './cases/index.ts';
import type { Differences } from './differences.ts';
import { type Collection, MongoClient } from './driver.ts';

/**
 * Defines every case as a test against the server at `getUrl()`. A case that `differences` lists must answer exactly
 * what is listed there, so a difference that is gone fails until it is taken off the list. Those listed without an
 * answer are not run.
 */
export function defineMongoSuite(getUrl: () => string, differences: Differences = {}): void {
  const scene: { shared?: Omit<Scene, 'collection'> } = {};
  let collections = 0;

  const fill = async (collection: Collection, { given = [], indexes = [] }: Case): Promise<void> => {
    if (given.length > 0) await collection.insertMany(given.map((document) => ({ ...document })));
    if (indexes.length > 0) await collection.createIndexes(indexes);
  };

  const answerOf = async (one: Case): Promise<unknown> => {
    collections += 1;
    const shared = scene.shared!;
    const collection = shared.db.collection(`case_${collections}`);
    const answer = await observe(async () => {
      await fill(collection, one);
      return one.when({ ...shared, collection });
    });
    // Some servers become slow when they have hundreds of collections.
    await collection.drop();
    return answer;
  };

  beforeAll(async () => {
    const url = getUrl();
    const name = `suite_${randomUUID().slice(0, 8)}`;
    const client = await MongoClient.connect(url);
    const connection = await mongoose.createConnection(url, { dbName: name, autoIndex: false }).asPromise();
    scene.shared = { url, client, db: client.db(name), mongoose: connection };
  });

  afterAll(async () => {
    await scene.shared?.db.dropDatabase();
    await scene.shared?.mongoose.close();
    await scene.shared?.client.close();
  });

  describe.each(groups)('$group', ({ group, cases }: Group) => {
    const listed = (one: Case) => Object.hasOwn(differences, idOf(group, one));
    // What has no answer of its own here answers now this, now that, and shows nothing.
    const answered = (one: Case) => listed(one) && Object.hasOwn(differences[idOf(group, one)]!, 'answers');

    for (const one of cases.filter((one) => !listed(one))) {
      test(one.says, async () => {
        expect(await answerOf(one)).toEqual(one.answer);
      });
    }

    for (const one of cases.filter(answered)) {
      const difference = differences[idOf(group, one)]!;
      test(`${one.says} (differs here: ${difference.reason})`, async () => {
        const observed = await answerOf(one);
        expect(observed).not.toEqual(one.answer);
        expect(observed).toEqual(difference.answers);
      });
    }
  });

  test('a listed difference is one of the cases', () => {
    expect(caseIds).toEqual(expect.arrayContaining(Object.keys(differences)));
  });

  test('no two cases say the same', () => {
    expect(new Set(caseIds).size).toBe(caseIds.length);
  });
}

function idOf(group: string, { says }: Case): string {
  return `${group}: ${says}`;
}

const caseIds = groups.flatMap(({ group, cases }) => cases.map((one) => idOf(group, one)));
