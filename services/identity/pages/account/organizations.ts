import { type Refusal, refusalOf, rejectMissing } from '../../../../web/attempt.ts';
import { type UserVisit, userPage } from '../../../../web/define-page.ts';
import { type Field, renderFields } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { consolePath, type Me, readMe, renderEmblem } from '../../../../web/shell.ts';
import { renderBadge } from '../../../../web/states.ts';
import { renderEmpty } from '../../../../web/table.ts';
import { texts as sharedTexts } from '../../../../web/texts.ts';
import { callOnce, flashMessage, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { suggestSlug } from '../../organizations.ts';
import { texts } from '../texts.ts';
import { renderAccountPage } from './account-page.ts';

export const organizationsPath = '/account/organizations';
const path = organizationsPath;
const names = ['name', 'slug'] as const;

type Values = Record<(typeof names)[number], string>;

/** The page of the user's organizations, on which they create one. */
export const organizationsPages = {
  'pages.organizations.show': userPage({
    rest: `GET ${path}`,
    summary: 'Show the organizations of the user',
    handler: (visit) => renderOrganizations(visit),
  }),
  'pages.organizations.create': userPage({
    rest: `POST ${path}`,
    summary: 'Create an organization',
    handler: createOrganization,
  }),
};

async function createOrganization(visit: UserVisit): Promise<PageAnswer> {
  const typed = pickFields(visit.form, ...names);
  const { name } = typed;
  const slug = typed.slug.trim() || suggestSlug(name);
  const refusal =
    rejectStaleForm(visit, path) ??
    rejectMissing({ name, slug }, missingSentences(name)) ??
    (await refusalOf(names, () => callOnce(visit, 'identity.organizations.create', { body: { name, slug } })));
  if (refusal) return renderOrganizations(visit, { name, slug }, refusal);
  return redirectTo(`${consolePath(slug, 'overview')}?done=created`);
}

/** A name of which no slug can be made, such as one in another script, needs one that is typed. */
function missingSentences(name: string): Partial<Record<keyof Values, string>> {
  const { missing } = texts().organizations;
  return name.trim() === '' ? { name: missing.name } : missing;
}

async function renderOrganizations(visit: UserVisit, typed?: Values, refusal?: Refusal): Promise<PageAnswer> {
  const me = await readMe(visit);
  const t = texts().organizations;
  const { name, slug } = typed ?? { name: '', slug: '' };
  const fields: Field[] = [
    { name: 'name', label: t.name, autocomplete: 'organization', value: name, isRequired: true, maxLength: 100 },
    { name: 'slug', label: t.slug, autocomplete: 'off', value: slug, hint: t.slugHint, maxLength: 63 },
  ];
  return await renderAccountPage(visit, {
    page: 'organizations',
    me,
    title: t.title,
    notice: flashMessage(visit, t.notices),
    refusal,
    body: html`${renderList(me.organizations)}
<h2>${t.create}</h2>
${renderForm({
  action: path,
  flow: openUserFlow(visit, path),
  fields: renderFields(fields, refusal?.errors),
  submit: t.create,
})}`,
  });
}

function renderList(organizations: Me['organizations']): Html {
  const { organizations: t, roles, nameOfButton } = texts();
  if (organizations.length === 0) return renderEmpty(t.none);
  return html`<ul class="items">${organizations.map((one) => {
    const { name, slug, role, suspension } = one;
    return html`<li><span class="row wrap">${renderEmblem(one)}<strong>${name}</strong> <span class="badge">${roles[role]}</span>${suspension && html` ${renderBadge(sharedTexts().console.suspended.badge, 'warn')}`}</span>
<p class="hint">${slug}</p>
<p class="acts"><a class="btn sm" href="${consolePath(slug, 'overview')}" aria-label="${nameOfButton(t.open, name)}">${t.open}</a></p></li>`;
  })}</ul>`;
}
