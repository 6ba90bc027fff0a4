import { call } from '../../../../lib/contract/context.ts';
import { type Refusal, refusalOf, refuse, rejectMissing, withRenamedProblems } from '../../../../web/attempt.ts';
import { renderCopyable } from '../../../../web/copy.ts';
import { renderFacts } from '../../../../web/facts.ts';
import { renderFields } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import { formatCount } from '../../../../web/numbers.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  rejectChange,
  renderOrganizationPage,
  renderReadOnly,
} from '../../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { renderSections, type Section } from '../../../../web/sections.ts';
import { renderDay } from '../../../../web/time.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { renderTypedForm, renderZone } from '../../../../web/zone.ts';
import { auditDaysOf } from '../../audit/retention.ts';
import { maxLogoBytes } from '../../logo.ts';
import { organizationsPath } from '../account/organizations.ts';
import { texts } from '../texts.ts';
import { ifAllowed } from './if-allowed.ts';
import { renderBrand } from './settings-brand.ts';
import { renderSecurity, saveSecurity, securityNames, type TypedSecurity } from './settings-security.ts';
import { refusalInWords } from './users-page.ts';

const formKind = 'settings';

/** The settings of an organization: its name and brand, the rules for members, how long its data is kept, and how to leave or delete it. */
export const consoleSettingsPages = {
  'pages.console.settings.show': organizationPage('settings', {
    rest: 'GET',
    summary: 'Show the settings of an organization',
    handler: (visit) => renderSettings(visit),
  }),
  'pages.console.settings.save': organizationPage('settings', {
    rest: 'POST',
    summary: 'Change an organization on its page',
    handler: save,
  }),
  'pages.console.settings.logo': organizationPage('settings', {
    rest: 'POST /logo',
    summary: 'Set the logo of an organization on its page',
    fileBytes: maxLogoBytes,
    handler: saveLogo,
  }),
  'pages.console.settings.logo.remove': organizationPage('settings', {
    rest: 'POST /logo/remove',
    summary: 'Remove the logo of an organization on its page',
    handler: (visit) => {
      const path = { slug: visit.organization.slug };
      pickFields(visit.form);
      return change(visit, 'logo-removed', () => call(visit.ctx, 'identity.logo.remove', { path }));
    },
  }),
  'pages.console.settings.color': organizationPage('settings', {
    rest: 'POST /color',
    summary: 'Set the colour of an organization on its page',
    handler: (visit) => saveColor(visit, pickFields(visit.form, 'color').color),
  }),
  'pages.console.settings.color.remove': organizationPage('settings', {
    rest: 'POST /color/remove',
    summary: 'Remove the colour of an organization on its page',
    handler: (visit) => {
      pickFields(visit.form);
      return saveColor(visit, null);
    },
  }),
  'pages.console.settings.security': organizationPage('settings', {
    rest: 'POST /security',
    summary: 'Change the rules for members of an organization on its page',
    handler: changeSecurity,
  }),
  'pages.console.settings.leave': organizationPage('settings', {
    rest: 'POST /leave',
    summary: 'Leave an organization',
    handler: leave,
  }),
  'pages.console.settings.delete': organizationPage('settings', {
    rest: 'POST /delete',
    summary: 'Delete an organization with everything in it, on its page',
    handler: remove,
  }),
};

async function save(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, form, organization } = visit;
  const body = pickFields(form, 'name');
  const t = texts().consoleSettings;
  const refusal =
    rejectChange(visit, formKind, t.lacks('console.orgs.write')) ??
    rejectMissing(body, { name: t.general.nameMissing }) ??
    (await refusalOf(['name'], () =>
      call(ctx, 'identity.organizations.update', { path: { slug: organization.slug }, body }),
    ));
  if (refusal) return await renderSettings(visit, { typed: body.name, refusal });
  return redirectTo(pathOf(visit, 'settings', [], { done: 'saved' }));
}

