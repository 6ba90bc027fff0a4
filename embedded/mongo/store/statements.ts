import type { DatabaseSync, StatementSync } from 'node:sqlite';

/*
 * Statements are prepared on first use and kept as long as their collection or index exists: there are more than a
 * thousand, a process needs only a few, and each costs a tenth of a millisecond and some kilobytes.
 */

export const recordTable = (collectionId: number) => `records_${collectionId}`;
export const indexTable = (indexId: number) => `index_${indexId}`;

/** Parameter for LIMIT. SQLite re-plans a statement whenever a bare LIMIT parameter is bound. */
const bound = '? + 0';

const smallBodyBytes = 8 * 1024;

/** Column for reads of many rows: the body, or null for a large document (up to 16 MiB), which is read separately. */
const smallBody = (column: string) => `CASE WHEN length(${column}) <= ${smallBodyBytes} THEN ${column} END`;

/** Statements over the documents of one collection. */
export class RecordStatements {
  readonly #database: DatabaseSync;
  readonly #table: string;
  #insert?: StatementSync;
  #read?: StatementSync;
  #update?: StatementSync;
  #remove?: StatementSync;
  #lastId?: StatementSync;
  #forward?: StatementSync;
  #backward?: StatementSync;

  constructor(database: DatabaseSync, collectionId: number) {
    this.#database = database;
    this.#table = recordTable(collectionId);
  }

  get insert(): StatementSync {
    this.#insert ??= this.#database.prepare(`INSERT INTO ${this.#table} (id, body) VALUES (?, ?)`);
    return this.#insert;
  }

  get read(): StatementSync {
    this.#read ??= rows(this.#database, `SELECT body FROM ${this.#table} WHERE id = ?`);
    return this.#read;
  }

  get update(): StatementSync {
    this.#update ??= this.#database.prepare(`UPDATE ${this.#table} SET body = ? WHERE id = ?`);
    return this.#update;
  }

  get remove(): StatementSync {
    this.#remove ??= this.#database.prepare(`DELETE FROM ${this.#table} WHERE id = ?`);
    return this.#remove;
  }

  get lastId(): StatementSync {
    this.#lastId ??= rows(this.#database, `SELECT max(id) FROM ${this.#table}`);
    return this.#lastId;
  }

  get forward(): StatementSync {
    this.#forward ??= this.#scan('id > ? ORDER BY id');
    return this.#forward;
  }

  get backward(): StatementSync {
    this.#backward ??= this.#scan('id < ? ORDER BY id DESC');
    return this.#backward;
  }

  #scan(condition: string): StatementSync {
    const columns = `id, id, ${smallBody('body')}`;
    return rows(this.#database, `SELECT ${columns} FROM ${this.#table} WHERE ${condition} LIMIT ${bound}`);
  }
}

/** Statements over one index; a scan continues after its last (key, record). */
export class IndexStatements {
  readonly #database: DatabaseSync;
  readonly #index: string;
  readonly #records: string;
  #insert?: StatementSync;
  #fill?: StatementSync;
  #remove?: StatementSync;
  #holder?: StatementSync;
  #read?: StatementSync;
  #countAll?: StatementSync;
  #count?: StatementSync;
  #countBehind?: StatementSync;
  #keyBehind?: StatementSync;
  #forward?: StatementSync;
  #backward?: StatementSync;

  constructor(database: DatabaseSync, indexId: number, collectionId: number) {
    this.#database = database;
    this.#index = indexTable(indexId);
    this.#records = recordTable(collectionId);
  }

  get insert(): StatementSync {
    this.#insert ??= this.#database.prepare(`INSERT INTO ${this.#index} (key, record) VALUES (?, ?)`);
    return this.#insert;
  }

  /** Inserts a key unless it exists: documents that were written since the build began have their keys already. */
  get fill(): StatementSync {
    this.#fill ??= this.#database.prepare(`INSERT OR IGNORE INTO ${this.#index} (key, record) VALUES (?, ?)`);
    return this.#fill;
  }

  get remove(): StatementSync {
    this.#remove ??= this.#database.prepare(`DELETE FROM ${this.#index} WHERE key = ? AND record = ?`);
    return this.#remove;
  }

  get holder(): StatementSync {
    this.#holder ??= this.#select('record', 'key = ? AND record <> ? LIMIT 1');
    return this.#holder;
  }

  get read(): StatementSync {
    this.#read ??= this.#selectDocuments('record.id, record.body', 'entry.key = ?');
    return this.#read;
  }

  /** Counts the keys of a range. */
  get countAll(): StatementSync {
    this.#countAll ??= this.#select('count(*)', 'key >= ? AND key < ?');
    return this.#countAll;
  }

  /** Counts the keys of a range, up to a limit. */
  get count(): StatementSync {
    this.#count ??= this.#countUpTo('key >= ? AND key < ?');
    return this.#count;
  }

  /** Counts the keys of a range after a given key, up to a limit. */
  get countBehind(): StatementSync {
    this.#countBehind ??= this.#countUpTo('(key, record) > (?, ?) AND key < ?');
    return this.#countBehind;
  }

  /** Returns the key at an offset after a given key. */
  get keyBehind(): StatementSync {
    this.#keyBehind ??= this.#select(
      'key, record',
      `(key, record) > (?, ?) AND key < ? ORDER BY key, record LIMIT 1 OFFSET ${bound}`,
    );
    return this.#keyBehind;
  }

  get forward(): StatementSync {
    this.#forward ??= this.#scan(
      '(entry.key, entry.record) > (?, ?) AND entry.key < ? ORDER BY entry.key, entry.record',
    );
    return this.#forward;
  }

  get backward(): StatementSync {
    this.#backward ??= this.#scan(
      '(entry.key, entry.record) < (?, ?) AND entry.key >= ? ORDER BY entry.key DESC, entry.record DESC',
    );
    return this.#backward;
  }

  #scan(condition: string): StatementSync {
    const columns = `entry.key, entry.record, ${smallBody('record.body')}`;
    return this.#selectDocuments(columns, `${condition} LIMIT ${bound}`);
  }

  #select(columns: string, condition: string): StatementSync {
    return rows(this.#database, `SELECT ${columns} FROM ${this.#index} WHERE ${condition}`);
  }

  #countUpTo(condition: string): StatementSync {
    const limited = `SELECT 1 FROM ${this.#index} WHERE ${condition} LIMIT ${bound}`;
    return rows(this.#database, `SELECT count(*) FROM (${limited})`);
  }

  #selectDocuments(columns: string, condition: string): StatementSync {
    const joined = `${this.#index} AS entry CROSS JOIN ${this.#records} AS record ON record.id = entry.record`;
    return rows(this.#database, `SELECT ${columns} FROM ${joined} WHERE ${condition}`);
  }
}

function rows(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

/** Types a row of a statement with setReturnArrays, which the types of node:sqlite do not describe. */
export function rowOf<Row extends unknown[]>(row: unknown): Row | undefined {
  return row as Row | undefined;
}

export function rowsOf<Row extends unknown[]>(all: unknown): Row[] {
  return all as Row[];
}
