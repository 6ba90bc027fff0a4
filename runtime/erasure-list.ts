import { createHash, type Hash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { type ErasureRecord, ErasureRecordModel } from '../lib/data/erasure-records.ts';
import { discardGeneratedKey, isSigned, sign } from '../lib/security/encryption.ts';
import { StartError } from '../lib/settings/start-error.ts';

/**
 * The format of a file of erasure records, as lines of JSON: a header, the records, and a footer with their signature
 * under the SECRET_KEY, which is also needed to decrypt the identifiers.
 */
const format = 'platform-erasures';
const purpose = 'platform.erasure-list';

/** `database`: the id of the database that the list was saved from. */
const header = z.object({ format: z.literal(format), version: z.number(), database: z.string() });
const version = 1;
const footer = z.strictObject({ signature: z.string() });
const entry = z.strictObject({
  _id: z.string(),
  kind: z.enum(['customer', 'user', 'organization']),
  orgId: z.string().nullable(),
  identifiers: z.string().nullable(),
  erasedAt: z.iso.datetime().transform((text) => new Date(text)),
}) satisfies z.ZodType<ErasureRecord>;

/** Throws a StartError when the file of a list exists already. */
export function requireNoFile(file: string): void {
  if (existsSync(file)) throw new StartError(`${resolve(file)} already exists; choose another name.`);
}

/** Saves the records of the connected database to a new file, and returns how many there are. */
export async function saveList(file: string, database: string): Promise<number> {
  requireNoFile(file);
  const target = resolve(file);
  const unfinished = `${target}.unfinished`;
  try {
    await mkdir(dirname(target), { recursive: true });
    await rm(unfinished, { force: true });
    const count = await writeList(unfinished, database);
    await rename(unfinished, target);
    return count;
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw explained(`${target} could not be written`, error);
  }
}

async function writeList(file: string, database: string): Promise<number> {
  const handle = await open(file, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    const write = async (line: object) => {
      const text = `${JSON.stringify(line)}\n`;
      hash.update(text);
      await handle.write(text);
    };
    await write({ format, version, database });
    let count = 0;
    const records = ErasureRecordModel.find({}, null, { acrossTenants: true }).sort({ erasedAt: 1, _id: 1 });
    for await (const record of records.lean<ErasureRecord[]>().cursor()) {
      await write(record);
      count += 1;
    }
    await handle.write(`${JSON.stringify({ signature: sign(purpose, digestOf(hash)) })}\n`);
    await handle.sync();
    return count;
  } finally {
    await handle.close();
  }
}

/** Describes an error of the file system in a sentence. */
function explained(what: string, error: unknown): unknown {
  const isOfFiles = error instanceof Error && 'syscall' in error;
  return isOfFiles ? new StartError(`${what}: ${error.message}.`, { cause: error }) : error;
}

/**
 * The id of the database that a list was saved from, after the check that it is complete and signed under this
 * SECRET_KEY.
 */
export async function requireSoundList(file: string): Promise<string> {
  const path = resolve(file);
  if (!existsSync(path)) throw new StartError(`There is no list of erasures ${path}.`);
  let database: string | undefined;
  let signature: string | undefined;
  const hash = createHash('sha256');
  for await (const line of linesOf(path)) {
    if (database === undefined) database = databaseIn(line, path);
    else if (signature !== undefined) throw isNoList(path);
    else signature = footer.safeParse(parsed(line)).data?.signature;
    if (signature === undefined) hash.update(`${line}\n`);
  }
  if (database === undefined || signature === undefined) throw isNoList(path);
  if (isSigned(purpose, digestOf(hash), signature)) return database;
  discardGeneratedKey();
  throw new StartError(
    `${path} was saved under another SECRET_KEY, or changed since. Set the SECRET_KEY of the platform that saved it, or ` +
      'put the file secret-key of that platform into DATA_DIR.',
  );
}

/** The records of a list that {@link requireSoundList} has checked. */
export async function* recordsOf(file: string): AsyncGenerator<ErasureRecord> {
  for await (const line of linesOf(resolve(file))) {
    const { success, data } = entry.safeParse(parsed(line));
    if (success) yield data;
  }
}

function databaseIn(line: string, path: string): string {
  const { data } = header.safeParse(parsed(line));
  if (!data) throw isNoList(path);
  if (data.version > version) throw new StartError(`${path} was saved by a newer version of the platform.`);
  return data.database;
}

const isNoList = (path: string): Error =>
  new StartError(`${path} is not a list of erasures, or is incomplete. \`npm run erasures -- FILE\` saves one.`);

/** Parses a line as JSON; null when it is invalid. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of createReadStream(path, 'utf8')) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    throw explained(`${path} could not be read`, error);
  }
  if (rest !== '') yield rest;
}

const digestOf = (hash: Hash): string => hash.digest('base64url');
