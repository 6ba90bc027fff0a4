import { ObjectId, Timestamp } from 'bson';
import { type Maybe, typeOf } from '../bson/value.ts';
import { MongoError, notSupported } from '../errors.ts';
import { type Compile, isNullish, operands } from './operator.ts';

const dayMilliseconds = 86_400_000;

const parts: Record<string, (date: Date) => number> = {
  $year: (date) => date.getUTCFullYear(),
  $month: (date) => date.getUTCMonth() + 1,
  $dayOfMonth: (date) => date.getUTCDate(),
  $dayOfWeek: (date) => date.getUTCDay() + 1,
  $dayOfYear: (date) => Math.floor((date.getTime() - startOfYear(date)) / dayMilliseconds) + 1,
  $hour: (date) => date.getUTCHours(),
  $minute: (date) => date.getUTCMinutes(),
  $second: (date) => date.getUTCSeconds(),
  $millisecond: (date) => date.getUTCMilliseconds(),
};

function startOfYear(date: Date): number {
  const start = new Date(0);
  // Date.UTC maps the years 0 to 99 to 1900 to 1999.
  start.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return start.getTime();
}

/** Operators that return one component of a date, in UTC. */
export const dateOperators = Object.entries(parts).map(([name, partOf]): [string, Compile] => [
  name,
  (operand, parse) => {
    if (operand instanceof Map && (operand.has('date') || operand.has('timezone'))) {
      throw notSupported(`the form of ${name} with a time zone`);
    }
    const [only] = operands(name, operand, parse, 1);
    return (root) => {
      const value = only?.(root);
      return isNullish(value) ? null : partOf(dateOf(value));
    };
  },
]);

function dateOf(value: Maybe): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  if (value instanceof Timestamp) return new Date(value.t * 1000);
  const type = value === undefined ? 'missing' : typeOf(value).alias;
  throw new MongoError('Location16006', `can't convert from BSON type ${type} to Date`);
}
