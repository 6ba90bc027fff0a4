import { randomUUID } from 'node:crypto';
import { afterAll } from '@jest/globals';
import type { Context } from 'moleculer';
import mongoose from 'mongoose';
import type { CallInput } from '../../../lib/contract/context.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

export type SystemMail = CallInput<'mail.system.send'>['body'];

/** Where a platform that runs in another process keeps its mail, and the key it seals it with. */
export type Keeper = { databaseUrl: string } & ({ dataDir: string } | { secretKey: string });

/**
 * Asks a platform in another process for a mail, as a service of its own would: `mail.system.send` runs here, on that
 * platform's database and with its key. For one platform a file, because settings are read once.
 */
export async function askPlatform(keeper: Keeper, mail: Partial<SystemMail> = {}): Promise<string> {
  if ('dataDir' in keeper) process.env.DATA_DIR = keeper.dataDir;
  else process.env.SECRET_KEY = keeper.secretKey;
  const { sendSystemMail } = await import('../../../services/mail/system-mail.ts');
  if (mongoose.connection.readyState === mongoose.ConnectionStates.disconnected) {
    const isNamed = /^mongodb:\/\/[^/]+\/\w/.test(keeper.databaseUrl);
    await mongoose.connect(keeper.databaseUrl, { autoIndex: false, ...(!isNamed && { dbName: 'platform' }) });
  }
  const recovery = { template: 'recovery', variables: { link: 'https://mugs.example/recover?token=s3cr3t' } };
  const body = { key: randomUUID(), to: 'ada@example.com', orgId: null, ...recovery, ...mail };
  const ctx = { params: { body }, meta: {}, broker: { logger: quietLogger } } as unknown as Context;
  const { messageId } = (await sendSystemMail.handler!.call({} as never, ctx)) as { messageId: string };
  return messageId;
}

afterAll(() => mongoose.disconnect());
