import type { DatabaseSync } from 'node:sqlite';
import { schemaVersion, schemaVersionWithBuilds } from './schema.ts';

// During an index build the file has a version that earlier programs reject: they would write documents without the
// keys that the build expects.

/** Reads the unfinished indexes, with the last record whose keys each has. */
export function readBuilds(database: DatabaseSync): Map<number, number> {
  if (!hasTable(database)) return new Map();
  const rows = database.prepare('SELECT id, position FROM index_builds').all();
  return new Map(rows.map(({ id, position }) => [Number(id), Number(position)]));
}

/** Saves the position of a build, in the transaction of its keys. */
export function saveBuild(database: DatabaseSync, indexId: number, position: number): void {
  if (!hasTable(database)) {
    database.exec('CREATE TABLE index_builds (id INTEGER PRIMARY KEY, position INTEGER NOT NULL)');
  }
  database.exec(`PRAGMA user_version = ${schemaVersionWithBuilds}`);
  database.prepare('INSERT OR REPLACE INTO index_builds (id, position) VALUES (?, ?)').run(indexId, position);
}

export function endBuild(database: DatabaseSync, indexId: number): void {
  database.prepare('DELETE FROM index_builds WHERE id = ?').run(indexId);
  const remaining = database.prepare('SELECT count(*) AS count FROM index_builds').get();
  if (remaining?.count === 0) database.exec(`PRAGMA user_version = ${schemaVersion}`);
}

function hasTable(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'index_builds'").get() !== undefined;
}
