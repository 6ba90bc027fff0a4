import { posix } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { settings } from '../../lib/settings/settings.ts';
import { type Code, renderCode } from '../../web/code.ts';
import { Html, html } from '../../web/html.ts';
import { highlight } from './highlight.ts';
import { texts } from './texts.ts';

/** A heading of a page, for its list of contents. */
export type Heading = { id: string; text: string; depth: number };

/** A part of a page below one heading, as plain text, for the search. */
export type Section = { id: string; heading: string; text: string };

export type Document = { title: string; headings: Heading[]; sections: Section[]; body: Html };

/** Where the links of a document lead. */
export type Links = {
  /** The path of the file in the repository, from which its links are relative. */
  file: string;
  /** The address of the page of a file, or null for a file without one. */
  pageOf: (file: string) => string | null;
  /** The address of an endpoint in the reference, such as `POST /events`, or null. */
  endpointOf: (name: string) => string | null;
};

const languageNames: Record<string, string> = {
  sh: 'Shell',
  js: 'JavaScript',
  ts: 'TypeScript',
  tsx: 'TypeScript',
  py: 'Python',
  json: 'JSON',
  html: 'HTML',
};

const localhost = /http:\/\/localhost:300([01])/g;

/** Puts this platform's addresses in place of the ones in documents and examples. */
export function withOwnAddresses(text: string): string {
  return text.replace(localhost, (_all, port) => (port === '0' ? settings.PUBLIC_URL : settings.STORAGE_URL));
}

/** The title of a document: its first heading. */
export function titleOf(source: string): string {
  return /^# (.*)$/m.exec(source)?.[1] ?? '';
}

/**
 * Renders a document of this repository. Its addresses become this platform's, headings get ids as on GitHub, and
 * code blocks that follow each other are one sample in several languages. HTML in it is shown as text.
 */
export function renderMarkdown(source: string, links: Links): Document {
  const text = withOwnAddresses(source);
  const outline = outlineOf(text);
  const marked = new Marked({ renderer: rendererOf(links, outline.headings) });
  const tokens = marked.lexer(text).filter(({ type }) => type !== 'space' && type !== 'html');
  const parts: Html[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const samples: Tokens.Code[] = [];
    while (tokens[index]?.type === 'code') samples.push(tokens[index++] as Tokens.Code);
    const [first, ...others] = samples.map(codeOf);
    if (first) parts.push(renderCode(first, ...others));
    const token = tokens[index];
    if (token) parts.push(trusted(marked.parser([token])));
  }
  return { ...outline, body: html`${parts}` };
}

/** The title, the headings below it and the text below each. */
export function outlineOf(source: string): Omit<Document, 'body'> {
  const title = titleOf(source);
  const sections: Section[] = [{ id: '', heading: title, text: '' }];
  const headings: Heading[] = [];
  const used = new Map<string, number>();
  let isCode = false;
  for (const line of source.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, marks = '', words = ''] = (!isCode && /^(#{2,4}) (.*)$/.exec(line)) || [];
    if (marks === '') {
      const section = sections.at(-1);
      if (section && !/^(?:# |```|<!--|\| -)/.test(line)) section.text += `${plain(line)}\n`;
      continue;
    }
    const heading = plain(words);
    const id = uniqueId(heading, used);
    headings.push({ id, text: heading, depth: marks.length });
    sections.push({ id, heading, text: '' });
  }
  return { title, headings, sections };
}

/** The id that GitHub gives a heading, so that links work there and here. */
function uniqueId(text: string, used: Map<string, number>): string {
  const id = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
  const count = used.get(id) ?? 0;
  used.set(id, count + 1);
  return count === 0 ? id : `${id}-${count}`;
}

function plain(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*|]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function codeOf({ text, lang = '' }: Tokens.Code): Code {
  const [language = '', ...label] = lang.split(' ');
  return {
    label: label.join(' ') || languageNames[language] || texts().code,
    text,
    shown: highlight(text, language),
  };
}

/** Renders words of the contract: paragraphs, lists and code in lines, without headings. */
export function renderWords(text: string, links: Links): Html {
  const marked = new Marked({ renderer: rendererOf(links, []) });
  return trusted(marked.parse(text, { async: false }));
}

type Rendering = { parser: { parseInline: (tokens: Token[]) => string } };

function rendererOf(links: Links, headings: Heading[]): object {
  let next = 0;
  let region = '';
  return {
    heading(this: Rendering, { tokens, depth }: Tokens.Heading): string {
      const inner = this.parser.parseInline(tokens);
      if (depth === 1) return `<h1>${inner}</h1>\n`;
      const { id = '', text = '' } = headings[next++] ?? {};
      region = text;
      return `<h${depth} id="${id}">${inner}<a class="anchor" href="#${id}" aria-label="${html`${texts().linkTo(text)}`}">#</a></h${depth}>\n`;
    },
    codespan({ text }: Tokens.Codespan): string {
      const href = links.endpointOf(text);
      const code = html`<code>${text}</code>`;
      return (href === null ? code : html`<a href="${href}">${code}</a>`).toString();
    },
    code: (token: Tokens.Code): string => renderCode(codeOf(token)).toString(),
    link(this: Rendering, { href, tokens }: Tokens.Link): string {
      const inner = this.parser.parseInline(tokens);
      const target = targetOf(href, links);
      return target === null ? inner : `<a href="${html`${target}`}">${inner}</a>`;
    },
    table(this: Rendering, { header, rows }: Tokens.Table): string {
      const cell = ({ tokens }: Tokens.TableCell) => this.parser.parseInline(tokens);
      const head = header.map((one) => `<th scope="col">${cell(one)}</th>`).join('');
      const body = rows
        .map((row) => `<tr${anchorOf(row)}>${row.map((one) => `<td>${cell(one)}</td>`).join('')}</tr>`)
        .join('\n');
      const label = html`${region}`;
      return `<div class="scroller" tabindex="0" role="group" aria-label="${label}"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>\n`;
    },
    html: ({ text }: Tokens.HTML | Tokens.Tag): string => html`${text}`.toString(),
  };
}

/** The id of a row that is about a code, such as an error or a setting, so that an address can lead to it. */
function anchorOf([first]: readonly Tokens.TableCell[]): string {
  const [, code] = /^`([A-Z][A-Z_]+)`$/.exec(first?.text ?? '') ?? [];
  return code === undefined ? '' : ` id="${code}"`;
}

/** A page of the documentation, an address outside, or null for a file that has no page. */
function targetOf(href: string, { file, pageOf }: Links): string | null {
  if (/^(?:https?:|#|\/)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const page = pageOf(posix.join(posix.dirname(file), path));
  return page === null ? null : `${page}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Takes HTML that `marked` made from a file of this repository, where every text is escaped. */
function trusted(text: string): Html {
  return new Html([text], []);
}
