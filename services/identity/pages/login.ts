import { call } from '../../../lib/contract/context.ts';
import { type Refusal, refuse, rejectForNow, rejectMissing, submitForm } from '../../../web/attempt.ts';
import { publicPage, type Visit } from '../../../web/define-page.ts';
import { type Field, renderFields } from '../../../web/fields.ts';
import { flowProblem, openFlow, readFlow } from '../../../web/flow.ts';
import { renderFormPage } from '../../../web/form-page.ts';
import { html } from '../../../web/html.ts';
import type { PageAnswer } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { flashMessage } from '../../../web/user-page.ts';
import { rememberDevice } from '../accounts/known-devices.ts';
import { redirectToReturnUrl, returnToOf, withReturnTo } from './return-to.ts';
import { clientIdOf, findClient, organizationOf, registrationMode } from './shared.ts';
import { texts } from './texts.ts';

type NewSession = { sessionToken: string; expiresAt: string; email: string };

/** Logs the browser in with a new session. Ends its previous session, because the token would be lost. */
export async function startBrowserSession({ browser, ctx }: Visit, session: NewSession): Promise<void> {
  browser.signIn(session.sessionToken, new Date(session.expiresAt));
  rememberDevice(browser, session.email);
  const tokenHash = browser.sessionTokenHash;
  if (tokenHash !== null) await call(ctx, 'identity.sessions.end', { body: { tokenHash } });
}

type Shown = { clientId?: string | null; email?: string; refusal?: Refusal; notice?: string | undefined };

const maxEmailLength = 254;

/** The login page. Clients redirect browsers here, and the browser returns to `return_to`. */
export const loginPages = {
  'pages.login.show': publicPage({
    rest: 'GET /self-service/login/browser',
    summary: 'Show the login page',
    handler: offerLogin,
  }),
  'pages.login.submit': publicPage({ rest: 'POST /self-service/login', summary: 'Log in', handler: logIn }),
};

async function offerLogin(visit: Visit): Promise<PageAnswer> {
  const { query, user } = visit;
  const returnTo = await returnToOf(visit);
  const isRepeated = query.refresh === 'true';
  if (user && !isRepeated) return redirectToReturnUrl(visit, returnTo);
  return await renderLogin(visit, returnTo, {
    clientId: clientIdOf(query),
    email: hintOf(query.login_hint),
    notice: flashMessage(visit, texts().login.notices, 'notice') ?? (user ? texts().login.repeated : undefined),
  });
}

async function logIn(visit: Visit): Promise<PageAnswer> {
  const { browser, ctx, form } = visit;
  const returnTo = await returnToOf(visit);
  const { email, password } = pickFields(form, 'email', 'password');
  const clientId = readFlow(browser, 'login', form.flow ?? '')?.clientId ?? null;
  const again = (refusal: Refusal) => renderLogin(visit, returnTo, { clientId, email, refusal });
  const problem = flowProblem(browser, 'login', form);
  if (problem !== null) return again(refuse({}, problem));
  const { fields, login } = texts();
  const missing = rejectMissing({ email, password }, { email: fields.emailMissing, password: login.passwordMissing });
  if (missing) return again(missing);
  const formerTokenHash = browser.sessionTokenHash;
  const attempted = await submitForm(['email', 'password'], () =>
    call(ctx, 'identity.accounts.login', { body: { email, password, formerTokenHash } }),
  );
  if (attempted.refusal) return again(attempted.refusal);
  const result = attempted.answer;
  if (result.outcome === 'loggedIn') {
    browser.signIn(result.sessionToken, new Date(result.expiresAt));
    rememberDevice(browser, result.email);
    if (result.language) browser.keepLanguage(result.language);
    return redirectToReturnUrl(visit, returnTo);
  }
  if (result.outcome === 'refused') return again(wrong());
  return again(rejectForNow(result.retryAfterSeconds));
}

