import { deleteMe } from './delete-me.ts';
import { exportMe } from './export-me.ts';
import { readMe } from './read-me.ts';
import { updateMe } from './update-me.ts';

export const meActions = {
  'me.read': readMe,
  'me.update': updateMe,
  'me.delete': deleteMe,
  'me.export': exportMe,
};
