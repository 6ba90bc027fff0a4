import type { SendMailOptions } from 'nodemailer';
import type { OutgoingMail } from './transport.ts';

/**
 * A mail for nodemailer. Addresses are objects, because a text with a comma would be several, and nothing is read from
 * files or addresses. What reports bounces finds the message by its id: in the headers, as a tag of Amazon SES and as
 * metadata of Postmark.
 */
export function composeMail(mail: OutgoingMail): SendMailOptions {
  const { id, messageId, from, replyTo, to, subject, html, text, attachments, unsubscribeUrl, isAutomatic } = mail;
  const recipient = { name: '', address: to };
  return {
    from: { name: withoutBreaks(from.name), address: from.address },
    to: recipient,
    // Given, because nodemailer would otherwise read it from the headers several times.
    envelope: { from: { name: '', address: from.address }, to: recipient },
    ...(replyTo && { replyTo: { name: '', address: replyTo } }),
    subject: withoutBreaks(subject),
    messageId: `<${messageId}>`,
    ...(html !== undefined && { html }),
    ...(text !== undefined && { text }),
    attachments: attachments.map(({ fileName, type, bytes }) => ({
      filename: withoutBreaks(fileName),
      contentType: type,
      content: bytes,
    })),
    headers: {
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

const withoutBreaks = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
