import { Long } from 'bson';
import { type Case, type Group, refused, storedTypes, typesOf } from '../case.ts';
import type { Document, Filter } from '../driver.ts';

/** What the array `v` of one document becomes. */
function becomes(says: string, before: unknown, update: Document, after: unknown, filter: Filter = {}): Case {
  const document = (v: unknown) => (v === undefined ? { _id: 1 } : { _id: 1, v });
  return {
    says,
    given: [document(before)],
    when: async (scene) => {
      await scene.collection.updateOne(filter, update);
      return storedTypes(scene);
    },
    answer: typesOf(document(after)),
  };
}

function refuses(
  says: string,
  before: unknown,
  update: Document,
  code: number,
  naming = '',
  filter: Filter = {},
): Case {
  return {
    says,
    given: [{ _id: 1, v: before }],
    when: ({ collection }) => collection.updateOne(filter, update),
    answer: refused(code, naming),
  };
}

const each = (values: unknown[], more: Document = {}) => ({ $push: { v: { $each: values, ...more } } });

const push: Case[] = [
  becomes('$push appends', [1], { $push: { v: 2 } }, [1, 2]),
  becomes('$push makes an array', undefined, { $push: { v: 1 } }, [1]),
  becomes('$push appends an array as one element', [1], { $push: { v: [2, 3] } }, [1, [2, 3]]),
  becomes('$push appends a document', [], { $push: { v: { a: 1 } } }, [{ a: 1 }]),
  becomes('$each appends several', [1], each([2, 3]), [1, 2, 3]),
  becomes('$each of nothing changes nothing', [1], each([]), [1]),
  becomes('$position inserts', [1, 4], each([2, 3], { $position: 1 }), [1, 2, 3, 4]),
  becomes('$position 0 inserts in front', [2], each([1], { $position: 0 }), [1, 2]),
  becomes('$position behind the end appends', [1], each([2], { $position: 9 }), [1, 2]),
  becomes('a negative $position counts from the end', [1, 3], each([2], { $position: -1 }), [1, 2, 3]),
  becomes('$slice keeps the first', [1, 2], each([3], { $slice: 2 }), [1, 2]),
  becomes('a negative $slice keeps the last', [1, 2], each([3], { $slice: -2 }), [2, 3]),
  becomes('$slice 0 keeps nothing', [1, 2], each([3], { $slice: 0 }), []),
  becomes('$sort orders', [3, 1], each([2], { $sort: 1 }), [1, 2, 3]),
  becomes('$sort -1 orders backwards', [3, 1], each([2], { $sort: -1 }), [3, 2, 1]),
  becomes('$sort knows the order of types', ['a', 3], each([null, true], { $sort: 1 }), [null, 3, 'a', true]),
  becomes('$sort orders documents by a field', [{ a: 2 }, { a: 1 }], each([{ a: 0 }], { $sort: { a: 1 } }), [
    { a: 0 },
    { a: 1 },
    { a: 2 },
  ]),
  becomes(
    '$sort orders documents by a path and another field',
    [
      { a: { b: 1 }, c: 1 },
      { a: { b: 1 }, c: 2 },
    ],
    each([{ a: { b: 0 }, c: 3 }], { $sort: { 'a.b': 1, c: -1 } }),
    [
      { a: { b: 0 }, c: 3 },
      { a: { b: 1 }, c: 2 },
      { a: { b: 1 }, c: 1 },
    ],
  ),
  becomes('$sort comes before $slice', [5, 1], each([3], { $sort: -1, $slice: 2 }), [5, 3]),
  becomes('$push reaches into an element', [{ w: [1] }], { $push: { 'v.0.w': 2 } }, [{ w: [1, 2] }]),
  refuses('$push to a scalar is refused', 1, { $push: { v: 1 } }, 2, 'array'),
  refuses('$each needs an array', [1], { $push: { v: { $each: 1 } } }, 2, '$each'),
  refuses('an unknown modifier of $push is refused by name', [1], each([1], { $nonsense: 1 }), 2, '$nonsense'),
  refuses('$slice needs a number', [1], each([1], { $slice: 'a' }), 2, '$slice'),
  refuses('$position needs a whole number', [1], each([1], { $position: 1.5 }), 2, '$position'),
  refuses('$sort needs a direction', [1], each([1], { $sort: 2 }), 2, '$sort'),
];

