import { Decimal128, Long } from 'bson';
import { type Case, type Group, ids, refused, typesOf } from '../case.ts';
import type { Document } from '../driver.ts';

const sales = [
  { _id: 1, item: 'tea', price: 5, quantity: 2, tags: ['hot', 'green'], at: new Date('2024-01-05') },
  { _id: 2, item: 'tea', price: 7, quantity: 1, tags: ['hot'], at: new Date('2024-02-05') },
  { _id: 3, item: 'ice', price: 3, quantity: 10, tags: [], at: new Date('2024-02-20') },
  { _id: 4, item: 'bun', price: 4, quantity: 3, at: new Date('2024-03-01') },
];

/** What a pipeline gives, with its types. */
export function aggregates(says: string, pipeline: Document[], answer: Document[], given: Document[] = sales): Case {
  return {
    says,
    given,
    when: async ({ collection }) =>
      typesOf(...(await collection.aggregate(pipeline, { promoteValues: false }).toArray())),
    answer: typesOf(...answer),
  };
}

function refuses(says: string, pipeline: unknown, code: number, naming: string): Case {
  return {
    says,
    given: sales,
    when: ({ collection }) => collection.aggregate(pipeline as Document[]).toArray(),
    answer: refused(code, naming),
  };
}

const stages: Case[] = [
  aggregates('an empty pipeline gives everything', [], sales),
  aggregates(
    '$match filters',
    [{ $match: { price: { $gt: 4 } } }, { $project: { item: 1 } }],
    [
      { _id: 1, item: 'tea' },
      { _id: 2, item: 'tea' },
    ],
  ),
  aggregates(
    '$sort, $skip and $limit page',
    [{ $sort: { price: -1 } }, { $skip: 1 }, { $limit: 2 }, { $project: { price: 1 } }],
    [
      { _id: 1, price: 5 },
      { _id: 4, price: 4 },
    ],
  ),
  aggregates(
    '$limit before $sort sorts what is left',
    [{ $sort: { _id: 1 } }, { $limit: 2 }, { $sort: { _id: -1 } }, { $project: { _id: 1 } }],
    [{ _id: 2 }, { _id: 1 }],
  ),
  aggregates(
    '$skip after $limit skips what is left',
    [{ $sort: { _id: 1 } }, { $limit: 2 }, { $skip: 1 }, { $project: { _id: 1 } }],
    [{ _id: 2 }],
  ),
  aggregates('$project keeps fields', [{ $match: { _id: 4 } }, { $project: { item: 1, _id: 0 } }], [{ item: 'bun' }]),
  aggregates(
    '$project drops fields',
    [{ $match: { _id: 4 } }, { $project: { price: 0, at: 0 } }],
    [{ _id: 4, item: 'bun', quantity: 3 }],
  ),
  aggregates('$project renames', [{ $match: { _id: 4 } }, { $project: { name: '$item' } }], [{ _id: 4, name: 'bun' }]),
  aggregates(
    '$project computes',
    [{ $match: { _id: 1 } }, { $project: { total: { $multiply: ['$price', '$quantity'] } } }],
    [{ _id: 1, total: 10 }],
  ),
  aggregates(
    '$addFields adds',
    [{ $match: { _id: 4 } }, { $addFields: { twice: { $add: ['$price', '$price'] } } }],
    [{ ...sales[3], twice: 8 }],
  ),
  aggregates(
    '$unset drops',
    [{ $match: { _id: 4 } }, { $unset: ['price', 'at'] }],
    [{ _id: 4, item: 'bun', quantity: 3 }],
  ),
  aggregates(
    '$replaceRoot takes a document',
    [{ $match: { _id: 1 } }, { $replaceRoot: { newRoot: { is: '$item' } } }],
    [{ is: 'tea' }],
  ),
  aggregates(
    '$unwind gives a document an element',
    [{ $unwind: '$tags' }, { $project: { tags: 1 } }],
    [
      { _id: 1, tags: 'hot' },
      { _id: 1, tags: 'green' },
      { _id: 2, tags: 'hot' },
    ],
  ),
  aggregates(
    '$unwind may keep what has no element',
    [{ $unwind: { path: '$tags', preserveNullAndEmptyArrays: true } }, { $project: { tags: 1 } }],
    [{ _id: 1, tags: 'hot' }, { _id: 1, tags: 'green' }, { _id: 2, tags: 'hot' }, { _id: 3 }, { _id: 4 }],
  ),
  aggregates(
    '$unwind may count the elements',
    [{ $unwind: { path: '$tags', includeArrayIndex: 'at' } }, { $project: { at: 1 } }],
    [
      { _id: 1, at: Long.fromNumber(0) },
      { _id: 1, at: Long.fromNumber(1) },
      { _id: 2, at: Long.fromNumber(0) },
    ],
  ),
  aggregates('$count counts', [{ $match: { item: 'tea' } }, { $count: 'n' }], [{ n: 2 }]),
  aggregates('$count of nothing gives nothing', [{ $match: { item: 'none' } }, { $count: 'n' }], []),
  aggregates(
    '$facet answers several pipelines',
    [
      {
        $facet: {
          teas: [{ $match: { item: 'tea' } }, { $count: 'n' }],
          ids: [{ $sort: { _id: -1 } }, { $limit: 1 }, { $project: { _id: 1 } }],
        },
      },
    ],
    [{ teas: [{ n: 2 }], ids: [{ _id: 4 }] }],
  ),
  aggregates(
    '$sortByCount counts and sorts',
    [{ $match: { _id: { $lte: 3 } } }, { $sortByCount: '$item' }],
    [
      { _id: 'tea', count: 2 },
      { _id: 'ice', count: 1 },
    ],
  ),
  aggregates('a collection that is not there gives nothing', [{ $match: { v: 1 } }], [], []),
  {
    says: '$lookup joins another collection',
    given: sales,
    when: async ({ collection }) => {
      const pipeline = [
        { $match: { _id: 1 } },
        { $lookup: { from: collection.collectionName, localField: 'item', foreignField: 'item', as: 'same' } },
      ];
      const [found] = await collection.aggregate(pipeline).toArray();
      return ids(found!.same).sort();
    },
    answer: [1, 2],
  },
];

