import { call } from '../../../lib/calls.ts';
import { refuse } from '../../../web/attempt.ts';
import { publicPage, type Visit } from '../../../web/define-page.ts';
import { flowProblem, openFlow } from '../../../web/flow.ts';
import { renderFormPage } from '../../../web/form-page.ts';
import type { PageAnswer } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { redirectToReturnUrl, returnToOf, withReturnTo } from './return-to.ts';
import { texts } from './texts.ts';

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
