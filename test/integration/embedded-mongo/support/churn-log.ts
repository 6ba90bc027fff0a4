import { DatabaseSync } from 'node:sqlite';

/**
 * Runs transactions on the SQLite file named by the first argument until it is killed; prints how many are committed. The
 * cache is small, so that many write into the log before they end, and the log begins again every few transactions.
 */
const database = new DatabaseSync(process.argv[2]!);
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 30;
  PRAGMA cache_size = 10;
  CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY, number INTEGER, body BLOB);
  CREATE INDEX IF NOT EXISTS items_number ON items (number);
  CREATE TABLE IF NOT EXISTS commits (count INTEGER);
  INSERT INTO commits SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM commits);
`);

const below = (most: number): number => Math.floor(Math.random() * most);

function insert(): void {
  database.exec(`INSERT INTO items (number, body) VALUES (${below(1_000_000)}, randomblob(${below(3) ? 200 : 9000}))`);
  if (below(3) === 0) database.exec('DELETE FROM items WHERE id IN (SELECT id FROM items ORDER BY id LIMIT 3)');
}

function insertAndMayUndo(): void {
  database.exec('SAVEPOINT part');
  insert();
  database.exec(below(2) ? 'ROLLBACK TO part' : 'RELEASE part');
}

for (;;) {
  database.exec('BEGIN; UPDATE commits SET count = count + 1');
  const inserts = below(8) === 0 ? 60 : 1 + below(4);
  for (let count = 0; count < inserts; count += 1) (below(4) ? insert : insertAndMayUndo)();
  database.exec(below(5) ? 'COMMIT' : 'ROLLBACK');
  console.log(database.prepare('SELECT count FROM commits').get()?.count);
}
