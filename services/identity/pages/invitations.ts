import { type CallOutput, call } from '../../../lib/contract/context.ts';
import { type Refusal, refuse, submitForm } from '../../../web/attempt.ts';
import type { BrandedOrganization } from '../../../web/brand.ts';
import { publicPage, type Visit } from '../../../web/define-page.ts';
import { type Field, renderFields } from '../../../web/fields.ts';
import { flowProblem, openFlow } from '../../../web/flow.ts';
import { renderForm, renderFormPage } from '../../../web/form-page.ts';
import { type Html, html } from '../../../web/html.ts';
import { type PageAnswer, redirectTo, renderPage } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { consolePath } from '../../../web/shell.ts';
import { startBrowserSession } from './login.ts';
import { newPasswordField } from './registration.ts';
import { withReturnTo } from './return-to.ts';
import { renderLinkExpired, tokenOf } from './shared.ts';
import { texts } from './texts.ts';

const path = '/self-service/invitations/accept';
const names = ['password', 'firstName', 'lastName'] as const;
type Values = Partial<Record<(typeof names)[number], string>>;

type Invitation = NonNullable<CallOutput<'identity.invitations.preview'>['invitation']>;
/**
 * The invitation of a mailed link, the email of the user who is logged in (null without one), and whether it is theirs.
 */
type Invited = { token: string; invitation: Invitation; loggedInAs: string | null; isTheirs: boolean };

/** The pages of an invitation's link: the invited person becomes a member, with an existing account or a new one. */
export const invitationPages = {
  'pages.invitations.show': publicPage({
    rest: `GET ${path}`,
    summary: 'Show an invitation to an organization',
    handler: offer,
  }),
  'pages.invitations.accept': publicPage({
    rest: `POST ${path}`,
    summary: 'Accept an invitation with the account that is logged in',
    handler: accept,
  }),
  'pages.invitations.register': publicPage({
    rest: `POST ${path}/register`,
    summary: 'Accept an invitation with a new account',
    handler: registerAndAccept,
  }),
};

async function offer(visit: Visit): Promise<PageAnswer> {
  const invited = await findInvitation(visit);
  if ('ended' in invited) return invited.ended;
  const { invitation, loggedInAs, isTheirs } = invited;
  if (isTheirs) return renderAcceptance(visit, invited);
  if (loggedInAs !== null) return renderOther(visit, invited);
  if (invitation.accountExists) return renderLoginFirst(invited);
  return renderRegistration(visit, invited, {});
}

async function accept(visit: Visit): Promise<PageAnswer> {
  const { browser, ctx, form } = visit;
  const invited = await findInvitation(visit);
  if ('ended' in invited) return invited.ended;
  pickFields(form);
  // Since the page was shown, the user has logged out or another has logged in. The page now shows the next step.
  if (!invited.isTheirs) return redirectTo(pathOf(path, invited.token));
  const problem = flowProblem(browser, 'invitation', form);
  if (problem !== null) return renderAcceptance(visit, invited, refuse({}, problem));
  const attempted = await submitForm([], () =>
    call(ctx, 'identity.invitations.accept', { path: { token: invited.token } }),
  );
  if (attempted.refusal) return renderAcceptance(visit, invited, attempted.refusal);
  return redirectTo(`${consolePath(attempted.answer.organization.slug, 'overview')}?done=accepted`);
}

async function registerAndAccept(visit: Visit): Promise<PageAnswer> {
  const { browser, ctx, form } = visit;
  const invited = await findInvitation(visit);
  if ('ended' in invited) return invited.ended;
  const { token } = invited;
  const { email: _shown, ...values } = pickFields(form, 'email', ...names);
  const problem = flowProblem(browser, 'invitation-registration', form);
  if (problem !== null) return renderRegistration(visit, invited, values, refuse({}, problem));
  const { password, firstName, lastName } = values;
  const profile = { ...(firstName.trim() && { firstName }), ...(lastName.trim() && { lastName }) };
  const attempted = await submitForm(names, () =>
    call(ctx, 'identity.invitations.register-and-accept', { body: { token, password, ...profile } }),
  );
  if (attempted.refusal) return renderRegistration(visit, invited, values, attempted.refusal);
  const result = attempted.answer;
  if (result.outcome === 'accepted') {
    await startBrowserSession(visit, result);
    return redirectTo('/console?done=accepted');
  }
  if (result.outcome === 'expired') return renderInvitationExpired();
  // A concurrent request has created the account. The page now offers to log in.
  return redirectTo(pathOf(path, token));
}

