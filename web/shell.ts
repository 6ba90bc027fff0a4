import { callerIn, mayActIn } from '../lib/contract/authorize.ts';
import { type CallOutput, call } from '../lib/contract/context.ts';
import { type Language, languages } from '../lib/format/language.ts';
import { settings } from '../lib/settings/settings.ts';
import { logoSource } from './brand.ts';
import { pageLanguage } from './catalogue.ts';
import type { UserVisit } from './define-page.ts';
import { type Content, type Html, html } from './html.ts';
import { type IconName, renderIcon } from './icons.ts';
import {
  type AccountKey,
  type AreaKey,
  accountPages,
  areaGroups,
  areas,
  dockAreas,
  isVisible,
  type OperatorArea,
  operatorAreas,
  operatorDock,
  operatorGroups,
  tabsWith,
} from './navigation.ts';
import { pageContext, themes } from './page-context.ts';
import { useScript } from './script.ts';
import { renderAvatar, renderBadge } from './states.ts';
import { texts } from './texts.ts';

export type Organization = Me['organizations'][number];

/** The content of the side bar, the switcher and the account menu. */
export type Shell = {
  user: { id: string; name: string; email: string; isOperator: boolean };
  organizations: readonly Organization[];
  /** The organization of the page, or the one used last; null for a user without one. */
  organization: Organization | null;
  /** Keys of the areas that the user may see in the organization. */
  seen: ReadonlySet<AreaKey>;
};

/** Where a page is: an area of the organization's console, or a page of the account. The pages of a service from outside are in none. */
export type Place = { area: AreaKey | null } | { account: AccountKey } | { operator: OperatorArea };

/** The links from the area to the page, for the breadcrumb. */
export type Crumbs = readonly (readonly [href: string, name: string])[];

/** A user's own data, with the organizations that they belong to. */
export type Me = Extract<CallOutput<'identity.me.read'>, { type: 'user' }>;

/** Reads the user of a visit. */
export async function readMe({ ctx }: UserVisit): Promise<Me> {
  const me = await call(ctx, 'identity.me.read', {});
  if (me.type !== 'user') throw new Error('A page was rendered for a caller without an account.');
  return me;
}

/** Reads what the frame of a user's page shows. Without `slug`, it is about the organization that was used last. */
export async function readShell(visit: UserVisit, slug?: string): Promise<Shell> {
  return shellOf(visit, await readMe(visit), slug);
}

/** Makes the frame's content of a user that is read already. */
export function shellOf({ user, browser }: UserVisit, me: Me, slug?: string): Shell {
  const { organizations } = me;
  const organization =
    slug === undefined
      ? (organizations.find(({ id }) => id === browser.organizationId) ?? firstOf(organizations))
      : (organizations.find((one) => one.slug === slug) ?? null);
  const member = organization && mayActIn(user, organization.id) ? callerIn(user, organization.id) : null;
  const scopes = member?.scopes ?? [];
  const keys = Object.keys(areas) as AreaKey[];
  const isOpen = organization !== null && !organization.suspension;
  const seen = new Set(isOpen ? keys.filter((key) => isVisible(areas[key], scopes)) : []);
  const email = me.email ?? '';
  const name = nameOfUser({ ...me, email });
  return { user: { id: me.id, name, email, isOperator: user.isOperator === true }, organizations, organization, seen };
}

/** The first organization that is not suspended, if there is one. */
function firstOf(organizations: readonly Organization[]): Organization | null {
  return organizations.find(({ suspension }) => !suspension) ?? organizations[0] ?? null;
}

type NamedUser = { displayName: string | null; firstName: string | null; lastName: string | null; email: string };

/** Returns the name of a user on pages: the display name, or first and last name, or the login email. */
export function nameOfUser({ displayName, firstName, lastName, email }: NamedUser): string {
  return displayName ?? ([firstName, lastName].filter(Boolean).join(' ') || email);
}

/** The path of an area of an organization's console, or of a page below it. */
export function consolePath(slug: string, area: AreaKey, ...rest: string[]): string {
  const parts = [slug, ...areas[area].path.split('/'), ...rest].filter((part) => part !== '');
  return `/console/${parts.map(encodeURIComponent).join('/')}`;
}

