import type { Fields } from '../bson/value.ts';
import { isInterruption, MongoError } from '../errors.ts';
import { isSliceOver, pause, type Work } from '../slice.ts';

/**
 * Runs the statements of a bulk. A failed statement is reported by its index and ends the bulk when it is ordered; the
 * others stay applied. An interruption or a storage failure ends the whole command.
 */
export function* runStatements<Statement>(
  statements: Statement[],
  ordered: boolean,
  run: (statement: Statement, index: number) => Work<void> | void,
): Work<Fields[]> {
  const writeErrors: Fields[] = [];
  for (const [index, statement] of statements.entries()) {
    try {
      const work = run(statement, index);
      if (work) yield* work;
      if (isSliceOver() && index + 1 < statements.length) yield pause;
    } catch (error) {
      if (!(error instanceof MongoError) || isInterruption(error)) throw error;
      writeErrors.push({ index, code: error.code, errmsg: error.message, ...error.details });
      if (ordered) break;
    }
  }
  return writeErrors;
}

/** The `writeErrors` field of a reply; omitted when there are none. */
export function writeErrorsField(writeErrors: Fields[]): Fields {
  return writeErrors.length > 0 ? { writeErrors } : {};
}
