import { settings } from '../../../lib/settings.ts';
import { accents } from '../../../web/theme.ts';
import type { MailContent, MailLink } from './mail-content.ts';

export type RenderedMail = { subject: string; html: string; text: string };

/**
 * Renders one of the platform's own mails as HTML and as text. The HTML has no images and only the button is coloured,
 * so that it is readable in dark and in light mode; each link is also shown as text. It begins with a hidden line,
 * which mail programs preview next to the subject.
 */
export function renderMail(content: MailContent): RenderedMail {
  return { subject: content.subject, html: renderHtml(content), text: renderText(content) };
}

const fontStyle = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;line-height:1.5';
const buttonStyle =
  `display:inline-block;padding:12px 20px;border-radius:6px;background-color:${accents.light.accent};color:${accents.light.onAccent};` +
  'font-weight:600;text-decoration:none';

function renderHtml({ subject, heading, paragraphs, button, alternative, unasked }: MailContent): string {
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(subject)}</title></head>`,
    `<body style="margin:0;padding:24px;${fontStyle};font-size:16px">`,
    `<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(paragraphs[0] ?? heading)}</div>`,
    '<div style="max-width:560px;margin:0 auto;overflow-wrap:break-word">',
    `<p style="font-weight:600">${escapeHtml(settings.BRAND_NAME)}</p>`,
    `<h1 style="font-size:22px;line-height:1.3">${escapeHtml(heading)}</h1>`,
    ...paragraphs.map(paragraph),
    ...(button ? [buttonHtml(button)] : []),
    ...(alternative ? [paragraph(alternative.label), plainLink(alternative.link)] : []),
    `<p style="font-size:14px">${escapeHtml(unasked)}</p>`,
    '</div></body></html>',
    '',
  ].join('\n');
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

function buttonHtml({ label, link }: MailLink): string {
  return [
    `<p style="margin:24px 0"><a href="${escapeHtml(link)}" style="${buttonStyle}">${escapeHtml(label)}</a></p>`,
    paragraph('If the button does not work, open this address in your browser:'),
    plainLink(link),
  ].join('\n');
}

/**
 * A link in the text colour: default blue is unreadable in programs that invert colours without supporting dark mode.
 */
function plainLink(link: string): string {
  const href = escapeHtml(link);
  return `<p style="font-size:14px;word-break:break-all"><a href="${href}" style="color:inherit">${href}</a></p>`;
}

function renderText({ heading, paragraphs, button, alternative, unasked }: MailContent): string {
  const links = [button && `${button.label}:`, button?.link, alternative?.label, alternative?.link];
  return `${[settings.BRAND_NAME, heading, ...paragraphs, ...links.filter((line) => line !== undefined), unasked].join('\n\n')}\n`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes a text for HTML, between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
