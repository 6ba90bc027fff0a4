import type { Group } from '../case.ts';
import { aggregateGroups } from './aggregate.ts';
import { expressionGroups } from './expressions.ts';
import { filterGroups } from './filters.ts';
import { handshakeGroups } from './handshake.ts';
import { indexGroups } from './indexes.ts';
import { mongooseGroups } from './mongoose.ts';
import { readGroups } from './reads.ts';
import { regexGroups } from './regular-expressions.ts';
import { typeGroups } from './types.ts';
import { arrayUpdateGroups } from './update-arrays.ts';
import { updateGroups } from './updates.ts';
import { writeGroups } from './writes.ts';

export const groups: Group[] = [
  ...handshakeGroups,
  ...filterGroups,
  ...regexGroups,
  ...readGroups,
  ...writeGroups,
  ...updateGroups,
  ...arrayUpdateGroups,
  ...aggregateGroups,
  ...expressionGroups,
  ...indexGroups,
  ...typeGroups,
  ...mongooseGroups,
];