async function saveLogo(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, form, file, organization } = visit;
  pickFields(form);
  const { tooLarge, fileMissing } = texts().consoleSettings.brand;
  // Nothing of the form may have been read.
  if (!file) return await renderSettings(visit, { refusal: refuse({ file: tooLarge }, null, 413) });
  if (file.length === 0) return await renderSettings(visit, { refusal: refuse({ file: fileMissing }) });
  const input = { path: { slug: organization.slug }, body: file.toString('base64') };
  return await change(visit, 'logo', () =>
    withRenamedProblems(
      (detail) => ({ ...detail, path: 'body.file' }),
      () => call(ctx, 'identity.logo.update', input),
    ),
  );
}

function saveColor(visit: OrganizationVisit, color: string | null): Promise<PageAnswer> {
  const input = { path: { slug: visit.organization.slug }, body: { brand: { color } } };
  return change(visit, color === null ? 'color-removed' : 'color', () =>
    withRenamedProblems(
      (detail) => ({ ...detail, path: 'body.color' }),
      () => call(visit.ctx, 'identity.organizations.update', input),
    ),
  );
}

/** Makes a change of the brand, and shows the settings again with the notice `done`. */
async function change(
  visit: OrganizationVisit,
  done: 'logo' | 'logo-removed' | 'color' | 'color-removed',
  work: () => Promise<unknown>,
): Promise<PageAnswer> {
  const refusal =
    rejectChange(visit, formKind, texts().consoleSettings.lacks('console.orgs.write')) ??
    (await refusalOf(['file', 'color'], work));
  if (refusal) return await renderSettings(visit, { refusal });
  return redirectTo(pathOf(visit, 'settings', [], { done }));
}

async function changeSecurity(visit: OrganizationVisit): Promise<PageAnswer> {
  const security = pickFields(visit.form, ...securityNames);
  const refusal =
    rejectChange(visit, formKind, texts().consoleSettings.lacks('console.orgs.write')) ??
    (await saveSecurity(visit, security));
  if (refusal) return await renderSettings(visit, { security, refusal });
  return redirectTo(pathOf(visit, 'settings', [], { done: 'security' }));
}

/** Every member may leave; the last owner cannot. */
async function leave(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, form, organization, user } = visit;
  pickFields(form);
  const path = { slug: organization.slug, userId: user.id };
  const refusal =
    rejectStaleForm(visit, formKind) ??
    (await refusalInWords([], () => call(ctx, 'identity.members.remove', { path })));
  if (refusal) return await renderSettings(visit, { refusal });
  return redirectTo(`${organizationsPath}?done=left`);
}

async function remove(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, form, organization } = visit;
  const { slug } = organization;
  const { confirm } = pickFields(form, 'confirm');
  const t = texts().consoleSettings.danger.remove;
  const isMeant = confirm.trim() === slug;
  const refusal =
    rejectStaleForm(visit, formKind) ??
    (mayDelete(visit) ? null : refuse({}, t.ownersOnly, 403)) ??
    (isMeant ? null : refuse({ confirm: t.confirmWrong(slug) })) ??
    (await refusalOf([], () =>
      call(ctx, 'identity.organizations.delete', { path: { slug }, query: { confirm: slug } }),
    ));
  if (refusal) return await renderSettings(visit, { refusal });
  return redirectTo(`${organizationsPath}?done=deleted`);
}

function mayDelete({ organization }: OrganizationVisit): boolean {
  return organization.role === 'owner';
}

type Refused = { typed?: string; security?: TypedSecurity; refusal?: Refusal };

async function renderSettings(visit: OrganizationVisit, refused: Refused = {}): Promise<PageAnswer> {
  const { typed, security: typedSecurity, refusal } = refused;
  const t = texts().consoleSettings;
  const flow = visit.mayChange ? openUserFlow(visit, formKind) : null;
  const [generalForm, rules, days] = await Promise.all([
    renderGeneral(visit, typed, refusal),
    renderSecurity(visit, flow, typedSecurity, refusal),
    renderRetention(visit),
  ]);
  return renderOrganizationPage(visit, {
    title: t.title,
    notice: flashMessage(visit, t.notices),
    refusal,
    body: renderSections(t.title, [
      sectionOf('general', generalForm),
      sectionOf('brand', renderBrand(visit, flow, refusal)),
      sectionOf('security', rules),
      sectionOf('retention', days),
      sectionOf('danger', renderDanger(visit, refusal)),
    ]),
  });
}

