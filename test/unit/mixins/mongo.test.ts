import { expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { replaceDriverSets } from '../../../mixins/mongo.ts';

test('the driver has the sets that are replaced, and ends what is in them', async () => {
  const client = new mongoose.mongo.MongoClient('mongodb://127.0.0.1:9');
  expect(replaceDriverSets(client)).toBe(true);
  const [first, second] = [client.startSession(), client.startSession()];
  await first.endSession();
  expect([first.hasEnded, second.hasEnded]).toEqual([true, false]);
  await client.close();
  expect(second.hasEnded).toBe(true);
});
