import { accessRows } from './rows/access.ts';
import { accountRows } from './rows/accounts.ts';
import { applicationRows } from './rows/applications.ts';
import { billingRows } from './rows/billing.ts';
import { connectRows } from './rows/connect.ts';
import { contextRows } from './rows/context.ts';
import { conventionsRows } from './rows/conventions.ts';
import { mailRows } from './rows/mail.ts';
import { notificationRows } from './rows/notification.ts';
import { oauthRows } from './rows/oauth.ts';
import { operatorRows } from './rows/operator.ts';
import { organizationRows } from './rows/organizations.ts';
import type { Row } from './rows/row.ts';
import { storageRows } from './rows/storage.ts';

const rows = {
  ...accountRows,
  ...applicationRows,
  ...organizationRows,
  ...operatorRows,
  ...oauthRows,
  ...accessRows,
  ...billingRows,
  ...connectRows,
  ...contextRows,
  ...storageRows,
  ...mailRows,
  ...notificationRows,
  ...conventionsRows,
} as const satisfies Record<string, Row>;

export type { Row };
export type RowId = keyof typeof rows;

/** What the platform promises to those who call it over HTTP, as far as the services of today answer for it. */
export const ledger: Record<RowId, Row> = rows;
