import { fromNow, hour, now, second } from '../../../lib/clock.ts';
import { settings } from '../../../lib/settings.ts';
import { isSigned, sign } from '../../../lib/signature.ts';

const purpose = 'link to the PDF of an invoice';
const lifetime = hour;

/** The address of an invoice's PDF. The link is a bearer credential for an hour. */
export function pdfLink(invoiceId: string): string {
  const expires = String(Math.floor(fromNow(lifetime).getTime() / second));
  const query = new URLSearchParams({ expires, signature: sign(purpose, signedText(invoiceId, expires)) });
  return `${settings.PUBLIC_URL}/v1/invoices/${invoiceId}/pdf?${query}`;
}

/** Whether {@link pdfLink} made these parameters for the invoice, and not too long ago. `expires` is in seconds. */
export function isLinkValid(invoiceId: string, expires: string, signature: string): boolean {
  const isTimely = Number(expires) * second > now().getTime();
  return isSigned(purpose, signedText(invoiceId, expires), signature) && isTimely;
}

function signedText(invoiceId: string, expires: string): string {
  return `${invoiceId} ${expires}`;
}
