import { call } from '../../../lib/calls.ts';
import { idPattern } from '../../../lib/ids.ts';
import { attempt, type Refusal, refuse, refuseForNow, refuseMissing } from '../../../web/attempt.ts';
import { publicPage, type Visit } from '../../../web/define-page.ts';
import { type Field, showFields } from '../../../web/fields.ts';
import { flowProblem, openFlow, readFlow } from '../../../web/flow.ts';
import { showFormPage } from '../../../web/form-page.ts';
import { type Html, html } from '../../../web/html.ts';
import type { PageAnswer } from '../../../web/page.ts';
import { pick } from '../../../web/pick.ts';
import { returnToOf, sendBack, withReturnTo } from './return-to.ts';

type Shown = { clientId?: string | null; email?: string; refusal?: Refusal; notice?: string | undefined };

const clientIdPattern = idPattern('cli');

const asked = { email: 'Type your email address.', password: 'Type your password.' };

const notices: Record<string, string> = {
  'logged-out': 'You are logged out.',
  'password-changed': 'Your password is changed. Log in with the new one.',
  'account-deleted': 'Your account is deleted.',
};

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
  if (user && !isRepeated) return sendBack(visit, returnTo);
  const notice = typeof query.notice === 'string' && Object.hasOwn(notices, query.notice) ? query.notice : undefined;
  return await showLogin(visit, returnTo, {
    clientId: typeof query.client_id === 'string' ? query.client_id : null,
    notice: user ? 'Log in again, so that we know that it is you.' : notice && notices[notice],
  });
}

async function logIn(visit: Visit): Promise<PageAnswer> {
  const { browser, ctx, form } = visit;
  const returnTo = await returnToOf(visit);
  const { email, password } = pick(form, 'email', 'password');
  const clientId = readFlow(browser, 'login', form.flow ?? '')?.clientId ?? null;
  const again = (refusal: Refusal) => showLogin(visit, returnTo, { clientId, email, refusal });
  const problem = flowProblem(browser, 'login', form);
  if (problem !== null) return again(refuse({}, problem));
  const missing = refuseMissing({ email, password }, asked);
  if (missing) return again(missing);
  const formerTokenHash = browser.sessionTokenHash;
  const attempted = await attempt(['email', 'password'], () =>
    call(ctx, 'identity.accounts.login', { body: { email, password, formerTokenHash } }),
  );
  if (attempted.refusal) return again(attempted.refusal);
  const result = attempted.answer;
  if (result.outcome === 'loggedIn') {
    browser.signIn(result.sessionToken, new Date(result.expiresAt));
    return sendBack(visit, returnTo);
  }
  if (result.outcome === 'refused') return again(wrong());
  return again(refuseForNow(result.retryAfterSeconds));
}

async function showLogin(visit: Visit, returnTo: string | null, shown: Shown): Promise<PageAnswer> {
  const { clientId = null, email = '', refusal, notice } = shown;
  return showFormPage({
    title: 'Log in',
    lead: await leadOf(visit, clientId),
    notice,
    refusal,
    form: {
      action: withReturnTo('/self-service/login', returnTo),
      flow: openFlow(visit.browser, 'login', { clientId }),
      fields: showFields(fieldsOf(email), refusal?.errors),
      submit: 'Log in',
    },
    links: html`<p><a href="${withReturnTo('/self-service/recovery/browser', returnTo)}">I forgot my password</a></p>
<p>New here? <a href="${withReturnTo('/self-service/registration/browser', returnTo)}">Make an account</a></p>`,
  });
}

/** The application that the user logs in for, with its organization; nothing for an unknown one. */
async function leadOf({ ctx }: Visit, clientId: string | null): Promise<Html | null> {
  if (clientId === null || !clientIdPattern.test(clientId)) return null;
  const { client } = await call(ctx, 'identity.oauth.clients.find', { body: { clientId } });
  if (!client) return null;
  return html`to continue to <strong>${client.applicationName}</strong> of <strong>${client.organizationName}</strong>`;
}

function fieldsOf(email: string): Field[] {
  return [
    { ...emailField(email), isFirst: email === '' },
    {
      name: 'password',
      label: 'Password',
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
    label: 'Email address',
    type: 'email',
    autocomplete: 'username',
    inputmode: 'email',
    value,
    isRequired: true,
    isFirst: true,
  };
}

/** The same refusal for an unknown address, so that the page does not reveal which accounts exist. */
function wrong(): Refusal {
  return refuse({}, 'The email address or the password is wrong. Check both and try again.');
}
