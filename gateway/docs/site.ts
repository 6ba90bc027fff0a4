import type { JsonSchema } from '../../lib/contract/contract.ts';
import { type Html, html } from '../../web/html.ts';
import type { PageAnswer } from '../../web/page.ts';
import { type GuidePage, readGuide } from './guide.ts';
import { type DocsPage, type Entry, renderDocsPage } from './layout.ts';
import { type Links, outlineOf, renderMarkdown, renderWords } from './markdown.ts';
import { type Api, readApi } from './operations.ts';
import {
  addressOfOperation,
  addressOfTag,
  referenceSections,
  renderReference,
  titleOfTag,
  type Words,
} from './reference.ts';
import { createSearch, type Searchable } from './search.ts';
import { texts } from './texts.ts';

/** The documentation of the endpoints that are served at a time. */
export type Site = {
  /** Whether there is a page at a path, which is the same for all queries. */
  has: (path: string) => boolean;
  /** Renders the page at a path, the results of a search, or that there is no such page. */
  page: (path: string, query: string) => PageAnswer;
};

type Renderer = () => Omit<DocsPage, 'href'>;

const searchPath = '/docs/search';
const guide = readGuide();
const addressByFile = new Map(guide.map((page) => [page.file, addressOf(page)]));

/** Makes the documentation: the guide, and the reference of an OpenAPI document. */
export function docsSite(openApi: JsonSchema): Site {
  const api = readApi(openApi);
  const endpoints = new Map(api.operations.map((one) => [endpointKey(one.method, one.path), addressOfOperation(one)]));
  const linksFrom = (file: string): Links => ({
    file,
    pageOf: (other) => addressByFile.get(other) ?? null,
    endpointOf: (name) => endpoints.get(endpointKey(...(name.split(' ') as [string, string?]))) ?? null,
  });
  const words: Words = (text) => renderWords(text, linksFrom('docs/openapi.md'));

  const entries: Entry[] = [
    ...guide.map((page) => ({ href: addressOf(page), title: page.title, group: page.group })),
    ...api.tags.map(({ name }) => ({ href: addressOfTag(name), title: titleOfTag(name), group: 'api' as const })),
  ];
  const pages = new Map<string, Renderer>([
    ...guide.map((page): [string, Renderer] => [
      addressOf(page),
      () => renderGuidePage(page, linksFrom(page.file), api),
    ]),
    ...api.tags.map(({ name }): [string, Renderer] => [addressOfTag(name), () => renderReference(api, name, words)]),
  ]);
  const search = createSearch(() => searchables(api));

  return {
    has: (path) => pages.has(path),
    page(path, query) {
      if (path === searchPath) return renderDocsPage(searchPage(query, search(query)), entries);
      const render = pages.get(path);
      return renderDocsPage(render ? { ...render(), href: path } : unknownPage(), entries);
    },
  };
}

function addressOf({ slug }: GuidePage): string {
  return slug === '' ? '/docs' : `/docs/${slug}`;
}

/** An endpoint by its method and path, without the names of its parameters. */
function endpointKey(method: string, path = ''): string {
  return `${method} ${path.replace(/:\w+|\*\w+|\{\w+\}/g, '*')}`;
}

function renderGuidePage(page: GuidePage, links: Links, api: Api): Omit<DocsPage, 'href'> {
  const { title, headings, body } = renderMarkdown(page.source, links);
  return { title, headings, body: page.slug === 'api' ? [body, renderTags(api)] : body };
}

function renderTags({ tags, operations }: Api): Html {
  const t = texts().api;
  const countOf = (name: string) => operations.filter(({ tag }) => tag === name).length;
  return html`<h2 id="services">${t.services}</h2>
<ul class="tags">${tags.map(
    ({ name, description }) =>
      html`<li><a href="${addressOfTag(name)}">${titleOfTag(name)}</a> <span class="quiet">${t.endpoints(countOf(name))}</span><br>${description}</li>
`,
  )}</ul>`;
}

function searchables(api: Api): Searchable[] {
  const ofGuide = guide.flatMap((page) =>
    outlineOf(page.source).sections.map((section) => ({
      ...section,
      page: page.title,
      href: section.id === '' ? addressOf(page) : `${addressOf(page)}#${section.id}`,
    })),
  );
  const ofReference = api.tags.flatMap(({ name }) =>
    referenceSections(api, name).map((section) => ({
      ...section,
      page: `${texts().api.title}: ${titleOfTag(name)}`,
      href: `${addressOfTag(name)}#${section.id}`,
    })),
  );
  return [...ofGuide, ...ofReference];
}

function searchPage(query: string, results: Html): DocsPage {
  const { title } = texts().search;
  return { title, href: null, query, body: html`<h1>${title}</h1><div id="results">${results}</div>` };
}

function unknownPage(): DocsPage {
  const { title, words, back } = texts().notFound;
  return { title, href: null, status: 404, body: html`<h1>${title}</h1><p>${words} <a href="/docs">${back}</a></p>` };
}