/** Renders the frame around the content of a page. */
export function renderShell(shell: Shell, place: Place, title: string, parents: Crumbs, main: Html): Html {
  const words = texts().console;
  return html`<a class="skip" href="#main">${words.skip}</a>
${renderSide(shell, place)}
<header class="top">
<button class="btn only plain open" type="button" popovertarget="nav" aria-label="${words.menu}">${renderIcon('menu')}</button>
${renderTopStart(shell, place, parents)}
${renderCrumbs(place, title, parents, shell)}
${'operator' in place && renderBadge(texts().operator.badge, 'accent')}
<a class="to" href="/docs">${renderIcon('docs', 'sm')}<span>${words.docs}</span></a>
<button type="button" popovertarget="me">${renderAvatar(shell.user)}<span class="vh">${words.account}</span></button>
</header>
${main}
${renderDock(shell, place)}
${renderOrganizations(shell)}
${renderAccountMenu(shell)}
${isSearched(shell.organization) && !('operator' in place) && renderPalette(shell.organization)}
${useScript('console')}`;
}

function renderSide(shell: Shell, place: Place): Html {
  const words = texts().console;
  const { organization } = shell;
  return html`<nav class="side" id="nav" popover aria-label="${words.navigation}">
${renderOrganizationButton(shell, place, 'sm')}
${isSearched(organization) && !('operator' in place) && renderSearchLink(organization)}
<div class="scroll">
${renderEntries(shell, place)}
</div>
</nav>`;
}

function renderEntries(shell: Shell, place: Place): Content {
  const { organization } = shell;
  if ('operator' in place) return renderOperatorEntries(place.operator, organization);
  if ('account' in place) return renderAccountEntries(place.account, organization);
  return organization && renderAreas(shell, organization, place.area);
}

/** Whether there is something to search: not in a suspended organization. */
function isSearched(organization: Organization | null): organization is Organization {
  return organization !== null && !organization.suspension;
}

/** Without a script it leads to the search page; the palette of the same name opens otherwise. */
function renderSearchLink({ slug }: Organization): Html {
  return html`<a class="find" href="${searchPath(slug)}" data-palette>${renderIcon('search', 'sm')}${texts().console.search}<kbd class="kbd" aria-hidden="true">⌘K</kbd></a>`;
}

function searchPath(slug: string): string {
  return `${consolePath(slug, 'overview')}/search`;
}

function renderPalette({ slug }: Organization): Html {
  const { search, palette } = texts().console;
  return html`<x-palette data-src="${searchPath(slug)}"><dialog class="palette" aria-label="${search}">
<div class="q">${renderIcon('search', 'sm')}<input type="text" aria-label="${palette.label}" placeholder="${palette.label}" autocomplete="off" maxlength="200"><form method="dialog"><button class="kbd" aria-label="${palette.close}">${palette.escape}</button></form></div>
<ul class="hits" aria-label="${palette.results}"></ul></dialog></x-palette>
${useScript('palette')}`;
}

/** The organization of the page; the platform's own name where one acts as its operator. */
function renderOrganizationButton(shell: Shell, place: Place, size: 'sm' | 'xs'): Html {
  const organization = 'operator' in place ? null : shell.organization;
  const name = organization?.name ?? settings.BRAND_NAME;
  const avatar = organization ? renderEmblem(organization) : renderAvatar({ name, id: '', isSquare: true });
  return html`<button class="org" type="button" popovertarget="orgs">${avatar}<span class="clip">${name}</span>${renderIcon('switch', size)}</button>`;
}

function renderAreas(shell: Shell, { slug }: Organization, current: AreaKey | null): Html[] {
  const words = texts().console;
  const entryOf = (key: AreaKey) => tabsWith(key).find((one) => shell.seen.has(one));
  const groups = areaGroups.map(([heading, keys]) => [heading, keys.filter((key) => entryOf(key) === key)] as const);
  const present = current && entryOf(current);
  return groups
    .filter(([, keys]) => keys.length > 0)
    .map(([heading, keys]) => {
      const id = heading && `nav-${heading}`;
      return html`${heading && html`<h2 id="${id}">${words.groups[heading]}</h2>`}
<ul${id && html` aria-labelledby="${id}"`}>${keys.map((key) => renderEntry(consolePath(slug, key), areas[key].icon, words.areas[key], key === present))}</ul>`;
    });
}

