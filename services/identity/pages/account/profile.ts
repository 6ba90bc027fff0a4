import { type CallOutput, call } from '../../../../lib/calls.ts';
import { type Refusal, refusalOf } from '../../../../web/attempt.ts';
import { type UserVisit, userPage } from '../../../../web/define-page.ts';
import { type Field, showFields } from '../../../../web/fields.ts';
import { showForm } from '../../../../web/form-page.ts';
import { html } from '../../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pick } from '../../../../web/pick.ts';
import { noticeOf, openUserFlow, refuseStale } from '../../../../web/user-page.ts';
import { showAccountPage } from './account-page.ts';

const path = '/account';
const names = [
  'firstName',
  'middleName',
  'lastName',
  'preferredName',
  'displayName',
  'birthDate',
  'gender',
  'avatarUrl',
] as const;

type Values = Record<(typeof names)[number], string | null>;
type User = Extract<CallOutput<'identity.me.read'>, { type: 'user' }>;

/** The page of the user's profile and organizations. */
export const profilePages = {
  'pages.profile.show': userPage({
    rest: `GET ${path}`,
    summary: 'Show the profile and the organizations of the user',
    handler: (visit) => showProfile(visit),
  }),
  'pages.profile.save': userPage({
    rest: `POST ${path}`,
    summary: 'Change the profile',
    handler: saveProfile,
  }),
};

async function saveProfile(visit: UserVisit): Promise<PageAnswer> {
  const typed = pick(visit.form, ...names);
  const refusal = refuseStale(visit, path) ?? (await refusalOf(names, () => update(visit)));
  if (refusal) return showProfile(visit, typed, refusal);
  return redirectTo(`${path}?done=saved`);
}

/** An empty field is unset. */
function update({ ctx, form }: UserVisit): Promise<unknown> {
  const sent = names.filter((name) => form[name] !== undefined);
  const body = Object.fromEntries(sent.map((name) => [name, form[name]?.trim() === '' ? null : form[name]]));
  return call(ctx, 'identity.me.update', { body });
}

async function showProfile(visit: UserVisit, typed?: Values, refusal?: Refusal): Promise<PageAnswer> {
  const user = (await call(visit.ctx, 'identity.me.read', {})) as User;
  return showAccountPage({
    path,
    title: 'Profile',
    notice: noticeOf(visit, { saved: 'Your profile is saved.', accepted: 'Welcome! You are a member now.' }),
    refusal,
    body: html`<p>You log in with <strong>${user.email}</strong>.</p>
${showForm({
  action: path,
  flow: openUserFlow(visit, path),
  fields: showFields(fieldsOf(typed ?? user), refusal?.errors),
  submit: 'Save',
})}
<h2>Organizations</h2>
${showOrganizations(user)}`,
  });
}

function fieldsOf(values: Values): Field[] {
  const all: Omit<Field, 'value'>[] = [
    { name: 'firstName', label: 'First name', autocomplete: 'given-name' },
    { name: 'middleName', label: 'Middle name', autocomplete: 'additional-name' },
    { name: 'lastName', label: 'Last name', autocomplete: 'family-name' },
    { name: 'preferredName', label: 'How others call you', autocomplete: 'nickname' },
    {
      name: 'displayName',
      label: 'Name that others see',
      autocomplete: 'name',
    },
    { name: 'birthDate', label: 'Date of birth', type: 'date', autocomplete: 'bday' },
    { name: 'gender', label: 'Gender', autocomplete: 'sex' },
    { name: 'avatarUrl', label: 'Address of a picture', type: 'url', autocomplete: 'photo', inputmode: 'url' },
  ];
  return all.map((field) => ({ ...field, value: values[field.name as keyof Values] }));
}

function showOrganizations({ organizations }: User) {
  if (organizations.length === 0) return html`<p class="hint">You are not a member of an organization yet.</p>`;
  return html`<ul class="items">${organizations.map(
    ({ id, name, slug, role }) => html`<li><strong>${name}</strong> <span class="tag">${role}</span>
<p class="hint">${slug}</p>
<p><a href="${billingPathOf(id)}" aria-label="Billing: ${name}">Billing</a></p></li>`,
  )}</ul>`;
}

/** The page of billing about an organization. */
function billingPathOf(orgId: string): string {
  return `/console/billing?${new URLSearchParams({ orgId })}`;
}
