import { joinWithAnd } from '../../text.ts';
import { activity } from './activity.ts';
import { contact } from './contact.ts';
import { open } from './open.ts';
import { person, title } from './person.ts';
import { orders, payments } from './purchases.ts';
import { subscription } from './subscription.ts';
import { months } from './words.ts';

/**
 * Writes stories in English. A clause begins in lower case, unless with a name, and has no full stop: sentences are
 * made of clauses.
 */
export const english = {
  list: joinWithAnd,
  months,
  noPurchase: 'no purchase is on record yet',
  /** How the sentences after the opening begin. */
  beginnings: 'They|That day they|Their|After|The record shows|No purchase is on record|No open orders|As of \\d+',
  title,
  person,
  orders,
  payments,
  subscription,
  contact,
  activity,
  open,
};
