import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { typeCommand } from '../../support/console-command.ts';
import { accountsBroker, ask, ownAccounts } from './accounts-setting.ts';

ownAccounts();

const type = (command: string, organization: string) => typeCommand(accountsBroker(), command, { organization });
const decide = async (url: string) => (await ask('identity.accounts.check-return-to', { url })).decision;

async function makeOrganization(origin: string): Promise<string> {
  const { OAuthClientModel } = await import('../../../models/identity/oauth-client.ts');
  const { OrganizationModel } = await import('../../../models/identity/organization.ts');
  const orgId = newId('org');
  const organization = { _id: orgId as never, name: 'Shop', slug: orgId.replace('_', '-'), status: 'active' };
  await OrganizationModel.collection.insertOne(organization);
  const client = { _id: newId('cli') as never, orgId, applicationId: newId('app'), redirectOrigins: [origin] };
  await OAuthClientModel.collection.insertOne(client);
  return orgId;
}

async function actsOn(orgId: string): Promise<string[]> {
  const { AuditRecordModel } = await import('../../../models/identity/audit-record.ts');
  const records = await AuditRecordModel.find({ orgId }).sort({ _id: 1 }).lean();
  return records.map(({ action, actor }) => `${action} by ${actor.type}`);
}

describe('the console', () => {
  test('trusts an organization and ends that, and both stand in its audit log', async () => {
    const origin = 'https://shop-of-trust.example';
    const orgId = await makeOrganization(origin);
    expect(await decide(`${origin}/`)).toBe('ask');
    expect(await type('identity:trust', orgId)).toMatch(`${orgId} is trusted: `);
    expect(await decide(`${origin}/`)).toBe('allowed');
    expect(await type('identity:trust', orgId)).toMatch(new RegExp(`Trusted organizations: .*${orgId}`));
    expect(await type('identity:untrust', orgId)).not.toMatch(new RegExp(`Trusted organizations: .*${orgId}`));
    expect(await decide(`${origin}/`)).toBe('ask');
    expect(await actsOn(orgId)).toEqual([
      'organization.trusted by system',
      'organization.trusted by system',
      'organization.untrusted by system',
    ]);
  });

  test.each([newId('org'), 'first', '', '__proto__', '$ne'])('says that there is no organization %j', async (name) => {
    expect(await type('identity:trust', name)).toBe(`There is no organization ${name}.\n`);
    expect(await actsOn(name)).toEqual([]);
  });
});
