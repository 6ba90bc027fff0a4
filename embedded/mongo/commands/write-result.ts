import type { Fields } from '../bson/value.ts';
import { MongoError } from '../errors.ts';

/**
 * Runs the statements of a bulk. A statement that is refused is reported by its index and ends the bulk when it is
 * ordered; the others stay done. Errors that are not the statement's own end the whole command.
 */
export function runStatements<Statement>(
  statements: Statement[],
  ordered: boolean,
  run: (statement: Statement, index: number) => void,
): Fields[] {
  const writeErrors: Fields[] = [];
  for (const [index, statement] of statements.entries()) {
    try {
      run(statement, index);
    } catch (error) {
      if (!(error instanceof MongoError)) throw error;
      writeErrors.push({ index, code: error.code, errmsg: error.message, ...error.details });
      if (ordered) break;
    }
  }
  return writeErrors;
}

/** The field of a reply for the errors of a bulk: none when there are none. */
export function writeErrorsField(writeErrors: Fields[]): Fields {
  return writeErrors.length > 0 ? { writeErrors } : {};
}
