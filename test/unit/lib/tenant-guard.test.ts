import { describe, expect, test } from '@jest/globals';
import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../../lib/data/tenant-guard.ts';

// There is no connection, and nothing waits for one: what the guard lets through fails right behind it.
const withoutConnection = { bufferCommands: false, autoCreate: false, autoIndex: false };
const schema = new Schema({ _id: String, orgId: String, name: String }, withoutConnection);
schema.plugin(tenantGuard);
const Guarded = model('Guarded', schema);
const letThrough = /before initial connection is complete/;
const refusal = 'A query on Guarded names no organization.';
type Run = (filter: object) => PromiseLike<unknown>;
const operations: [string, Run][] = [
  ['find', (filter) => Guarded.find(filter)],
  ['findOne', (filter) => Guarded.findOne(filter)],
  ['countDocuments', (filter) => Guarded.countDocuments(filter)],
  ['distinct', (filter) => Guarded.distinct('name', filter)],
  ['updateOne', (filter) => Guarded.updateOne(filter, { name: 'x' })],
  ['updateMany', (filter) => Guarded.updateMany(filter, { name: 'x' })],
  ['replaceOne', (filter) => Guarded.replaceOne(filter, { name: 'x' })],
  ['deleteOne', (filter) => Guarded.deleteOne(filter)],
  ['deleteMany', (filter) => Guarded.deleteMany(filter)],
  ['findOneAndUpdate', (filter) => Guarded.findOneAndUpdate(filter, { name: 'x' })],
  ['findOneAndReplace', (filter) => Guarded.findOneAndReplace(filter, { name: 'x' })],
  ['findOneAndDelete', (filter) => Guarded.findOneAndDelete(filter)],
];

function messageOf(query: PromiseLike<unknown>): Promise<string> {
  return Promise.resolve(query).then(
    () => 'no refusal at all',
    (error: Error) => error.message,
  );
}

describe('a query on a guarded model', () => {
  test.each(operations)('%s without an organization is refused', async (_name, run) => {
    expect(await messageOf(run({ _id: 'x' }))).toBe(refusal);
  });

  test.each(operations)('%s with an operator in the place of the organization is refused', async (_name, run) => {
    expect(await messageOf(run({ orgId: { $ne: null } }))).toBe(refusal);
  });

  test.each(operations)('%s that names its organization is let through', async (_name, run) => {
    expect(await messageOf(run({ orgId: 'org_1' }))).toMatch(letThrough);
  });

  test('across tenants has to say so', async () => {
    expect(await messageOf(Guarded.find({}).setOptions({ acrossTenants: true }))).toMatch(letThrough);
  });

  test('counts no tenant with the others, and finds nobody by id alone', async () => {
    expect(await messageOf(Guarded.estimatedDocumentCount())).toBe(refusal);
    expect(await messageOf(Guarded.findById('x'))).toBe(refusal);
    expect(await messageOf(Guarded.findByIdAndUpdate('x', { name: 'x' }))).toBe(refusal);
    expect(await messageOf(Guarded.exists({ _id: 'x' }))).toBe(refusal);
  });

  test('writes in bulk only past the model', async () => {
    const deletion = [{ deleteMany: { filter: {} } }];
    expect(await messageOf(Guarded.bulkWrite(deletion))).toMatch(/naming orgId in every filter/);
  });

  test('aggregates only through a helper', async () => {
    expect(await messageOf(Guarded.aggregate([{ $match: {} }]).exec())).toMatch(/helper that matches orgId/);
  });
});