const sortedGroups = (group: Document) => [{ $group: group }, { $sort: { _id: 1 } }];

const groups: Case[] = [
  aggregates('$sum adds', sortedGroups({ _id: '$item', total: { $sum: '$quantity' }, n: { $sum: 1 } }), [
    { _id: 'bun', total: 3, n: 1 },
    { _id: 'ice', total: 10, n: 1 },
    { _id: 'tea', total: 3, n: 2 },
  ]),
  aggregates(
    'a group of everything',
    [{ $group: { _id: null, total: { $sum: '$price' } } }],
    [{ _id: null, total: 19 }],
  ),
  aggregates(
    '$avg, $min and $max',
    [{ $group: { _id: null, avg: { $avg: '$price' }, min: { $min: '$price' }, max: { $max: '$price' } } }],
    [{ _id: null, avg: 4.75, min: 3, max: 7 }],
  ),
  aggregates(
    '$first, $last and $push follow the order',
    [
      { $sort: { price: 1 } },
      { $group: { _id: null, first: { $first: '$_id' }, last: { $last: '$_id' }, all: { $push: '$_id' } } },
    ],
    [{ _id: null, first: 3, last: 2, all: [3, 4, 1, 2] }],
  ),
  aggregates('$count counts', sortedGroups({ _id: '$item', n: { $count: {} } }), [
    { _id: 'bun', n: 1 },
    { _id: 'ice', n: 1 },
    { _id: 'tea', n: 2 },
  ]),
  {
    says: '$addToSet takes each value once',
    given: sales,
    when: async ({ collection }) => {
      const [found] = await collection.aggregate([{ $group: { _id: null, items: { $addToSet: '$item' } } }]).toArray();
      return found!.items.sort();
    },
    answer: ['bun', 'ice', 'tea'],
  },
  aggregates(
    'a group by several values',
    [
      { $group: { _id: { item: '$item', month: { $month: '$at' } }, n: { $sum: 1 } } },
      { $sort: { '_id.month': 1, '_id.item': 1 } },
    ],
    [
      { _id: { item: 'tea', month: 1 }, n: 1 },
      { _id: { item: 'ice', month: 2 }, n: 1 },
      { _id: { item: 'tea', month: 2 }, n: 1 },
      { _id: { item: 'bun', month: 3 }, n: 1 },
    ],
  ),
  aggregates(
    '$sum of longs is exact',
    [{ $group: { _id: null, sum: { $sum: '$v' } } }],
    [{ _id: null, sum: Long.fromString('9007199254740995') }],
    [
      { _id: 1, v: Long.fromString('9007199254740993') },
      { _id: 2, v: 2 },
    ],
  ),
  aggregates(
    '$sum of decimals is exact',
    [{ $group: { _id: null, sum: { $sum: '$v' } } }],
    [{ _id: null, sum: Decimal128.fromString('0.3') }],
    [
      { _id: 1, v: Decimal128.fromString('0.1') },
      { _id: 2, v: Decimal128.fromString('0.2') },
    ],
  ),
  aggregates(
    '$sum of doubles stays a double',
    [{ $group: { _id: null, sum: { $sum: '$v' } } }],
    [{ _id: null, sum: 4.5 }],
    [
      { _id: 1, v: 1.5 },
      { _id: 2, v: 3 },
    ],
  ),
  aggregates(
    '$sum leaves what is no number',
    [{ $group: { _id: null, sum: { $sum: '$v' } } }],
    [{ _id: null, sum: 3 }],
    [{ _id: 1, v: 'a' }, { _id: 2, v: 3 }, { _id: 3 }],
  ),
  aggregates(
    'null and a missing field are one group',
    sortedGroups({ _id: '$v', n: { $sum: 1 } }),
    [
      { _id: null, n: 2 },
      { _id: 1, n: 1 },
    ],
    [{ _id: 1, v: null }, { _id: 2 }, { _id: 3, v: 1 }],
  ),
];

