import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import mongoose from 'mongoose';
import type { SystemRole } from '../../../lib/contract/authorize.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { minute, now } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import { accountsBroker, ask, newEmail, ownAccounts, pass } from '../../integration/identity/accounts-setting.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { eventually } from '../../support/until.ts';

ownAccounts();

const writes = ['insertOne', 'insertMany', 'updateOne', 'updateMany', 'deleteOne', 'deleteMany'] as const;
const prototype = mongoose.mongo.Collection.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
const originals = new Map(writes.map((name) => [name, prototype[name]!]));

afterEach(revive);

const isOurs = ({ collectionName }: mongoose.mongo.Collection) =>
  /^(?:identity_|access_|platform_erasures)/.test(collectionName);

/** From the write of this number on, every write of identity and access control, and to the list of erasures, fails, as when the process is gone. */
function dieBeforeWrite(number: number): { isDead: () => boolean } {
  let made = 0;
  for (const [name, original] of originals) {
    prototype[name] = function write(this: mongoose.mongo.Collection, ...args: unknown[]) {
      if (isOurs(this)) made += 1;
      if (made >= number && isOurs(this)) throw new Error('The process is gone.');
      return original.apply(this, args);
    };
  }
  return { isDead: () => made >= number };
}

function revive(): void {
  for (const [name, original] of originals) prototype[name] = original;
}

async function models() {
  const [organization, user, session, audit, accounts] = await Promise.all([
    import('../../../models/identity/organization.ts'),
    import('../../../models/identity/user.ts'),
    import('../../../models/identity/session.ts'),
    import('../../../models/identity/audit-record.ts'),
    import('../../../services/identity/accounts/new-user.ts'),
  ]);
  return { ...organization, ...user, ...session, ...audit, ...accounts };
}

const times = () => ({ createdAt: now(), updatedAt: now() });

async function makeOrganization(): Promise<string> {
  const { OrganizationModel } = await models();
  const _id = newId('org');
  await OrganizationModel.create({ _id, slug: _id.replace('_', '-'), name: 'A', status: 'active', ...times() });
  return _id;
}

const foundings = new Map<string, Promise<unknown>>();

/** The first owner of an organization founds it. */
async function join(orgId: string, userId: string, role: SystemRole): Promise<void> {
  const isFounder = !foundings.has(orgId);
  if (isFounder) foundings.set(orgId, ask('access.organizations.found', { orgId, userId }));
  await foundings.get(orgId);
  if (!isFounder) await ask('access.memberships.add', { orgId, userId, role });
}

async function makeUser(roles: Record<string, SystemRole>): Promise<string> {
  const { UserModel, SessionModel, newUser } = await models();
  const user = newUser({ email: newEmail(), passwordHash: 'none' });
  await UserModel.create(user);
  for (const [orgId, role] of Object.entries(roles)) {
    await join(orgId, user._id, role);
  }
  const later = new Date(now().getTime() + 100_000);
  const instants = { authenticatedAt: now(), lastUsedAt: now(), expiresAt: later, absoluteExpiresAt: later };
  await SessionModel.create({
    _id: newId('ses'),
    userId: user._id,
    tokenHash: newId('ses'),
    ...instants,
    createdAt: now(),
  });
  return user._id;
}

async function deleteMe(userId: string): Promise<void> {
  const { memberships } = await ask('access.memberships.of-user', { userId });
  const caller = { type: 'user' as const, id: userId, memberships, orgId: null, scopes: [], sessionId: 'ses_1' };
  await accountsBroker().call('identity.me.delete', {}, { meta: { caller } });
}

async function sweep(): Promise<void> {
  const { sweepDeletedUsers } = await import('../../../services/identity/delete-user.ts');
  pass(2 * minute);
  const broker = accountsBroker();
  const ctx = broker.ContextFactory.create(broker) as Ctx;
  await sweepDeletedUsers(ctx);
}

/** Sweeps until no deletion is under way: the service's own sweep, each minute, may have taken one over before. */
async function completeDeletions(): Promise<void> {
  const { UserModel } = await models();
  await sweep();
  await eventually(async () => expect(await UserModel.countDocuments({ status: 'deleting' })).toBe(0));
}

