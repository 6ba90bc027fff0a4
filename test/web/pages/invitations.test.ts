import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { expectPage, expectRedirect, flowOf, mailedLink, newVisitor } from '../../support/pages.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { newUserClient } from '../../support/user-client.ts';

const page = '/self-service/invitations/accept';
const password = 'several words in a row';

const newEmail = (): string => `${randomBytes(8).toString('hex')}@example.com`;

/** Invites somebody into an organization of their own, and gives the mailed link. */
async function invite(email: string) {
  const organization = await newTenantClient();
  const slug = organization.orgId.replace('_', '-');
  const invitation = await organization.call('identity.invitations.create', {
    path: { slug },
    body: { email, role: 'admin' },
  });
  const owner = await newUserClient({ orgId: organization.orgId });
  /** Whoever is a member besides the owner. */
  const members = async () => {
    const { data } = await organization.call('identity.members.list', { path: { slug }, query: {} });
    return data.map(({ userId }) => userId).filter((userId) => userId !== owner.userId);
  };
  return { link: await mailedLink(email, page), organization, slug, invitation, members };
}

describe('the page of an invitation', () => {
  test('lets whoever is logged in with the address accept', async () => {
    const user = await newUserClient();
    const { link, members, slug } = await invite(user.email);
    const visitor = await newVisitor(user.sessionToken);
    expectPage(await visitor.get(link), 200, /invited to join Organization of a test as an admin/);
    expect(await members()).not.toContain(user.userId);
    const accepted = await visitor.postFrom(link, link);
    expectRedirect(accepted, `/console/${slug}?done=accepted`);
    expect(await members()).toContain(user.userId);
    expectPage(await visitor.get(accepted.headers.location!), 200, /Overview .*You are now a member/);
    const again = /Invitation accepted.*Organization of a test.*Go to your organizations/;
    expectPage(await visitor.get(link), 200, again);
    expectPage(await (await newVisitor()).get(link), 200, again);
  });

  test('says which user invites', async () => {
    const { organization, slug } = await invite(newEmail());
    const inviter = await newUserClient({ orgId: organization.orgId });
    await inviter.call('identity.me.update', { body: { firstName: 'Nora', lastName: 'Weber' } });
    const email = newEmail();
    await inviter.call('identity.invitations.create', { path: { slug }, body: { email, role: 'member' } });
    const shown = await (await newVisitor()).get(await mailedLink(email, page));
    expectPage(shown, 200, new RegExp(`Nora Weber invited ${email} to join Organization of a test as a member`));
  });

  test('tells somebody else so, and lets them log out and go on', async () => {
    const [invited, other] = [await newUserClient(), await newUserClient()];
    const { link, members } = await invite(invited.email);
    const visitor = await newVisitor(other.sessionToken);
    const shown = await visitor.get(link);
    expectPage(shown, 200, new RegExp(`for someone else.*You are logged in as ${other.email}`));
    // The right form, sent to the wrong place: it changes nothing.
    expectRedirect(await visitor.post(link, { flow: flowOf(shown) }), link);
    const action = /<form method="post" action="([^"]*)"/.exec(shown.text)![1]!;
    const out = await visitor.post(action, { flow: flowOf(shown) });
    expectRedirect(out, `${visitor.url}${link}`);
    expectPage(await visitor.get(link), 200, /You already have an account with this address\. Log in/);
    expect(await members()).not.toContain(other.userId);
  });

  test('lets nobody log in first, with an account, and comes back', async () => {
    const user = await newUserClient();
    const { link } = await invite(user.email);
    const visitor = await newVisitor();
    const shown = await visitor.get(link);
    const login = /href="(\/self-service\/login\/browser\?return_to=[^"]*)"/.exec(shown.text)![1]!;
    const action = login.replace('/login/browser', '/login');
    const answer = await visitor.postFrom(login, action, { email: user.email, password: user.password });
    expectRedirect(answer, `${visitor.url}${link}`);
    expectPage(await visitor.get(link), 200, /Accept/);
  });

  test('makes an account for whoever has none, and logs in', async () => {
    const email = newEmail();
    const { link, members } = await invite(email);
    const visitor = await newVisitor();
    const shown = await visitor.get(link);
    expectPage(shown, 200, /Create account and join/);
    expect(shown.text).toMatch(new RegExp(`<input class="input" id="email"[^>]* value="${email}"[^>]* readonly`));
    const register = link.replace(page, `${page}/register`);
    const short = await visitor.postFrom(link, register, { email, password: 'short' });
    expectPage(short, 400, /at least 8 characters/);
    const done = await visitor.post(register, { flow: flowOf(short), email, password, firstName: 'Ada' });
    expectRedirect(done, '/console?done=accepted');
    expectPage(await visitor.get('/account'), 200, new RegExp(email));
    expect(await members()).toHaveLength(1);
  });

  test('makes the account with the invited address, whatever the form says', async () => {
    const email = newEmail();
    const { link } = await invite(email);
    const visitor = await newVisitor();
    await visitor.postFrom(link, link.replace(page, `${page}/register`), { email: 'evil@example.com', password });
    expectPage(await visitor.get('/account'), 200, new RegExp(`You log in with ${email}`));
  });

  test('does nothing by a stale form', async () => {
    const user = await newUserClient();
    const { link, members } = await invite(user.email);
    const visitor = await newVisitor(user.sessionToken);
    await visitor.get(link);
    expectPage(await visitor.post(link, { flow: 'x.y' }), 400, /open for too long/);
    const nobody = await newVisitor();
    const other = await invite(newEmail());
    await nobody.get(other.link);
    const register = other.link.replace(page, `${page}/register`);
    expectPage(await nobody.post(register, { flow: 'x.y', password }), 400, /open for too long/);
    expect([...(await members()), ...(await other.members())]).toEqual([]);
  });

  test('has expired once the invitation is revoked', async () => {
    const { link, organization, slug, invitation } = await invite(newEmail());
    await organization.call('identity.invitations.revoke', { path: { slug, invitationId: invitation.id } });
    const visitor = await newVisitor();
    expectPage(await visitor.get(link), 410, /This link has expired/);
    expectPage(await visitor.post(link, {}), 410);
    expectPage(await visitor.post(link.replace(page, `${page}/register`), { password }), 410);
  });

  test.each([[''], ['?token=AAAAAAAAAAAAAAAAAAAAAA'], ['?token=a&token=b'], ['?token=%3Cscript%3E']])(
    'has expired when the link is %p',
    async (query) => {
      expectPage(await (await newVisitor()).get(page + query), 410, /This link has expired/);
    },
  );

  test('shows names as text', async () => {
    const organization = await newTenantClient();
    const slug = organization.orgId.replace('_', '-');
    await organization.call('identity.organizations.update', { path: { slug }, body: { name: '<b>"Bold" & Co</b>' } });
    const email = newEmail();
    await organization.call('identity.invitations.create', { path: { slug }, body: { email, role: 'member' } });
    const shown = await (await newVisitor()).get(await mailedLink(email, page));
    expectPage(shown, 200, /as a member/);
    expect(shown.text).toContain('&lt;b&gt;&quot;Bold&quot; &amp; Co&lt;/b&gt;');
    expect(shown.text).not.toContain('<b>');
  });
});