function renderAccountEntries(current: AccountKey, organization: Organization | null): Html {
  const words = texts().console;
  const keys = Object.keys(accountPages) as AccountKey[];
  const back = organization && renderEntry(consolePath(organization.slug, 'overview'), 'left', words.back, false);
  return html`${back && html`<ul>${back}</ul>`}<h2 id="nav-account">${words.account}</h2>
<ul aria-labelledby="nav-account">${keys.map((key) => renderEntry(accountPages[key].path, accountPages[key].icon, words.accountPages[key], key === current))}</ul>`;
}

function renderOperatorEntries(current: OperatorArea, organization: Organization | null): Html {
  const words = texts().operator;
  const back = organization && renderEntry(consolePath(organization.slug, 'overview'), 'left', words.back, false);
  return html`${back && html`<ul>${back}</ul>`}${operatorGroups.map(
    ([heading, keys]) => html`${heading && html`<h2 id="nav-${heading}">${words.groups[heading]}</h2>`}
<ul${heading && html` aria-labelledby="nav-${heading}"`}>${keys.map((key) => renderEntry(operatorAreas[key].path, operatorAreas[key].icon, words.areas[key], key === current))}</ul>`,
  )}`;
}

function renderEntry(href: string, icon: IconName, name: string, isCurrent: boolean): Html {
  return html`<li><a href="${href}"${isCurrent && html` aria-current="page"`}>${renderIcon(icon)}${name}</a></li>
`;
}

/** On phones: the organization, or the way back to the page above. */
function renderTopStart(shell: Shell, place: Place, parents: Crumbs): Html {
  const [href, name] = parents.at(-1) ?? ('account' in place ? ['/account', texts().console.account] : []);
  if (href === undefined) return renderOrganizationButton(shell, place, 'xs');
  return html`<a class="back" href="${href}">${renderIcon('left')}<span class="clip">${name}</span></a>`;
}

function renderCrumbs(place: Place, title: string, parents: Crumbs, { organization }: Shell): Html {
  const words = texts().console;
  const first: Crumbs = 'account' in place ? [['/account', words.account]] : [];
  const links = [...first, ...parents];
  return html`<nav class="crumbs" aria-label="${words.breadcrumb}"><ol>${links.map(([href, name]) => html`<li><a href="${href}">${name}</a></li>`)}<li aria-current="page" class="clip">${title || organization?.name}</li></ol></nav>`;
}

function renderDock(shell: Shell, place: Place): Html | null {
  const { organization, seen } = shell;
  if ('operator' in place) return renderOperatorDock(place.operator);
  if (!organization) return null;
  const words = texts().console;
  const links = dockAreas
    .filter((key) => seen.has(key))
    .map(
      (key) =>
        html`<a href="${consolePath(organization.slug, key)}"${'area' in place && place.area === key && html` aria-current="page"`}>${renderIcon(areas[key].icon)}${words.areas[key]}</a>
`,
    );
  return html`<nav class="dock" aria-label="${words.shortcuts}">
${links}${isSearched(organization) && html`<a href="${searchPath(organization.slug)}" data-palette>${renderIcon('search')}${words.search}</a>`}
<button type="button" popovertarget="nav">${renderIcon('menu')}${words.menu}</button>
</nav>`;
}

function renderOperatorDock(current: OperatorArea): Html {
  const words = texts();
  return html`<nav class="dock" aria-label="${words.console.shortcuts}">
${operatorDock.map(
  (key) =>
    html`<a href="${operatorAreas[key].path}"${key === current && html` aria-current="page"`}>${renderIcon(operatorAreas[key].icon)}${words.operator.areas[key]}</a>
`,
)}<button type="button" popovertarget="nav">${renderIcon('menu')}${words.console.menu}</button>
</nav>`;
}

