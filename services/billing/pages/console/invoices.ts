import type { CallOutput } from '../../../../lib/calls.ts';
import { formatMoney } from '../../../../lib/money.ts';
import { type Html, html } from '../../../../web/html.ts';
import { showTime } from '../../../../web/time.ts';
import { billingPath, withOrganization } from './paths.ts';

type Invoices = CallOutput<'billing.invoices.list'>;
type Invoice = Invoices['invoices'][number];

const statuses: Record<Invoice['status'], string> = {
  draft: 'Draft',
  open: 'To be paid',
  paid: 'Paid',
  void: 'Void',
  uncollectible: 'Not paid',
};

/** The invoices, the newest first, each with its PDF. */
export function showInvoices(orgId: string, { invoices, nextCursor }: Invoices): Html {
  const older = nextCursor && `${withOrganization(billingPath, orgId, { cursor: nextCursor })}#invoices`;
  return html`${invoices.length === 0 && html`<p class="hint">There is no invoice.</p>`}
<ul class="items">${invoices.map(showInvoice)}</ul>
${older && html`<p><a href="${older}">Older invoices</a></p>`}`;
}

/**
 * Links the PDF without a signature: the user's session allows it, and a signed link expires while the page is open.
 */
function showInvoice({ number, status, amount, currency, createdAt, issuedAt, dueAt, pdfUrl }: Invoice): Html {
  const name = number ?? 'without a number';
  const { pathname: pdf } = new URL(pdfUrl);
  return html`<li><h3>${formatMoney(amount, currency)} <span class="tag">${statuses[status]}</span></h3>
<p>Invoice ${name} of ${showTime(issuedAt ?? createdAt)}</p>
${status === 'open' && dueAt && html`<p>Due ${showTime(dueAt)}</p>`}
<p><a href="${pdf}" type="application/pdf">PDF of invoice ${name}</a></p></li>`;
}
