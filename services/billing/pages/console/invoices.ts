import type { CallOutput } from '../../../../lib/calls.ts';
import { formatMoney } from '../../../../lib/money.ts';
import { type Html, html } from '../../../../web/html.ts';
import { renderTable } from '../../../../web/table.ts';
import { renderDay } from '../../../../web/time.ts';
import { texts } from '../texts.ts';
import { billingPath, withOrganization } from './paths.ts';

type Invoices = CallOutput<'billing.invoices.list'>;
type Invoice = Invoices['invoices'][number];

/** The invoices, the newest first, each with its PDF. */
export function renderInvoices(orgId: string, { invoices, nextCursor }: Invoices): Html {
  const { columns, none, older } = texts().console.invoices;
  return renderTable({
    label: texts().console.headings.invoices,
    columns: [
      { heading: columns.invoice, cell: renderPdf },
      { heading: columns.date, cell: ({ issuedAt, createdAt }) => renderDay(issuedAt ?? createdAt) },
      { heading: columns.status, cell: renderStatus },
      { heading: columns.amount, cell: ({ amount, currency }) => formatMoney(amount, currency), isNumber: true },
    ],
    rows: invoices,
    empty: none,
    next: nextCursor
      ? { href: `${withOrganization(billingPath, orgId, { cursor: nextCursor })}#invoices`, words: older }
      : null,
  });
}

/**
 * Links the PDF without a signature: the user's session allows it, and a signed link expires while the page is open.
 */
function renderPdf({ number, pdfUrl }: Invoice): Html {
  const { pdf, unnumbered } = texts().console.invoices;
  const { pathname } = new URL(pdfUrl);
  const name = number ?? unnumbered;
  return html`<a href="${pathname}" type="application/pdf" aria-label="${pdf(name)}">${name}</a>`;
}

function renderStatus({ status, dueAt }: Invoice): Html {
  const { statuses, due } = texts().console.invoices;
  return html`<span class="tag">${statuses[status]}</span>${status === 'open' && dueAt && html` ${due(renderDay(dueAt))}`}`;
}