function sectionOf(id: keyof ReturnType<typeof texts>['consoleSettings']['sections'], content: Content): Section {
  const t = texts().consoleSettings;
  return { id, title: t.sections[id], words: t[id].words, content };
}

async function renderGeneral(
  visit: OrganizationVisit,
  typed: string | undefined,
  refusal: Refusal | undefined,
): Promise<Html> {
  const { ctx, organization, mayChange } = visit;
  const { id, name, slug } = organization;
  const { createdAt } = await call(ctx, 'identity.organizations.read', { path: { slug } });
  const t = texts().consoleSettings.general;
  const fields = renderFields(
    [
      {
        name: 'name',
        label: t.name,
        autocomplete: 'organization',
        value: typed ?? name,
        isRequired: true,
        maxLength: 100,
      },
    ],
    refusal?.errors,
  );
  return html`${renderReadOnly(visit)}
${
  mayChange &&
  renderForm({
    action: pathOf(visit, 'settings'),
    flow: openUserFlow(visit, formKind),
    fields,
    submit: t.submit,
  })
}
${renderFacts([
  ...(mayChange ? [] : [[t.name, html`<bdi>${name}</bdi>`] as const]),
  [t.slug, html`${renderCopyable('organization-slug', slug, t.slugName)}<span class="hint">${t.slugHint}</span>`],
  [t.id, html`${renderCopyable('organization-id', id, t.idName)}<span class="hint">${t.idHint}</span>`],
  [t.created, renderDay(createdAt)],
])}`;
}

async function renderRetention(visit: OrganizationVisit): Promise<Html> {
  const { ctx, orgId, shell } = visit;
  const [customers, audit] = await Promise.all([
    ifAllowed(call(ctx, 'context.retention.describe', { body: { orgId } })),
    auditDaysOf(ctx, orgId),
  ]);
  const t = texts().consoleSettings.retention;
  const daysOf = (days: number | null | undefined): Content =>
    days == null ? t.unknown : t.days(formatCount(days), days);
  return html`${renderFacts([
    [t.customers, daysOf(customers?.days)],
    [t.audit, daysOf(audit)],
  ])}
<p class="hint">${t.hint}${shell.seen.has('usage') && html` <a href="${pathOf(visit, 'usage')}">${t.plan}</a>`}</p>`;
}

function renderDanger(visit: OrganizationVisit, refusal: Refusal | undefined): Html {
  const { name, words, question, ...others } = texts().people.user.zone.leave;
  const { remove: t } = texts().consoleSettings.danger;
  const confirmed = {
    id: 'leave',
    action: pathOf(visit, 'settings', ['leave']),
    flow: openUserFlow(visit, formKind),
    question: question(),
    ...others,
  };
  const deletion = mayDelete(visit)
    ? { words: t.words, below: renderDeletion(visit, refusal) }
    : { words: t.ownersOnly };
  return renderZone([
    { title: name, words, confirmed },
    { title: t.title, ...deletion },
  ]);
}

function renderDeletion(visit: OrganizationVisit, refusal: Refusal | undefined): Html {
  const { slug } = visit.organization;
  const t = texts().consoleSettings.danger.remove;
  return html`<ul class="bullets">${t.consequences.map((consequence) => html`<li>${consequence}</li>`)}</ul>
${renderTypedForm({
  action: pathOf(visit, 'settings', ['delete']),
  flow: openUserFlow(visit, formKind),
  label: t.confirm(slug),
  submit: t.submit,
  errors: refusal?.errors,
})}`;
}
