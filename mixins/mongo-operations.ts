import mongoose from 'mongoose';
import { fail } from '../lib/errors.ts';

type Listed = { opid?: unknown; op?: string; ns?: string; secs_running?: unknown; command?: Record<string, unknown> };

/** The operations that the database works on, a line each: number, seconds, kind, namespace, command. */
export async function describeDatabaseOperations(): Promise<string> {
  const { inprog } = (await admin().command({ currentOp: 1 })) as unknown as { inprog: Listed[] };
  const others = inprog.filter(({ command }) => !command || !('currentOp' in command));
  if (others.length === 0) return 'The database works on nothing that takes long.';
  return others
    .map(({ opid, secs_running: seconds, op, ns, command }) => {
      const [name = '', ...options] = Object.keys(command ?? {});
      return `${opid}  ${seconds ?? 0} s  ${op}  ${ns}  ${name} (${options.join(', ')})`;
    })
    .join('\n');
}

/** Asks the database to end an operation. Throws UNAVAILABLE where this process has no connection. */
export async function killDatabaseOperation(id: string): Promise<string> {
  const op = Number(id);
  if (!Number.isSafeInteger(op)) return `"${id}" is no number of an operation; db:ops lists them.`;
  const { info } = await admin().command({ killOp: 1, op });
  return String(info);
}

function admin() {
  // Mongoose's types omit that there is none before it connects.
  const client: mongoose.mongo.MongoClient | null = mongoose.connection.getClient();
  if (client === null) throw fail('UNAVAILABLE');
  return client.db('admin');
}
