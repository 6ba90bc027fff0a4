import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { type Refusal, refusalOf, submitForm } from '../../../../web/attempt.ts';
import { renderFields } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type OrganizationVisit, organizationPage, renderOrganizationPage } from '../../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { renderSections, type Section } from '../../../../web/sections.ts';
import { flashMessage } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { agentsSection } from './agents.ts';
import { repliesSection, replyFields, saveReply } from './replies.ts';
import { installSection, type Site, secretSection, settingsIn, settingsSection, siteFields } from './settings.ts';
import { hiddenFields, rejectSettings, type SiteForm, siteForm, websiteHref } from './websites-page.ts';

/** The settings of an organization's websites, with the snippet, the secret and the agents. */
export const websitesPages = {
  'pages.websites.show': organizationPage('websites', {
    rest: 'GET',
    summary: 'Show the settings of the websites of an organization',
    handler: (visit) => renderWebsites(visit),
  }),
  'pages.websites.save': organizationPage('websites', {
    rest: 'POST /site',
    summary: 'Save the settings of a website',
    handler: save,
  }),
  'pages.websites.add': organizationPage('websites', {
    rest: 'POST /new',
    summary: 'Add a website on its page',
    handler: add,
  }),
  'pages.websites.secret': organizationPage('websites', {
    rest: 'POST /secret',
    summary: 'Make the secret of a website, and show it once',
    handler: makeSecret,
  }),
  'pages.websites.add-agent': organizationPage('websites', {
    rest: 'POST /agents',
    summary: 'Make a member an agent on the page of websites',
    handler: addAgent,
  }),
  'pages.websites.remove-agent': organizationPage('websites', {
    rest: 'POST /agents/remove',
    summary: 'Remove an agent on the page of websites',
    handler: removeAgent,
  }),
  'pages.websites.save-reply': organizationPage('websites', {
    rest: 'POST /replies',
    summary: 'Add or change a saved reply on the page of websites',
    handler: keepReply,
  }),
  'pages.websites.remove-reply': organizationPage('websites', {
    rest: 'POST /replies/remove',
    summary: 'Remove a saved reply on the page of websites',
    handler: removeReply,
  }),
};

async function save(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, form } = visit;
  const { siteId } = pickFields(form, 'siteId', ...siteFields);
  const body = settingsIn(form);
  const refusal =
    rejectSettings(visit) ??
    (await refusalOf(siteFields, () => call(ctx, 'connect.sites.update', { path: { siteId }, body })));
  if (refusal) return renderWebsites(visit, { of: 'settings', refusal });
  return redirectTo(websiteHref(visit, siteId, { done: 'saved' }));
}

async function add(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, form } = visit;
  const { newName: name } = pickFields(form, 'siteId', 'newName');
  const stopped = rejectSettings(visit);
  if (stopped) return renderWebsites(visit, { of: 'add', refusal: stopped });
  const attempted = await submitForm(['name'], () => call(ctx, 'connect.sites.create', { body: { name } }));
  if (attempted.refusal === null) {
    return redirectTo(websiteHref(visit, attempted.answer.siteId, { done: 'added' }));
  }
  const { errors, ...rest } = attempted.refusal;
  const refusal: Refusal = { ...rest, errors: {} };
  if (errors.name !== undefined) refusal.errors.newName = errors.name;
  return renderWebsites(visit, { of: 'add', refusal });
}

async function makeSecret(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, form } = visit;
  const { siteId } = pickFields(form, 'siteId');
  const stopped = rejectSettings(visit);
  if (stopped) return renderWebsites(visit, { of: 'secret', refusal: stopped });
  const attempted = await submitForm([], () => call(ctx, 'connect.sites.create-secret', { path: { siteId } }));
  if (attempted.refusal) return renderWebsites(visit, { of: 'secret', refusal: attempted.refusal });
  return renderWebsites(visit, null, attempted.answer.secret);
}

async function addAgent(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, form } = visit;
  const { siteId, userId, displayName } = pickFields(form, 'siteId', 'userId', 'displayName');
  const body = { userId, displayName: displayName.trim() === '' ? null : displayName };
  const refusal =
    rejectSettings(visit) ??
    (await refusalOf(['userId', 'displayName'], () => call(ctx, 'connect.agents.add', { body })));
  return answerSection(visit, { of: 'agents', siteId, refusal, done: 'agent-added' });
}