/** The open invitation of the link, or the page of one that is no longer open. Later calls are made as the user. */
async function findInvitation({ ctx, query, user }: Visit): Promise<Invited | { ended: PageAnswer }> {
  const token = tokenOf(query);
  if (token === null) return { ended: renderInvitationExpired() };
  const { invitation, joined } = await call(ctx, 'identity.invitations.preview', { body: { token } });
  if (joined) return { ended: renderJoined(joined) };
  if (!invitation) return { ended: renderInvitationExpired() };
  if (!user) return { token, invitation, loggedInAs: null, isTheirs: false };
  ctx.meta.caller = user;
  const [me, contacts] = await Promise.all([
    call(ctx, 'identity.me.read', {}),
    call(ctx, 'identity.contacts.list', { query: { limit: '100' } }),
  ]);
  const isTheirs = contacts.data.some(
    ({ type, value, verified }) => type === 'email' && value === invitation.email && verified,
  );
  return { token, invitation, loggedInAs: me.type === 'user' ? me.email : null, isTheirs };
}

function renderAcceptance({ browser }: Visit, { token, invitation }: Invited, refusal?: Refusal): PageAnswer {
  const t = texts().invitations;
  return renderFormPage({
    title: t.title(invitation.organizationName),
    lead: describe(invitation),
    organization: brandOf(invitation),
    refusal,
    form: { action: pathOf(path, token), flow: openFlow(browser, 'invitation', {}), submit: t.accept },
    links: html`<p class="hint">${t.decline}</p>`,
  });
}

function renderOther({ browser }: Visit, { token, invitation, loggedInAs }: Invited): PageAnswer {
  const t = texts().invitations;
  const logout = {
    action: withReturnTo('/self-service/logout', pathOf(path, token)),
    flow: openFlow(browser, 'logout', {}),
    submit: t.logOut,
  };
  return renderPage({
    title: t.otherTitle,
    organization: brandOf(invitation),
    body: html`<h1>${t.otherTitle}</h1>
<p>${describe(invitation)}</p>
<p>${t.loggedInAs(loggedInAs)}</p>
${renderForm(logout)}`,
  });
}

function renderLoginFirst({ token, invitation }: Invited): PageAnswer {
  const t = texts().invitations;
  const title = t.title(invitation.organizationName);
  return renderPage({
    title,
    organization: brandOf(invitation),
    body: html`<h1>${title}</h1>
<p>${describe(invitation)}</p>
<p>${t.accountExists}</p>
<p><a class="btn primary" href="${withReturnTo('/self-service/login/browser', pathOf(path, token))}">${t.logIn}</a></p>`,
  });
}

function renderRegistration(
  visit: Visit,
  { token, invitation }: Invited,
  values: Values,
  refusal?: Refusal,
): PageAnswer {
  const { browser } = visit;
  const { invitations: t, fields: common } = texts();
  const fields: Field[] = [
    {
      name: 'email',
      label: common.email,
      type: 'email',
      autocomplete: 'username',
      value: invitation.email,
      isRequired: true,
      isFixed: true,
    },
    { ...newPasswordField('password', t.password), isFirst: true },
    { name: 'firstName', label: common.firstName, autocomplete: 'given-name', value: values.firstName },
    { name: 'lastName', label: common.lastName, autocomplete: 'family-name', value: values.lastName },
  ];
  return renderFormPage({
    title: t.title(invitation.organizationName),
    lead: describe(invitation),
    organization: brandOf(invitation),
    refusal,
    form: {
      action: pathOf(`${path}/register`, token),
      flow: openFlow(browser, 'invitation-registration', {}),
      fields: renderFields(fields, refusal?.errors),
      submit: t.register,
    },
  });
}

function describe({ organizationName, inviterName, role, email }: Invitation): Html {
  return texts().invitations.lead(inviterName, email, organizationName, role);
}

function brandOf({ organizationName: name, organizationBrand: brand }: Invitation): BrandedOrganization {
  return { name, brand };
}

function pathOf(target: string, token: string): string {
  return `${target}?${new URLSearchParams({ token })}`;
}

function renderJoined({ organizationName }: { organizationName: string }): PageAnswer {
  const { acceptedTitle, accepted, organizations } = texts().invitations;
  return renderPage({
    title: acceptedTitle,
    body: html`<h1>${acceptedTitle}</h1>
<p>${accepted(organizationName)}</p>
<p><a class="btn primary" href="/account/organizations">${organizations}</a></p>`,
  });
}

function renderInvitationExpired(): PageAnswer {
  return renderLinkExpired(texts().invitations.expired, '/account');
}
