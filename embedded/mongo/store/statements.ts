import type { DatabaseSync, StatementSync } from 'node:sqlite';

export type RecordStatements = {
  insert: StatementSync;
  read: StatementSync;
  update: StatementSync;
  remove: StatementSync;
  lastId: StatementSync;
  forward: StatementSync;
  backward: StatementSync;
};

export type IndexStatements = {
  insert: StatementSync;
  /** Inserts what is not there: a build meets documents that were written since it began, whose keys are. */
  fill: StatementSync;
  remove: StatementSync;
  holder: StatementSync;
  read: StatementSync;
  /** How many keys a range has. */
  countAll: StatementSync;
  /** How many keys a range has, and how many follow one of its keys, both up to a number. */
  count: StatementSync;
  countBehind: StatementSync;
  /** The key at a distance behind one. */
  keyBehind: StatementSync;
  forward: StatementSync;
  backward: StatementSync;
};

export const recordTable = (collectionId: number) => `records_${collectionId}`;
export const indexTable = (indexId: number) => `index_${indexId}`;

/** A number for LIMIT. SQLite plans a statement again whenever a parameter is bound that stands there alone. */
const bound = '? + 0';

const smallBodyBytes = 8 * 1024;

/** What many rows are read with at once: a large document, which may have 16 MiB, is null and is read alone. */
const smallBody = (column: string) => `CASE WHEN length(${column}) <= ${smallBodyBytes} THEN ${column} END`;

/** The statements over the documents of one collection, kept for as long as the collection is. */
export function prepareRecords(database: DatabaseSync, collectionId: number): RecordStatements {
  const table = recordTable(collectionId);
  return {
    insert: database.prepare(`INSERT INTO ${table} (id, body) VALUES (?, ?)`),
    read: rows(database, `SELECT body FROM ${table} WHERE id = ?`),
    update: database.prepare(`UPDATE ${table} SET body = ? WHERE id = ?`),
    remove: database.prepare(`DELETE FROM ${table} WHERE id = ?`),
    lastId: rows(database, `SELECT max(id) FROM ${table}`),
    forward: rows(
      database,
      `SELECT id, id, ${smallBody('body')} FROM ${table} WHERE id > ? ORDER BY id LIMIT ${bound}`,
    ),
    backward: rows(
      database,
      `SELECT id, id, ${smallBody('body')} FROM ${table} WHERE id < ? ORDER BY id DESC LIMIT ${bound}`,
    ),
  };
}

/** The statements over one index; a scan continues after the (key, record) it ended at. */
export function prepareIndex(database: DatabaseSync, indexId: number, collectionId: number): IndexStatements {
  const index = indexTable(indexId);
  const joined = `${index} AS entry CROSS JOIN ${recordTable(collectionId)} AS record ON record.id = entry.record`;
  return {
    insert: database.prepare(`INSERT INTO ${index} (key, record) VALUES (?, ?)`),
    fill: database.prepare(`INSERT OR IGNORE INTO ${index} (key, record) VALUES (?, ?)`),
    remove: database.prepare(`DELETE FROM ${index} WHERE key = ? AND record = ?`),
    holder: rows(database, `SELECT record FROM ${index} WHERE key = ? AND record <> ? LIMIT 1`),
    read: rows(database, `SELECT record.id, record.body FROM ${joined} WHERE entry.key = ?`),
    countAll: rows(database, `SELECT count(*) FROM ${index} WHERE key >= ? AND key < ?`),
    count: rows(database, `SELECT count(*) FROM (SELECT 1 FROM ${index} WHERE key >= ? AND key < ? LIMIT ${bound})`),
    countBehind: rows(
      database,
      `SELECT count(*) FROM (SELECT 1 FROM ${index} WHERE (key, record) > (?, ?) AND key < ? LIMIT ${bound})`,
    ),
    keyBehind: rows(
      database,
      `SELECT key, record FROM ${index} WHERE (key, record) > (?, ?) AND key < ? ORDER BY key, record LIMIT 1 OFFSET ${bound}`,
    ),
    forward: rows(
      database,
      `SELECT entry.key, entry.record, ${smallBody('record.body')} FROM ${joined}
       WHERE (entry.key, entry.record) > (?, ?) AND entry.key < ? ORDER BY entry.key, entry.record LIMIT ${bound}`,
    ),
    backward: rows(
      database,
      `SELECT entry.key, entry.record, ${smallBody('record.body')} FROM ${joined}
       WHERE (entry.key, entry.record) < (?, ?) AND entry.key >= ? ORDER BY entry.key DESC, entry.record DESC LIMIT ${bound}`,
    ),
  };
}

function rows(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

/** A row of a statement with setReturnArrays, which the types of node:sqlite do not describe. */
export function rowOf<Row extends unknown[]>(row: unknown): Row | undefined {
  return row as Row | undefined;
}

export function rowsOf<Row extends unknown[]>(all: unknown): Row[] {
  return all as Row[];
}