const addToSet: Case[] = [
  becomes('$addToSet adds what is not there', [1], { $addToSet: { v: 2 } }, [1, 2]),
  becomes('$addToSet leaves what is there', [1, 2], { $addToSet: { v: 2 } }, [1, 2]),
  becomes('$addToSet makes an array', undefined, { $addToSet: { v: 1 } }, [1]),
  becomes('$addToSet adds an array as one element', [1], { $addToSet: { v: [1] } }, [1, [1]]),
  becomes('$addToSet with $each adds several once', [1], { $addToSet: { v: { $each: [2, 1, 2, 3] } } }, [1, 2, 3]),
  becomes('$addToSet takes numbers of the same value as one', [1], { $addToSet: { v: Long.fromNumber(1) } }, [1]),
  becomes('$addToSet compares documents with their order', [{ a: 1, b: 2 }], { $addToSet: { v: { b: 2, a: 1 } } }, [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ]),
  becomes('$addToSet leaves an equal document', [{ a: 1 }], { $addToSet: { v: { a: 1 } } }, [{ a: 1 }]),
  becomes('$addToSet leaves repetitions that are there', [1, 1], { $addToSet: { v: 2 } }, [1, 1, 2]),
  refuses('$addToSet to a scalar is refused', 1, { $addToSet: { v: 1 } }, 2, 'array'),
  refuses('$addToSet with $each needs an array', [1], { $addToSet: { v: { $each: 1 } } }, 14, '$each'),
];

const pull: Case[] = [
  becomes('$pull removes every equal element', [1, 2, 1], { $pull: { v: 1 } }, [2]),
  becomes('$pull removes numbers of the same value', [1, Long.fromNumber(1), '1'], { $pull: { v: 1 } }, ['1']),
  becomes('$pull removes by a condition', [1, 5, 9], { $pull: { v: { $gt: 4 } } }, [1]),
  becomes('$pull removes by $in', [1, 2, 3], { $pull: { v: { $in: [1, 3] } } }, [2]),
  becomes('$pull removes by a regular expression', ['ab', 'b', 1], { $pull: { v: /^a/ } }, ['b', 1]),
  becomes('$pull removes documents by their fields', [{ a: 1, b: 1 }, { a: 2 }], { $pull: { v: { a: 1 } } }, [
    { a: 2 },
  ]),
  becomes('$pull removes documents by a condition', [{ a: 1 }, { a: 5 }], { $pull: { v: { a: { $gte: 5 } } } }, [
    { a: 1 },
  ]),
  becomes(
    '$pull removes documents by $elemMatch',
    [
      {
        w: [
          { q: 1, a: 8 },
          { q: 2, a: 9 },
        ],
      },
      { w: [{ q: 1, a: 5 }] },
    ],
    { $pull: { v: { w: { $elemMatch: { q: 2, a: { $gte: 8 } } } } } },
    [{ w: [{ q: 1, a: 5 }] }],
  ),
  becomes('$pull removes null among others', [{ a: 1 }, null, 2, 3], { $pull: { v: { $in: [null, 2] } } }, [
    { a: 1 },
    3,
  ]),
  becomes('$pull removes null', [1, null], { $pull: { v: null } }, [1]),
  becomes('$pull of an array removes an equal array', [[1, 2], [2, 1], 1], { $pull: { v: [1, 2] } }, [[2, 1], 1]),
  becomes('$pull of a missing field changes nothing', undefined, { $pull: { v: 1 } }, undefined),
  becomes('$pull may leave an empty array', [1], { $pull: { v: 1 } }, []),
  refuses('$pull from a scalar is refused', 1, { $pull: { v: 1 } }, 2, 'array'),
  becomes('$pullAll removes all of several', [1, 2, 3, 1], { $pullAll: { v: [1, 3] } }, [2]),
  becomes('$pullAll of a missing field changes nothing', undefined, { $pullAll: { v: [1] } }, undefined),
  becomes('$pullAll removes equal documents alone', [{ a: 1 }, { a: 1, b: 2 }], { $pullAll: { v: [{ a: 1 }] } }, [
    { a: 1, b: 2 },
  ]),
  refuses('$pullAll needs an array', [1], { $pullAll: { v: 1 } }, 2, '$pullAll'),
  refuses('$pullAll from a scalar is refused', 1, { $pullAll: { v: [1] } }, 2, 'array'),
  becomes('$pop 1 removes the last', [1, 2, 3], { $pop: { v: 1 } }, [1, 2]),
  becomes('$pop -1 removes the first', [1, 2, 3], { $pop: { v: -1 } }, [2, 3]),
  becomes('$pop of an empty array changes nothing', [], { $pop: { v: 1 } }, []),
  becomes('$pop of a missing field changes nothing', undefined, { $pop: { v: 1 } }, undefined),
  refuses('$pop from a scalar is refused', 1, { $pop: { v: 1 } }, 14, 'array'),
  refuses('$pop needs 1 or -1', [1], { $pop: { v: 2 } }, 9, '$pop'),
];

