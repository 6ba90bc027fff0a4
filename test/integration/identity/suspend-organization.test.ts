import { expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { typeCommand } from '../../support/console-command.ts';
import { accountsBroker, ownAccounts } from './accounts-setting.ts';

ownAccounts();

/* The commands of the console that suspend an organization and end that. */

const suspend = (organization: string, reason: string) =>
  typeCommand(accountsBroker(), 'identity:suspend-organization', { organization, reason });
const restore = (organization: string) =>
  typeCommand(accountsBroker(), 'identity:restore-organization', { organization });

async function makeOrganization(): Promise<string> {
  const { OrganizationModel } = await import('../../../models/identity/organization.ts');
  const orgId = newId('org');
  const organization = { _id: orgId as never, name: 'Shop', slug: orgId.replace('_', '-'), status: 'active' };
  await OrganizationModel.collection.insertOne(organization);
  return orgId;
}

async function suspensionOf(orgId: string) {
  const { OrganizationModel } = await import('../../../models/identity/organization.ts');
  return (await OrganizationModel.findOne({ _id: orgId }).lean())?.suspension;
}

async function actsOn(orgId: string): Promise<string[]> {
  const { AuditRecordModel } = await import('../../../models/identity/audit-record.ts');
  const records = await AuditRecordModel.find({ orgId }).sort({ _id: 1 }).lean();
  return records.map(({ action, actor }) => `${action} by ${actor.type}`);
}

test('the console suspends an organization and ends that, and both are in its audit log once', async () => {
  const orgId = await makeOrganization();
  expect(await suspend(orgId, 'The first')).toContain(`${orgId} is suspended`);
  expect(await suspend(orgId, 'Another')).toContain('already was suspended: The first');
  expect(await suspensionOf(orgId)).toMatchObject({ reason: 'The first' });
  expect(await restore(orgId)).toContain('is in force again');
  expect(await restore(orgId)).toContain('was not suspended');
  expect(await suspensionOf(orgId)).toBeUndefined();
  expect(await actsOn(orgId)).toEqual(['organization.suspended by system', 'organization.restored by system']);
});

test('a suspension whose process died before it was recorded is recorded by the next', async () => {
  const orgId = await makeOrganization();
  await suspend(orgId, 'A reason');
  const { AuditRecordModel } = await import('../../../models/identity/audit-record.ts');
  await AuditRecordModel.collection.deleteMany({ orgId });
  await suspend(orgId, 'Another');
  await suspend(orgId, 'Another');
  expect(await actsOn(orgId)).toEqual(['organization.suspended by system']);
});

test('the console refuses a reason that is empty or too long, and knows no other organization', async () => {
  const orgId = await makeOrganization();
  for (const reason of [' ', 'a'.repeat(501), 'a\nb']) {
    expect(await suspend(orgId, reason)).toContain('must be one line of 1 to 500 characters');
  }
  expect(await suspensionOf(orgId)).toBeUndefined();
  const unknown = newId('org');
  expect(await suspend(unknown, 'A reason')).toBe(`There is no organization ${unknown}.\n`);
  expect(await restore(unknown)).toBe(`There is no organization ${unknown}.\n`);
});
