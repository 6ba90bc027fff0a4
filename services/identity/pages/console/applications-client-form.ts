import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { grantTypes, tokenEndpointAuthMethods } from '../../../../models/identity/oauth-client.ts';
import { type Refusal, refusalOf, submitForm } from '../../../../web/attempt.ts';
import { renderCheckGroups } from '../../../../web/check-groups.ts';
import { renderChoice, renderFields } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import {
  type OrganizationVisit,
  organizationPage,
  renderOrganizationPage,
  renderReadOnly,
} from '../../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields, pickTicked } from '../../../../web/pick.ts';
import { callOnce, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { renderZoneSection } from '../../../../web/zone.ts';
import { texts } from '../texts.ts';
import { clientForm, findClient, type OAuthClient } from './applications-client.ts';
import { renderApplication } from './applications-overview.ts';
import { type Application, applicationPath, crumbsTo, readApplication } from './applications-page.ts';
import { renderScopes } from './applications-scopes.ts';

type ClientFields = Pick<
  OAuthClient,
  'grantTypes' | 'redirectUris' | 'postLogoutRedirectUris' | 'scopes' | 'tokenEndpointAuthMethod'
>;

const fieldNames = [
  'grantTypes',
  'redirectUris',
  'postLogoutRedirectUris',
  'scopes',
  'tokenEndpointAuthMethod',
] as const;

/** The values of a new client: people log in, and stay logged in. */
const usual: ClientFields = {
  grantTypes: ['authorization_code', 'refresh_token'],
  redirectUris: [],
  postLogoutRedirectUris: [],
  scopes: ['openid', 'profile', 'email', 'offline_access'],
  tokenEndpointAuthMethod: 'client_secret_basic',
};

/** The OAuth client of an application. */
export const applicationClientPages = {
  'pages.console.applications.client': organizationPage('applications', {
    rest: 'GET /:app/client',
    summary: 'Show the form of the OAuth client of an application',
    handler: async (visit) => {
      const application = await readApplication(visit);
      const client = await findClient(visit, application);
      return renderClientForm(visit, application, client, client ?? usual);
    },
  }),
  'pages.console.applications.save-client': organizationPage('applications', {
    rest: 'POST /:app/client',
    summary: 'Create or change the OAuth client of an application, and show its secret once',
    handler: saveClient,
  }),
  'pages.console.applications.replace-secret': organizationPage('applications', {
    rest: 'POST /:app',
    summary: 'Replace the secret of an OAuth client, and show it once',
    handler: replaceSecret,
  }),
  'pages.console.applications.delete-client': organizationPage('applications', {
    rest: 'POST /:app/client/delete',
    summary: 'Delete the OAuth client of an application',
    handler: deleteClient,
  }),
};

async function saveClient(visit: OrganizationVisit): Promise<PageAnswer> {
  const scopes = pickTicked(visit.form, 'scopes');
  const grants = pickTicked(scopes.rest, 'grantTypes');
  const typed = pickFields(grants.rest, 'redirectUris', 'postLogoutRedirectUris', 'tokenEndpointAuthMethod');
  const application = await readApplication(visit);
  // The endpoint says what is wrong with values that no box of the form has.
  const fields: ClientFields = {
    grantTypes: grants.ticked as ClientFields['grantTypes'],
    redirectUris: linesOf(typed.redirectUris),
    postLogoutRedirectUris: linesOf(typed.postLogoutRedirectUris),
    scopes: scopes.ticked,
    tokenEndpointAuthMethod: typed.tokenEndpointAuthMethod as ClientFields['tokenEndpointAuthMethod'],
  };
  const refusal = rejectStaleForm(visit, clientForm);
  const attempt = refusal ? { refusal } : await submitForm(fieldNames, () => store(visit, application, fields));
  if (attempt.refusal === null) return answerStored(visit, application, attempt.answer);
  return renderClientForm(visit, application, await findClient(visit, application), fields, attempt.refusal);
}

function store(visit: OrganizationVisit, { slug }: Application, fields: ClientFields) {
  const { grantTypes: grants, redirectUris, postLogoutRedirectUris, scopes, tokenEndpointAuthMethod } = fields;
  const body = { grantTypes: grants, redirectUris, postLogoutRedirectUris, scopes, tokenEndpointAuthMethod };
  return callOnce(visit, 'identity.oauth-clients.create', { path: { slug }, body });
}

async function answerStored(
  visit: OrganizationVisit,
  application: Application,
  { clientSecret }: CallOutput<'identity.oauth-clients.create'>,
): Promise<PageAnswer> {
  return clientSecret === undefined
    ? redirectTo(applicationPath(visit, application, [], { done: 'client-saved' }))
    : await renderApplication(visit, application, { clientSecret });
}

async function replaceSecret(visit: OrganizationVisit): Promise<PageAnswer> {
  pickFields(visit.form);
  const application = await readApplication(visit);
  const client = await findClient(visit, application);
  if (!client) return renderApplication(visit, application);
  const refusal = rejectStaleForm(visit, clientForm);
  const attempt = refusal ? { refusal } : await submitForm([], () => store(visit, application, client));
  return attempt.refusal === null
    ? answerStored(visit, application, attempt.answer)
    : renderApplication(visit, application, { refusal: attempt.refusal });
}

async function deleteClient(visit: OrganizationVisit): Promise<PageAnswer> {
  pickFields(visit.form);
  const application = await readApplication(visit);
  const input = { path: { slug: application.slug } };
  const refusal =
    rejectStaleForm(visit, clientForm) ??
    (await refusalOf([], () => call(visit.ctx, 'identity.oauth-clients.delete', input)));
  if (refusal) return renderApplication(visit, application, { refusal });
  return redirectTo(applicationPath(visit, application, [], { done: 'client-deleted' }));
}

function linesOf(text: string): string[] {
  return text.split(/\s+/).filter((line) => line !== '');
}

async function renderClientForm(
  visit: OrganizationVisit,
  application: Application,
  client: OAuthClient | null,
  values: ClientFields,
  refusal?: Refusal,
): Promise<PageAnswer> {
  const { form: t, kinds, grantWords } = texts().consoleApplications.client;
  const errors = refusal?.errors ?? {};
  const kind = {
    name: 'tokenEndpointAuthMethod',
    label: t.kind,
    options: tokenEndpointAuthMethods.map((method) => [method, kinds[method]] as const),
  };
  const boxes = grantTypes.map((value) => ({ value, words: grantWords[value] }));
  const grants = { name: 'grantTypes', label: t.grants, groups: [{ legend: t.grantsLegend, boxes }] };
  const lines = { lines: 3, autocomplete: 'off' } as const;
  const isPublic = client?.tokenEndpointAuthMethod === 'none';
  return renderOrganizationPage(visit, {
    title: client ? t.editTitle : t.createTitle,
    lead: client && !isPublic ? t.editLead : t.lead,
    parents: crumbsTo(visit, application),
    refusal,
    body:
      renderReadOnly(visit) ??
      html`${renderForm({
        action: applicationPath(visit, application, ['client']),
        flow: openUserFlow(visit, clientForm),
        fields: html`${renderChoice(kind, values.tokenEndpointAuthMethod, errors.tokenEndpointAuthMethod)}
${renderFields(
  [
    {
      ...lines,
      name: 'redirectUris',
      label: t.redirects,
      hint: t.redirectsHint,
      value: values.redirectUris.join('\n'),
    },
    {
      ...lines,
      name: 'postLogoutRedirectUris',
      label: t.logouts,
      hint: t.logoutsHint,
      value: values.postLogoutRedirectUris.join('\n'),
    },
  ],
  errors,
)}
${renderCheckGroups(grants, values.grantTypes, errors)}
${await renderScopes(visit, { label: t.scopes, hint: t.scopesHint, hasOpenid: true }, values.scopes, errors)}`,
        submit: client ? (isPublic ? t.savePublic : t.save) : t.create,
      })}
${client && renderRemoving(visit, application)}`,
  });
}

function renderRemoving(visit: OrganizationVisit, application: Application): Html {
  const { title, words, ...form } = texts().consoleApplications.client.remove;
  const action = applicationPath(visit, application, ['client', 'delete']);
  const confirmed = { id: 'delete-client', action, flow: openUserFlow(visit, clientForm), ...form };
  return renderZoneSection(null, [{ title, words, confirmed }]);
}
