import type { SendMailOptions } from 'nodemailer';
import { cutTextStart } from '../../../lib/graphemes.ts';
import { asciiDomainOf, type SenderAddress } from '../sender/sender-address.ts';
import type { OutgoingMail } from './transport.ts';

/**
 * A mail for nodemailer. Addresses are objects, because a text with a comma would be several, and nothing is read from
 * files or addresses. What reports bounces finds the message by its id: in the headers, as a tag of Amazon SES and as
 * metadata of Postmark.
 */
export function composeMail(mail: OutgoingMail): SendMailOptions {
  const { id, messageId, from, replyTo, to, subject, html, text, attachments, unsubscribeUrl, isAutomatic } = mail;
  const recipient = { name: '', address: to };
  const sender = { name: withoutBreaks(from.name), address: from.address };
  return {
    ...(isEncodedHere(sender) ? { normalizeHeaderKey: asFrom } : { from: sender }),
    to: recipient,
    // Given, because nodemailer would otherwise read it from the headers several times.
    envelope: { from: { name: '', address: from.address }, to: recipient },
    ...(replyTo && { replyTo: { name: '', address: replyTo } }),
    subject: encodeMisread(withoutBreaks(subject)),
    messageId: `<${messageId}>`,
    ...(html !== undefined && { html }),
    ...(text !== undefined && { text }),
    attachments: attachments.map(({ fileName, type, bytes }) => ({
      filename: cutTextStart(withoutBreaks(fileName), maxFileNameLength),
      contentType: type,
      content: bytes,
    })),
    headers: {
      ...(isEncodedHere(sender) && { [encodedFrom]: encodeAddress(sender) }),
      // Suppresses automatic replies (RFC 3834 section 5).
      ...(isAutomatic && { 'Auto-Submitted': 'auto-generated' }),
      'X-Message-Id': prepared(id),
      'X-SES-MESSAGE-TAGS': prepared(`message-id=${id}`),
      'X-PM-Metadata-message-id': prepared(id),
      // RFC 8058: both headers, and the address takes a POST.
      ...(unsubscribeUrl && {
        'List-Unsubscribe': prepared(`<${unsubscribeUrl}>`),
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** A value that is written as it is: it is the platform's own, in ASCII, and has no line break. */
const prepared = (value: string) => ({ prepared: true, value });

/**
 * Whether nodemailer leaves a text as it is, or in quotes, where it has to be encoded: mail programs read
 * `=?utf-8?q?…?=` as another text, and a word that cannot be folded may be longer than the 998 octets of a line
 * (RFC 5322 section 2.1.1). A text that is not ASCII is always encoded.
 */
const isMisread = (text: string): boolean => /^[\x20-\x7e]*$/.test(text) && /=\?|\S{77}/.test(text);

/**
 * A text in encoded words (RFC 2047 section 4.2) where it would be misread. Nodemailer folds them, and does not encode
 * them again. Twenty characters take at most 60 of the 75 of a word.
 */
function encodeMisread(text: string): string {
  if (!isMisread(text)) return text;
  const words = text.match(/.{1,20}/g) ?? [];
  return words.map((word) => `=?UTF-8?Q?${word.replace(/[^A-Za-z0-9]/g, quotedPrintable)}?=`).join(' ');
}

const quotedPrintable = (character: string): string => `=${Buffer.from(character).toString('hex').toUpperCase()}`;

/** Nodemailer writes a name in ASCII in quotes. A header of another name it takes as it is, unless it is not ASCII. */
const encodedFrom = 'X-Encoded-From';
const asFrom = (key: string): string => (key === encodedFrom ? 'From' : key);

function isEncodedHere({ name, address }: SenderAddress): boolean {
  return isMisread(name) && /^[\x21-\x7e]+$/.test(localPartOf(address));
}

function encodeAddress({ name, address }: SenderAddress): string {
  return `${encodeMisread(name)} <${localPartOf(address)}@${asciiDomainOf(address)}>`;
}

const localPartOf = (address: string): string => address.slice(0, address.lastIndexOf('@'));

/** Longer ones are in no file system, and the line of the header could be too long. The end has the extension. */
const maxFileNameLength = 200;

const withoutBreaks = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