async function ownersOf(orgId: string): Promise<string[]> {
  const { memberships } = await ask('access.memberships.list', { orgId, after: null, limit: 100 });
  return memberships.filter(({ role }) => role === 'owner').map(({ userId }) => userId);
}

/** Whether the list that is applied after a restore has the deletion of a user. */
async function isRecorded(userId: string): Promise<boolean> {
  const { ErasureRecordModel } = await import('../../../lib/data/erasure-records.ts');
  return (await ErasureRecordModel.countDocuments({ _id: userId }, { acrossTenants: true })) === 1;
}

describe('the deletion of a user', () => {
  test('is completed by a sweep, wherever it was cut off, and not begun when it was refused', async () => {
    const { UserModel, SessionModel, AuditRecordModel } = await models();
    let cutOff = 0;
    for (let number = 1; ; number += 1) {
      const orgs = [await makeOrganization(), await makeOrganization()] as const;
      const other = await makeUser({ [orgs[0]]: 'owner', [orgs[1]]: 'owner' });
      const userId = await makeUser({ [orgs[0]]: 'owner', [orgs[1]]: 'member' });
      const { email } = (await UserModel.findOne({ _id: userId }).lean())!;
      const { isDead } = dieBeforeWrite(number);
      const isDone = await deleteMe(userId).then(
        () => true,
        () => false,
      );
      const hasDied = isDead();
      revive();
      const begun = (await UserModel.findOne({ _id: userId, status: 'active' }).lean()) === null;
      await completeDeletions();
      const left = await UserModel.findOne({ _id: userId }).lean();
      expect({ number, isLeft: left !== null }).toEqual({ number, isLeft: !begun });
      expect(await ownersOf(orgs[0])).toEqual(begun ? [other] : [other, userId].sort());
      if (begun) {
        expect(await ask('access.memberships.of-user', { userId })).toEqual({ memberships: [] });
        expect(await SessionModel.countDocuments({ userId })).toBe(0);
        expect(await isRecorded(userId)).toBe(true);
        for (const orgId of orgs) {
          expect(
            await AuditRecordModel.countDocuments({ orgId, action: 'user.deleted', 'actor.id': userId }),
          ).toBeGreaterThan(0);
        }
        await UserModel.create({
          ...left,
          _id: newId('usr'),
          email,
          passwordHash: 'none',
          status: 'active',
          contacts: [],
          addresses: [],
          revision: 1,
          ...times(),
        });
      }
      if (!hasDied) {
        expect(isDone).toBe(true);
        break;
      }
      cutOff += 1;
    }
    expect(cutOff).toBeGreaterThan(8);
  }, 120_000);

  /** A user who owns two organizations beside another, whose deletion ends before the write of this number. */
  async function cutOff(number: number) {
    const orgs = [await makeOrganization(), await makeOrganization()];
    const other = await makeUser({ [orgs[0]!]: 'owner', [orgs[1]!]: 'owner' });
    const userId = await makeUser({ [orgs[0]!]: 'owner', [orgs[1]!]: 'owner' });
    const { isDead } = dieBeforeWrite(number);
    await deleteMe(userId).catch(() => undefined);
    const hasDied = isDead();
    revive();
    return { orgs, other, userId, hasDied };
  }

  /** Has the other owner leave where the user still is an owner too; true when that is somewhere. */
  async function leaveAlone({ orgs, other, userId }: Awaited<ReturnType<typeof cutOff>>): Promise<boolean> {
    for (const orgId of [...orgs].reverse()) {
      if (!(await ownersOf(orgId)).includes(userId)) continue;
      await ask('access.memberships.change', { orgId, userId: other, role: null, isByCaller: false });
      return true;
    }
    return false;
  }

  async function expectWhole({ orgs, userId }: Awaited<ReturnType<typeof cutOff>>, wasRefused: boolean) {
    const { UserModel } = await models();
    const user = await UserModel.findOne({ _id: userId }).lean();
    expect(user?.status ?? 'gone').toBe(wasRefused ? 'active' : 'gone');
    expect(await isRecorded(userId)).toBe(!wasRefused);
    for (const orgId of orgs) {
      const owners = await ownersOf(orgId);
      expect(owners).not.toEqual([]);
      expect(owners.includes(userId)).toBe(wasRefused);
    }
  }

  test('gives back every ownership when an organization refuses after a crash, wherever that was', async () => {
    let refusedHalfway = 0;
    for (let number = 1; ; number += 1) {
      const attempt = await cutOff(number);
      const steppedDown = !(await ownersOf(attempt.orgs[0]!)).includes(attempt.userId);
      const isAlone = await leaveAlone(attempt);
      if (isAlone && steppedDown) refusedHalfway += 1;
      await completeDeletions();
      await expectWhole(attempt, isAlone);
      if (!attempt.hasDied) break;
    }
    expect(refusedHalfway).toBeGreaterThan(0);
  }, 240_000);

  test('gives it back also when what gives it back is cut off, wherever that is', async () => {
    let number = 1;
    let attempt = await cutOff(number);
    while (attempt.hasDied && (await ownersOf(attempt.orgs[0]!)).includes(attempt.userId)) {
      number += 1;
      attempt = await cutOff(number);
    }
    for (let sweepWrite = 1; ; sweepWrite += 1) {
      const again = await cutOff(number);
      expect(await leaveAlone(again)).toBe(true);
      const { isDead } = dieBeforeWrite(sweepWrite);
      await sweep();
      const hasDied = isDead();
      revive();
      await completeDeletions();
      await expectWhole(again, true);
      if (!hasDied) break;
    }
  }, 240_000);

  test('that is repeated after a restore waits, without a login, until there is another owner, and leaves a record', async () => {
    const { UserModel } = await models();
    const { repeatUserDeletion } = await import('../../../services/identity/delete-user.ts');
    const [alone, shared] = [await makeOrganization(), await makeOrganization()];
    const other = await makeUser({ [shared]: 'owner' });
    const userId = await makeUser({ [alone]: 'owner', [shared]: 'owner' });
    await repeatUserDeletion(userId);
    for (let round = 0; round < 3; round += 1) {
      await sweep();
      expect(await UserModel.findOne({ _id: userId }).lean()).toMatchObject({ status: 'deleting' });
      expect(await ownersOf(alone)).toEqual([userId]);
    }
    await ask('access.memberships.add', { orgId: alone, userId: other, role: 'owner' });
    await completeDeletions();
    expect(await UserModel.findOne({ _id: userId }).lean()).toBeNull();
    for (const orgId of [alone, shared]) expect(await ownersOf(orgId)).toEqual([other]);
    expect(await isRecorded(userId)).toBe(true);
    // Of a user whom the database does not have there is nothing to delete.
    await repeatUserDeletion(userId);
    expect(await UserModel.findOne({ _id: userId }).lean()).toBeNull();
  }, 120_000);

  test('leaves every organization an owner, and whoever is refused what they were, whoever go at the same time', async () => {
    const { UserModel } = await models();
    const ownership = fc.array(fc.uniqueArray(fc.nat(3), { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 3,
    });
    let refusals = 0;
    await fc.assert(
      fc.asyncProperty(ownership, async (owners) => {
        const orgs = await Promise.all(owners.map(makeOrganization));
        const users = await Promise.all(
          [0, 1, 2, 3].map((index) => {
            const owned = orgs.filter((_orgId, place) => owners[place]!.includes(index));
            return makeUser(Object.fromEntries(owned.map((orgId) => [orgId, 'owner' as const])));
          }),
        );
        const outcomes = await Promise.allSettled(users.map(deleteMe));
        await completeDeletions();
        for (const [index, userId] of users.entries()) {
          const outcome = outcomes[index]!;
          const user = await UserModel.findOne({ _id: userId }).lean();
          if (outcome.status === 'fulfilled') {
            expect(user).toBeNull();
          } else {
            expect(outcome.reason).toMatchObject({ type: 'LAST_OWNER' });
            expect(user).toMatchObject({ status: 'active' });
            refusals += 1;
          }
        }
        for (const [place, orgId] of orgs.entries()) {
          const left = owners[place]!.map((index) => users[index]!).filter(
            (_userId, at) => outcomes[owners[place]![at]!]!.status === 'rejected',
          );
          expect(left).not.toEqual([]);
          expect(await ownersOf(orgId)).toEqual(left.sort());
        }
      }),
      { numRuns: propertyCases(10, 40) },
    );
    expect(refusals).toBeGreaterThan(0);
  }, 120_000);
});
