import { now } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { ChangeDocument } from '../../../models/access/change.ts';
import type { HeadDocument } from '../../../models/access/head.ts';
import type { Change } from '../../../services/access/graph/changes.ts';
import { withDatabase } from '../../support/database.ts';

/**
 * Adds changes to the end of an organization's access log, straight in the database, as another node would: for more of
 * them than a test can ask for. Nobody else may change the organization meanwhile.
 */
export async function appendChanges(databaseUrl: string, orgId: string, changes: readonly Change[]): Promise<void> {
  await withDatabase(databaseUrl, async (database) => {
    const log = database.collection<ChangeDocument>('access_changes');
    const last = await log.findOne({ orgId }, { sort: { revision: -1 } });
    const first = (last?.revision ?? 0) + 1;
    const documents = changes.map((change, place) => {
      const revision = first + place;
      return { _id: `${orgId}:${revision}`, orgId, revision, at: now(), change };
    });
    await log.insertMany(documents);
    await database
      .collection<HeadDocument>('access_heads')
      .updateOne({ _id: orgId }, { $max: { revision: first + changes.length - 1 }, $currentDate: { changedAt: true } });
  });
}

/** So many members whom nobody invited. */
export const newMembers = (count: number): Change[] =>
  Array.from({ length: count }, () => assignedTo(newId('usr'), 'role_member'));

export function assignedTo(subject: string, roleId: string, expiresAt: number | null = null): Change {
  return { kind: 'assignmentStored', assignment: { id: newId('asg'), subject, roleId, expiresAt } };
}
