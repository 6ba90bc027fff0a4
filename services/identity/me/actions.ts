import { readMe } from './read-me.ts';

export const meActions = {
  'me.read': readMe,
};
