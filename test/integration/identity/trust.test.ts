import { describe, expect, test } from '@jest/globals';
import { fromNow, hour, now } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import { typeCommand } from '../../support/console-command.ts';
import { accountsBroker, ask, ownAccounts } from './accounts-setting.ts';

ownAccounts();

/* Whom the operator trusts: organizations, and clients whose users are not asked. */

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

const scopes = ['openid', 'offline_access'];

async function newClient() {
  const { OrganizationModel } = await import('../../../models/identity/organization.ts');
  const { ApplicationModel } = await import('../../../models/identity/application.ts');
  const { OAuthClientModel } = await import('../../../models/identity/oauth-client.ts');
  const [orgId, applicationId, clientId] = [newId('org'), newId('app'), newId('cli')];
  const times = { createdAt: now(), updatedAt: now() };
  const slugOf = (id: string) => id.replace('_', '-');
  await OrganizationModel.create({ _id: orgId, slug: slugOf(orgId), name: 'Shop', status: 'active', ...times });
  await ApplicationModel.create({ _id: applicationId, orgId, slug: slugOf(applicationId), name: 'Till', ...times });
  const lists = { redirectUris: [], postLogoutRedirectUris: [], redirectOrigins: [], secrets: [] };
  const client = { _id: clientId, orgId, applicationId, grantTypes: ['authorization_code' as const], scopes, ...lists };
  await OAuthClientModel.create({ ...client, tokenEndpointAuthMethod: 'none', ...times });
  return { orgId, clientId, userId: newId('usr') };
}

type Client = Awaited<ReturnType<typeof newClient>>;

const mark = (name: 'first-party' | 'third-party', client: string) =>
  typeCommand(accountsBroker(), `identity:${name}`, { client });
const imply = (client: Client) => ask('identity.oauth.consents.imply', { ...client, scopes });
const allowed = async ({ userId, clientId }: Client) =>
  (await ask('identity.oauth.consents.find', { userId, clientId })).scopes;
const isFirstParty = async ({ clientId }: Client) =>
  (await ask('identity.oauth.clients.find', { clientId })).client!.isFirstParty;

async function acts({ orgId }: Client) {
  const { AuditRecordModel } = await import('../../../models/identity/audit-record.ts');
  return (await AuditRecordModel.find({ orgId }).sort({ _id: 1 }).lean()).map(({ action, actor }) => [
    action,
    actor.type,
  ]);
}

async function storeGrant({ userId, clientId }: Client): Promise<void> {
  const { OAuthArtifactModel, artifactId } = await import('../../../models/identity/oauth-artifact.ts');
  const hash = 'a'.repeat(32) + clientId.slice(-26);
  const grant = { _id: artifactId('Grant', hash), kind: 'Grant' as const, accountId: userId, clientId };
  await OAuthArtifactModel.create({ ...grant, sealed: 'x', expiresAt: fromNow(hour), createdAt: now() });
}

describe('the operator', () => {
  test('marks a client as first-party, whose users are not asked, but have it on their list', async () => {
    const client = await newClient();
    expect(await imply(client)).toEqual({ isImplied: false });
    expect(await allowed(client)).toEqual([]);
    expect(await mark('first-party', client.clientId)).toBe(
      `${client.clientId} "Till" of "Shop" is now first-party. Users are not asked for consent.\n`,
    );
    expect(await isFirstParty(client)).toBe(true);
    expect(await mark('first-party', client.clientId)).toContain('already was first-party');
    expect(await imply(client)).toEqual({ isImplied: true });
    expect(await imply(client)).toEqual({ isImplied: true });
    expect(await allowed(client)).toEqual(scopes);
    expect(await acts(client)).toEqual([
      ['oauth-client.updated', 'system'],
      ['consent.implied', 'user'],
    ]);
  });

  test('takes the mark away, and with it what users never agreed to', async () => {
    const client = await newClient();
    await mark('first-party', client.clientId);
    await imply(client);
    await storeGrant(client);
    expect(await mark('third-party', client.clientId)).toContain('is now third-party. Users are asked for consent. ');
    expect(await isFirstParty(client)).toBe(false);
    expect(await allowed(client)).toEqual([]);
    expect(await imply(client)).toEqual({ isImplied: false });
    const { OAuthArtifactModel } = await import('../../../models/identity/oauth-artifact.ts');
    expect(await OAuthArtifactModel.countDocuments({ clientId: client.clientId })).toBe(0);
  });

  test('is told that there is no such client', async () => {
    expect(await mark('first-party', 'cli_unknown')).toBe('There is no OAuth client cli_unknown.\n');
    expect(await mark('third-party', 'x'.repeat(300))).toMatch('256');
  });
});
