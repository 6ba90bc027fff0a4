import type { DatabaseSync } from 'node:sqlite';
import { schemaVersion, schemaVersionWithBuilds } from './schema.ts';

// While an index is built the file has a version that earlier programs leave alone: they would write documents without
// the keys that the build believes are there.

/** The indexes that are being built, with the last record whose keys each has. */
export function readBuilds(database: DatabaseSync): Map<number, number> {
  if (!hasTable(database)) return new Map();
  const rows = database.prepare('SELECT id, position FROM index_builds').all();
  return new Map(rows.map(({ id, position }) => [Number(id), Number(position)]));
}

/** Notes how far a build is, in the transaction that holds the keys. */
export function saveBuild(database: DatabaseSync, indexId: number, position: number): void {
  if (!hasTable(database)) {
    database.exec('CREATE TABLE index_builds (id INTEGER PRIMARY KEY, position INTEGER NOT NULL)');
  }
  database.exec(`PRAGMA user_version = ${schemaVersionWithBuilds}`);
  database.prepare('INSERT OR REPLACE INTO index_builds (id, position) VALUES (?, ?)').run(indexId, position);
}

export function endBuild(database: DatabaseSync, indexId: number): void {
  database.prepare('DELETE FROM index_builds WHERE id = ?').run(indexId);
  const left = database.prepare('SELECT count(*) AS count FROM index_builds').get();
  if (left?.count === 0) database.exec(`PRAGMA user_version = ${schemaVersion}`);
}

function hasTable(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'index_builds'").get() !== undefined;
}