async function renderLogin(visit: Visit, returnTo: string | null, shown: Shown): Promise<PageAnswer> {
  const { clientId = null, email = '', refusal, notice } = shown;
  const t = texts().login;
  const [client, mode] = await Promise.all([findClient(visit, clientId), registrationMode(visit)]);
  const offersAccount = mode !== 'invitation';
  return renderFormPage({
    title: t.title,
    formsLeave: true,
    lead: client && t.continueTo(client.applicationName, client.organizationName),
    organization: organizationOf(client),
    notice,
    refusal,
    form: {
      action: withReturnTo('/self-service/login', returnTo),
      flow: openFlow(visit.browser, 'login', { clientId }),
      fields: renderFields(fieldsOf(email), refusal?.errors),
      submit: t.submit,
    },
    links: html`<p><a href="${withReturnTo('/self-service/recovery/browser', returnTo)}">${t.forgotPassword}</a></p>`,
    under: offersAccount && t.register(withReturnTo('/self-service/registration/browser', returnTo, clientId)),
  });
}

/** The email address in `login_hint` (OpenID Connect Core 3.1.2.1); empty for other hints. */
function hintOf(hint: unknown): string {
  const isEmail = typeof hint === 'string' && hint.length <= maxEmailLength && /^[^\s@]+@[^\s@]+$/.test(hint);
  return isEmail ? hint : '';
}

function fieldsOf(email: string): Field[] {
  return [
    { ...emailField(email), isFirst: email === '' },
    {
      name: 'password',
      label: texts().fields.password,
      type: 'password',
      autocomplete: 'current-password',
      isRequired: true,
      isFirst: email !== '',
    },
  ];
}

/** The field of the address that users log in with, which has the initial focus. */
export function emailField(value = ''): Field {
  return {
    name: 'email',
    label: texts().fields.email,
    type: 'email',
    autocomplete: 'username',
    inputmode: 'email',
    value,
    isRequired: true,
    isFirst: true,
  };
}

/** Does not distinguish an unknown address, so that the page does not reveal which accounts exist. */
function wrong(): Refusal {
  return refuse({}, texts().login.wrong);
}

const afterwards = '/self-service/login/browser?notice=logged-out';

/** Ends the session of this browser. It takes a button, so that a link on another site cannot log a user out. */
export const logoutPages = {
  'pages.logout.show': publicPage({
    rest: 'GET /self-service/logout/browser',
    summary: 'Ask whether to log out',
    handler: offerLogout,
  }),
  'pages.logout.submit': publicPage({ rest: 'POST /self-service/logout', summary: 'Log out', handler: logOut }),
};

async function offerLogout(visit: Visit): Promise<PageAnswer> {
  const returnTo = await returnToOf(visit);
  if (!visit.user) return redirectToReturnUrl(visit, returnTo, afterwards);
  return renderLogout(visit, returnTo);
}

async function logOut(visit: Visit): Promise<PageAnswer> {
  const { browser, ctx, form } = visit;
  const returnTo = await returnToOf(visit);
  pickFields(form);
  const problem = flowProblem(browser, 'logout', form);
  if (problem !== null) return renderLogout(visit, returnTo, problem);
  const tokenHash = browser.sessionTokenHash;
  if (tokenHash !== null) await call(ctx, 'identity.sessions.end', { body: { tokenHash } });
  browser.signOut();
  return redirectToReturnUrl(visit, returnTo, afterwards);
}

function renderLogout({ browser }: Visit, returnTo: string | null, problem?: string): PageAnswer {
  const t = texts().logout;
  return renderFormPage({
    title: t.title,
    formsLeave: true,
    lead: t.lead,
    refusal: problem === undefined ? null : refuse({}, problem),
    form: {
      action: withReturnTo('/self-service/logout', returnTo),
      flow: openFlow(browser, 'logout', {}),
      submit: t.submit,
    },
  });
}
