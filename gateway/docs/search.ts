import MiniSearch from 'minisearch';
import { once } from '../../lib/concurrency/once.ts';
import { type Content, type Html, html } from '../../web/html.ts';
import type { Section } from './markdown.ts';
import { texts } from './texts.ts';

/** A part of a page that can be found. */
export type Searchable = Section & { href: string; page: string };

export type Search = (query: string) => Html;

const maxResults = 20;
const maxQueryLength = 200;
/** Characters of a result's text. */
const excerptLength = 160;

/** Words, paths and codes are found by their parts: `mail`, `/v1/mail/send`, `PLAN_LIMIT_EXCEEDED`. */
const separators = /[\s/.,:;()[\]{}"'`|<>=?&#…]+/u;

/** Makes a search over the parts of pages. Its index is built at the first search. */
export function createSearch(read: () => Searchable[]): Search {
  const index = once(() => {
    const parts = read();
    const search = new MiniSearch<Searchable & { key: number }>({
      idField: 'key',
      fields: ['heading', 'page', 'text'],
      tokenize: (text) => text.split(separators),
      searchOptions: {
        boost: { heading: 4, page: 2 },
        prefix: true,
        fuzzy: (term) => (term.length > 4 ? 0.2 : false),
        combineWith: 'AND',
      },
    });
    search.addAll(parts.map((part, key) => ({ ...part, key })));
    return { search, parts };
  });

  return (query) => {
    const t = texts().search;
    const words = query.trim().slice(0, maxQueryLength);
    if (words === '') return html`<p>${t.empty}</p>`;
    const { search, parts } = index();
    const results = search.search(words).slice(0, maxResults);
    if (results.length === 0) return html`<p>${t.none(words)} ${t.noneAdvice}</p>`;
    return html`<p role="status">${t.found(results.length, words)}</p>
<ul class="results">${results.map(({ id, terms }) => {
      const part = parts[id as number];
      return part && renderResult(part, terms);
    })}</ul>`;
  };
}

function renderResult({ href, page, heading, text }: Searchable, terms: readonly string[]): Html {
  return html`<li><a href="${href}"><b>${marked(heading, terms)}</b><span class="in">${page}</span><span class="text">${marked(excerptOf(text, terms), terms)}</span></a></li>
`;
}

/** The text around the first term. */
function excerptOf(text: string, terms: readonly string[]): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  const places = terms.map((term) => plain.toLowerCase().indexOf(term)).filter((place) => place >= 0);
  const first = Math.min(...places);
  const start =
    Number.isFinite(first) && first > excerptLength / 2 ? plain.indexOf(' ', first - excerptLength / 2) + 1 : 0;
  const excerpt = plain.slice(start, start + excerptLength);
  return `${start > 0 ? '… ' : ''}${excerpt}${start + excerptLength < plain.length ? ' …' : ''}`;
}

/** The terms of the index that matched, marked in a text. */
function marked(text: string, terms: readonly string[]): Content {
  const escaped = terms
    .map((term) => term.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
    .sort((one, other) => other.length - one.length);
  if (escaped.length === 0) return text;
  const parts = text.split(new RegExp(`(${escaped.join('|')})`, 'gi'));
  return parts.map((part, index) => (index % 2 === 1 ? html`<mark>${part}</mark>` : part));
}
