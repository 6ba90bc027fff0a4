import { Tokenizer, TokenKind } from 'liquidjs';
import { isAddressAttribute } from './safe-addresses.ts';

const forbiddenElements = new Set([
  ...['script', 'iframe', 'frame', 'frameset', 'object', 'embed', 'applet', 'base', 'portal', 'svg', 'math'],
]);
const voidElements = new Set([
  ...['area', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr'],
]);
/** Elements that are closed implicitly by the next one of the same name. */
const implicitlyClosed = new Set(['p', 'li', 'td', 'th', 'tr', 'dt', 'dd', 'option']);
/** Far more than a message needs, and far below the recursion limit of parsers. */
const maxDepth = 500;
const rawElements = new Set(['style', 'title', 'textarea', 'xmp', 'noembed', 'noframes']);
/** Whether a character is white space in HTML; `\s` of a regular expression also matches other characters. */
const isSpace = (character: string): boolean => '\t\n\f\r '.includes(character);
/** Liquid tags that output a value in place. */
const writingTags = /^\{%-?\s*(?:echo|cycle|increment|decrement|tablerow|liquid)\b/;

/**
 * The analysis of a template's HTML: its problems, as sentences; the source with `css_value` applied to values within
 * `style` attributes; and the variables that an address begins with.
 */
export type HtmlContexts = { problems: string[]; source: string; addressVariables: string[] };

/** The parser state. */
type Place = 'text' | 'comment' | 'declaration' | 'rawText' | 'tagName' | 'inTag' | 'quoted' | 'unquoted';

type Reader = {
  /** Whether the content of conditional comments is read. */
  readsConditions: boolean;
  place: Place;
  element: string;
  attribute: string;
  /** Whether the attribute's name is complete and its value comes next. */
  isNamed: boolean;
  isValueNext: boolean;
  quote: string;
  value: string;
  /** The names of the open elements. */
  open: string[];
  problems: Set<string>;
  addressVariables: Set<string>;
};

/**
 * Parses HTML with Liquid tags. Allows values only in text and in quoted attribute values, where escaping is
 * sufficient, and rejects elements and attributes that run code. Conditional comments are content for the mail programs
 * that they name and comments for all others, so the source is read in both ways.
 */
export function readContexts(source: string): HtmlContexts {
  const tokens = new Tokenizer(source).readTopLevelTokens();
  const texts = tokens.map(({ begin, end, kind }) => ({ text: source.slice(begin, end), kind }));
  const readings = [true, false].map((readsConditions) => readTokens(texts, readsConditions));
  const written = texts.map(
    ({ text }, index) => readings.find((one) => one.written[index] !== text)?.written[index] ?? text,
  );
  return {
    problems: [...new Set(readings.flatMap(({ reader }) => [...reader.problems]))],
    source: written.join(''),
    addressVariables: [...new Set(readings.flatMap(({ reader }) => [...reader.addressVariables]))],
  };
}

type TokenText = { text: string; kind: TokenKind };

/** Reads the tokens in order; `written` is the source with which to write each. */
function readTokens(tokens: TokenText[], readsConditions: boolean): { reader: Reader; written: string[] } {
  const reader: Reader = {
    readsConditions,
    place: 'text',
    element: '',
    attribute: '',
    isNamed: false,
    isValueNext: false,
    quote: '',
    value: '',
    open: [],
    problems: new Set(),
    addressVariables: new Set(),
  };
  // HTML on both sides of a Liquid tag that writes nothing is read together: a tag or a comment may contain the Liquid tag.
  let html = '';
  const written = tokens.map(({ text, kind }) => {
    if (kind === TokenKind.HTML) html += text;
    if (kind !== TokenKind.Output && !writingTags.test(text)) return text;
    readHtml(reader, html);
    html = '';
    return readValue(reader, text);
  });
  readHtml(reader, html);
  return { reader, written };
}

function readHtml(reader: Reader, text: string): void {
  const lower = text.toLowerCase();
  for (let at = 0; at < text.length; at += 1) {
    if (reader.place === 'text') at = readText(reader, lower, at);
    else if (reader.place === 'comment') at = readComment(reader, lower, at);
    else if (reader.place === 'rawText') at = readRawText(reader, lower, at);
    else readTag(reader, text.charAt(at));
  }
}

function readText(reader: Reader, lower: string, from: number): number {
  const start = lower.indexOf('<', from);
  if (start < 0) return lower.length;
  if (reader.readsConditions && (lower.startsWith('<!--[if', start) || lower.startsWith('<![', start))) {
    const end = lower.indexOf('>', start);
    return end < 0 ? lower.length : end;
  }
  const [comment] = matchAt(commentStart, lower, start);
  if (comment !== undefined) {
    reader.place = comment.endsWith('>') ? 'text' : 'comment';
    return start + comment.length - 1;
  }
  if (matchAt(declarationStart, lower, start).length > 0) reader.place = 'declaration';
  // At the end of the text, Liquid may output an element name.
  else if (start + 1 === lower.length || /[a-z/]/.test(lower.charAt(start + 1))) {
    Object.assign(reader, { place: 'tagName', element: '', attribute: '', isNamed: false, isValueNext: false });
  }
  return start;
}

/** A comment, which `>` and `->` close immediately (HTML Standard, section 13.2.5.43). */
const commentStart = /<!--(?:-?>)?/y;
const commentEnd = /--!?>/g;
/** A document type, or a comment that ends at the next `>`, also within quotes (HTML Standard, section 13.2.5.41). */
const declarationStart = /<(?:[!?]|\/[^a-z>])/y;

function matchAt(pattern: RegExp, text: string, at: number): readonly string[] {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? [];
}

function readComment(reader: Reader, lower: string, from: number): number {
  commentEnd.lastIndex = from;
  if (!commentEnd.test(lower)) return lower.length;
  reader.place = 'text';
  return commentEnd.lastIndex - 1;
}

function readRawText(reader: Reader, lower: string, from: number): number {
  const name = `</${reader.element}`;
  for (let at = lower.indexOf(name, from); at >= 0; at = lower.indexOf(name, at + 1)) {
    const next = lower.charAt(at + name.length);
    // Any other character continues the name, and with it the text. At the end of the text, Liquid may write one.
    if (next !== '' && next !== '/' && next !== '>' && !isSpace(next)) continue;
    reader.place = 'text';
    // The closing tag is parsed as a tag.
    return at - 1;
  }
  return lower.length;
}

function readTag(reader: Reader, character: string): void {
  const { place } = reader;
  if (place === 'declaration') reader.place = character === '>' ? 'text' : place;
  else if (place === 'quoted' && character !== reader.quote) reader.value += character;
  else if (place === 'quoted') endAttribute(reader);
  else if (character === '>') endTag(reader);
  else if (place === 'unquoted' && !isSpace(character)) reader.value += character;
  else if (place === 'unquoted') endAttribute(reader);
  else if (place === 'tagName' && !(isSpace(character) || (character === '/' && reader.element))) {
    reader.element += character.toLowerCase();
  } else if (place === 'tagName') reader.place = 'inTag';
  else readAttribute(reader, character);
}

/** A slash ends a name as a space does, and an equals sign without a name begins one (section 13.2.5.32). */
function readAttribute(reader: Reader, character: string): void {
  if (isSpace(character) || (character === '/' && !reader.isValueNext)) reader.isNamed = true;
  else if (character === '=' && reader.attribute !== '' && !reader.isValueNext) reader.isValueNext = true;
  else if (reader.isValueNext) {
    const isQuote = character === '"' || character === "'";
    Object.assign(reader, {
      place: isQuote ? 'quoted' : 'unquoted',
      quote: character,
      value: isQuote ? '' : character,
    });
  } else if (reader.isNamed) {
    endAttribute(reader);
    reader.attribute = character.toLowerCase();
  } else reader.attribute += character.toLowerCase();
}

function endAttribute(reader: Reader): void {
  const { attribute, element, value, problems } = reader;
  if (attribute.startsWith('on')) problems.add(`The attribute ${attribute} runs code and is not allowed.`);
  if (element === 'meta' && attribute === 'http-equiv' && /refresh/i.test(value)) {
    problems.add('<meta http-equiv="refresh"> is not allowed.');
  }
  Object.assign(reader, { place: 'inTag', attribute: '', isNamed: false, isValueNext: false, value: '' });
}

function endTag(reader: Reader): void {
  endAttribute(reader);
  const { element, problems } = reader;
  if (forbiddenElements.has(element)) problems.add(`<${element}> is not allowed.`);
  reader.place = rawElements.has(element) ? 'rawText' : 'text';
  nest(reader);
}

/** Tracks the nesting depth of elements. */
function nest({ element, open, problems }: Reader): void {
  if (element.startsWith('/')) {
    const at = open.lastIndexOf(element.slice(1));
    if (at >= 0) open.length = at;
    return;
  }
  const closesPrevious = implicitlyClosed.has(element) && open.at(-1) === element;
  if (voidElements.has(element) || closesPrevious) return;
  if (open.length < maxDepth) open.push(element);
  else problems.add(`Elements are nested deeper than ${maxDepth} levels.`);
}

/** Returns the source with which to write the value. */
function readValue(reader: Reader, text: string): string {
  const { place, attribute, element, problems } = reader;
  if (place === 'declaration' || place === 'tagName' || place === 'inTag' || place === 'unquoted') {
    problems.add(`${excerpt(text)} is inside a tag: put it into a quoted attribute value.`);
  }
  if (place === 'rawText' && element === 'style') {
    problems.add(`${excerpt(text)} is inside <style>: variables are allowed only in text and attributes.`);
  }
  if (place !== 'quoted') return text;
  if (attribute === 'style') return text.startsWith('{{') ? text.replace(/\s*(-?\}\})$/, ' | css_value $1') : text;
  const variable = /^\{\{-?\s*([\w-]+)/.exec(text)?.[1];
  const isFirst = reader.value.trim() === '';
  reader.value += 'x';
  if (variable && isFirst && isAddressAttribute(attribute)) reader.addressVariables.add(variable);
  return text;
}

const excerpt = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