const positional: Case[] = [
  becomes('$ is the scalar the filter matched', [1, 2, 3], { $set: { 'v.$': 9 } }, [1, 9, 3], { v: 2 }),
  becomes('$ is the first the filter matched', [5, 6, 7], { $inc: { 'v.$': 10 } }, [5, 16, 7], { v: { $gt: 5 } }),
  becomes(
    '$ is the document the filter matched',
    [{ a: 1 }, { a: 2 }],
    { $set: { 'v.$.b': 9 } },
    [{ a: 1 }, { a: 2, b: 9 }],
    { 'v.a': 2 },
  ),
  becomes(
    '$ is the document $elemMatch matched',
    [
      { a: 1, b: 1 },
      { a: 1, b: 2 },
    ],
    { $set: { 'v.$.c': 9 } },
    [
      { a: 1, b: 1 },
      { a: 1, b: 2, c: 9 },
    ],
    { v: { $elemMatch: { a: 1, b: 2 } } },
  ),
  becomes('$ is found beside other conditions', [1, 2], { $set: { 'v.$': 9 } }, [1, 9], { _id: 1, v: 2 } as never),
  becomes('$unset of $ leaves null', [1, 2], { $unset: { 'v.$': 1 } }, [1, null], { v: 2 }),
  refuses('$ without a match in the filter is refused', [1, 2], { $set: { 'v.$': 9 } }, 2, 'positional operator'),
  becomes('$[] is every element', [1, 2], { $inc: { 'v.$[]': 10 } }, [11, 12]),
  becomes('$[] reaches into every element', [{ a: 1 }, { a: 2 }], { $set: { 'v.$[].b': 0 } }, [
    { a: 1, b: 0 },
    { a: 2, b: 0 },
  ]),
  becomes('$[] of an empty array changes nothing', [], { $inc: { 'v.$[]': 10 } }, []),
  refuses('$[] of a scalar is refused', 5, { $inc: { 'v.$[]': 10 } }, 2),
  {
    says: '$[name] is every element an array filter matches',
    given: [{ _id: 1, v: [1, 5, 9] }],
    when: async (scene) => {
      await scene.collection.updateOne({}, { $set: { 'v.$[big]': 0 } }, { arrayFilters: [{ big: { $gt: 4 } }] });
      return storedTypes(scene);
    },
    answer: typesOf({ _id: 1, v: [1, 0, 0] }),
  },
];

export const arrayUpdateGroups: Group[] = [
  { group: 'update by $push', cases: push },
  { group: 'update by $addToSet', cases: addToSet },
  { group: 'update by $pull, $pullAll and $pop', cases: pull },
  { group: 'update by position', cases: positional },
];