async function removeAgent(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, form } = visit;
  const { siteId, userId } = pickFields(form, 'siteId', 'userId');
  const refusal =
    rejectSettings(visit) ?? (await refusalOf([], () => call(ctx, 'connect.agents.delete', { path: { userId } })));
  return answerSection(visit, { of: 'agents', siteId, refusal, done: 'agent-removed' });
}

async function keepReply(visit: OrganizationVisit): Promise<PageAnswer> {
  const { siteId, ...fields } = pickFields(visit.form, 'siteId', ...replyFields);
  const refusal = rejectSettings(visit) ?? (await saveReply(visit, fields));
  return answerSection(visit, { of: 'replies', siteId, refusal, done: 'reply-saved' });
}

async function removeReply(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, form } = visit;
  const { siteId, replyId } = pickFields(form, 'siteId', 'replyId');
  const refusal =
    rejectSettings(visit) ?? (await refusalOf([], () => call(ctx, 'connect.replies.delete', { path: { replyId } })));
  return answerSection(visit, { of: 'replies', siteId, refusal, done: 'reply-removed' });
}

type SectionAnswer = { of: 'agents' | 'replies'; siteId: string; refusal: Refusal | null; done: string };

/** Answers a form of a section: goes back to the section with a notice, or shows it again with the refusal. */
function answerSection(
  visit: OrganizationVisit,
  { of, siteId, refusal, done }: SectionAnswer,
): Promise<PageAnswer> | PageAnswer {
  return refusal ? renderWebsites(visit, { of, refusal }) : redirectTo(`${websiteHref(visit, siteId, { done })}#${of}`);
}

/** A rejection, and the form that was rejected. */
type Refused = { of: 'settings' | 'add' | 'secret' | 'agents' | 'replies'; refusal: Refusal };
type Sites = CallOutput<'connect.sites.list'>['data'];

async function renderWebsites(
  visit: OrganizationVisit,
  refused: Refused | null = null,
  secret: string | null = null,
): Promise<PageAnswer> {
  const t = texts().websites;
  const { ctx, orgId, mayChange } = visit;
  const first = await call(ctx, 'connect.settings.read', {});
  const { data: sites } = await call(ctx, 'connect.sites.list', { query: { limit: '100' } });
  const site = await chosenSite(visit, first);
  const form = mayChange ? siteForm(visit, site.siteId) : null;
  const errorsOf = (part: Refused['of']) => (refused?.of === part ? refused.refusal.errors : {});
  const typed = refused?.of === 'settings' ? visit.form : null;
  return renderOrganizationPage(visit, {
    title: t.title,
    notice: secret === null ? flashMessage(visit, t.notices) : null,
    refusal: refused?.refusal,
    body: html`${!form && html`<p class="hint">${t.readOnly}</p>`}
${sites.length > 1 && renderSites(visit, sites, site)}
${renderSections(t.title, [
  installSection(site, orgId),
  ...(form ? [settingsSection(site, form, typed, errorsOf('settings'))] : []),
  secretSection(site, form, secret),
  await agentsSection(visit, form, errorsOf('agents')),
  await repliesSection(visit, form, errorsOf('replies')),
  ...(form ? [addingSection(form, refused?.of === 'add' ? (visit.form.newName ?? '') : '', errorsOf('add'))] : []),
])}`,
  });
}

/** Returns the website in the URL or the form, otherwise the first one. */
async function chosenSite({ ctx, query, form }: OrganizationVisit, first: Site): Promise<Site> {
  const siteId = form.siteId ?? query.siteId;
  if (typeof siteId !== 'string' || siteId === first.siteId) return first;
  return await call(ctx, 'connect.sites.read', { path: { siteId } });
}

function renderSites(visit: OrganizationVisit, sites: Sites, chosen: Site): Html {
  const links = sites.map(
    ({ siteId, name }) =>
      html`<a href="${websiteHref(visit, siteId)}"${siteId === chosen.siteId && html` aria-current="true"`}>${name}</a>`,
  );
  return html`<div class="row wrap"><div class="seg" role="group" aria-label="${texts().websites.websites}">${links}</div></div>`;
}

function addingSection(form: SiteForm, name: string, errors: Refusal['errors']): Section {
  const { title, name: label, submit } = texts().websites.add;
  const field = { name: 'newName', label, autocomplete: 'off', isRequired: true, maxLength: 100, value: name };
  const fields = [hiddenFields(form), renderFields([field], errors)];
  return { id: 'add', title, content: renderForm({ action: `${form.path}/new`, flow: form.flow, fields, submit }) };
}