const rest: Case[] = [
  {
    says: 'a result beyond the first batch is fetched by getMore',
    given: Array.from({ length: 300 }, (_, _id) => ({ _id })),
    when: async ({ collection }) =>
      (await collection.aggregate([{ $match: {} }, { $sort: { _id: 1 } }], { batchSize: 7 }).toArray()).length,
    answer: 300,
  },
  {
    says: '$match in front uses an index',
    given: Array.from({ length: 50 }, (_, _id) => ({ _id, v: _id % 5 })),
    indexes: [{ key: { v: 1 } }],
    when: async ({ collection }) =>
      collection.aggregate([{ $match: { v: 3 } }, { $group: { _id: '$v', n: { $sum: 1 } } }]).toArray(),
    answer: [{ _id: 3, n: 10 }],
  },
  refuses('an unknown stage is refused by name', [{ $nonsense: {} }], 40324, '$nonsense'),
  refuses('a stage of two fields is refused', [{ $match: {}, $sort: { a: 1 } }], 40323, 'exactly one field'),
  refuses('an unknown expression is refused by name', [{ $addFields: { a: { $nonsense: 1 } } }], 168, '$nonsense'),
  refuses(
    'an unknown accumulator is refused by name',
    [{ $group: { _id: null, a: { $nonsense: 1 } } }],
    15952,
    '$nonsense',
  ),
  refuses('an unknown operator in $match is refused by name', [{ $match: { a: { $nonsense: 1 } } }], 2, '$nonsense'),
  refuses('$limit 0 is refused', [{ $limit: 0 }], 15958, 'limit'),
  refuses('$group without _id is refused', [{ $group: { n: { $sum: 1 } } }], 15955, '_id'),
  {
    says: 'an aggregate without a cursor is refused',
    when: ({ db, collection }) => db.command({ aggregate: collection.collectionName, pipeline: [] }),
    answer: refused(9, 'cursor'),
  },
];

export const aggregateGroups: Group[] = [
  { group: 'aggregate stages', cases: stages },
  { group: 'aggregate groups', cases: groups },
  { group: 'aggregate', cases: rest },
];
