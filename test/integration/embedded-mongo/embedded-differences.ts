import { expect } from '@jest/globals';
import { refused } from './suite/case.ts';
import { alike, type Differences, explained } from './suite/differences.ts';

const notSupported = (naming: string) => refused(115, naming);

/** Where the embedded database answers otherwise than MongoDB. It refuses more, and never answers wrongly. */
export const embeddedDifferences: Differences = {
  ...alike(
    'it tells drivers that it has no sessions, so that they send none and retry no write: both would cost every request',
    { refused: { message: expect.stringContaining('does not support sessions') } },
    { handshake: ['sessions end', 'a session is accepted by reads and writes'] },
  ),
  ...explained('it knows the options it supports and not those of MongoDB, so it refuses both alike, by name', {
    refusals: {
      'an unknown field of a command is refused by name': notSupported('nonsense'),
      'an unknown field of an update statement is refused by name': notSupported('nonsense'),
    },
    cursors: { 'a cursor that follows a collection is refused': notSupported('tailable') },
    collections: { 'a collection that is there cannot be created otherwise': notSupported('capped') },
  }),
  ...explained('it is outside of the portable subset, and refused by name', {
    'aggregate stages': { '$lookup joins another collection': notSupported('$lookup') },
    'filter by evaluation': { '$expr compares fields': notSupported('$expr') },
    index: {
      'an index on a place in an array is used': notSupported('v.0'),
      'an index may expire documents': notSupported('expireAfterSeconds'),
      'an index may order texts by a language': notSupported('collation'),
    },
  }),
  ...explained('it matches regular expressions in linear time, which cannot look ahead or back', {
    'regular expressions that look ahead or back': {
      'a look-ahead': notSupported('look-around'),
      'a reference to a group': notSupported('reference'),
      'a possessive quantifier': notSupported('possessive'),
      'an atomic group': notSupported('atomic'),
      '$ before the very end': notSupported('$ before'),
      '$ before a line break that the pattern names': notSupported('$ before'),
    },
  }),
  ...explained('a name that begins with a dollar sign is an operator that came too far, more likely than a name', {
    'types kept': { 'a name that begins with a dollar sign': refused(52, '$v') },
  }),
};
