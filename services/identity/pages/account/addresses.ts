import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { type Refusal, refusalOf, rejectMissing } from '../../../../web/attempt.ts';
import { perLanguage } from '../../../../web/catalogue.ts';
import { type UserVisit, userPage } from '../../../../web/define-page.ts';
import { type FieldErrors, renderChoice, renderFields } from '../../../../web/fields.ts';
import { flowField } from '../../../../web/flow.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { countries as codes } from '../../addresses.ts';
import { texts } from '../texts.ts';
import { renderAccountPage } from './account-page.ts';

const names = perLanguage((language) => new Intl.DisplayNames(language, { type: 'region' }));

/** The countries to choose from, each with its two-letter code, by their names in the language of the page. */
export const countries = perLanguage((language): readonly (readonly [code: string, name: string])[] =>
  [...codes]
    .map((code) => [code, countryName(code)] as const)
    .sort(([, one], [, other]) => one.localeCompare(other, language)),
);

/** A country's name; its code when it has none. */
export function countryName(code: string): string {
  return (codes.has(code) && names().of(code)) || code;
}

const path = '/account/addresses';
const maxShown = '100';
const addressTexts = ['type', 'addressLine', 'city', 'state', 'postalCode', 'country'] as const;

type Address = CallOutput<'identity.addresses.list'>['data'][number];
type Values = Record<(typeof addressTexts)[number], string>;

const empty: Values = { type: 'home', addressLine: '', city: '', state: '', postalCode: '', country: '' };

const types = ['home', 'work', 'billing', 'shipping'] as const satisfies readonly Address['type'][];

export const addressesPages = {
  'pages.addresses.show': userPage({
    rest: `GET ${path}`,
    summary: 'Show the addresses of the user',
    handler: (visit) => renderAddresses(visit, String(visit.query.edit ?? '')),
  }),
  'pages.addresses.save': userPage({
    rest: `POST ${path}`,
    summary: 'Add or change an address',
    handler: saveAddress,
  }),
  'pages.addresses.remove': userPage({
    rest: `POST ${path}/remove`,
    summary: 'Remove an address',
    handler: removeAddress,
  }),
};

/** Updates the address of an id, or creates one without an id. */
async function saveAddress(visit: UserVisit): Promise<PageAnswer> {
  const { ctx, form } = visit;
  const { addressId, ...typed } = pickFields(form, 'addressId', ...addressTexts);
  const body = { ...typed, type: typed.type as Address['type'] };
  const save = () =>
    addressId === ''
      ? call(ctx, 'identity.addresses.create', { body })
      : call(ctx, 'identity.addresses.update', { path: { addressId }, body });
  const refusal =
    rejectStaleForm(visit, path) ??
    rejectMissing(typed, texts().addresses.missing) ??
    (await refusalOf(addressTexts, save));
  if (refusal) return renderAddresses(visit, addressId, typed, refusal);
  return redirectTo(`${path}?done=saved`);
}

async function removeAddress(visit: UserVisit): Promise<PageAnswer> {
  const { addressId } = pickFields(visit.form, 'addressId');
  const refusal =
    rejectStaleForm(visit, path) ??
    (await refusalOf([], () => call(visit.ctx, 'identity.addresses.remove', { path: { addressId } })));
  if (refusal) return renderAddresses(visit, '', undefined, refusal);
  return redirectTo(`${path}?done=removed`);
}

async function renderAddresses(
  visit: UserVisit,
  editedId: string,
  typed?: Values,
  refusal?: Refusal,
): Promise<PageAnswer> {
  const { data: addresses } = await call(visit.ctx, 'identity.addresses.list', { query: { limit: maxShown } });
  const edited = addresses.find(({ addressId }) => addressId === editedId);
  const flow = openUserFlow(visit, path);
  const { addresses: t, buttons } = texts();
  return await renderAccountPage(visit, {
    page: 'addresses',
    title: t.title,
    notice: flashMessage(visit, t.notices),
    refusal,
    body: html`${addresses.length === 0 && html`<p class="hint">${t.none}</p>`}
<ul class="items">${addresses.map((address) => renderAddress(address, flow))}</ul>
<h2>${edited ? t.changeTitle : t.addTitle}</h2>
${renderForm({
  action: path,
  flow,
  fields: [
    html`<input type="hidden" name="addressId" value="${edited?.addressId}">`,
    renderAddressFields(typed ?? edited ?? empty, refusal?.errors),
  ],
  submit: edited ? buttons.save : buttons.add,
})}
${edited && html`<p class="links"><a href="${path}">${t.addInstead}</a></p>`}`,
  });
}

function renderAddressFields(values: Values, errors: FieldErrors = {}): Html {
  const { addresses: t, fields: common } = texts();
  const line = { name: 'addressLine', label: t.addressLine, autocomplete: 'street-address', isRequired: true };
  const city = { name: 'city', label: t.city, autocomplete: 'address-level2', isRequired: true };
  const postalCode = { name: 'postalCode', label: t.postalCode, autocomplete: 'postal-code' };
  const state = { name: 'state', label: t.state, autocomplete: 'address-level1' };
  const fields = [line, postalCode, city, state].map((field) => ({
    ...field,
    value: values[field.name as keyof Values],
  }));
  const options = types.map((type) => [type, t.types[type]] as const);
  return html`${renderChoice({ name: 'type', label: common.kind, options }, values.type, errors.type)}
${renderFields(fields, errors)}
${renderChoice(
  { name: 'country', label: t.country, autocomplete: 'country', options: [['', t.chooseCountry], ...countries()] },
  values.country,
  errors.country,
)}`;
}

function renderAddress(address: Address, flow: string): Html {
  const { addressId, type, addressLine, postalCode, city, state, country } = address;
  const { addresses: t, buttons, nameOfButton } = texts();
  return html`<li><h2>${t.types[type]}</h2>
<p>${addressLine}<br>${[postalCode, city].filter(Boolean).join(' ')}${state && html`, ${state}`}<br>${countryName(country)}</p>
<form method="post" action="${path}/remove" class="acts">${flowField(flow)}
<input type="hidden" name="addressId" value="${addressId}">
<a class="btn" href="${path}?edit=${addressId}" aria-label="${nameOfButton(t.change, addressLine)}">${t.change}</a>
<button class="btn danger" aria-label="${nameOfButton(buttons.remove, addressLine)}">${buttons.remove}</button>
</form></li>`;
}
