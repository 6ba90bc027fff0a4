import { listUsers } from './list-users.ts';
import { readUser } from './read-user.ts';

export const userActions = {
  'users.list': listUsers,
  'users.read': readUser,
};
