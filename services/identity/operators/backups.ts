import { existsSync } from 'node:fs';
import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { timestamp } from '../../../lib/contract/input.ts';
import { readBackups } from '../../../lib/data/backup-log.ts';
import { settings } from '../../../lib/settings/settings.ts';

const backupOutput = z
  .strictObject({
    savedAt: timestamp.describe('When the backup was complete.'),
    file: z.string().describe('The path of the database; its objects are at the same path with `.objects`.'),
    bytes: z.int().describe('The size of the database in bytes.'),
    objects: z.int().describe('The number of files of objects in it.'),
    isPresent: z.boolean().describe('Whether the file is still at its path on this node.'),
  })
  .meta({ id: 'PlatformBackup' });

/** GET /operator/backups: the last 50 backups that `npm run backup` saved, the newest first. */
export const listBackups = defineAction({
  rest: 'GET /operator/backups',
  summary: 'List the backups of the platform',
  description:
    'Returns the last 50 backups that `npm run backup` has saved of the embedded database, the newest first. A platform ' +
    'with `MONGO_URL` has none: the data is on that server, whose tools back it up.',
  permission: 'operator',
  input: {},
  output: z
    .strictObject({
      data: z.array(backupOutput),
      isEmbedded: z.boolean().describe('Whether the platform runs its embedded database, which the command backs up.'),
    })
    .meta({ id: 'PlatformBackups' }),
  example: {
    output: {
      data: [
        {
          savedAt: '2026-03-02T02:00:09.120Z',
          file: '/backups/2026-03-02.db',
          bytes: 48_234_496,
          objects: 1204,
          isPresent: true,
        },
      ],
      isEmbedded: true,
    },
  },
  async handler() {
    const { DATA_DIR, MONGO_URL } = settings;
    if (MONGO_URL !== undefined) return { data: [], isEmbedded: false };
    const backups = await readBackups(DATA_DIR);
    return { data: backups.map((backup) => ({ ...backup, isPresent: existsSync(backup.file) })), isEmbedded: true };
  },
});
