import { defaultLanguage, languageOf } from '../../lib/format/language.ts';
import { byLanguage } from './pages/texts.ts';
import { escapeHtml } from './system-mail.ts';

type Parts = { html?: string; text?: string };

/**
 * Appends an unsubscribe link to each part of a marketing mail that does not contain its URL: readers see only one
 * part, and few find the header List-Unsubscribe. Its words are in the language of the mail, where the platform has it.
 */
export function withUnsubscribeLink<P extends Parts>(parts: P, url: string, locale: string | null): P {
  const { html, text } = parts;
  const language = languageOf(locale?.split('-')[0]) ?? defaultLanguage;
  const { submit: label } = byLanguage[language].unsubscribe;
  // Compares the end of the URL, because the author's link may contain the URL as a parameter.
  const end = url.slice(url.lastIndexOf('/') + 1);
  return {
    ...parts,
    ...(html !== undefined && !html.includes(end) && { html: atEndOfBody(html, linkOf(url, label)) }),
    ...(text !== undefined && !text.includes(end) && { text: `${text.trimEnd()}\n\n${label}: ${url}\n` }),
  };
}

const style = 'margin:24px;font-family:sans-serif;font-size:12px;text-align:center';

function linkOf(url: string, label: string): string {
  return `<p style="${style}"><a href="${escapeHtml(url)}" style="color:inherit">${escapeHtml(label)}</a></p>`;
}

function atEndOfBody(html: string, added: string): string {
  const end = [...html.matchAll(/<\/body/gi)].at(-1)?.index ?? html.length;
  return `${html.slice(0, end)}${added}\n${html.slice(end)}`;
}
