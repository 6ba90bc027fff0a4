/**
 * The public API for services outside this repository: `import { defineAction } from 'platform/service'`. Everything
 * else of the platform may change without notice.
 */
// Types the actions that `call` can reach.
import type {} from './services/access/access.service.ts';
import type {} from './services/billing/billing.service.ts';
import type {} from './services/context/context.service.ts';
import type {} from './services/identity/identity.service.ts';
import type {} from './services/mail/mail.service.ts';

export type { Context, ServiceSchema } from 'moleculer';
export { model, Schema } from 'mongoose';
// Its messages are in English; `zod/locales` has the other languages.
export { z } from 'zod';
export { recordAuditEvent } from './lib/clients/audit.ts';
export { sendHint } from './lib/clients/change-notifications.ts';
export { limitsOf, requireRoom } from './lib/clients/plan-limits.ts';
export {
  drainQuotaCommits,
  settlementInput,
  settlementOutput,
  settleStored,
  withQuota,
} from './lib/clients/quota.ts';
export type { Caller, RequestMeta } from './lib/contract/context.ts';
export { type Calls, call } from './lib/contract/context.ts';
export {
  bytesAnswer,
  bytesInput,
  bytesOutput,
  eventsOutput,
  streamOutput,
  uploadInput,
} from './lib/contract/contract.ts';
export { defineAction } from './lib/contract/define-action.ts';
export { defineCommand } from './lib/contract/define-command.ts';
export { apiError } from './lib/contract/errors.ts';
export { decodeCursor, pageOf, pageQuery, toPage } from './lib/contract/input.ts';
export { fromNow, now } from './lib/data/clock.ts';
export { deleteInBatches } from './lib/data/collection.ts';
export { declareIdPrefix, newId } from './lib/data/ids.ts';
export { tenantGuard } from './lib/data/tenant-guard.ts';
export { defineSettings } from './lib/settings/define-settings.ts';
export { cron, daily, everyMinutes, monthly } from './mixins/cron/cron.ts';
export { mongo } from './mixins/mongo.ts';
export { type Refusal, refusalOf, refuse, rejectMissing } from './web/attempt.ts';
export { catalogue } from './web/catalogue.ts';
export { renderConfirmedForm } from './web/confirm.ts';
export { renderCopyField } from './web/copy.ts';
export { publicPage, type UserVisit, userPage, type Visit } from './web/define-page.ts';
export { renderChoice, renderFields } from './web/fields.ts';
export { renderFilters } from './web/filters.ts';
export { renderForm } from './web/form-page.ts';
export { html } from './web/html.ts';
export { renderMeter } from './web/meter.ts';
export { redirectTo, renderPage } from './web/page.ts';
export { pickFields } from './web/pick.ts';
export { renderEmpty, renderTable } from './web/table.ts';
export { flashMessage, openUserFlow, rejectStaleForm, renderServicePage } from './web/user-page.ts';