function renderOrganizations({ organizations, organization }: Shell): Html {
  const words = texts().console;
  return html`<nav class="menu" id="orgs" popover aria-label="${words.organizations}">
<p class="cap">${words.organizations}</p>
${organizations.map(
  (one) =>
    html`<a href="${consolePath(one.slug, 'overview')}"${one === organization && html` aria-current="true"`}>${renderEmblem(one)}<span class="clip">${one.name}</span>${renderMarks(one, one === organization)}</a>
`,
)}<hr>
<a href="/account/organizations">${renderIcon('plus')}${words.newOrganization}</a>
</nav>`;
}

/** Renders the logo of an organization, or its initial. The page shows the name next to it. */
export function renderEmblem({ id, name, brand }: Pick<Organization, 'id' | 'name' | 'brand'>): Html {
  return renderAvatar({ id, name, isSquare: true, picture: brand?.logoUrl ? logoSource(brand.logoUrl) : null });
}

/** Marks an organization in the switcher: whether it is suspended, and whether the page is about it. */
function renderMarks({ suspension }: Organization, isCurrent: boolean): Html | null {
  if (!suspension && !isCurrent) return null;
  return html`<span class="post row">${suspension && renderBadge(texts().console.suspended.badge, 'warn')}${isCurrent && renderIcon('check', 'sm')}</span>`;
}

function renderAccountMenu({ user }: Shell): Html {
  const words = texts().console;
  return html`<nav class="menu from-end" id="me" popover aria-label="${words.account}">
<p class="cap">${user.email}</p>
<a href="/account">${renderIcon('user')}${words.account}</a>
<a href="/docs">${renderIcon('docs')}${words.documentation}</a>
<button type="button" data-shortcuts hidden>${renderIcon('help')}${words.keyboard.title}<kbd class="kbd" aria-hidden="true">?</kbd></button>
${user.isOperator && html`<a href="${operatorAreas.overview.path}">${renderIcon('shield')}${texts().operator.title}</a>`}
<hr>
${renderThemes()}
${renderLanguages()}
<hr>
<a href="/self-service/logout/browser">${renderIcon('logout')}${words.logOut}</a>
</nav>`;
}

/** The colour schemes to choose from. A button submits the form, so that it works without a script. */
export function renderThemes(): Html {
  const words = texts().console.themes;
  const { theme } = pageContext();
  const options: readonly (readonly [value: string, name: string, isChosen: boolean])[] = [
    ['system', words.system, theme === null],
    ...themes.map((one) => [one, words[one], one === theme] as const),
  ];
  return html`<form method="post" action="/self-service/theme" class="row between"><span class="small">${words.label}</span>
<span class="seg">${options.map(([value, name, isChosen]) => html`<button name="theme" value="${value}" aria-pressed="${String(isChosen)}">${name}</button>`)}</span></form>`;
}

/** The languages, each by its own name. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/** The languages to choose from, in the account menu. */
function renderLanguages(): Html {
  const current = pageLanguage();
  return html`<form method="post" action="${languagePath}" class="row between"><span class="small">${texts().console.language}</span>
<span class="seg">${languages.map((one) => html`<button name="language" value="${one}" lang="${one}" aria-pressed="${String(one === current)}">${languageNames[one]}</button>`)}</span></form>`;
}

/** The other languages, at the end of a page without the account menu. */
export function renderOtherLanguages(): Html {
  const others = languages.filter((one) => one !== pageLanguage());
  return html`<footer><form method="post" action="${languagePath}">${others.map((one) => html`<button class="btn plain sm" name="language" value="${one}" lang="${one}">${languageNames[one]}</button>`)}</form></footer>`;
}

const languagePath = '/self-service/language';

/** The head of a page: its title, a sentence below it, and what one can do. */
export function renderHead({ title, lead, acts }: { title: Content; lead?: Content; acts?: Content }): Html {
  return html`<header class="head"><div><h1>${title}</h1>${lead && html`<p>${lead}</p>`}</div>
${acts && html`<div class="acts">${acts}</div>`}</header>`;
}
