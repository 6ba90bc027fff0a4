import type { SendMailOptions } from 'nodemailer';
import { cutTextStart } from '../../../lib/format/graphemes.ts';
import { asciiDomainOf, type SenderAddress } from '../../../lib/net/sender-address.ts';
import type { OutgoingMail } from './transport.ts';

/**
 * Builds the nodemailer options of a mail. Addresses are objects, because nodemailer would split a string at commas;
 * reading from files and URLs is disabled. Bounce reports identify the message by its id: in the headers, as an Amazon
 * SES tag and as Postmark metadata.
 */
export function composeMail(mail: OutgoingMail): SendMailOptions {
  const { id, messageId, from, replyTo, to, subject, html, text, attachments, unsubscribeUrl, isAutomatic } = mail;
  const recipient = { name: '', address: to };
  const sender = { name: withoutBreaks(from.name), address: from.address };
  return {
    ...(isEncodedHere(sender) ? { normalizeHeaderKey: asFrom } : { from: sender }),
    to: recipient,
    // Set explicitly, because nodemailer would otherwise parse it from the headers several times.
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
      // RFC 8058 requires both headers and a URL that accepts POST.
      ...(unsubscribeUrl && {
        'List-Unsubscribe': prepared(`<${unsubscribeUrl}>`),
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** A header value that nodemailer writes verbatim: from the platform, in ASCII, without line breaks. */
const prepared = (value: string) => ({ prepared: true, value });

/**
 * Whether nodemailer would write a text verbatim or quoted although it needs encoding: mail programs decode
 * `=?utf-8?q?…?=`, and a word that cannot be folded may exceed the 998 octets of a line (RFC 5322 section 2.1.1). Text
 * that is not ASCII is always encoded.
 */
const isMisread = (text: string): boolean => /^[\x20-\x7e]*$/.test(text) && /=\?|\S{77}/.test(text);

/**
 * Encodes a text in encoded words (RFC 2047 section 4.2) if it would be misread. Nodemailer folds them and does not
 * encode them again. Twenty characters take at most 60 of the 75 characters of a word.
 */
function encodeMisread(text: string): string {
  if (!isMisread(text)) return text;
  const words = text.match(/.{1,20}/g) ?? [];
  return words.map((word) => `=?UTF-8?Q?${word.replace(/[^A-Za-z0-9]/g, quotedPrintable)}?=`).join(' ');
}

const quotedPrintable = (character: string): string => `=${Buffer.from(character).toString('hex').toUpperCase()}`;

/** A header for the encoded sender: nodemailer writes an ASCII name in From quoted, but other headers verbatim. */
const encodedFrom = 'X-Encoded-From';
const asFrom = (key: string): string => (key === encodedFrom ? 'From' : key);

function isEncodedHere({ name, address }: SenderAddress): boolean {
  return isMisread(name) && /^[\x21-\x7e]+$/.test(localPartOf(address));
}

function encodeAddress({ name, address }: SenderAddress): string {
  return `${encodeMisread(name)} <${localPartOf(address)}@${asciiDomainOf(address)}>`;
}

const localPartOf = (address: string): string => address.slice(0, address.lastIndexOf('@'));

/**
 * The maximum length of a file name: file systems allow no longer names, and the header line could become too long.
 * Cuts keep the extension.
 */
const maxFileNameLength = 200;

const withoutBreaks = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
