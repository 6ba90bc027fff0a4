import mongoose, { type Connection, type Model } from 'mongoose';
import { type Case, type Group, type Scene, stored } from '../case.ts';

type Account = {
  _id: string;
  org: string;
  name?: string;
  balance: number;
  tags: string[];
  lines: { sku: string; count: number }[];
  extra?: unknown;
  createdAt: Date;
  updatedAt: Date;
  __v: number;
};

const schema = new mongoose.Schema<Account>(
  {
    _id: String,
    org: { type: String, required: true },
    name: String,
    balance: { type: Number, default: 0, min: 0 },
    tags: [String],
    lines: [{ _id: false, sku: String, count: Number }],
    extra: {},
  },
  { timestamps: true, optimisticConcurrency: true },
);
schema.index({ org: 1, name: 1 }, { unique: true });

function modelOf({ mongoose: connection, collection }: Scene): Model<Account> {
  const name = collection.collectionName;
  return (connection as Connection).model<Account>(name, schema, name);
}

const cases: Case[] = [
  {
    says: 'a document is created with defaults, timestamps and a version',
    when: async (scene) => {
      const before = Date.now();
      await modelOf(scene).create({ _id: 'a', org: 'o', name: 'x' });
      const [{ createdAt, updatedAt, ...rest }] = (await stored(scene)) as [Account];
      return { rest, times: createdAt.getTime() === updatedAt.getTime() && createdAt.getTime() >= before };
    },
    answer: { rest: { _id: 'a', org: 'o', name: 'x', balance: 0, tags: [], lines: [], __v: 0 }, times: true },
  },
  {
    says: 'a changed document is saved with its changes alone',
    when: async (scene) => {
      const model = modelOf(scene);
      await model.create({ _id: 'a', org: 'o', name: 'x', balance: 5 });
      const account = (await model.findById('a'))!;
      await model.updateOne({ _id: 'a' }, { $set: { name: 'y' } });
      account.tags.push('new');
      account.lines.push({ sku: 's', count: 1 });
      account.lines[0]!.count = 2;
      await account.save();
      const { name, balance, tags, lines } = (await model.findById('a').lean())!;
      return { name, balance, tags, lines };
    },
    answer: { name: 'y', balance: 5, tags: ['new'], lines: [{ sku: 's', count: 2 }] },
  },
  {
    says: 'a document that another saved meanwhile is refused by its version',
    when: async (scene) => {
      const model = modelOf(scene);
      await model.create({ _id: 'a', org: 'o' });
      const [first, second] = [(await model.findById('a'))!, (await model.findById('a'))!];
      first.name = 'first';
      second.name = 'second';
      await first.save();
      const refusal = await second.save().catch((error) => error.name);
      return [refusal, (await model.findById('a').lean())!.name, (await model.findById('a').lean())!.__v];
    },
    answer: ['VersionError', 'first', 1],
  },
  {
    says: 'the indexes of a schema are made and held',
    when: async (scene) => {
      const model = modelOf(scene);
      await model.createIndexes();
      await model.create({ _id: 'a', org: 'o', name: 'x' });
      const error = await model.create({ _id: 'b', org: 'o', name: 'x' }).catch((caught) => caught);
      return [error.code, error.keyPattern, error.keyValue, await model.countDocuments({ org: 'o' })];
    },
    answer: [11000, { org: 1, name: 1 }, { org: 'o', name: 'x' }, 1],
  },
  {
    says: 'the indexes of a schema are in step again',
    when: async (scene) => {
      const model = modelOf(scene);
      await model.collection.createIndex({ balance: 1 });
      const dropped = await model.syncIndexes();
      return [dropped, Object.keys(await model.collection.indexInformation())];
    },
    answer: [['balance_1'], ['_id_', 'org_1_name_1']],
  },
  {
    says: 'findOneAndUpdate upserts with defaults and timestamps',
    when: async (scene) => {
      const account = await modelOf(scene).findOneAndUpdate(
        { _id: 'a', org: 'o' },
        { $inc: { balance: 5 }, $push: { tags: 't' } },
        { upsert: true, returnDocument: 'after' },
      );
      const { _id, org, balance, tags, __v, createdAt } = account!.toObject();
      return { _id, org, balance, tags: [...tags], __v, isDated: createdAt instanceof Date };
    },
    answer: { _id: 'a', org: 'o', balance: 5, tags: ['t'], __v: 0, isDated: true },
  },
  {
    says: 'findOneAndUpdate guards by a condition',
    when: async (scene) => {
      const model = modelOf(scene);
      await model.create({ _id: 'a', org: 'o', balance: 10 });
      const takes = Array.from({ length: 20 }, () =>
        model.findOneAndUpdate({ _id: 'a', balance: { $gte: 3 } }, { $inc: { balance: -3 } }),
      );
      const taken = (await Promise.all(takes)).filter((account) => account !== null).length;
      return [taken, (await model.findById('a').lean())!.balance];
    },
    answer: [3, 1],
  },
  {
    says: 'an update moves the time of the update alone',
    when: async (scene) => {
      const model = modelOf(scene);
      const { createdAt } = await model.create({ _id: 'a', org: 'o', updatedAt: new Date(0) });
      await model.updateOne({ _id: 'a' }, { $set: { name: 'y' } });
      const found = (await model.findById('a').lean())!;
      return [found.createdAt.getTime() === createdAt.getTime(), found.updatedAt.getTime() >= createdAt.getTime()];
    },
    answer: [true, true],
  },
  {
    says: 'bulkSave saves many documents',
    when: async (scene) => {
      const model = modelOf(scene);
      await model.insertMany([
        { _id: 'a', org: 'o', name: '1' },
        { _id: 'b', org: 'o', name: '2' },
      ]);
      const accounts = await model.find().sort({ _id: 1 });
      for (const account of accounts) account.balance = 7;
      await model.bulkSave([...accounts, new model({ _id: 'c', org: 'o', name: '3', balance: 7 })]);
      return (await model.find({ balance: 7 }).sort({ _id: 1 }).lean()).map(({ _id }) => _id);
    },
    answer: ['a', 'b', 'c'],
  },
  {
    says: 'insertMany without order gives what was inserted',
    when: async (scene) => {
      const model = modelOf(scene);
      await model.create({ _id: 'b', org: 'o', name: 'b' });
      const accounts = ['a', 'b', 'c'].map((_id) => ({ _id, org: 'o', name: _id }));
      const error = await model.insertMany(accounts, { ordered: false }).catch((caught) => caught);
      return [error.code, error.insertedDocs.map(({ _id }: Account) => _id), await model.countDocuments()];
    },
    answer: [11000, ['a', 'c'], 3],
  },
  {
    says: 'lean documents are plain',
    when: async (scene) => {
      const model = modelOf(scene);
      await model.create({ _id: 'a', org: 'o', extra: { deep: [1, { x: null }] } });
      const account = (await model.findOne({ org: 'o' }).select({ extra: 1 }).lean())!;
      return [account instanceof mongoose.Document, account];
    },
    answer: [false, { _id: 'a', extra: { deep: [1, { x: null }] } }],
  },
  {
    says: 'a cursor reads documents one by one',
    when: async (scene) => {
      const model = modelOf(scene);
      await model.insertMany(
        Array.from({ length: 30 }, (_, at) => ({ _id: `${at}`, org: 'o', name: `${at}`, balance: at })),
      );
      let sum = 0;
      for await (const { balance } of model.find({ balance: { $gte: 10 } }).cursor({ batchSize: 5 })) sum += balance;
      return sum;
    },
    answer: 390,
  },
  {
    says: 'a nested array is pulled from and set by position',
    when: async (scene) => {
      const model = modelOf(scene);
      await model.create({ _id: 'a', org: 'o', lines: ['x', 'y', 'z'].map((sku) => ({ sku, count: 1 })) });
      await model.updateOne({ _id: 'a', 'lines.sku': 'y' }, { $inc: { 'lines.$.count': 4 } });
      await model.updateOne({ _id: 'a' }, { $pull: { lines: { sku: 'x' } } });
      return (await model.findById('a').lean())!.lines;
    },
    answer: [
      { sku: 'y', count: 5 },
      { sku: 'z', count: 1 },
    ],
  },
  {
    says: 'an aggregate groups',
    when: async (scene) => {
      const model = modelOf(scene);
      await model.insertMany(['a', 'b', 'c'].map((_id, balance) => ({ _id, org: 'o', name: _id, balance })));
      return model.aggregate([{ $match: { org: 'o' } }, { $group: { _id: '$org', total: { $sum: '$balance' } } }]);
    },
    answer: [{ _id: 'o', total: 3 }],
  },
  {
    says: 'distinct, exists, deletes and estimates',
    when: async (scene) => {
      const model = modelOf(scene);
      await model.insertMany(['a', 'b', 'c'].map((_id, at) => ({ _id, org: 'o', name: _id, balance: at % 2 })));
      const distinct = await model.distinct('balance');
      const exists = await model.exists({ name: 'b' });
      const deleted = await model.deleteMany({ balance: 0 });
      return [distinct.sort(), exists, deleted.deletedCount, await model.estimatedDocumentCount()];
    },
    answer: [[0, 1], { _id: 'b' }, 2, 1],
  },
];

export const mongooseGroups: Group[] = [{ group: 'Mongoose', cases }];
