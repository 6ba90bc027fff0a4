import { settings } from '../../lib/settings/settings.ts';
import { logoPath } from '../../web/brand.ts';
import { type Content, type Html, html } from '../../web/html.ts';
import { renderIcon } from '../../web/icons.ts';
import { type PageAnswer, renderPage } from '../../web/page.ts';
import { useScript } from '../../web/script.ts';
import { renderThemes } from '../../web/shell.ts';
import type { Group } from './guide.ts';
import type { Heading } from './markdown.ts';
import { texts } from './texts.ts';

/** An entry of the navigation. */
export type Entry = { href: string; title: string; group: Group };

export type DocsPage = {
  title: string;
  /** The address of the page; null for the search and for an unknown one. */
  href: string | null;
  body: Content;
  headings?: readonly Heading[];
  query?: string;
  status?: number;
};

/** Renders a page of the documentation: navigation, content, and the list of its headings. */
export function renderDocsPage(page: DocsPage, entries: readonly Entry[]): PageAnswer {
  const { title, body, headings = [], status } = page;
  const frame = html`${renderSide(page, entries)}
${renderTop(page)}
<main class="main docs" id="main">
<article class="prose">
${body}
${renderNeighbours(page, entries)}
</article>
${renderContents(headings)}
</main>
${useScript('docs')}`;
  return renderPage({ title, layout: 'docs', body: frame, ...(status !== undefined && { status }) });
}

function renderSide({ href }: DocsPage, entries: readonly Entry[]): Html {
  const t = texts();
  const groups = [...Map.groupBy(entries, ({ group }) => group)];
  return html`<nav class="side" id="nav" popover aria-label="${t.name}">
<a class="org" href="/docs">${settings.BRAND_LOGO && html`<img src="${logoPath}" alt="" height="24">`}<span class="clip">${settings.BRAND_NAME}</span></a>
<div class="scroll">
${groups.map(
  ([group, list]) => html`<h2 id="nav-${group}">${t.groups[group]}</h2>
<ul aria-labelledby="nav-${group}">${list.map(
    (entry) =>
      html`<li><a href="${entry.href}"${entry.href === href && html` aria-current="page"`}>${entry.title}</a></li>
`,
  )}</ul>
`,
)}</div>
</nav>`;
}

function renderTop({ query = '' }: DocsPage): Html {
  const t = texts();
  return html`<header class="top">
<button class="btn only plain open" type="button" popovertarget="nav" aria-label="${t.pages}">${renderIcon('menu')}</button>
<x-docs-search><form action="/docs/search" role="search"><label class="wrap-input">${renderIcon('search', 'sm')}<span class="vh">${t.search.label}</span><input type="search" name="q" value="${query}" placeholder="${t.search.title}" autocomplete="off" maxlength="200"></label></form></x-docs-search>
<span class="grow"></span>
<div class="desk">${renderThemes()}</div>
<a class="btn sm" href="/console">${t.console}</a>
</header>`;
}

/** The headings of the page, shown from 1200 px. */
function renderContents(headings: readonly Heading[]): Html | null {
  const listed = headings.filter(({ depth }) => depth <= 3);
  if (listed.length < 2) return null;
  const t = texts();
  return html`<nav class="contents" aria-labelledby="contents"><h2 id="contents">${t.onThisPage}</h2>
<ul>${listed.map(
    ({ id, text, depth }) => html`<li${depth === 3 && html` class="deep"`}><a href="#${id}">${text}</a></li>
`,
  )}</ul></nav>`;
}

function renderNeighbours({ href }: DocsPage, entries: readonly Entry[]): Html | null {
  const index = entries.findIndex((entry) => entry.href === href);
  if (index < 0) return null;
  const t = texts();
  const [before, after] = [entries[index - 1], entries[index + 1]];
  return html`<nav class="neighbours" aria-label="${t.previous}, ${t.next}">${before && html`<a href="${before.href}" rel="prev"><span>${t.previous}</span>${before.title}</a>`}${after && html`<a class="after" href="${after.href}" rel="next"><span>${t.next}</span>${after.title}</a>`}</nav>`;
}
