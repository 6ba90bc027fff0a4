import { newId } from '../../lib/data/ids.ts';
import type { NumberedChange } from '../../services/access/graph/changes.ts';
import type { OrganizationAccess } from './world.ts';

/** The change log that leads to this access: the first user is the owner, the others are members. */
export function* changesOf({ permissions, roles, users }: OrganizationAccess, at: number): Generator<NumberedChange> {
  let revision = 0;
  const numbered = (change: NumberedChange['change']): NumberedChange => ({ revision: ++revision, at, change });
  for (const [index, { id }] of users.entries()) {
    const membership = { id: newId('asg'), subject: id, expiresAt: null };
    if (index === 0) yield numbered({ kind: 'founded', owner: { ...membership, roleId: 'role_owner' } });
    else yield numbered({ kind: 'assignmentStored', assignment: { ...membership, roleId: 'role_member' } });
  }
  const registered = permissions.map((key) => ({ key, description: '' }));
  yield numbered({ kind: 'permissionsRegistered', permissions: registered });
  for (const role of roles) {
    yield numbered({ kind: 'roleStored', role: { ...role, name: role.id, description: '', includes: [] } });
  }
  for (const { id: subject, roleIds } of users) {
    for (const roleId of roleIds) {
      const assignment = { id: newId('asg'), subject, roleId, expiresAt: null };
      yield numbered({ kind: 'assignmentStored', assignment });
    }
  }
}
